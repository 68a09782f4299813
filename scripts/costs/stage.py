"""A throwaway place where hooks run as the client runs them: the command strings of hooks.json through `sh -c`, an
almost empty environment, the payload on a pipe."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from costs import material
from costs.situations import LESSON, OTHER, SCOPED, Call, Situation

ROOT = Path(__file__).resolve().parent.parent.parent
# A version manager's shim: processes of its own before Python starts.
_SHIM = '#!/bin/sh\nsleep 0.01; for i in 1 2 3; do /bin/sh -c :; done\nexec "%s" "$@"\n'


class Broken(Exception):
    """A hook that does something else than its situation says: its figure would mean nothing."""


class Stage:
    """Plugin copies and an interpreter, below one folder; each situation gets a project of its own."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        self.python = python
        self.plugin = _copy_plugin(folder / "plugin")
        self.cold_plugin = _copy_plugin(folder / "cold")  # the others keep their compiled modules (Pitfall 21)
        self.hooks = json.loads((self.plugin / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
        self.shims = folder / "shim"
        self.shims.mkdir()
        (self.shims / "python3").write_text(_SHIM % python, encoding="utf-8")
        (self.shims / "python3").chmod(0o755)

    def command(self, call: Call) -> str:
        """The command string that hooks.json has for a call."""
        tool = call[1].get("tool_name", "")
        for group in self.hooks[call[0]]:
            if not tool or tool in group.get("matcher", tool).split("|"):
                return str(group["hooks"][0]["command"])
        raise LookupError(call[0], tool)

    def environment(self, project: Path, cold: bool = False, shim: bool = False) -> dict[str, str]:
        first = self.shims if shim else Path(self.python).parent
        return {
            "HOME": str(self.folder), "PATH": "%s:/usr/bin:/bin" % first, "LANG": "C.UTF-8",
            "CLAUDE_PLUGIN_ROOT": str(self.cold_plugin if cold else self.plugin),
            "CLAUDE_PLUGIN_DATA": str(self.folder / ("shim-data" if shim else "data")),
            "CLAUDE_PROJECT_DIR": str(project),
        }  # fmt: skip

    def project(self, name: str, size: int, run: bool) -> Path:
        """A project with a post-mortem of that size, 0 for none; `run`: with a plan and an open journal."""
        folder = self.folder / name
        files = {SCOPED: "x = 1\n", OTHER: "x = 1\n", "README.md": "# x\n"}
        if size:
            files["POST_MORTEM.md"] = material.post_mortem(size)
        if run:
            files.update({"docs/plan.md": material.PLAN, "docs/worklog/2026-01-01-plan.md": material.JOURNAL})
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "x")):
            git(folder, *words)
        return folder


class Scene:
    """One situation, set up: `reset` before each call brings it back to what it was."""

    def __init__(self, stage: Stage, situation: Situation) -> None:
        self.stage = stage
        self.situation = situation
        self.folder = stage.project(situation.key, situation.size, situation.run)
        self.state = self.folder / ".git/rld"
        self.env = stage.environment(self.folder, situation.cold, situation.shim)
        self.shell = ["/bin/sh", "-c", stage.command(situation.call)]
        self.payload = self.of(situation.call)
        if situation.earlier:
            self._leave_sessions(situation.earlier)
        self._play(situation.before)
        self._evidence = self._read_evidence()

    def of(self, call: Call) -> bytes:
        """The payload of a call, its path absolute."""
        event, fields = call
        given = fields.get("tool_input")
        if isinstance(given, dict) and "file_path" in given:
            fields = {**fields, "tool_input": {**given, "file_path": str(self.folder / given["file_path"])}}
        return material.payload(event, self.folder, fields)

    def python(self, *flags: str) -> list[str]:
        """The interpreter as hooks/launch starts it, with other flags than its own."""
        name = self.shell[2].partition("set -- ")[2].partition(";")[0]
        return [self.stage.python, *flags, "-X", "utf8", "%s/hooks/%s.py" % (self.env["CLAUDE_PLUGIN_ROOT"], name)]

    def fire(self, command: list[str], payload: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, input=payload, cwd=self.folder, env=self.env, capture_output=True, check=False)

    def _play(self, calls: tuple[Call, ...]) -> None:
        for call in calls:
            self.fire(["/bin/sh", "-c", self.stage.command(call)], self.of(call))

    def _leave_sessions(self, number: int) -> None:
        """Sessions of some 200 calls each, by their evidence: 16 KB that nobody distilled."""
        self._play(LESSON)
        lesson = self._read_evidence() or b""
        for n in range(number):
            (self.state / "evidence" / ("earlier-%d.jsonl" % n)).write_bytes(lesson * (16_000 // len(lesson)))
        self._evidence_file().unlink()

    def reset(self) -> None:
        if self.situation.made_anew == "state":
            shutil.rmtree(self.state, ignore_errors=True)
        elif self.situation.made_anew:
            with (self.folder / "POST_MORTEM.md").open("a", encoding="utf-8") as file:
                file.write("\n")
            git(self.folder, "commit", "-q", "-a", "-m", "x")
        noted = self._evidence_file()
        if self._evidence is not None:
            noted.write_bytes(self._evidence)
        else:
            noted.unlink(missing_ok=True)
        if self.situation.cold:
            for cache in list(self.stage.cold_plugin.rglob("__pycache__")):
                shutil.rmtree(cache)

    def check(self) -> None:
        """Raise Broken unless the hook answers as the situation says."""
        self.reset()
        done = self.fire(self.shell, self.payload)
        said = done.stdout.decode("utf-8", "replace").replace('\\"', '"')
        fits = self.situation.says in said if self.situation.says else not said
        log = self.state / "errors.log"
        if done.returncode or done.stderr or not fits or log.exists():
            errors = log.read_text(encoding="utf-8") if log.exists() else ""
            what = (self.situation.name, self.situation.says, done.returncode, said[:300], done.stderr[:300], errors)
            raise Broken("%s: %r is not what it answers: %s %r %r %s" % what)

    def _evidence_file(self) -> Path:
        return self.state / "evidence" / (material.SESSION + ".jsonl")

    def _read_evidence(self) -> bytes | None:
        file = self._evidence_file()
        return file.read_bytes() if file.exists() else None


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=b", "-c", "user.email=b@example.invalid", "-c", "commit.gpgsign=false"]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *who, *words], cwd=folder, env=env, check=True, capture_output=True)


def _copy_plugin(target: Path) -> Path:
    """The part of the plugin that hooks need."""
    for name in ("hooks", "scripts/rld"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__", "cli"))
    return target
