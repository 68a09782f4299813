"""Delivery, proven: the user's own client is run in the project, and what it would have sent to the model is read.

The client that is on the PATH runs once, in print mode, in the project's own folder, with the running plugin (`--plugin-dir`), since only
there are the post-mortem, the branch, the open run and the hooks' state what they are. Its settings are not: HOME and
the folder of its configuration are new and empty, the project's settings and MCP servers are not read, and the model is
a stand-in on 127.0.0.1. So it costs no tokens, touches no account and starts nothing of the project's; an organisation's
managed settings hold here as everywhere. What the hooks note of that one session is deleted; the kept digest stays, as
after any session start. A hook that notes what the client loads would tell less (Decision 8).

The entry points are tried in a second run, on copies in an empty folder: a client that leaves a project's settings
unread does not read its CLAUDE.md either.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from rld import clientrun, delivery, digest, evidence, machine, match, obstacles, pointer, tree
from rld.clientrun import Finished, Scratch
from rld.delivery import Delivery
from rld.errors import Refused
from rld.events import session_start
from rld.project import Project
from rld.record import Record
from rld.settings import Settings

# What the client may load when a session starts, and what decides whether it does: it reads AGENTS.md, if at all, only
# where none of the others has anything in it.
INSTRUCTIONS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
_MOST_RECORDS, _MOST_FILES, _LARGEST = 20, 5000, 200 << 10  # for a file that a record is about
_CACHES = (".gitignore", "digest-*", "stamp-*", "known")


class Trial:
    """What came of it. `final`: the obstacle that made a run pointless; `digest` and `delivery` are None then.

    `entry_points`: of each that exists, its name, whether it arrived, and whether the pointer stands first in it.
    `opened`: a file with records that the stand-in read, and the records that came with it, word for word.
    `error`: what a hook that failed left in the log of errors.
    """

    def __init__(self, version: str) -> None:
        self.version = version
        self.obstacles: list[obstacles.Obstacle] = []
        self.digest: digest.Digest | None = None
        self.delivery: Delivery | None = None
        self.run: Finished | None = None
        self.entry_points: list[tuple[str, bool, bool]] = []
        self.opened: tuple[str, list[Record]] | None = None
        self.error = ""

    @property
    def final(self) -> obstacles.Obstacle | None:
        return next((each for each in self.obstacles if each.is_final), None)


def run(project: Project, plugin: Path, settings: Settings) -> Trial:
    """Try it. Raises Refused when it cannot be tried here."""
    program, version = _client()
    trial = Trial(version)
    trial.obstacles = obstacles.find(project, plugin)
    if trial.final is None:
        _run_digest(trial, program, project, plugin)
        _run_entry_points(trial, program, project, settings)
    return trial


def _client() -> tuple[str, str]:
    if os.name == "nt":
        raise Refused("not on Windows: nothing there ends a client with all that it started")
    program = shutil.which("claude")
    if program is None:
        raise Refused(
            "there is no `claude` on the PATH: put it there, or name its folder: PATH=FOLDER:$PATH rld doctor --client"
        )
    version = machine.client_version()
    if version is None:
        raise Refused("%s does not answer `--version`, so it was not run" % program)
    away = obstacles.leads_away()
    if away:
        raise Refused(
            "%s names a model or a proxy, and a run with it could leave this machine: it was not started" % away
        )
    return program, version


def _run_digest(trial: Trial, program: str, project: Project, plugin: Path) -> None:
    session = str(uuid.uuid4())
    made, _ = session_start.Start(project, session).build()
    whole = {id(entry) for entry in made.whole}
    lines = [(entry.id, digest.record_line(entry, id(entry) in whole)) for entry in made.shown]
    records = [entry for entry, _ in made.ranked]
    file = _scoped_file(project, records)
    log = Path(project.state, "errors.log")
    before = log.stat().st_size if log.exists() else 0
    more = ["--session-id", session, "--setting-sources", "user", "--plugin-dir", str(plugin)]
    with _no_trace(project, session), clientrun.scratch() as place:
        trial.run = clientrun.start(program, more, project.root, place, project.path(file) if file else "")
    trial.digest = made
    asked = [delivery.texts(request) for request in trial.run.asked]
    trial.delivery = delivery.compare(made.text, lines, asked[0] if asked else [])
    if file:
        said = [_context(hook.get("stdout")).strip() for hook in trial.run.hooks("PostToolUse")]
        told = "\n".join(text for text in said if any(text in part for part in asked[-1]))
        trial.opened = (file, [entry for entry in records if "\n- %s: " % entry.cite in told])
    if log.exists():
        trial.error = log.read_bytes()[before:].decode("utf-8", "replace").strip().rpartition("\n")[2]


@contextlib.contextmanager
def _no_trace(project: Project, session: str) -> Iterator[None]:
    """Afterwards the project's state holds nothing of that session, and is gone again if it was not there."""
    state = Path(project.state)
    folder = Path(project.state + evidence.FOLDER)
    had_state, had_folder = state.exists(), folder.exists()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            Path(evidence.path(project, session)).unlink()
        with contextlib.suppress(OSError):
            if not had_folder:
                folder.rmdir()
        with contextlib.suppress(OSError):
            left = [] if had_state else list(state.iterdir())
            if left and all(any(path.match(name) for name in _CACHES) for path in left):
                for path in left:
                    path.unlink()
                state.rmdir()


def _scoped_file(project: Project, records: list[Record]) -> str:
    """A file of the project that one of the records is about, "" for none."""
    files = tree.files(project)[:_MOST_FILES]
    for entry in [entry for entry in records if entry.scope][:_MOST_RECORDS]:
        for file in files:
            if match.matches(entry.scope, file) and _can_be_read(project, file):
                return file
    return ""


def _can_be_read(project: Project, file: str) -> bool:
    path = Path(project.root, file)
    try:
        inside = Path(os.path.realpath(project.root)) in Path(os.path.realpath(path)).parents
        return inside and path.is_file() and 0 < path.stat().st_size < _LARGEST
    except OSError:
        return False


def _context(printed: object) -> str:
    """What a hook said to the model."""
    try:
        said = json.loads(str(printed))["hookSpecificOutput"]["additionalContext"]
    except (ValueError, LookupError, TypeError):
        return ""
    return said if isinstance(said, str) else ""


def _run_entry_points(trial: Trial, program: str, project: Project, settings: Settings) -> None:
    wanted = [name for name in settings.entry_points if Path(project.path(name)).is_file()]
    if not wanted:
        return
    with clientrun.scratch() as place:
        copies = _copy_instructions(project, settings, place)
        here = place.project / os.path.relpath(project.root, project.top or project.root)
        done = clientrun.start(program, ["--setting-sources", "user,project,local"], str(here), place)
        heard = delivery.texts(done.asked[0]) if done.asked else []
    arrived = {copies[path]: text for path, text in delivery.files(heard) if path in copies}
    for name in wanted:
        text = arrived.get(os.path.realpath(project.path(name)))
        trial.entry_points.append((name, text is not None, pointer.where(text or "", settings.post_mortem)[1]))


def _copy_instructions(project: Project, settings: Settings, place: Scratch) -> dict[str, str]:
    """Copy the instruction files of the root and of the folders above it, up to the top of the worktree; where each
    copy comes from, links followed."""
    top = Path(project.top or project.root)
    root = Path(project.root)
    found: dict[str, str] = {}
    for folder in [root, *(above for above in root.parents if top in (above, *above.parents))]:
        for name in dict.fromkeys((*INSTRUCTIONS, *(settings.entry_points if folder == root else ()))):
            source = folder / name
            copy = Path(os.path.normpath(place.project / os.path.relpath(source, top)))
            (place.project / os.path.relpath(folder, top)).mkdir(parents=True, exist_ok=True)
            if place.project in copy.parents and source.is_file():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
                found[str(copy)] = os.path.realpath(source)
    return found
