"""A proposal laid out beside what it is about: the post-mortem, its source, and what the checks say."""

from __future__ import annotations

import time
from pathlib import Path

from rld import (
    amend,
    canon,
    grounds,
    linters,
    postmortem,
    proposal,
    rejections,
    screening,
    sources,
    taken,
    textfile,
    tree,
)
from rld.errors import Problem, Refused
from rld.project import Project
from rld.proposal import Candidate, Proposal
from rld.settings import Settings


class Desk:
    """`file` names the proposal in messages; `session` is the present one; `again` lets what was rejected pass."""

    def __init__(
        self, project: Project, settings: Settings, found: Proposal, file: str, session: str, again: bool = False
    ) -> None:
        self.project = project
        self.settings = settings
        self.proposal = found
        self.file = file
        self.source = sources.find(project, settings, found.meta, session)
        self.text = textfile.read_or_none(project.path(settings.post_mortem)) or ""
        self.facts = screening.Facts(
            postmortem.parse(self.text),
            self.source,
            project.root,
            frozenset(tree.files(project)),
            linters.configured(project.root),
            [] if again else rejections.all_of(project),
        )
        self._cited: dict[str, set[str]] | None = None
        self.screen()

    def screen(self) -> None:
        """Check the candidates as they are written, so that lines are right, then bring them into the one form."""
        self.findings = screening.screen(self.proposal, self.facts, self.file)
        for candidate in self.proposal.candidates:
            candidate.body = canon.body(candidate.body)

    @property
    def cited(self) -> dict[str, set[str]]:
        """Per kind the numbers that something in the tree cites."""
        if self._cited is None:
            self._cited = taken.in_tree(self.project)
        return self._cited

    def edit(self, candidates: list[Candidate], with_session: bool = True) -> amend.Edited:
        """The post-mortem with these candidates in it. Raises Refused when it cannot be done or proven."""
        source = self.source
        placed = [self._placed(candidate) for candidate in candidates]
        session = amend.Session(source.date, source.tag or "mixed", source.title, self.proposal.meta.get("summary", ""))
        return amend.edit(
            self.text,
            placed,
            session if with_session else None,
            time.strftime("%Y-%m-%d"),
            self.cited,
            self.settings.post_mortem,
        )

    def _placed(self, candidate: Candidate) -> Candidate:
        """The candidate as it goes into the file: its evidence names the journal where it will be."""
        if not self.source.journal:
            return candidate
        made = Candidate(candidate.verb, candidate.kind, candidate.targets, candidate.title)
        made.body = grounds.archived(candidate.body, self.source.journal, self.source.archive)
        return made

    def rank(self) -> None:
        """Put the candidates in the order in which they are shown: as written, those with warnings last."""
        self.proposal.candidates.sort(key=lambda c: len(self.findings.warnings(c)))
        for number, candidate in enumerate(self.proposal.candidates, 1):
            candidate.number = number

    def store(self, path: str) -> None:
        """Keep the proposal in its file (relative to the root), with the facts of its source in its front matter."""
        source = self.source
        meta = self.proposal.meta
        meta.update({key: value for key, value in (("journal", source.journal), ("session", source.session)) if value})
        meta.update({"date": source.date, "tag": source.tag or "mixed", "title": source.title})
        textfile.write(self.project.path(path), proposal.render(self.proposal), self.project.root)


def waiting(project: Project, settings: Settings) -> list[str]:
    """The proposals that wait for a human, relative to the root, oldest first."""
    folder = Path(project.path(settings.worklog))
    return sorted("%s/%s" % (settings.worklog, path.name) for path in folder.glob("*.proposal.md"))


def choose(project: Project, settings: Settings, given: str | None) -> str:
    """The proposal to look at: the one given, or the only one. Raises Refused when there is none, or more than one."""
    if given:
        relative = project.relative(str(Path(given).absolute())) if Path(given).exists() else given
        for path in (relative, "%s/%s" % (settings.worklog, given)):
            if path and Path(project.path(path)).is_file():
                return path
        raise Refused(Problem("there is no such proposal", file=given))
    found = waiting(project, settings)
    if not found:
        raise Refused("no proposal is waiting: `rld brief` shows what there is to distill, `rld propose` stores it")
    if len(found) > 1:
        raise Refused("%d proposals are waiting; name one: %s" % (len(found), ", ".join(found)))
    return found[0]


def open_stored(project: Project, settings: Settings, path: str, session: str) -> Desk:
    """The desk of a stored proposal: `propose` let it pass, so older rejections no longer count."""
    found = proposal.parse(textfile.read(project.path(path)))
    return Desk(project, settings, found, path, session, again=True)
