"""Which states of the post-mortem a human has reviewed: what `rld apply` and `rld trust` wrote, by checksum.

`<state>/known` holds one checksum a line, `<state>/trusted.md` the last reviewed text.
"""

from rld import rawfile
from rld.project import Project

_KNOWN = "/known"
_LAST = "/trusted.md"


def remember(project: Project, data: bytes) -> None:
    """Take these bytes of the post-mortem as reviewed, and keep them to compare single records with later."""
    note_known(project, data)
    rawfile.make_folder(project.state)
    rawfile.replace(project.state + _LAST, data)


def note_known(project: Project, data: bytes) -> None:
    """Take these bytes as reviewed without keeping them, since somebody else does (the last commit)."""
    if not known(project, data):
        rawfile.append(project.state + _KNOWN, _digest(data) + b"\n")


def known(project: Project, data: bytes) -> bool:
    """Were exactly these bytes reviewed?"""
    sums = rawfile.read(project.state + _KNOWN) or b""
    return bool(sums) and _digest(data) in sums.split(b"\n")  # hashing 1 MB takes half the time of starting Python


def last(project: Project) -> "bytes | None":
    """The text that was reviewed last, None when none was."""
    return rawfile.read(project.state + _LAST)


def _digest(data: bytes) -> bytes:
    try:
        from _sha1 import sha1  # type: ignore[import-not-found]  # `import hashlib` costs a hook half an interpreter start
    except ImportError:
        from hashlib import sha1
    return bytes(sha1(data).hexdigest().encode("ascii"))
