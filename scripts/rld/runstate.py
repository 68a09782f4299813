"""How far the open run is, for the digest.

Reading a plan takes modules that a session start has no time to load (0.6 of a bare interpreter start, and five
times that when they are not compiled yet), so the answer is kept beside the run until its plan or its journal changes.
"""

from rld import jsontext, rawfile
from rld.project import Project
from rld.runs import Run

MOST_READY = 4


class RunState:
    """How far a run is: `ready` names the items that are unblocked next."""

    __slots__ = ("plan", "journal", "verify", "done", "total", "ready")

    def __init__(self, run: Run, done: int, total: int, ready: "list[str]") -> None:
        self.plan = run.plan
        self.journal = run.journal
        self.verify = run.verify
        self.done = done
        self.total = total
        self.ready = ready


def read(project: Project, run: Run) -> RunState:
    """How far the run is, from its journal and its plan."""
    path = "%s/runs/%s.state.json" % (project.state, project.key)
    stamp = "%s %s %s" % (run.journal, _stamp(project.path(run.journal)), _stamp(project.path(run.plan)))
    kept = _kept(path, stamp)
    if kept is None:
        kept = _replay(project, run)
        kept["stamp"] = stamp
        if rawfile.is_folder(project.state + "/runs"):
            rawfile.replace(path, jsontext.dumps(kept).encode("ascii"))
    done, total, ready = kept["done"], kept["total"], kept["ready"]
    assert isinstance(done, int) and isinstance(total, int) and isinstance(ready, list)
    return RunState(run, done, total, ready)


def _stamp(path: str) -> str:
    try:
        found = rawfile.stat(path)
    except (OSError, ValueError):
        return "-"
    return "%d:%d:%d" % (found.st_size, found.st_mtime_ns, found.st_ino)


def _kept(path: str, stamp: str) -> "dict[str, object] | None":
    try:
        value = jsontext.loads(rawfile.read_text(path) or "")
    except ValueError:
        return None
    if isinstance(value, dict) and value.get("stamp") == stamp and {"done", "total", "ready"} <= set(value):
        return value
    return None


def _replay(project: Project, run: Run) -> "dict[str, object]":
    from rld import graph, journal, plan

    entries = journal.done(journal.parse(rawfile.read_text(project.path(run.journal)) or ""))
    items = plan.parse(rawfile.read_text(project.path(run.plan)) or "").items
    titles = {item.id: item.title for item in items}
    done = set(entries) | {item.id for item in items if item.done}
    extra = [id for id in entries if id not in titles]
    ready = ["Item %s (%s)" % (id, titles[id]) for id in graph.ready(items, done)[:MOST_READY]]
    return {"done": sum(1 for id in titles if id in done) + len(extra), "total": len(titles) + len(extra), "ready": ready}
