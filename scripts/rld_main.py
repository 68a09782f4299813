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
    """Does our environment miss a package? A new base Python looks elsewhere; a clean-up tool may eat one.

    Only click is imported, as every verb needs it anyway: importing the others would slow each start.
    """
    if not os.path.basename(sys.prefix).startswith("env-"):  # some other Python, which is not ours to mend
        return False
    try:
        import click  # noqa: F401
    except Exception:
        return True
    return not all(PathFinder.find_spec(name) for name in ("yaml", "frontmatter", "filelock"))


def rebuild_and_restart() -> int:
    """Make this environment again, and run the same command in the new one. Returns its exit code."""
    import subprocess

    import bootstrap

    failed = bootstrap.main(["ensure", sys.prefix, os.path.join(SCRIPTS, "requirements.txt")])
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
    sys.path.insert(0, SCRIPTS)
    speak_utf8()
    rebuilt = os.environ.pop(REBUILT, "")
    if is_damaged() and not rebuilt:
        return rebuild_and_restart()
    note_use()
    from rld.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
