"""The client's interactive screen, in a tmux server of its own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from loopback import Step
from session import PLUGIN, Client

TIME_LIMIT = 30.0
PROMPT_SIGN = "❯"
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux, which drives the client's screen, is not installed")


class Tui:
    """`with Tui(client, cwd=…) as tui:` opens the client and waits for its prompt; leaving ends it.

    The client's model plays `script` over all the turns; `client.model.requests` holds what it was asked. The permission mode is
    named because the newer client opens in auto mode, which asks a server instead of the human.
    """

    def __init__(
        self,
        client: Client,
        script: Iterable[Step] = (),
        *,
        cwd: Path,
        plugin_dir: "Path | None" = PLUGIN,
        permission_mode: str = "default",
        extra_args: Iterable[str] = (),
        env: Mapping[str, str] = {},
    ) -> None:
        client.trust(cwd)
        client.model.play(script)
        self._folder = tempfile.mkdtemp(prefix="rld")  # not the scratch folder: a socket's path may have about 100 characters
        args = ["--permission-mode", permission_mode]
        args += ["--plugin-dir", str(plugin_dir)] if plugin_dir else []
        pairs = ["%s=%s" % pair for pair in {**client.base_env, **env}.items()]
        self._command = ["env", "-i", *pairs, str(client.binary), *args, *extra_args]
        self._cwd = str(cwd)

    def __enter__(self) -> "Tui":
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", "-c", self._cwd, *self._command)
        self.wait_for(PROMPT_SIGN)
        return self

    def __exit__(self, *_: Any) -> None:
        self._tmux("kill-server")
        shutil.rmtree(self._folder, ignore_errors=True)

    def type(self, text: str) -> None:
        """Types a line and sends it. It waits for the text to appear first: an early Enter only picks a menu row."""
        self._tmux("send-keys", "-l", text)
        self.wait_for(text)
        self.press("Enter")

    def press(self, key: str) -> None:
        """A key by its tmux name: "Enter", "Escape", "Down"."""
        self._tmux("send-keys", key)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def wait_for(self, text: str, seconds: float = TIME_LIMIT) -> str:
        """The screen, as soon as it shows the text."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen()
            if text in screen:
                return screen
            time.sleep(0.05)
        raise AssertionError("%r did not appear:\n%s" % (text, self.screen()))

    def _tmux(self, *args: str) -> str:
        command = ["tmux", "-S", self._folder + "/tmux", *args]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", errors="replace").stdout
