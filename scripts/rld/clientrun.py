"""One run of the client in print mode, with a home of its own and a stand-in for the model.

Nothing of the user's is in it: not their settings, plugins, sessions, account or variables. What the project's own
settings would start, hooks and MCP servers, is left out where the call says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rld import mute, processgroup
from rld.errors import Refused
from rld.standin import StandIn

LIMIT = 60.0  # seconds; a run takes about one
# The hooks must not take the words for the names of files, nor for the start of a run.
PROMPT = "What do you know of this repository"
KEY = "no-key-the-model-is-a-stand-in"
QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING",
    "DISABLE_INSTALLATION_CHECKS", "DISABLE_TELEMETRY",
)  # fmt: skip
_KEPT = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ", "USER", "LOGNAME", "SHELL", "LD_LIBRARY_PATH",
)  # fmt: skip
# Version managers look for their programs below HOME, which is another one here.
_MANAGERS = {"VOLTA_HOME": ".volta", "ASDF_DATA_DIR": ".asdf", "PYENV_ROOT": ".pyenv", "NODENV_ROOT": ".nodenv", "MISE_DATA_DIR": ".local/share/mise"}  # fmt: skip


class Finished:
    """How a run ended: `status` is None when the limit ended it, `events` is the client's stream, `said` what it said
    last, `asked` the requests of the conversation, `refused` what it wanted elsewhere."""

    def __init__(self, status: int | None, out: bytes, error: bytes, model: StandIn) -> None:
        self.status = status
        rows = out.decode("utf-8", "replace").split("\n")
        self.events = [event for event in map(_event, rows) if event]
        words = (error or out).decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
        failed = next(
            (str(event["result"]) for event in self.events if event.get("is_error") and "result" in event), ""
        )
        self.said = (failed or words)[:300]
        self.asked = list(model.asked)
        self.refused = list(model.refused)

    def hooks(self, name: str) -> list[dict[str, Any]]:
        """The finished hooks of an event, each with `stdout`, `stderr` and `exit_code`."""
        return [e for e in self.events if e.get("subtype") == "hook_response" and e.get("hook_event") == name]


class Scratch:
    """The folders of a run: `home` and `config` of the client, and `project`, which is empty."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "h"
        self.config = folder / "c"
        self.project = folder / "p"
        self.temporary = folder / "t"  # a socket's path below it must stay under about 100 characters
        for each in (self.home, self.config, self.project, self.temporary):
            each.mkdir()
        _write_git_settings(self.home)

    def environment(self, model: StandIn) -> dict[str, str]:
        found = {name: os.environ[name] for name in _KEPT if name in os.environ}
        for name, below in _MANAGERS.items():
            folder = os.environ.get(name) or str(Path.home() / below)
            if os.path.isdir(folder):
                found[name] = folder
        if mute.of_user():  # the user's own silence holds here too
            found["RLD_HOME"] = os.path.dirname(mute.of_user())
        found.update(dict.fromkeys(QUIET, "1"))
        found.update(HOME=str(self.home), CLAUDE_CONFIG_DIR=str(self.config), TMPDIR=str(self.temporary))
        found.update(ANTHROPIC_BASE_URL=model.url, ANTHROPIC_API_KEY=KEY, NO_PROXY=model.place.partition(":")[0])
        found.update(dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), model.url))
        return found


@contextlib.contextmanager
def scratch() -> Iterator[Scratch]:
    """Folders that are gone afterwards."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="rld-"))
    try:
        yield Scratch(Path(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def start(program: str, more: list[str], folder: str, place: Scratch, opens: str = "") -> Finished:
    """Run the client once in a folder with these arguments besides; the model ends its turn at once, or after it has
    read the file `opens`. Nothing is left running.

    Raises Refused when the client, or the server on 127.0.0.1, cannot be started.
    """
    words = [program, "-p", PROMPT, "--output-format", "stream-json", "--verbose", "--include-hook-events"]
    try:
        with StandIn(opens) as model, processgroup.Ending() as ending:
            child = subprocess.Popen(
                [*words, "--strict-mcp-config", *more], cwd=folder, env=place.environment(model),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
            out = error = b""
            status: int | None = None
            try:
                ending.guard()
                out, error = child.communicate(timeout=LIMIT)
                status = child.returncode
            except subprocess.TimeoutExpired:
                processgroup.end(child)
                with contextlib.suppress(subprocess.TimeoutExpired, ValueError):
                    out, error = child.communicate(timeout=processgroup.GRACE)
            finally:
                processgroup.end(child)
            return Finished(status, out, error, model)
    except OSError as problem:
        raise Refused("the client cannot be run against a server on 127.0.0.1: %s" % problem) from None


def _write_git_settings(home: Path) -> None:
    """What git is told to do in the user's own settings holds in the run, safe.directory above all."""
    own = [
        Path.home() / ".gitconfig",
        Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git" / "config",
    ]
    text = "".join(
        "[include]\n\tpath = %s\n" % json.dumps(str(path), ensure_ascii=False) for path in own if path.is_file()
    )
    (home / ".gitconfig").write_text(text, encoding="utf-8")


def _event(row: str) -> dict[str, Any]:
    try:
        value = json.loads(row)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
