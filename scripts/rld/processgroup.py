"""Ending a program with all that it started, also when this process is told to end."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from typing import Any

GRACE = 3.0  # seconds between asking a process group to end and ending it


class Ending:
    """`with Ending() as ending:` around starting a program: what ends this process is an interrupt for a while.

    The program is in a group of its own and would go on alone; the client ends a tool call that takes too long so. While
    the program is being started nobody could end it yet, so an interrupt waits for `guard` (Pitfall 41).
    """

    def __init__(self) -> None:
        self.told = False
        self.guarded = False
        self.before: dict[int, Any] = {}

    def __enter__(self) -> Ending:
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                if hasattr(signal, name):
                    number = getattr(signal, name)
                    self.before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def guard(self) -> None:
        """From here on an interrupt is raised at once. Raises KeyboardInterrupt for one that came before."""
        self.guarded = True
        if self.told:
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: object) -> None:
        self.told = True
        if self.guarded:
            raise KeyboardInterrupt


def end(child: subprocess.Popen[bytes]) -> None:
    """End a program that was started in a session of its own (POSIX), with all that it started, and wait for it."""
    if os.name == "nt":
        if child.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], capture_output=True, check=False)
            child.wait()
        return
    try:
        if _signal(child, signal.SIGTERM):
            deadline = time.monotonic() + GRACE
            while time.monotonic() < deadline and _signal(child, 0):
                child.poll()
                time.sleep(0.02)
    finally:  # also when somebody presses Ctrl-C once more
        _signal(child, signal.SIGKILL)
        child.wait()


def _signal(child: subprocess.Popen[bytes], number: int) -> bool:
    """Is anybody of the group still there?"""
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
