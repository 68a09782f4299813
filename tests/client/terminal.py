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
needs_tmux = pytest.mark.skipif(
    not shutil.which("tmux"), reason="tmux, which drives the screen, is not installed"
)


class Tui:
    """`with Tui(client, cwd=…) as tui:` opens the client and waits for its prompt; leaving ends it.

    The client's model plays `script` over all the turns; `client.model.requests` holds what it was asked. The
    permission mode is always named: the newer client opens in auto mode, which asks a server, not the human.
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
        # Not in the scratch folder: the path of a socket must stay under about 100 characters.
        self._folder = tempfile.mkdtemp(prefix="rld")
        args = ["--permission-mode", permission_mode]
        args += ["--plugin-dir", str(plugin_dir)] if plugin_dir else []
        pairs = ["%s=%s" % pair for pair in {**client.base_env, **env}.items()]
        self._command = ["env", "-i", *pairs, str(client.binary), *args, *extra_args]
        self._cwd = str(cwd)

    def __enter__(self) -> "Tui":
        size = ("-x", "160", "-y", "50")
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", self._cwd, *self._command)
        try:
            self.wait_for(PROMPT_SIGN)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        subprocess.run(
            ["tmux", "-S", self._folder + "/tmux", "kill-server"], capture_output=True, check=False
        )
        shutil.rmtree(self._folder, ignore_errors=True)

    def type(self, text: str) -> None:
        """Types a line and sends it, once it is on the screen: an earlier Enter would get lost."""
        self._tmux("send-keys", "-l", text)
        self.wait_for(text)
        self.press("Enter")

    def press(self, key: str) -> None:
        """A key by its tmux name: "Enter", "Escape", "Down"."""
        self._tmux("send-keys", key)

    def confirm(self, until: str) -> str:
        """Presses Enter until the screen shows the text: a dialog ignores keys in its first moments."""
        for _ in range(int(TIME_LIMIT)):
            self.press("Enter")
            try:
                return self.wait_for(until, 0.5)
            except AssertionError:
                continue
        return self.wait_for(until, 0.5)

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
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", errors="replace")
        return done.stdout
