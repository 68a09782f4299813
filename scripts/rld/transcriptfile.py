"""Where the client keeps the transcripts of this project's sessions, and reading one without trusting it."""

from __future__ import annotations

import os
import stat

from rld import evidence, transcript
from rld.project import Project
from rld.transcript import Transcript

SUFFIX = ".jsonl"
MOST = 16 << 20  # bytes from the end of a transcript that are read
_LONG_NAME = 200  # the client shortens longer names of folders and adds a checksum of its own


def read(project: Project, session: str, noted: str = "") -> Transcript | None:
    """The transcript of a session; None when there is none (any more) or nothing in it can be read.

    `noted`: where the evidence says it is. That is believed only for a plain file with the session's name.
    """
    for path in dict.fromkeys((noted, find(project, session))):
        if os.path.isabs(path) and evidence.safe(_session(path)) == evidence.safe(session):
            data, is_cut = _tail(path)
            found = transcript.parse(data)
            found.is_cut = is_cut
            if found:
                return found
    return None


def find(project: Project, session: str) -> str:
    """The transcript of a session, named by its id or by a beginning that only one of the project's has; "" for none."""
    paths = [path for path in _all(project) if _session(path).startswith(session)] if session else []
    exact = [path for path in paths if _session(path) == session]
    return exact[0] if exact else paths[0] if len({_session(path) for path in paths}) == 1 else ""


def whole_id(project: Project, session: str) -> str:
    """The id of the session that `find` finds, "" for none."""
    return _session(find(project, session))


def folder_name(path: str) -> str:
    """The name that the client gives to the folder for sessions that start in `path`."""
    units = path.encode("utf-16-le", "surrogatepass")
    chars = [chr(int.from_bytes(units[at : at + 2], "little")) for at in range(0, len(units), 2)]
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in chars)


def _all(project: Project) -> list[str]:
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    base = os.path.join(home, "projects")
    places = [place for place in (project.root, project.top) if place]
    names = dict.fromkeys(folder_name(os.fspath(path)) for place in places for path in (place, os.path.realpath(place)))
    found = []
    for name in names:
        folders = [name] if len(name) <= _LONG_NAME else _beginning(base, name[:_LONG_NAME] + "-")
        for folder in folders:
            found += [
                os.path.join(base, folder, each)
                for each in _listed(os.path.join(base, folder))
                if each.endswith(SUFFIX)
            ]
    return found


def _beginning(base: str, start: str) -> list[str]:
    return [name for name in _listed(base) if name.startswith(start)]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def _session(path: str) -> str:
    name = os.path.basename(path)
    return name[: -len(SUFFIX)] if name.endswith(SUFFIX) else ""


def _tail(path: str) -> tuple[bytes, bool]:
    """The last whole lines of a plain file, and whether lines before them were left out; nothing of a link, device or pipe."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except (OSError, ValueError):
        return b"", False
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            return b"", False
        skipped = os.lseek(handle, max(about.st_size - MOST, 0), os.SEEK_SET)
        parts, left = [], MOST
        while left > 0 and (part := os.read(handle, min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
    except OSError:
        return b"", False
    finally:
        os.close(handle)
    data = b"".join(parts)
    return (data.partition(b"\n")[2], True) if skipped else (data, False)
