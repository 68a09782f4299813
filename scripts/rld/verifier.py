"""Runs the verify command the way a proof needs it: CI=1, no stdin, a time limit, nothing left running."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import time
from typing import Callable

from rld import processgroup

TAIL = 64 << 10  # bytes of output that are kept


class Outcome:
    """`status` is the exit status, or -1 when the limit ended it; `tail` the last `TAIL` bytes of output as text."""

    def __init__(self, status: int, seconds: float, tail: str, timed_out: bool) -> None:
        self.status = status
        self.seconds = seconds
        self.tail = tail
        self.timed_out = timed_out


def run(command: str, folder: str, limit: float, show: Callable[[bytes], object]) -> Outcome:
    """Run a shell command in a folder for at most `limit` seconds; `show` gets its output as it comes.

    The whole process group ends with it, also on Ctrl-C and when this process is told to end. Raises
    KeyboardInterrupt after that. A process that left the group on purpose, such as a build daemon, goes on.
    """
    # A verify command is written for the shell people type in; dash knows no `set -o pipefail`.
    shell = None if os.name == "nt" else shutil.which("bash") or "/bin/sh"
    environment = {**os.environ, "CI": "1"}
    began = time.monotonic()
    with processgroup.Ending() as ending:
        child = subprocess.Popen(
            command, shell=True, executable=shell, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=os.name != "nt",
        )  # fmt: skip
        output = _Output(child, show)
        timed_out = False
        try:
            ending.guard()
            child.wait(limit)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            processgroup.end(child)
            output.close()
    seconds = time.monotonic() - began
    return Outcome(-1 if timed_out else child.returncode, seconds, output.tail(), timed_out)


class _Output:
    """Shows what a process writes and keeps the end of it."""

    def __init__(self, child: subprocess.Popen[bytes], show: Callable[[bytes], object]) -> None:
        self.kept = bytearray()
        self.is_cut = False
        self.closed = False
        self.show = show
        self.reader = threading.Thread(target=self._read, args=(child,), daemon=True)
        self.reader.start()

    def _read(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout is not None
        while True:
            part = os.read(child.stdout.fileno(), 1 << 16)
            if not part or self.closed:
                return
            self.kept += part
            if len(self.kept) > 2 * TAIL:
                del self.kept[:-TAIL]
                self.is_cut = True
            with contextlib.suppress(OSError, ValueError):
                self.show(part)

    def close(self) -> None:
        """Wait for the rest; what a process that left the group still holds open must not hold us."""
        self.reader.join(processgroup.GRACE)
        self.closed = True

    def tail(self) -> str:
        """The whole lines of what was kept: half a credential would not be recognised as one."""
        data = bytes(self.kept[-TAIL:])
        if self.is_cut or len(self.kept) > TAIL:
            data = data.partition(b"\n")[2] or data.partition(b" ")[2]
        return data.decode("utf-8", "replace")
