"""Whether a shell line that was run proves that one verify command passed, or that it failed."""

from .runoutput import TEST, failures, families, proves_nothing
from .shellstatus import FAIL, PASS, Line
from .shelltree import read
from .shellwords import Unreadable
from .wanted import Wanted

# What a container tool says when it fails itself.
_NEVER_STARTED = ("is not running", "o such container", "o such service", "onnect to the Docker daemon")


def weigh(command: str, verify: str, succeeded: bool, output: str) -> "tuple[bool | None, str]":
    """True when the line proves a pass, False when it proves a failure, else None and why, in plain words."""
    try:
        wanted = Wanted(verify)
    except Unreadable as problem:
        if command.strip() != verify.strip() or command.rstrip().endswith("&") or "set -" in command:
            return None, "the verify command cannot be followed: " + str(problem)
        # The line is the verify command to the letter: its status is the verify command's, whatever it does.
        reason = succeeded and proves_nothing(output, True)
        return (None, reason) if reason else (succeeded, "")
    try:
        line = Line(read(command), wanted, None if succeeded else output)
    except Unreadable as problem:
        return None, "the line cannot be followed: " + str(problem)
    if succeeded:
        return _judge_success(line, output)
    if any(name in command for name in ("docker", "podman")) and any(text in output for text in _NEVER_STARTED):
        return None, "the verify command was not started"
    return _judge_failure(line, output)


def _judge_success(line: Line, output: str) -> "tuple[bool | None, str]":
    ways = {did for ok, did in line.ends if ok}
    if ways == {PASS}:
        reason = proves_nothing(output, not any(TEST in families(words) for words in line.others))
        return (None, reason) if reason else (True, "")
    if line.hint:
        return None, line.hint
    if FAIL in ways:
        return None, "the line can succeed when the verify command fails"
    if PASS in ways:
        return None, "the line can succeed without the verify command"
    return None, "the verify command is only mentioned, or not run on its own"


def _judge_failure(line: Line, output: str) -> "tuple[bool | None, str]":
    ways = {did for ok, did in line.ends if not ok}
    if FAIL not in ways:
        return None, line.hint or "the verify command is only mentioned, or not what failed"
    shown = failures(output)
    for words in line.others:
        shown -= families(words)
    if ways == {FAIL} or shown:
        return False, ""
    return None, "another command on the line may be what failed"
