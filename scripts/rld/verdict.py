"""Whether a shell line that was run is evidence for the run's verify command.

A line proves something only when its own exit status is the verify command's. Whatever cannot be followed is
no evidence: a false pass is the one answer that must never be given.
"""

from .prefixes import is_checker, peel, shell_script
from .runoutput import TEST, failures, families, proves_nothing
from .shellstatus import FAIL, PASS, Line
from .shelltree import Statement, read
from .shellwords import Unreadable
from .wanted import Wanted, commands, mentions

PASSED = "PASSED"
FAILED = "FAILED"
NOT_EVIDENCE = "NOT_EVIDENCE"

_TIME_LIMITS = ("Exit code 124\n", "Exit code 143\nCommand timed out")
_NEVER_STARTED = (
    "is not running",
    "No such container",
    "no such service",
    "Cannot connect to the Docker daemon",
)


class Verdict:
    """`answer` is PASSED, FAILED or NOT_EVIDENCE; `reason` says why not, in plain words, "" otherwise.

    `mentions` tells whether the words of the verify command occur in the line at all.
    """

    __slots__ = ("answer", "reason", "mentions")

    def __init__(self, answer: str, reason: str, mentions: bool) -> None:
        self.answer = answer
        self.reason = reason
        self.mentions = mentions


def judge(
    command: str,
    verify: "list[str]",
    succeeded: bool,
    output: str = "",
    background: bool = False,
    interrupted: bool = False,
    interpretation: str = "",
) -> Verdict:
    """Judges one shell line. Never raises.

    `verify` are alternatives: the line is evidence when it is evidence for any one of them. `succeeded` is what
    the client saw, `output` what the line printed, `interpretation` what the client says of a status not 0.
    """
    wanted = [text for text in verify if text.strip() and mentions(command, text)]
    if not wanted:
        return Verdict(NOT_EVIDENCE, "the verify command is not in the line", False)
    if background:
        return Verdict(NOT_EVIDENCE, "a background run: its exit status reaches nobody", True)
    if interrupted or (not succeeded and output.startswith(_TIME_LIMITS)):
        return Verdict(NOT_EVIDENCE, "it was stopped before its end", True)
    if succeeded and interpretation:
        return Verdict(NOT_EVIDENCE, "the exit status was not 0: " + interpretation, True)
    reasons = []
    for text in wanted:
        answer, reason = _judge_one(command, text, succeeded, output)
        if answer != NOT_EVIDENCE:
            return Verdict(answer, "", True)
        reasons.append(reason)
    return Verdict(NOT_EVIDENCE, reasons[0], True)


def _judge_one(command: str, verify: str, succeeded: bool, output: str) -> "tuple[str, str]":
    try:
        wanted = Wanted(verify)
    except Unreadable as problem:
        if command.strip() != verify.strip() or command.rstrip().endswith("&") or "set -" in command:
            return NOT_EVIDENCE, "the verify command cannot be followed: " + str(problem)
        # The line is the verify command to the letter: its status is the verify command's, whatever it does.
        reason = succeeded and proves_nothing(output, True)
        return (NOT_EVIDENCE, reason) if reason else (PASSED if succeeded else FAILED, "")
    try:
        line = Line(read(command), wanted, None if succeeded else output)
    except Unreadable as problem:
        return NOT_EVIDENCE, "the line cannot be followed: " + str(problem)
    if succeeded:
        return _judge_success(line, output)
    return _judge_failure(line, output)


def _judge_success(line: Line, output: str) -> "tuple[str, str]":
    ways = {did for ok, did in line.ends if ok}
    if ways == {PASS}:
        reason = proves_nothing(output, not any(TEST in families(words) for words in line.others))
        return (NOT_EVIDENCE, reason) if reason else (PASSED, "")
    if line.hint:
        return NOT_EVIDENCE, line.hint
    if FAIL in ways:
        return NOT_EVIDENCE, "the line can succeed when the verify command fails"
    if PASS in ways:
        return NOT_EVIDENCE, "the line can succeed without the verify command"
    return NOT_EVIDENCE, "the verify command is only mentioned, or not run on its own"


def _judge_failure(line: Line, output: str) -> "tuple[str, str]":
    ways = {did for ok, did in line.ends if not ok}
    if FAIL not in ways:
        return NOT_EVIDENCE, line.hint or "the verify command is only mentioned, or not what failed"
    if any(text in output for text in _NEVER_STARTED):
        return NOT_EVIDENCE, "the verify command was not started"
    shown = failures(output)
    for words in line.others:
        shown -= families(words)
    if ways == {FAIL} or shown:
        return FAILED, ""
    return NOT_EVIDENCE, "another command on the line may be what failed"


def judge_payload(payload: "dict[str, object]", verify: "list[str]") -> Verdict:
    """Judges the tool call in a hook payload (PostToolUse, PostToolUseFailure). Never raises.

    A tool response that is not the shell tool's own form never counts as a success.
    """
    event = payload.get("hook_event_name") or payload.get("event")
    given = payload.get("tool_input")
    tool_input = given if isinstance(given, dict) else {}
    command = tool_input.get("command")
    if not isinstance(command, str) or payload.get("tool_name", "Bash") != "Bash":
        return Verdict(NOT_EVIDENCE, "not a shell line", False)
    background = bool(tool_input.get("run_in_background"))
    if event == "PostToolUseFailure":
        error = payload.get("error")
        return judge(
            command,
            verify,
            False,
            error if isinstance(error, str) else "",
            background=background,
            interrupted=bool(payload.get("is_interrupt")),
        )
    response = payload.get("tool_response")
    if (
        event != "PostToolUse"
        or not isinstance(response, dict)
        or not isinstance(response.get("stdout"), str)
    ):
        seen = judge(command, verify, False)
        return Verdict(NOT_EVIDENCE, "how the line ended is not known", seen.mentions)
    stderr = response.get("stderr")
    return judge(
        command,
        verify,
        True,
        response["stdout"] + "\n" + (stderr if isinstance(stderr, str) else ""),
        background=background or bool(response.get("backgroundTaskId") or response.get("backgroundedByUser")),
        interrupted=bool(response.get("interrupted")),
        interpretation=str(response.get("returnCodeInterpretation") or ""),
    )


def known_runner(command: str) -> str:
    """The words, as written, of the last well-known test runner or checker that a line runs; "" if none.

    They can be given to `judge` as the verify command where a project has not named one.
    """
    try:
        statements = read(command)
    except Unreadable:
        return ""
    return _last_checker(statements, 1)


def _last_checker(statements: "list[Statement]", shells: int) -> str:
    found = ""
    for command in commands([statement for statement in statements if not statement.background]):
        peeled: "tuple[list[str], list[str]] | None" = (command.words, [])
        while peeled:
            words = peeled[0]
            if is_checker(words):
                found = " ".join(command.raw[-len(words) :])
                break
            script = shell_script(words)
            if script and shells:
                try:
                    found = _last_checker(read(script[1]), shells - 1) or found
                except Unreadable:
                    pass
            peeled = peel(words)
    return found
