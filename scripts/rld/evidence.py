"""The append-only event file of one session.

One JSON object a line: `t` seconds since the epoch, `k` the kind, and what belongs to it:
`start` (source) and `resumed` (both with `had`, `stamp` and `run`: what the session was told), `prompt` (text; `fixes` when it may
correct an edit before it; `transcript`, the client's own file, when it is new), `bind`, `edit` (path), `fail` (cmd, error), `fixed`
(cmd), `pass` and `verified` (cmd, entries, grade), `logged` (item), `asked`, `nudged`, `distilled`, `end`. Writing is one appended
line, so hooks that run at once cannot mix.
"""

import time

from rld import jsontext, rawfile
from rld.project import Project

FOLDER = "/evidence/"
SUFFIX = ".jsonl"
# A session is worth distilling when it changed files and made a failure pass, or was corrected, or changed this many files.
MANY_FILES = 8
_MOST = 40  # other sessions that are looked at
MOST_GIVEN = 16_000  # units of records and guides in one session
# What was said to the model or to the human; a muted hook says nothing.
_SAID = ("gave", "asked", "held", "told")


class Session:
    """What one session's evidence adds up to."""

    __slots__ = (
        "id",
        "started",
        "ended",
        "files",
        "failures",
        "fixed",
        "corrections",
        "bound",
        "distilled",
        "over",
        "events",
    )

    def __init__(self, id: str, events: "list[dict[str, object]]") -> None:
        self.id = id
        self.events = events
        self.started = 0.0
        self.ended = 0.0
        self.files: "list[str]" = []
        self.failures = 0
        self.fixed = 0
        self.corrections = 0
        self.bound = False
        self.distilled = False
        self.over = False
        for event in events:
            self._add(event)

    def _add(self, event: "dict[str, object]") -> None:
        kind = event.get("k")
        when = event.get("t")
        if isinstance(when, (int, float)):
            self.started = self.started or when
            self.ended = when
        self.over = kind == "end"
        if kind == "edit":
            path = event.get("path")
            if isinstance(path, str) and path not in self.files:
                self.files.append(path)
            self.distilled = False
        elif kind == "fail":
            self.failures += 1
        elif kind == "fixed":
            self.fixed += 1
        elif kind == "prompt":
            self.corrections += event.get("fixes") is True
        elif kind == "bind":
            self.bound = True
        elif kind == "distilled":
            self.distilled = True

    @property
    def worth_distilling(self) -> bool:
        """Did it change files, and learn something on the way, that no record holds yet?"""
        learned = self.fixed > 0 or self.corrections > 0 or len(self.files) >= MANY_FILES
        return not self.distilled and bool(self.files) and learned


def safe(session: str) -> str:
    """A session id as a file name."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in session[:80])


def path(project: Project, session: str) -> str:
    return project.state + FOLDER + safe(session) + SUFFIX


def note(project: Project, session: str, kind: str, **values: object) -> bool:
    """Append one event; False when it could not be written (a read-only git folder is no reason to fail)."""
    if not session:
        return False
    if not project.git and not rawfile.is_folder(project.state):
        # Without git the state is in the project; should git come later, it must not carry it.
        rawfile.append(project.state + "/.gitignore", b"*\n")
    if project.muted and kind in _SAID:
        return True
    event: "dict[str, object]" = {"t": round(time.time(), 3), "k": kind}
    event.update(values)
    where = path(project, session)
    line = (jsontext.dumps(event) + "\n").encode("ascii")
    return rawfile.append(where, b"\n" + line if _is_torn(where) else line)


def _is_torn(path: str) -> bool:
    """Was a writer killed in the middle of the last line? What follows must not become a part of it."""
    system = rawfile.system
    try:
        handle = system.open(path, system.O_RDONLY | getattr(system, "O_BINARY", 0))
    except (OSError, ValueError):
        return False
    try:
        system.lseek(handle, -1, 2)
        return bool(system.read(handle, 1) != b"\n")
    except OSError:  # it is empty
        return False
    finally:
        system.close(handle)


def command_key(command: str) -> str:
    """A command as it is noted, so that its later pass is recognised: one line, without secrets, at most 300 characters."""
    from rld import redact

    return redact.redact(" ".join(command[:2000].split()))[:300]


def raw(project: Project, session: str) -> bytes:
    """The event file as it is; b"" when there is none."""
    return (rawfile.read(path(project, session)) or b"") if session else b""


def events(data: bytes) -> "list[dict[str, object]]":
    """The events of a file; lines that are torn or none are left out."""
    found = []
    for line in data.split(b"\n"):
        if line:
            try:
                event = jsontext.loads(line.decode("utf-8", "replace"))
            except ValueError:
                continue
            if isinstance(event, dict):
                found.append(event)
    return found


def has(data: bytes, kind: str) -> bool:
    return b'"k": "%s"' % kind.encode("ascii") in data


def last_with(data: bytes, key: str) -> "dict[str, object] | None":
    """The last event that holds a key, None when none does."""
    mark = b'"%s": ' % key.encode("ascii")
    at = data.rfind(mark)
    if at < 0:
        return None
    found = events(data[data.rfind(b"\n", 0, at) + 1 : data.find(b"\n", at) + 1 or len(data)])
    return found[0] if found else None


def told_since_start(data: bytes, agent: str = "") -> "set[str]":
    """The ids of the records that this context window was given: a start, clear or compaction begins a new one.

    A subagent (`agent`: its id) has a window of its own, for as long as it lives.
    """
    found: "set[str]" = set()
    for event in events(data if agent else data[max(data.rfind(b'"k": "start"'), 0) :]):
        if event.get("agent", "") != agent:
            continue
        ids = event.get("ids") if event.get("k") == "gave" else [event.get("id")] if event.get("told") is True else []
        found.update(str(id) for id in (ids if isinstance(ids, list) else []))
    return found


def units_given(data: bytes) -> int:
    """How many units of records and guides this session was given in all, its subagents included."""
    sizes = [event.get("size") for event in events(data) if event.get("k") in ("gave", "recur")]
    return sum(size for size in sizes if isinstance(size, int))


def read(project: Project, session: str) -> Session:
    return Session(safe(session), events(raw(project, session)))


def others(project: Project, session: str, most: int = _MOST) -> "list[Session]":
    """The other sessions of this project, the newest `most`, latest first."""
    return [Session(name, events(data)) for name, data in _files(project, session, most)]


def _files(project: Project, session: str, most: int) -> "list[tuple[str, bytes]]":
    """The evidence of other sessions: id and bytes."""
    folder = project.state + FOLDER
    own = safe(session) + SUFFIX
    dated = []
    for name in rawfile.names(folder):
        if name.endswith(SUFFIX) and name != own:
            try:
                dated.append((rawfile.stat(folder + name).st_mtime, name))
            except OSError:
                continue
    dated.sort(reverse=True)
    return [(name[: -len(SUFFIX)], rawfile.read(folder + name) or b"") for _, name in dated[:most]]


def undistilled(project: Project, session: str = "") -> "list[Session]":
    """Other sessions that are worth distilling and were not, latest first, of the newest `_MOST`."""
    found = []
    for name, data in _files(project, session, _MOST):
        if _may_wait(data):
            other = Session(name, events(data))
            if other.worth_distilling:
                found.append(other)
    return found


def _may_wait(data: bytes) -> bool:
    """A look at the bytes: most sessions were distilled or learned nothing, and need not be read at each start."""
    edited = data.rfind(b'"k": "edit"')
    if edited < 0 or data.rfind(b'"k": "distilled"') > edited:
        return False
    return has(data, "fixed") or b'"fixes": true' in data or data.count(b'"k": "edit"') >= MANY_FILES
