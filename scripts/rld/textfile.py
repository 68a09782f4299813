"""Reading and writing text files without touching a byte that is not ours."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from pathlib import Path

from rld.errors import Problem, Refused

_LONG_AGO = 3600.0  # seconds: no write takes so long


def read(path: str | Path) -> str:
    """A file's text with its BOM and line ends as they are; bytes that are not UTF-8 become surrogates.

    Raises Refused when the file cannot be read.
    """
    try:
        return Path(path).read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise Refused(Problem("cannot be read: %s" % _why(error), file=str(path))) from None


def read_or_none(path: str | Path) -> str | None:
    """A file's text, None when there is no such file."""
    return read(path) if Path(path).exists() else None


def newline(text: str) -> str:
    """The line end a text uses most: CRLF or LF."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf * 2 > text.count("\n") else "\n"


def target(path: str | Path, root: str | Path) -> Path:
    """The file behind a path: symlinks are followed, since replacing a link destroys it (firatcand/forge#322).

    Raises Refused when a link leads out of the project or nowhere.
    """
    real = Path(os.path.realpath(path))
    if Path(path).is_symlink():
        top = Path(os.path.realpath(root))
        if top not in real.parents:
            raise Refused(
                Problem("is a link out of the project, to %s: edit that file yourself" % real, file=str(path))
            )
        if not real.exists():
            raise Refused(Problem("is a link to %s, which does not exist" % os.readlink(path), file=str(path)))
    return real


def write(path: str | Path, text: str, root: str | Path) -> bool:
    """Put a text in place of a file, whole or not at all; keeps the mode, follows links, makes folders.

    True when the file changed; the same text is not written again. Raises Refused when the system says no.
    """
    real = target(path, root)
    data = text.encode("utf-8", "surrogateescape")
    try:
        before = real.read_bytes() if real.exists() else None
        if before == data:
            return False
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(real.stat().st_mode) if before is not None else _new_mode()
        handle, aside = tempfile.mkstemp(prefix=".rld-%d-" % os.getpid(), suffix=".tmp", dir=real.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            os.chmod(aside, mode)
            os.replace(aside, real)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(aside)
            raise
        sync_folder(real.parent)
    except OSError as error:
        raise Refused(Problem("cannot be written: %s" % _why(error), file=str(path))) from None
    return True


def remove(path: str | Path) -> None:
    """Delete a file if it is there. Raises Refused when the system says no."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Refused(Problem("cannot be deleted: %s" % _why(error), file=str(path))) from None


def sweep(folder: str | Path, pattern: str = ".rld-*.tmp") -> None:
    """Remove what killed processes left half written in a folder; the process that writes a file is in its name."""
    for aside in Path(folder).glob(pattern):
        with contextlib.suppress(OSError):
            if _is_left_over(aside):
                aside.unlink()


def _is_left_over(aside: Path) -> bool:
    name = aside.name[: -len(".tmp")]
    writer = name[len(".rld-") :].partition("-")[0] if name.startswith(".rld-") else name.rpartition(".")[2]
    if not (writer.isascii() and writer.isdigit()):
        return False
    if int(writer) == os.getpid():  # this process is not writing now: its predecessor had the same number
        return True
    if os.name == "nt":  # os.kill would end the process that it is to ask about
        return time.time() - aside.stat().st_mtime > _LONG_AGO
    try:
        os.kill(int(writer), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it is somebody else's
        pass
    return False


def sync_folder(folder: str | Path) -> None:
    """Make a rename in a folder last through a power cut, where the system can."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _new_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
