"""What the verbs share: the project they work on, `-C`, `--json`, and how they print."""

from __future__ import annotations

import functools
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rld import project as projects
from rld import redact, settings
from rld.errors import Problem, Refused

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}  # of the lines of a diff
PLUGIN = Path(__file__).resolve().parent.parent.parent.parent


def version() -> str:
    """The plugin's version, from its manifest."""
    return str(json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))["version"])


class Here:
    """The project a verb works on and its settings."""

    def __init__(self, folder: str) -> None:
        found = projects.find(os.path.abspath(folder).replace(os.sep, "/"))
        if found is None:
            raise click.BadParameter("there is no folder %s" % folder, param_hint="-C")
        self.project = found

    @functools.cached_property
    def settings(self) -> settings.Settings:
        return settings.load(self.project)

    def path(self, relative: str) -> Path:
        return Path(self.project.path(relative))

    def shown(self, path: str | Path) -> str:
        """A path as people write it: relative to the project where it is inside."""
        return self.project.relative(str(path)) or str(path)

    @property
    def post_mortem(self) -> Path:
        return self.path(self.settings.post_mortem)


def verb(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the option -C and hand it the project as `here`."""

    @click.option("-C", "folder", default=".", metavar="DIR", help="The project, if not the folder you are in.")
    @functools.wraps(function)
    def run(folder: str, **options: Any) -> Any:
        return function(Here(folder), **options)

    return run


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value: object) -> None:
    # Bytes that are no UTF-8 must not stop the answer.
    click.echo(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace").decode("utf-8"))


def say(text: str) -> None:
    """Print text that may come from a file: what is not UTF-8 is shown as a replacement mark."""
    click.echo(text.encode("utf-8", "replace").decode("utf-8"))


def say_diff(text: str) -> None:
    """Print a diff, in colour on a terminal. What it shows may come with a clone: it must not steer the terminal."""
    for row in redact.visible(text).splitlines():
        click.secho(
            row.encode("utf-8", "replace").decode("utf-8"), fg=_COLOURS.get(row[:1]), bold=row[:3] in ("+++", "---")
        )


def warn(text: str) -> None:
    click.echo(text.encode("utf-8", "replace").decode("utf-8"), err=True)


def session() -> str:
    """The client session this command runs in, "" outside of one."""
    return os.environ.get("CLAUDE_CODE_SESSION_ID", "")


def report(problems: list[Problem]) -> None:
    """Print problems to stderr, a line each."""
    for problem in problems:
        warn("rld: %s%s" % ("warning: " if problem.severity == "warning" else "", problem))


def read_stdin() -> str:
    """All of stdin as text. Raises Refused when nobody is writing to it."""
    if sys.stdin is None or sys.stdin.isatty():
        raise Refused("nothing on standard input: give the text with <<'EOF' … EOF or a file with --file")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def write_report(trace: str, arguments: list[str]) -> str:
    """Keep what a bug report needs; where it is kept."""
    text = "rld %s, Python %s, %s\narguments: %r\n\n%s" % (
        version(), platform.python_version(), platform.platform(), arguments, trace
    )  # fmt: skip
    name = "rld-bug-%s.txt" % time.strftime("%Y%m%d-%H%M%S")
    path = os.path.join(tempfile.gettempdir(), name)
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as out:
            out.write(text)
    except OSError:
        warn(text)
        return "the lines above"
    return path
