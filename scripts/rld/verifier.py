"""Runs the verify command the way a proof needs it: CI=1, no stdin, a time limit, nothing left running."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from typing import Callable

TAIL = 64 << 10  # bytes of output that are kept
GRACE = 3.0  # seconds between asking a process group to end and ending it


class Outcome:
    """`status` is the exit status, or -1 when the limit ended it; `tail` the last `TAIL` bytes of output as text."""

    def __init__(self, status: int, seconds: float, tail: str, timed_out: bool) -> None:
        self.status = status
        self.seconds = seconds
        self.tail = tail
        self.timed_out = timed_out


def run(command: str, folder: str, limit: float, show: Callable[[bytes], object]) -> Outcome:
    """Run a shell command in a folder for at most `limit` seconds; `show` gets its output as it comes.

    The whole process group ends with it, also on Ctrl-C. Raises KeyboardInterrupt after that.
    """
    # A verify command is written for the shell people type in; dash knows no `set -o pipefail`.
    shell = None if os.name == "nt" else shutil.which("bash") or "/bin/sh"
    environment = {**os.environ, "CI": "1"}
    began = time.monotonic()
    child = subprocess.Popen(
        command, shell=True, executable=shell, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=os.name != "nt",
    )  # fmt: skip
    tail = bytearray()
    reader = threading.Thread(target=_pump, args=(child, tail, show), daemon=True)
    reader.start()
    timed_out = False
    try:
        child.wait(limit)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        _end_group(child)
        # What a grandchild still holds open must not hold us.
        reader.join(GRACE)
    seconds = time.monotonic() - began
    return Outcome(-1 if timed_out else child.returncode, seconds, bytes(tail).decode("utf-8", "replace"), timed_out)


def _pump(child: subprocess.Popen[bytes], tail: bytearray, show: Callable[[bytes], object]) -> None:
    assert child.stdout is not None
    while True:
        part = os.read(child.stdout.fileno(), 1 << 16)
        if not part:
            return
        tail += part
        if len(tail) > 2 * TAIL:
            del tail[:-TAIL]
        with contextlib.suppress(OSError, ValueError):
            show(part)


def _end_group(child: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        if child.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(child.pid)], capture_output=True, check=False)
            child.wait()
        return
    if _signal_group(child, signal.SIGTERM):
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and _signal_group(child, 0):
            child.poll()
            time.sleep(0.02)
        _signal_group(child, signal.SIGKILL)
    child.wait()


def _signal_group(child: subprocess.Popen[bytes], number: int) -> bool:
    """Is anybody of the group still there?"""
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
