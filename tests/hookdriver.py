"""Runs the hooks as the client runs them: the command strings of hooks.json through sh, an almost empty environment, JSON
on a pipe."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = os.path.realpath(os.path.join(sys.base_prefix, "bin", "python3"))
SESSION = "0b1c2d3e-session"
VERIFY = "sh verify.sh"


def command_of(event, tool=""):
    """The command string that hooks.json has for an event, and for a tool where it matters."""
    for group in json.loads((ROOT / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"][event]:
        if not tool or tool in group.get("matcher", tool).split("|"):
            return group["hooks"][0]["command"]
    raise LookupError(event, tool)


def payload(event, cwd, **more):
    """What the client puts on the pipe, with the fields that every event has."""
    return {
        "session_id": SESSION, "transcript_path": "/nowhere/t.jsonl", "cwd": str(cwd), "permission_mode": "default",
        "hook_event_name": event, **more,
    }  # fmt: skip


def response(stdout="", **more):
    return {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False, **more}


EVENTS = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "please go on"},
    "PreToolUse": {
        "tool_name": "Edit",
        "tool_input": {"file_path": "POST_MORTEM.md", "old_string": "a", "new_string": "b"},
    },
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_input": {"command": VERIFY},
        "tool_response": response("3 checks passed"),
    },
    "PostToolUseFailure": {
        "tool_name": "Bash",
        "tool_input": {"command": VERIFY},
        "error": "Exit code 1\nno such ferry",
    },
    "SubagentStart": {"agent_id": "a1", "agent_type": "general-purpose"},
    "PreCompact": {"trigger": "manual", "custom_instructions": None},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
    "SessionEnd": {"reason": "other"},
}


class Answer:
    """What one hook did. `json` is its one object, None when it kept silent; `text` what PreCompact says to the summariser."""

    def __init__(self, event, done):
        self.status = done.returncode
        self.stderr = done.stderr.decode("utf-8", "replace")
        assert (self.status, self.stderr) == (0, ""), (event, self.status, self.stderr)
        self.json = None
        self.text = ""
        if event == "PreCompact" and not done.stdout.startswith(b"{"):
            self.text = done.stdout.decode("utf-8")
        elif done.stdout:
            assert done.stdout.endswith(b"\n") and done.stdout.count(b"\n") == 1, done.stdout
            self.json = json.loads(done.stdout.decode("utf-8"))
            assert isinstance(self.json, dict)
            specific = self.json.get("hookSpecificOutput")
            assert specific is None or specific["hookEventName"] == event
            assert "\n" not in self.json.get("systemMessage", ""), "at most one line for the human"

    @property
    def context(self):
        return (self.json or {}).get("hookSpecificOutput", {}).get("additionalContext", "")

    @property
    def human(self):
        return (self.json or {}).get("systemMessage", "")


class Hooks:
    """A place to run hooks in: a HOME, a PATH, and a plugin, all of a test's own."""

    def __init__(self, folder, plugin=ROOT, with_data=True):
        self.folder = folder
        self.plugin = plugin
        self.home = folder / "home"
        self.bin = folder / "bin"
        self.data = folder / "data" if with_data else None
        for made in (self.home, self.bin):
            made.mkdir(parents=True, exist_ok=True)
        (self.bin / "python3").symlink_to(PYTHON)
        self.path = os.pathsep.join(
            dict.fromkeys([str(self.bin), os.path.dirname(shutil.which("git")), "/usr/bin", "/bin"])
        )
        self.before = []

    def environment(self, cwd, **more):
        env = {
            "HOME": str(self.home),
            "PATH": self.path,
            "CLAUDE_PLUGIN_ROOT": str(self.plugin),
            "CLAUDE_PROJECT_DIR": str(cwd),
        }
        if self.data is not None:
            env["CLAUDE_PLUGIN_DATA"] = str(self.data)
        return {**env, **more}

    def start(self, event, given=None, *, cwd, env=None, **more):
        """Run the hook; `given` are the bytes on the pipe, without it the event's usual payload with `more` in it."""
        if given is None:
            given = json.dumps(payload(event, cwd, **{**EVENTS[event], **more})).encode("utf-8") + b"\n"
        command = [*self.before, "/bin/sh", "-c", command_of(event, more.get("tool_name", ""))]
        return subprocess.run(
            command,
            input=given,
            cwd=str(cwd),
            env=self.environment(cwd, **(env or {})),
            capture_output=True,
            timeout=30,
        )

    def fire(self, event, given=None, **more):
        return Answer(event, self.start(event, given, **more))


def git(folder, *args):
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *who, *args], check=True, env=env, capture_output=True, text=True)
    return done.stdout


def make(folder, files, with_git=True):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    folder.mkdir(exist_ok=True)
    if with_git:
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder
