"""What went wrong on the way to an entry and is not in it: the failure of today is the repair guide of tomorrow."""

from __future__ import annotations

import bisect

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
_MOST = 2000  # characters of a command or an error
_LAST = 1e11  # seconds since the epoch: a time after this is none
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


class Failure:
    """A command that failed `times` times with one symptom before it passed, or never did.

    `command` and `error` are the last ones, `files` what was edited between the first failure and the pass, `when` and `until`
    the times of these two in seconds since the epoch; `until` is 0 where no pass was seen. `of_verify`: is it the verify
    command, however it was put?
    """

    def __init__(self, command: str, error: str, of_verify: bool) -> None:
        self.command = command
        self.error = error
        self.of_verify = of_verify
        self.symptom = symptom(error)
        self.times = 1
        self.first = self.end = 0  # their places among the events
        self.files: list[str] = []
        self.when = 0.0
        self.until = 0.0

    @property
    def passed(self) -> bool:
        return self.end > 0


def failures(events: list[dict[str, object]], verifies: list[str]) -> list[Failure]:
    """What failed in some events of a session's evidence, in the order of its last failure."""
    wanted = [key for key in map(evidence.command_key, verifies) if key]
    ends = _ends(events, wanted)
    failed = [n for n, event in enumerate(events) if event.get("k") == "fail"]
    found: dict[tuple[str, str, int], Failure] = {}
    for n, event in enumerate(events):
        command, error = event.get("cmd"), event.get("error")
        if event.get("k") != "fail" or not isinstance(command, str) or not isinstance(error, str):
            continue
        failure = Failure(command[:_MOST], error[-_MOST:], _is_verify(command, wanted))
        end = ends.get(n, 0)
        words = " ".join(signature.words(failure.symptom or failure.error))
        # One more failure in between is another way to the pass; `fixed` and `pass` of one command are the same one.
        key = ("" if failure.of_verify else failure.command, words, bisect.bisect(failed, end) if end else 0)
        before = found.pop(key, None)
        failure.times += before.times if before else 0
        failure.first = before.first if before else n
        failure.end = end
        failure.when = before.when if before else time_of(event)
        failure.until = time_of(events[end]) if end else 0.0
        found[key] = failure
    edits = [(n, str(event.get("path"))) for n, event in enumerate(events) if event.get("k") == "edit"]
    places = [n for n, _ in edits]
    for failure in found.values():
        within = edits[bisect.bisect(places, failure.first) : bisect.bisect(places, failure.end or len(events))]
        failure.files = list(dict.fromkeys(path for _, path in within))
    return list(found.values())


def _ends(events: list[dict[str, object]], wanted: list[str]) -> dict[int, int]:
    """Where each command that failed passes next; those that never do are left out."""
    passed: dict[object, int] = {}
    verified = 0
    found = {}
    for n in range(len(events) - 1, -1, -1):
        kind, command = events[n].get("k"), events[n].get("cmd")
        if kind in ("pass", "verified"):
            verified = n
        if kind in ("fixed", "pass", "verified") and isinstance(command, str):
            passed[command] = n
        elif kind == "fail" and isinstance(command, str):
            ends = [passed.get(command, 0), verified if _is_verify(command, wanted) else 0]
            if any(ends):
                found[n] = min(end for end in ends if end)
    return found


def _is_verify(command: str, wanted: list[str]) -> bool:
    return command.startswith("rld verify") or any(key in command for key in wanted)


def time_of(event: dict[str, object]) -> float:
    """When an event was noted, in seconds since the epoch, 0 when that cannot be."""
    when = event.get("t")
    return float(when) if isinstance(when, (int, float)) and 0 < when < _LAST else 0.0


def lessons(data: bytes, verify: str, passed: bool) -> list[Lesson]:
    """What failed since the last entry of a session and was made to pass, oldest first, each symptom once.

    `data`: the session's evidence. `passed`: does a receipt say that the verify command passed in the end?
    """
    found: dict[str, Lesson] = {}
    for failure in failures(evidence.events(data[max(data.rfind(b'"k": "logged"'), 0) :]), [verify]):
        if failure.symptom and (failure.passed or failure.of_verify and passed):
            key = " ".join(signature.words(failure.symptom))
            found.pop(key, None)
            shown = verify if failure.of_verify and verify else failure.command
            found[key] = Lesson(shown, failure.symptom, failure.files)
    return list(found.values())


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
