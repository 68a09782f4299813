"""The real client, driven from a test.

It gets a scratch HOME, a scripted model, no network, and nothing of the developer's settings or variables.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, Step
from recorded import Json, Request

Finished = subprocess.CompletedProcess[str]

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY
VERSIONS = ("2.1.332", "2.1.197")
# For what does not depend on the client's version, so that one session is enough.
newest = pytest.mark.parametrize("client", VERSIONS[:1], indirect=True)
KEY = "dummy-key-of-the-loopback-model"
TIME_LIMIT = 60
WAY_OUT = "Run scripts/test, which installs it, or set RLD_NO_CLIENT=1 to leave these tests out."


def require_client(version: str) -> Path:
    """The client's binary. Where it is missing the test fails: only RLD_NO_CLIENT=1 may skip it."""
    if os.environ.get("RLD_NO_CLIENT") == "1":
        pytest.skip("RLD_NO_CLIENT=1")
    clients = Path(os.environ.get("RLD_CLIENTS") or REPOSITORY / ".cache" / "clients")
    binary = clients / version / "node_modules" / ".bin" / "claude"
    if not binary.exists():
        pytest.fail("There is no client %s at %s. %s" % (version, binary, WAY_OUT), pytrace=False)
    return binary


def search_path() -> str:
    """A PATH with the real interpreter first: a version manager's shim costs more than a whole hook may."""
    interpreter = os.path.realpath(os.path.join(sys.base_prefix, "bin", "python3"))
    found = [interpreter] + [shutil.which(name) or "" for name in ("git", "node", "sh", "uv")]
    folders = [os.path.dirname(path) for path in found if path] + ["/usr/bin", "/bin"]
    return os.pathsep.join(dict.fromkeys(folders))


class Result:
    """What one run of the client said, and what its model was asked.

    `requests` are those of the main loop, `subagent_requests` those of subagents, `all_requests` every one,
    oldest first. `events` is the client's stream, hooks included; `output` its last `result` event.
    """

    def __init__(self, process: Finished, asked: list[Request]) -> None:
        self.returncode = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        lines = [line for line in process.stdout.split("\n") if line.startswith("{")]
        self.events: list[Json] = [json.loads(line) for line in lines]
        self.output: Json = next((e for e in reversed(self.events) if e.get("type") == "result"), {})
        self.session_id: str = self.output.get("session_id", "")
        self.permission_denials: list[Json] = self.output.get("permission_denials", [])
        self.all_requests = asked
        self.requests = [request for request in asked if request.loop() == "main"]
        self.subagent_requests = [request for request in asked if request.loop() == "subagent"]

    def denied(self) -> list[str]:
        """The denied tool calls, each by its command or file path."""
        given = [denial["tool_input"] for denial in self.permission_denials]
        return [str(one.get("command") or one.get("file_path") or one) for one in given]

    def hooks(self, event: str) -> list[Json]:
        """The finished hooks of an event: a dictionary each, with `stdout`, `stderr`, `exit_code`."""
        done = [e for e in self.events if e.get("subtype") == "hook_response"]
        return [e for e in done if e.get("hook_event") == event]

    def system_messages(self, event: str) -> list[str]:
        """What the hooks of an event told the human."""
        spoken = [_json_object(hook.get("stdout", "")).get("systemMessage") for hook in self.hooks(event)]
        return [text for text in spoken if text]


class Client:
    """One client version in a HOME of its own, which all runs of one test share: a session can be resumed."""

    def __init__(self, version: str, binary: Path, scratch: Path, rld_home: Path, model: Loopback) -> None:
        self.version = version
        self.binary = binary
        self.model = model
        self.scratch = scratch
        self.home = scratch / "home"
        self.home.mkdir()
        _write(self.home / ".gitconfig", "[user]\n\tname = A Tester\n\temail = tester@example.invalid\n")
        self.base_env = {
            "HOME": str(self.home),
            "PATH": search_path(),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": KEY,
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "RLD_HOME": str(rld_home),
        }

    def project(self, files: Mapping[str, str] = {}, name: str = "project") -> Path:
        """A git repository with these files (path to text), committed on `main`."""
        root = self.scratch / name
        root.mkdir()
        for path, text in files.items():
            _write(root / path, text)
        for command in ("init -q -b main", "add -A", "commit -q --allow-empty -m start"):
            subprocess.run(["git", *command.split()], cwd=root, env=self.base_env, check=True)
        return root

    def trust(self, cwd: Path) -> None:
        """Answers the client's first questions, so that it opens without a dialog.

        It also heeds the project's `permissions.allow` then: untrusted, it ignores them, in print mode too.
        """
        file = self.home / ".claude.json"
        known = json.loads(file.read_text("utf-8")) if file.exists() else {}
        known.update(hasCompletedOnboarding=True, theme="dark")
        known["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
        known.setdefault("projects", {}).setdefault(str(cwd), {})["hasTrustDialogAccepted"] = True
        _write(file, json.dumps(known))

    def run(
        self,
        prompt: str,
        script: Iterable[Step] = (),
        *,
        cwd: Path,
        plugin_dir: "Path | None" = PLUGIN,
        subagents: Iterable[Step] = (),
        resume: "str | None" = None,
        permission_mode: "str | None" = None,
        extra_args: Iterable[str] = (),
        env: Mapping[str, str] = {},
    ) -> Result:
        """One human turn in print mode. What a human would be asked is denied: see `permission_denials`.

        `permission_mode` None is the client's default mode; "bypassPermissions" asks only what a rule or a
        hook wants asked.
        """
        self.model.play(script, subagents)
        args = ["-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events"]
        args += ["--plugin-dir", str(plugin_dir)] if plugin_dir else []
        args += ["--resume", resume] if resume else []
        args += ["--permission-mode", permission_mode] if permission_mode else []
        result = Result(self._start([*args, *extra_args], cwd, env), self.model.requests)
        assert not self.model.errors, self.model.errors
        return result

    def cli(self, *args: str, cwd: "Path | None" = None) -> Finished:
        """A command of the client itself (`plugin install …`) in the same HOME."""
        return self._start(list(args), cwd or self.scratch, {})

    def _start(self, args: list[str], cwd: Path, env: Mapping[str, str]) -> Finished:
        command = [str(self.binary), *args]
        with subprocess.Popen(
            command,
            cwd=cwd,
            env={**self.base_env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
                pytest.fail("the client hung: %s\n%s\n%s" % (command, out[-2000:], err[-2000:]))
        return subprocess.CompletedProcess(command, process.returncode, out, err)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def _json_object(text: str) -> Json:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
