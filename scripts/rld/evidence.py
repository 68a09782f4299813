"""The append-only event file of one session.

One JSON object a line: `t` seconds since the epoch, `k` the kind, and what belongs to it: `start` (source) and `resumed`
(both with `had`, `stamp` and `run`: what the session was told), `prompt` (text; `fixes` when it may correct an edit before
it; `transcript`, the client's own file, when it is new), `bind`, `edit` (path), `fail` (cmd, error), `fixed` (cmd), `pass`
and `verified` (cmd, entries, grade), `logged` (item), `gave` (ids, size) and `looked` (both with `done` when all that is
known of some paths was told), `recur` (id, told), `asked`, `held`, `told`, `distilled`, `end`. Writing is one appended
line, so hooks that run at once cannot mix.
"""

import time

from rld import jsontext, rawfile
from rld.project import Project

FOLDER = "/evidence/"
SUFFIX = ".jsonl"
# A session is worth distilling when it changed files and made a failure pass, or was corrected, or changed this many files.
MANY_FILES = 8
MOST_OTHERS = 40  # other sessions that are looked at
# What was said to the model or to the human; a muted hook says nothing.
_SAID = ("gave", "asked", "held", "told")


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
    # A writer that was killed in the middle of the last line must not take this one with it.
    is_torn = rawfile.read_end(where, 1) not in (b"", b"\n")
    return rawfile.append(where, b"\n" + line if is_torn else line)


def command_key(command: str) -> str:
    """A command as it is noted, so that its later pass is recognised: one line, without secrets, at most 300 characters."""
    from rld import redact

    return redact.redact(" ".join(command[:2000].split()))[:300]


def raw(project: Project, session: str) -> bytes:
    """The event file as it is; b"" when there is none."""
    return (rawfile.read(path(project, session)) or b"") if session else b""


def events(data: bytes, kinds: "tuple[str, ...]" = ()) -> "list[dict[str, object]]":
    """The events of a file, or only those of some kinds; lines that are torn or none are left out."""
    marks = [b'"k": "%s"' % kind.encode("ascii") for kind in kinds]
    found = []
    for line in data.split(b"\n"):
        if line and (not marks or any(mark in line for mark in marks)):
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


def newest(project: Project, session: str, most: int) -> "list[tuple[str, bytes]]":
    """The evidence of the other sessions of this project: id and bytes, the newest `most`, latest first."""
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


def waiting(project: Project, session: str) -> "list[tuple[str, bytes]]":
    """The evidence of those of them that may be worth distilling; `ledger` knows which are."""
    return [(id, data) for id, data in newest(project, session, MOST_OTHERS) if may_wait(data)]


def may_wait(data: bytes) -> bool:
    """May a session be worth distilling? A look at the bytes: most were distilled or learned nothing, and need not be read."""
    edited = data.rfind(b'"k": "edit"')
    if edited < 0 or data.rfind(b'"k": "distilled"') > edited:
        return False
    return has(data, "fixed") or b'"fixes": true' in data or data.count(b'"k": "edit"') >= MANY_FILES
