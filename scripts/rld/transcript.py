"""The client's own record of a session: JSON lines in a form that is undocumented and changes between versions.

So nothing in it is taken for granted. What has the shape that two versions of the client write is read, everything else is
passed over. All text that comes out is without credentials and without hidden characters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timezone

from rld import invisible, redact

INTERRUPT = "[Request interrupted by user"
REFUSAL = "The user doesn't want to proceed with this tool use"
FAILED = "Exit code "
EDITORS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
_WORDS_OF_REFUSAL = "the user said:\n"
# Content of role user that no human typed as a prompt.
_MACHINE = (
    "<local-command-", "<bash-", "<task-notification>", "<system-reminder>", "<agent-message", "<teammate-message", "<cross-session-message",
    "<ide_", "Caveat: The messages below",
)  # fmt: skip
_FLAGS = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_NO_PLAIN_SUCCESS = ("interrupted", "returnCodeInterpretation", "backgroundTaskId", "backgroundedByUser")
_LONGEST = 1 << 16  # characters of one text that are looked at
_DIFF = 8  # lines of a diff
_WIDTH = 160  # characters of one of them
_STEP = 0.001  # seconds from an entry to the next, where the client wrote no time


class Said:
    """Words of the human or of the model. `kind`: "prompt", "command" (a slash command), "interrupt", "refusal" (of a tool
    call, perhaps with words), "claim" (anything the model said). `when` in seconds since the epoch, near 0 where no time was
    written; it always grows."""

    def __init__(self, kind: str, text: str, when: float) -> None:
        self.kind = kind
        self.text = text
        self.when = when


class Call:
    """A tool call that ended at `when`. `command` of a shell call, `path` and `diff` of an edit, else "".

    `outcome`: "ok", "failed", or "" where the call proves nothing (refused, in the background, cut short, another tool).
    `given` and `response` are as the client wrote them, {} when they were no objects.
    """

    def __init__(self, name: str, given: dict[str, object], response: dict[str, object], when: float) -> None:
        self.name = name
        self.given = given
        self.response = response
        self.when = when
        self.outcome = ""
        self.output = ""
        self.diff: list[str] = []

    @property
    def command(self) -> str:
        return _text(self.given.get("command")) if self.name == "Bash" else ""

    @property
    def path(self) -> str:
        return _text(self.given.get("file_path") or self.given.get("notebook_path")) if self.name in EDITORS else ""


class Transcript:
    """`said` by the human, `claims` (all that the model said), `calls`, each in order."""

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.claims: list[Said] = []
        self.calls: list[Call] = []
        self.started = 0.0
        self.is_cut = False  # is only its end here?

    def __bool__(self) -> bool:
        return bool(self.said or self.claims or self.calls)


def parse(data: bytes) -> Transcript:
    """The transcript in some bytes; lines that are no JSON and values of another shape cost only themselves. Never raises."""
    found = Transcript()
    open_calls: dict[str, tuple[str, dict[str, object]]] = {}
    seen: set[str] = set()
    when = 0.0
    for record in _records(data):
        id = _text(record.get("uuid"))
        if any(record.get(flag) is True for flag in _FLAGS) or (id and id in seen):
            continue
        seen.add(id)
        time = _seconds(record.get("timestamp"))
        found.started = found.started or time
        when = max(when + _STEP, time)
        kind = record.get("type")
        message = _dict(record.get("message"))
        if kind == "assistant" and message.get("model") != "<synthetic>":
            _read_model(message.get("content"), when, found, open_calls)
        elif kind == "user":
            _read_results(message.get("content"), record.get("toolUseResult"), when, found, open_calls)
            if _is_human(record):
                _read_human(_texts(message.get("content")), when, found)
        elif kind == "attachment":
            waiting = _dict(record.get("attachment"))
            # What the human typed while the model worked. Older clients start no hook for it.
            if waiting.get("type") == "queued_command" and waiting.get("commandMode", "prompt") == "prompt":
                if _is_human(waiting):
                    _read_human(_texts(waiting.get("prompt")), when, found)
    return found


def _records(data: bytes) -> Iterator[dict[str, object]]:
    for line in data.split(b"\n"):
        try:
            value = json.loads(line.decode("utf-8", "replace")) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _read_model(
    content: object, when: float, found: Transcript, calls: dict[str, tuple[str, dict[str, object]]]
) -> None:
    for text in _texts(content):
        found.claims.append(Said("claim", clean(text), when))
    for block in content if isinstance(content, list) else []:
        block = _dict(block)
        if block.get("type") == "tool_use" and _text(block.get("id")):
            calls[_text(block.get("id"))] = (_text(block.get("name")), _dict(block.get("input")))


def _read_results(
    content: object, result: object, when: float, found: Transcript, calls: dict[str, tuple[str, dict[str, object]]]
) -> None:
    for block in content if isinstance(content, list) else []:
        block = _dict(block)
        call = calls.pop(_text(block.get("tool_use_id")), None) if block.get("type") == "tool_result" else None
        if call is None:
            continue
        ended = Call(call[0], call[1], _dict(result), when)
        output = "\n".join(_texts(block.get("content")))
        if output.startswith(REFUSAL):
            words = output.partition(_WORDS_OF_REFUSAL)[2].strip()
            if words:
                found.said.append(Said("refusal", clean(words), when))
        elif block.get("is_error") is True:
            ended.outcome = "failed" if ended.name == "Bash" and output.startswith(FAILED) else ""
        elif not any(ended.response.get(key) for key in _NO_PLAIN_SUCCESS):
            ended.outcome = "ok"
        ended.output = clean(output[-_LONGEST:])
        ended.diff = _diff(ended) if ended.path and ended.outcome == "ok" else []
        found.calls.append(ended)


def _read_human(texts: list[str], when: float, found: Transcript) -> None:
    texts = [text for text in texts if text.strip() and not text.lstrip().startswith(_MACHINE)]
    if not texts:
        return
    text = "\n".join(texts).strip()
    if text.startswith(INTERRUPT):
        found.said.append(Said("interrupt", "", when))
    elif text.startswith(("<command-name>", "<command-message>")):
        words = (_between(text, "command-name") + " " + _between(text, "command-args")).strip()
        found.said.append(Said("command", clean(words), when))
    else:
        found.said.append(Said("prompt", clean(text), when))


def _is_human(record: dict[str, object]) -> bool:
    """Older clients do not say whose words they are; then they are the human's."""
    origin = record.get("origin")
    return not isinstance(origin, dict) or origin.get("kind", "human") == "human"


def _between(text: str, tag: str) -> str:
    return text.partition("<%s>" % tag)[2].partition("</%s>" % tag)[0].strip()


def _diff(call: Call) -> list[str]:
    """A few changed lines of an edit, each with its sign."""
    rows: list[str] = []
    hunks = call.response.get("structuredPatch")
    for hunk in hunks if isinstance(hunks, list) else []:
        lines = _dict(hunk).get("lines")
        rows += [_text(line) for line in lines if _text(line)[:1] in ("-", "+")] if isinstance(lines, list) else []
    if not rows:
        rows += ["-" + row for row in _text(call.given.get("old_string")).split("\n") if row.strip()]
        new = _text(call.given.get("new_string") or call.given.get("content") or call.given.get("new_source"))
        rows += ["+" + row for row in new[:_LONGEST].split("\n") if row.strip()]
    shown = clean("\n".join(row[: 2 * _WIDTH] for row in rows[:_DIFF])).split("\n")
    shown = [row if len(row) <= _WIDTH else row[: _WIDTH - 1] + "…" for row in shown]
    return shown + ["…"] if len(rows) > _DIFF else shown


def clean(text: str) -> str:
    """A text of the transcript as it may be shown."""
    return redact.redact(invisible.visible(text[:_LONGEST]))


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    blocks = [_dict(block) for block in content] if isinstance(content, list) else []
    return [_text(block.get("text")) for block in blocks if block.get("type") == "text"]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _seconds(value: object) -> float:
    """A time such as "2026-02-01T09:30:00.123Z" in seconds since the epoch, 0 when it is none."""
    try:
        when = datetime.fromisoformat(_text(value).replace("Z", "+00:00"))
        return (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
