"""The entry points of a project: where their pointer stands, and what is put right in them."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rld import pointer, scaffold, textfile
from rld.errors import Problem, Refused, from_tuples
from rld.project import Project
from rld.settings import Settings


class EntryPoint:
    """`file`: its name, behind a link that was checked out as text; `line`: of the pointer, 0 when there is none;
    `leaked`: the first and last lines of journal entries in it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.line = 0
        self.is_first = False
        self.leaked: list[tuple[int, int]] = []
        self.problems: list[Problem] = []


def look(project: Project, settings: Settings, name: str) -> EntryPoint:
    """How one entry point stands. Raises Refused when it cannot be read."""
    found = EntryPoint(scaffold.written_out_link(project, name) or name)
    text = textfile.read_or_none(project.path(found.file))
    if text is None:
        found.problems.append(_missing(found.file, settings))
        return found
    found.line, found.is_first = pointer.where(text, settings.post_mortem)
    found.leaked = pointer.leaked(text)
    found.problems = from_tuples(found.file, pointer.check(text, settings.post_mortem))
    return found


def plan(project: Project, settings: Settings, fix: bool, clean: bool) -> scaffold.Scaffold:
    """The changes that put the pointers first (`fix`) and take leaked entries out (`clean`); nothing is written.

    Raises Refused with everything that is in the way.
    """
    found = scaffold.Scaffold(project, settings)
    problems: list[Problem] = []
    for name in settings.entry_points:
        try:
            _plan_one(found, name, fix, clean)
        except Refused as error:
            problems += error.problems
    if problems:
        raise Refused(*problems)
    return found


def _plan_one(found: scaffold.Scaffold, name: str, fix: bool, clean: bool) -> None:
    behind = scaffold.written_out_link(found.project, name)
    file = behind or name
    post_mortem = found.settings.post_mortem
    if not os.path.lexists(found.project.path(file)):
        raise Refused(_missing(file, found.settings))

    def make(text: str | None) -> str:
        made = text or ""
        if clean:
            made = _cleaned(made, file)
        return pointer.insert(pointer.move_first(made, post_mortem), post_mortem) if fix else made

    if found.edit(file, make) is not None and behind:
        found.notes.append("%s is a link that was checked out as text: the file that changes is %s." % (name, behind))


def _cleaned(text: str, file: str) -> str:
    """The text without its journal entries. Raises Refused when anything else would go: cleaning the user's own
    configuration too well is the worst thing to do to it."""
    made = pointer.clean(text)
    gone = {line for first, last in pointer.leaked(text) for line in range(first, last + 1)}
    rows = text.removeprefix("\ufeff").split("\n")
    kept = [row.rstrip("\r") for line, row in enumerate(rows, 1) if line not in gone and row.strip()]
    if [row.rstrip("\r") for row in made.removeprefix("\ufeff").split("\n") if row.strip()] != kept:
        line = min(gone, default=1)
        what = "more than the journal entries would go, so nothing was taken out: cut them out in your editor"
        raise Refused(Problem(what, file=file, line=line, code="journal-in-entry-point"))
    return made


def keep_copy(project: Project, change: scaffold.Change) -> str:
    """Keep a file as it was in the state folder, since its entries may stand nowhere else; the path of the copy."""
    name = "%s-%s" % (time.strftime("%Y%m%d-%H%M%S"), change.name.replace("/", "-"))
    path = Path(project.state, "cleaned", name)
    textfile.write(path, change.before or "", project.state)
    return str(path)


def _missing(file: str, settings: Settings) -> Problem:
    what = "is not there, so nothing tells the agent of %s: `rld init` makes it" % settings.post_mortem
    return Problem(what, file=file, code="pointer-missing")
