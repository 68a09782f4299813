"""One lock for everything that is read, changed and written back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import filelock

from rld.errors import Refused
from rld.project import Project

PATIENCE = 20.0  # seconds


@contextlib.contextmanager
def hold(project: Project, name: str, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the project's lock `name`; no lock means no write (anthropics/claude-code#20637).

    The lock file stays in the state folder, outside the tree. Raises Refused when another process holds it for
    longer than `patience` seconds or the file system cannot lock.
    """
    folder = Path(project.state) / "locks"
    path = folder / (name + ".lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not project.git:
            # Without git the state is in the project; should git come later, it must not carry it.
            ignore = Path(project.state, ".gitignore")
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
        lock = filelock.FileLock(str(path))
        lock.acquire(timeout=patience)
    except filelock.Timeout:
        raise Refused(
            "another rld process has been writing for %d s (lock %s): wait for it, or end it" % (patience, path)
        ) from None
    except (OSError, NotImplementedError) as error:
        # NFS without a lock daemon, FUSE, a read-only disk: tox-dev/filelock#77, spack/spack#53021
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise Refused("cannot lock %s: %s; run it again when that is mended" % (path, why)) from None
    try:
        yield
    finally:
        lock.release()
