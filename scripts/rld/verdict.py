"""Whether a shell line that was run is evidence for the run's verify command.

A line proves something only when its own exit status is the verify command's. Whatever cannot be followed is
no evidence: a false pass is the one answer that must never be given.
"""

PASSED = "PASSED"
FAILED = "FAILED"
NOT_EVIDENCE = "NOT_EVIDENCE"

_TIME_LIMITS = ("Exit code 124\n", "Exit code 143\nCommand timed out")
_OPERATORS = ";&|()\n"
_QUOTING = "'\"\\`${}<>!#"


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

    `verify` are alternatives: the line is evidence when it is evidence for any one of them. `succeeded` is
    what the client saw, `output` what the line printed, `interpretation` what it says of a status not 0.
    """
    wanted = [text for text in verify if _mentions(command, text)]
    if not wanted:
        return Verdict(NOT_EVIDENCE, "the verify command is not in the line", False)
    if background:
        return Verdict(NOT_EVIDENCE, "a background run: its exit status reaches nobody", True)
    if interrupted or (not succeeded and output.startswith(_TIME_LIMITS)):
        return Verdict(NOT_EVIDENCE, "it was stopped before its end", True)
    if succeeded and interpretation:
        return Verdict(NOT_EVIDENCE, "the exit status was not 0: " + interpretation, True)
    # Read only now: most lines have ended above, and the reader costs 0.2 of an interpreter start to load.
    from .proof import weigh

    reasons = []
    for text in wanted:
        proven, reason = weigh(command, text, succeeded, output)
        if proven is not None:
            return Verdict(PASSED if proven else FAILED, "", True)
        reasons.append(reason)
    return Verdict(NOT_EVIDENCE, reasons[0], True)


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
    if event != "PostToolUse" or not isinstance(response, dict) or not isinstance(response.get("stdout"), str):
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
    from .runners import known_runner as find

    return find(command)


def _mentions(line: str, wanted: str) -> bool:
    """Whether the words of each command of `wanted` occur side by side in the line, even in a comment."""
    pieces = wanted.replace(">&", ">").replace("<&", "<").replace("&>", ">")
    for char in _OPERATORS:
        pieces = pieces.replace(char, ";")
    there = [_bare(_own_part(piece)) for piece in pieces.split(";")]
    bare = _bare(line)
    return any(piece.strip() for piece in there) and all(piece in bare for piece in there if piece.strip())


def _own_part(text: str) -> str:
    """A command without the `NAME=value` words before it and the redirections after it."""
    for char in "<>":
        text, redirected, _ = text.partition(char)
        if redirected and text[-2:-1] in (" ", "\t") and text[-1].isdigit():
            text = text[:-1]
    words = text.split()
    while len(words) > 1 and words[0].partition("=")[0].isidentifier() and "=" in words[0]:
        del words[0]
    return " ".join(words)


def _bare(text: str) -> str:
    """The words of a text without quotes and operators, a blank before and after each."""
    for char in _OPERATORS + _QUOTING:
        if char in text:
            text = text.replace(char, " ")
    return " " + " ".join(text.split()) + " "
