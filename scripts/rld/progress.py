"""How far a run is: its plan and its journal, replayed. The plan's own check boxes say nothing."""

from __future__ import annotations

from rld import graph, journal, plan, rawfile
from rld.project import Project
from rld.runs import Run


class Progress:
    """`done` holds the items with a whole entry in the order they were logged, also those that the plan does not have."""

    def __init__(self, project: Project, run: Run) -> None:
        self.book = journal.parse(rawfile.read_text(project.path(run.journal)) or "")
        text = rawfile.read_text(project.path(run.plan)) if run.plan else None
        self.plan_missing = text is None
        self.plan = plan.parse(text or "")
        self.done = journal.done(self.book)
        self.titles = {item.id: item.title for item in self.plan.items}
        known = set(self.done) | {item.id for item in self.plan.items if item.done}
        self.ready = graph.ready(self.plan.items, known)
        self.missing = [item.id for item in self.plan.items if item.id not in known]
        self.added = [id for id in self.done if id not in self.titles]

    @property
    def total(self) -> int:
        return len(self.titles) + len(self.added)

    @property
    def count(self) -> int:
        return self.total - len(self.missing)

    def named(self, id: str) -> str:
        title = self.titles.get(id, "")
        quick = any(item.id == id and item.quick_win for item in self.plan.items) and "quick win" not in title.lower()
        return "Item %s%s%s" % (id, ": " + title if title else "", " (quick win)" if quick else "")
