"""What went wrong on the way to an entry and is not in it: the failure of today is the repair guide of tomorrow."""

from __future__ import annotations

from rld import evidence, signature, wording

MOST = 2  # failures that are named
_LONGEST = 160  # characters of a symptom
_LONGEST_COMMAND = 60
_ENOUGH = 4  # words of a symptom's own that say it is meant, where it has many

# What ends an output and says nothing of what went wrong, in lower case.
_FRAMES = ("at ", "file ", "exit code", "rld: ", "npm err", "make: ", "make[", "node.js v", "error: process completed",
           "error command failed", "note: ", "hint: ", "help: ")  # fmt: skip
_COUNTED = "failed passed failing passing failures error errors problem problems tests total skipped".split()
_LONG_ROW = 14  # words
_NAMES_ERRORS = (
    "error", "fail", "exception", "panic", "cannot", "can't", "could not", "not found", "undefined", "denied", "refused", "assert",
    "missing", "expected", "unable", "invalid", "unknown", "timed out", "locked", "fatal",
)  # fmt: skip


class Lesson:
    """A command that failed and passed later: `symptom` is one line of its error, `files` what changed in between."""

    def __init__(self, command: str, symptom: str, files: list[str]) -> None:
        self.command = command
        self.symptom = symptom
        self.files = files


def lessons(data: bytes, verify: str, passed: bool) -> list[Lesson]:
    """What failed since the last entry of a session and was made to pass, oldest first, each symptom once.

    `data`: the session's evidence. `passed`: does a receipt say that the verify command passed in the end?
    """
    events = evidence.events(data[max(data.rfind(b'"k": "logged"'), 0) :])
    wanted = evidence.command_key(verify)
    found: dict[str, Lesson] = {}
    for n, event in enumerate(events):
        command, error = event.get("cmd"), event.get("error")
        if event.get("k") != "fail" or not isinstance(command, str) or not isinstance(error, str):
            continue
        is_verify = command.startswith("rld verify") or bool(wanted) and wanted in command
        end = _passes(events, n, command, is_verify)
        text = symptom(error)
        if text and (end or is_verify and passed):
            key = " ".join(signature.words(text))
            found.pop(key, None)
            shown = verify if is_verify and verify else command
            found[key] = Lesson(shown, text, _edited(events[n : end or len(events)]))
    return list(found.values())


def _passes(events: list[dict[str, object]], at: int, command: str, is_verify: bool) -> int:
    """Where a command that failed passes, 0 if it does not."""
    for n in range(at + 1, len(events)):
        kind = events[n].get("k")
        if (kind == "fixed" and events[n].get("cmd") == command) or (is_verify and kind in ("pass", "verified")):
            return n
    return 0


def _edited(events: list[dict[str, object]]) -> list[str]:
    paths = [str(event.get("path")) for event in events if event.get("k") == "edit"]
    return list(dict.fromkeys(paths))


def symptom(error: str) -> str:
    """The last line of an output that says what went wrong, "" when none does."""
    rows = [row for row in (" ".join(row.split()) for row in error.split("\n")) if _says_something(row)]
    for row in reversed(rows):
        lowered = row.lower()
        if any(word in lowered for word in _NAMES_ERRORS):
            return row[:_LONGEST]
    return rows[-1][:_LONGEST] if rows else ""


def _says_something(row: str) -> bool:
    is_idle = row.lower().startswith(_FRAMES) or _is_total(row)
    return not is_idle and bool(signature.distinctive(row.replace("`", "'")))


def _is_total(row: str) -> bool:
    """Is it a line such as "1 failed, 3 passed in 0.12s"?"""
    words = row.lower().replace(",", " ").replace("(", " ").split()
    return len(words) < _LONG_ROW and any(one.isdecimal() and other in _COUNTED for one, other in zip(words, words[1:]))


def unsaid(found: list[Lesson], entry: str) -> list[Lesson]:
    """The lessons whose symptoms an entry does not speak of."""
    said = set(signature.words(entry))
    return [lesson for lesson in found if not _speaks_of(said, lesson.symptom)]


def _speaks_of(said: set[str], text: str) -> bool:
    own = {word for word in signature.words(text) if len(word) > 3}
    hits = len(own & said)
    return hits >= _ENOUGH or hits * 2 >= len(own) > 0


def told(found: list[Lesson]) -> list[str]:
    """The lines that remind of lessons; [] for none."""
    rows = []
    for lesson in found[-MOST:]:
        command = lesson.command if len(lesson.command) <= _LONGEST_COMMAND else lesson.command[:_LONGEST_COMMAND] + "…"
        files = ", ".join(lesson.files[:3]) + (" and more" if len(lesson.files) > 3 else "")
        rows.append(
            "On the way `%s` failed: %s%s" % (command, lesson.symptom, " (then changed: %s)" % files if files else "")
        )
    if rows:
        rows.append(
            "The entry does not mention it: [Pitfalls & What to Avoid] is the place for its cause and what fixed it, here or in the next entry."
        )
    return [wording.safe(row) for row in rows]
