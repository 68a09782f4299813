"""The SessionStart hook, run as the client runs it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rld import project as projects
from rld.project import POST_MORTEM, Project

LIMIT = 10.0  # seconds, as in hooks.json
# What Windows programs cannot start without.
_SYSTEM = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE")


class Trial:
    """What came of it: `seconds` for the second run, when the interpreter is known; `python` is the one that the
    launcher took, "" for none; `problem` is "" when it ran."""

    __slots__ = ("output", "problem", "python", "seconds")

    def __init__(self) -> None:
        self.output = b""
        self.problem = ""
        self.python = ""
        self.seconds = 0.0

    def answer(self) -> dict[str, object] | None:
        """The JSON object that was printed, None when it was none."""
        try:
            value = json.loads(self.output.decode("utf-8"))
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


def run(project: Project, plugin: Path) -> Trial:
    """Start the hook with an almost empty environment. The payload has no session, so nothing is noted as evidence.

    A project that does not use the method would only show the launcher's first test: an empty one that does stands in.
    """
    trial = Trial()
    shell = shutil.which("sh") or shutil.which("bash")
    if shell is None:
        trial.problem = "there is no sh (on Windows: Git Bash) on the PATH"
        return trial
    script = _command(plugin)
    if not script:
        trial.problem = "hooks/hooks.json names no SessionStart hook"
        return trial
    with _folder() as data, _folder() as stand_in:
        root = project.root
        if not projects.uses_method(project):
            root = stand_in
            Path(root, POST_MORTEM).write_bytes(b"# Post-mortem\n")
        payload = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "", "cwd": root}
        environment = {name: os.environ[name] for name in ("PATH", "HOME", *_SYSTEM) if name in os.environ}
        environment["CLAUDE_PLUGIN_ROOT"] = projects.slashes(str(plugin))
        environment["CLAUDE_PLUGIN_DATA"] = projects.slashes(data)
        environment["CLAUDE_PROJECT_DIR"] = root
        for _ in range(2):
            _start([shell, "-c", script], json.dumps(payload).encode("ascii"), environment, root, trial)
            if trial.problem:
                break
        with contextlib.suppress(OSError):
            trial.python = Path(data, "python").read_text(encoding="utf-8").strip()
    return trial


def _start(command: list[str], payload: bytes, environment: dict[str, str], folder: str, trial: Trial) -> None:
    """Run the hook once and put down what came of it."""
    started = time.perf_counter()
    try:
        done = subprocess.run(
            command, input=payload, env=environment, cwd=folder, capture_output=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        trial.problem = "it takes longer than %d s, and then the client gives up on it" % LIMIT
        return
    except OSError as error:
        trial.problem = "%s cannot be started: %s" % (command[0], error)
        return
    trial.seconds = time.perf_counter() - started
    trial.output = done.stdout
    if done.returncode or done.stderr:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        trial.problem = "it ended with status %d and said: %s" % (done.returncode, said)


def _command(plugin: Path) -> str:
    try:
        hooks = json.loads((plugin / "hooks" / "hooks.json").read_text(encoding="utf-8"))
        return str(hooks["hooks"]["SessionStart"][0]["hooks"][0]["command"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    folder = os.path.realpath(tempfile.mkdtemp(prefix="rld-doctor-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
