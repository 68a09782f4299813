"""rld demo: the whole loop on a throwaway repository, through the real hooks."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from rld import sample
from rld.cli import base
from rld.errors import Refused

SESSION = "demo-session-1"
SECOND = "demo-session-2"
WIDTH = 110


@click.command(epilog="Example: rld demo")
@click.option("--keep", is_flag=True, help="Keep the throwaway repository and say where it is.")
def command(keep: bool) -> None:
    """Play the whole loop on a throwaway repository: what you see, and what the model is told.

    The hooks are the ones that the client runs, started in the same way; only the model is played.
    """
    if shutil.which("sh") is None or shutil.which("git") is None:
        raise Refused("the demo needs git and a POSIX sh on the PATH (on Windows: Git Bash)")
    folder = Path(tempfile.mkdtemp(prefix="rld-demo-"))
    try:
        _Demo(folder).play()
    finally:
        if keep:
            base.say("\nThe repository is in %s" % folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


class _Demo:
    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.session = SESSION
        self.hooks = json.loads((base.PLUGIN / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]

    def play(self) -> None:
        self._repository()
        self._headline("1  A session starts: the records in force come before the first word")
        self._show(self._hook("SessionStart", source="startup"))
        self._headline("2  RUN: a plan, one unblocked item at a time")
        self._you('/run-plan docs/plan.md "sh verify.sh"')
        self._hook("UserPromptSubmit", prompt='/run-plan docs/plan.md "sh verify.sh"')
        self._rld("run", "start", "docs/plan.md", "--verify", "sh verify.sh", "--tag", "feature")
        self._item("3")
        self._headline("3  A verify fails, is mended, and passes: the hook sees both")
        self._you("go on with item 1")
        self._hook("UserPromptSubmit", prompt="go on with item 1")
        self._edit("board/next.sh", sample.BROKEN)
        self._verify()
        self._edit("board/next.sh", sample.MENDED)
        self._show(self._verify())
        self._headline("4  LOG: the turn may not end without the entry, which is asked for once")
        self._show(self._hook("Stop", stop_hook_active=False))
        self._log("1")
        self._headline("5  A second item without a word from you is refused")
        self._log("2")
        self._you("yes, go on")
        self._hook("UserPromptSubmit", prompt="yes, go on")
        self._item("2", quiet=True)
        self._headline("6  DISTILL: /rld:compact makes candidates of the journal, and nothing is written yet")
        journal = next((self.folder / "docs" / "worklog").glob("*.md")).relative_to(self.folder).as_posix()
        self._rld("propose", stdin=sample.CANDIDATES.format(journal=journal))
        self._headline("7  Your yes, record by record")
        self._you("the first two; the third only fits that day")
        self._rld("apply", "--accept", "1,2", "--reject", "3:only fits the day of the run")
        self._headline("8  The loop closes: the next session starts with what this one learned")
        self.session = SECOND
        self._show(self._hook("SessionStart", source="startup"))
        self._headline("9  At the right moment: a file is opened, and the old failure comes back")
        self._show(self._read("board/next.sh"))
        self._edit("board/next.sh", sample.BROKEN)
        self._show(self._verify())
        base.say(
            "\nThat is all of it. In your own repository: rld init, then install the plugin; README.md has both commands."
        )

    def _repository(self) -> None:
        for name, text in sample.FILES.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        self._git("init", "-q", ".")
        self._git("add", ".")
        self._git("-c", "user.name=demo", "-c", "user.email=demo@example.invalid", "commit", "-qm", "A ferry board")

    def _git(self, *args: str) -> None:
        env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        subprocess.run(["git", *args], cwd=self.folder, env=env, check=True, capture_output=True)

    def _item(self, item: str, quiet: bool = False) -> None:
        self._verify()
        self._log(item, quiet)

    def _verify(self) -> dict[str, object]:
        """The model runs the verify command in its shell; the hook that the client would call is called."""
        done = subprocess.run(["sh", "verify.sh"], cwd=self.folder, capture_output=True, text=True, check=False)
        given = {"tool_name": "Bash", "tool_input": {"command": "sh verify.sh"}}
        if done.returncode == 0:
            self._model("sh verify.sh", "passed")
            response = {"stdout": done.stdout + done.stderr, "stderr": "", "interrupted": False, "isImage": False}
            return self._hook("PostToolUse", tool_response=response, **given)
        self._model("sh verify.sh", "exit status %d: %s" % (done.returncode, done.stderr.strip()[-80:]))
        return self._hook("PostToolUseFailure", error="Exit code %d\n%s" % (done.returncode, done.stderr), **given)

    def _edit(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_bytes(text.encode("utf-8"))
        self._model("edits %s" % name, "")
        self._hook("PostToolUse", tool_name="Edit", tool_input={"file_path": str(path)}, tool_response={})

    def _read(self, name: str) -> dict[str, object]:
        self._model("reads %s" % name, "")
        return self._hook(
            "PostToolUse", tool_name="Read", tool_input={"file_path": str(self.folder / name)}, tool_response={}
        )

    def _log(self, item: str, quiet: bool = False) -> None:
        self._rld("log", "--item", item, stdin=sample.ENTRIES[item], quiet=quiet)

    def _hook(self, name: str, **more: object) -> dict[str, object]:
        """Run a hook as the client does; its answer."""
        event = {"session_id": self.session, "cwd": str(self.folder), "hook_event_name": name, **more}
        env = {
            "HOME": os.environ.get("HOME", str(self.folder)), "PATH": os.environ.get("PATH", ""),
            "CLAUDE_PLUGIN_ROOT": base.PLUGIN.as_posix(), "CLAUDE_PROJECT_DIR": str(self.folder),
        }  # fmt: skip
        text = self.hooks[name][0]["hooks"][0]["command"]
        done = subprocess.run(
            ["sh", "-c", text],
            cwd=self.folder,
            env=env,
            input=json.dumps(event).encode(),
            capture_output=True,
            check=False,
        )
        return dict(json.loads(done.stdout)) if done.stdout.strip() else {}

    def _rld(self, *args: str, stdin: str = "", quiet: bool = False) -> None:
        env = {**os.environ, "CLAUDE_CODE_SESSION_ID": self.session}
        run = [sys.executable, "-I", "-X", "utf8", str(base.PLUGIN / "scripts" / "rld_main.py"), *args]
        done = subprocess.run(run, cwd=self.folder, env=env, input=stdin.encode(), capture_output=True, check=False)
        self._model(shlex.join(["rld", *args]), "")
        if not quiet:
            self._block((done.stdout + done.stderr).decode("utf-8", "replace"), "")

    def _headline(self, text: str) -> None:
        base.say("")
        click.secho(text, bold=True)

    def _you(self, text: str) -> None:
        base.say(click.style("  you   > ", fg="green") + text)

    def _model(self, text: str, result: str) -> None:
        base.say(click.style("  model > ", fg="cyan") + text + (" → " + result if result else ""))

    def _show(self, answer: dict[str, object]) -> None:
        """What a hook's answer puts before the human and the model."""
        if answer.get("systemMessage"):
            self._block(str(answer["systemMessage"]), "you see")
        specific = answer.get("hookSpecificOutput")
        if isinstance(specific, dict):
            self._block(str(specific["additionalContext"]), "the model is told")
        if answer.get("reason"):
            self._block(str(answer["reason"]), "the model is told, once")

    def _block(self, text: str, label: str) -> None:
        if label:
            click.secho("    %s:" % label, dim=True)
        for row in text.strip("\n").split("\n"):
            base.say("    | " + row)
