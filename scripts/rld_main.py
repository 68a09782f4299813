"""The command line's entry: `python -I -X utf8 rld_main.py ARGS`, with rld's own Python environment."""

import os
import sys
from importlib.machinery import PathFinder
from time import time

SCRIPTS = os.path.dirname(os.path.realpath(__file__))
REBUILT = "RLD_ENVIRONMENT_REBUILT"
DAY = 24 * 60 * 60


def speak_utf8() -> None:
    """Make the standard streams UTF-8 whatever the locale says, and let no character fail.

    The pointer line starts with an emoji, and cp1252 has none (anthropics/claude-plugins-official#1863).
    """
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if stream is not None:
            stream.reconfigure(encoding="utf-8", errors=errors)  # type: ignore[union-attr]


def is_damaged() -> bool:
    """Is a package missing or broken? An upgraded base Python looks elsewhere; a clean-up tool may eat one.

    Only click is imported, as every verb needs it anyway: importing the others would slow each start.
    """
    try:
        import click  # noqa: F401
    except Exception:
        return True
    return not all(PathFinder.find_spec(name) for name in ("yaml", "frontmatter", "filelock"))


def rebuild_and_restart() -> int:
    """Have the environment made again, and run the same command in the new one. Returns its exit code."""
    import subprocess

    base = getattr(sys, "_base_executable", None) or sys.executable
    bootstrap, lock = os.path.join(SCRIPTS, "bootstrap.py"), os.path.join(SCRIPTS, "requirements.txt")
    command = [base, "-I", bootstrap, "ensure", sys.prefix, lock]
    failed = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=2)
    if failed:
        return failed
    code = subprocess.call([sys.executable, "-I", "-X", "utf8", *sys.argv], env={**os.environ, REBUILT: "1"})
    return code if code >= 0 else 128 - code


def note_use() -> None:
    """Touch the environment's marker, once a day: bootstrap.py removes those that nobody used for a month."""
    marker = os.path.join(sys.prefix, "ready")
    try:
        if time() - os.stat(marker).st_mtime > DAY:
            os.utime(marker)
    except OSError:
        pass


def run() -> int:
    speak_utf8()
    rebuilt = os.environ.pop(REBUILT, "")
    if is_damaged() and not rebuilt:
        return rebuild_and_restart()
    note_use()
    sys.path.insert(0, SCRIPTS)
    from rld.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
