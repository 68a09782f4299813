"""What `rld init` puts into a project: all of it is worked out first, and one refusal stops every write."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Callable
from pathlib import Path

from rld import clientsettings, pointer, textfile, trust
from rld.errors import Problem, Refused
from rld.project import LOCAL, SETTINGS, Project
from rld.settings import TEMPLATE, Settings

POST_MORTEM = """\
# Post-mortem

Records get in by `rld propose` and a human's yes to each; code cites them by number, as in "guardrail 4".

## Production guardrails

## Pitfalls and repair guides

## Architectural decisions

## Tech debt
"""
_AGENTS = "AGENTS.md"
_LONGEST_LINK = 255  # characters of a file that may be a link written out as text


class Change:
    """One file that is written: `name` as people write it, `path` behind all links, `before` None for a new file."""

    __slots__ = ("after", "before", "name", "path")

    def __init__(self, name: str, path: Path, before: str | None, after: str) -> None:
        self.name = name
        self.path = path
        self.before = before
        self.after = after


class Scaffold:
    """The changes that set a project up, none when it is, and `notes` for the human."""

    def __init__(self, project: Project, settings: Settings) -> None:
        self.project = project
        self.settings = settings
        self.root = Path(os.path.realpath(project.root))
        self.top = Path(os.path.realpath(project.top or project.root))
        self.changes: list[Change] = []
        self.post_mortem: Change | None = None
        self.notes: list[str] = []

    def write(self) -> None:
        """Write the changes; the caller holds the lock. Raises Refused; what was written by then is whole, and a
        second run does the rest."""
        for change in self.changes:
            textfile.write(change.path, change.after, self.top)
        if self.post_mortem is not None:
            trust.remember(self.project, self.post_mortem.after.encode("utf-8"))

    def edit(self, name: str, make: Callable[[str | None], str]) -> Change | None:
        """Plan one file: `make` gets its text, None when there is none. None when nothing changes.

        Links are followed (firatcand/forge#322). Raises Refused when the file must not or cannot be written.
        """
        path = Path(self.project.path(name))
        if path.is_symlink() and not path.exists():
            way_out = "create that file or delete the link, and run `rld init` again"
            raise Refused(
                Problem("is a link to %s, which does not exist: %s" % (os.readlink(path), way_out), file=name)
            )
        real = Path(os.path.realpath(path))
        before = textfile.read_or_none(real)
        after = make(before)
        if after == before or any(change.path == real for change in self.changes):
            return None
        if self.top not in real.parents:
            way_out = "edit that file yourself, or put a file in place of the link"
            raise Refused(Problem("leads out of the repository, to %s: %s" % (real, way_out), file=name))
        self._check_writable(name, real)
        shown = os.path.relpath(real, self.root).replace(os.sep, "/")
        if path.is_symlink():
            self.notes.append("%s is a link: the file that changes is %s." % (name, shown))
        self.changes.append(Change(shown, real, before, after))
        return self.changes[-1]

    def _check_writable(self, name: str, real: Path) -> None:
        folder = next(parent for parent in real.parents if parent.exists())
        if not folder.is_dir():
            raise Refused(Problem("cannot be made: %s is a file; move it away" % folder, file=name))
        # Replacing a file as a whole needs no permission of its own, but read-only says: hands off.
        if real.exists() and not real.stat().st_mode & stat.S_IWUSR:
            raise Refused(Problem("is read-only: make it writable, and run `rld init` again", file=name))
        if not os.access(folder, os.W_OK):
            raise Refused(Problem("cannot be written: you have no permission to write in %s" % folder, file=name))


def plan(project: Project, settings: Settings, allow: bool, team: dict[str, str] | None = None) -> Scaffold:
    """What is missing in a project. Raises Refused with everything that is in the way, and then nothing is written."""
    found = Scaffold(project, settings)
    steps: list[Callable[[Scaffold], None]] = [_post_mortem, _worklog, _settings]
    steps += [functools.partial(_entry_point, name=name) for name in settings.entry_points]
    steps += [functools.partial(_client_rules, allow=allow, team=team), _state]
    problems: list[Problem] = []
    for step in steps:
        try:
            step(found)
        except Refused as error:
            problems += error.problems
    if problems:
        raise Refused(*problems)
    return found


def _post_mortem(found: Scaffold) -> None:
    found.post_mortem = found.edit(found.settings.post_mortem, lambda text: POST_MORTEM if text is None else text)


def _worklog(found: Scaffold) -> None:
    folder = Path(found.project.path(found.settings.worklog))
    if not (folder.is_dir() and any(folder.iterdir())):
        # Git carries no empty folders.
        found.edit(found.settings.worklog + "/.gitkeep", lambda text: text or "")


def _settings(found: Scaffold) -> None:
    found.edit(SETTINGS, lambda text: TEMPLATE if text is None else text)


def _client_rules(found: Scaffold, allow: bool, team: dict[str, str] | None) -> None:
    found.edit(clientsettings.FILE, lambda text: clientsettings.with_rules(text or "", allow, team))


def _state(found: Scaffold) -> None:
    """Without git there is no folder that git leaves alone: one is made that every repository will ignore."""
    if not found.project.git:
        found.edit(LOCAL + "/.gitignore", lambda text: "*\n" if text is None else text)


def _entry_point(found: Scaffold, name: str) -> None:
    post_mortem = found.settings.post_mortem
    behind = written_out_link(found.project, name)
    agents = Path(found.project.path(_AGENTS))
    imports = name == "CLAUDE.md" and not os.path.lexists(found.project.path(name)) and agents.is_file()

    def make(text: str | None) -> str:
        return pointer.insert("@%s\n" % _AGENTS if imports else text or "", post_mortem)

    if found.edit(behind or name, make) is not None:
        if behind:
            found.notes.append(
                "%s is a link that was checked out as text: the file that changes is %s." % (name, behind)
            )
        if imports:
            # The client reads a lone AGENTS.md (2.1.332), but none beside a CLAUDE.md.
            found.notes.append(
                "The new %s imports %s, which the client would no longer read by itself." % (name, _AGENTS)
            )
    text = textfile.read_or_none(found.project.path(behind or name))
    for line, code, message in pointer.check(text or "", post_mortem):
        if code == "pointer-not-first":
            found.notes.append("%s:%d: %s." % (behind or name, line, message))


def written_out_link(project: Project, name: str) -> str:
    """The file that an entry point stands for when it is a link checked out as text, "" when it is none.

    Git without symlinks, on Windows, leaves a file that holds nothing but the target (owncloud/notes#567).
    """
    path = Path(project.path(name))
    if not path.is_file() or not 0 < path.stat().st_size <= _LONGEST_LINK:
        return ""
    text = textfile.read(path)
    target = path.parent / text
    if text != text.strip() or "\n" in text or "\0" in text or not target.is_file() or target.samefile(path):
        return ""
    return project.relative(str(target)) or str(target)
