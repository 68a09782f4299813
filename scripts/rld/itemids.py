"""The ids of plan items: numbers ("7", "2.1", "7b") and codes ("T001", "WP01", "TA-1"), as written.

A word before the number ("Task 7") is no part of the id.
"""

DIGITS = "0123456789"
WORDS = ("item", "task", "unit", "step", "wp")
# Letters that stand for a task where they lead a number.
CODES = ("t", "wp", "u", "task", "item", "unit")
# Letters that stand for requirements, stories, criteria.
_NO_ITEMS = frozenset(("ac", "ae", "fr", "nfr", "us", "uc", "tc", "sc", "r", "req", "p", "pr", "kd", "ktd", "q", "adr"))


def lower(text: str) -> str:
    """Lower case of the same length: places in it are places in the text ("İ" would grow)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join([c.lower() if c.isascii() else c for c in text])


def number_end(text: str, at: int) -> int:
    """Where the number that begins at `at` ends ("7", "2.1", "7b"); `at` when there is none, or none of an
    item's length."""
    size = min(len(text), at + 40)
    end = at
    while end < size and text[end] in DIGITS:
        end += 1
    if end == at:
        return at
    while end + 1 < size and text[end] == "." and text[end + 1] in DIGITS:
        end += 2
        while end < size and text[end] in DIGITS:
            end += 1
    if "a" <= text[end : end + 1] <= "z" and not is_word(text[end + 1 : end + 2]):
        end += 1
    return at if is_word(text[end : end + 1]) else end


def code_end(text: str, at: int) -> "tuple[int, int]":
    """(where the letters of a code such as "T001" or "TASK-001" end, where it ends); (at, at) when there is
    none."""
    end = at
    limit = min(len(text), at + 30)
    while end < limit and ("A" <= text[end] <= "Z" or (text[end] == "-" and end > at and text[end - 1] != "-")):
        end += 1
    last = number_end(text, end) if end > at else at
    return (end, last) if last > end else (at, at)


def key(prefix: str, number: str) -> str:
    """The same for two spellings of one id: T1 and T001, TASK-7 and TASK7."""
    parts = [part.lstrip("0") or "0" for part in number.split(".")]
    return prefix.replace("-", "").lower() + " " + ".".join(parts)


def split_id(name: str) -> "tuple[str, str]":
    """An id's letters and number."""
    at = 0
    while at < len(name) and name[at] not in DIGITS:
        at += 1
    return name[:at], name[at:]


def order(number: str) -> "list[tuple[int, str, str]]":
    found = []
    for part in number.split("."):
        digits = part.rstrip("abcdefghijklmnopqrstuvwxyz").lstrip("0")
        found.append((len(digits), digits, part[len(part.rstrip("abcdefghijklmnopqrstuvwxyz")) :]))
    return found


def is_word(char: str) -> bool:
    return char.isalnum() and char.isascii()


def head(text: str) -> "tuple[str, str, int] | None":
    """(id, kind, where it ends) of a text that begins with an id, whatever marks stand before it; None
    without one."""
    at = 0
    while at < min(len(text), 12) and not text[at].isalnum():
        at += 1
    letters, end = code_end(text, at)
    if end > at:
        name = text[at:end]
        tail = number_end(text, end + 1) if text[end : end + 1] == "-" else 0
        if tail > end + 1:  # T0-2
            name, end = text[at:tail], tail
        prefix = text[at:letters].replace("-", "").lower()
        kind = "code" if prefix in CODES else "" if prefix in _NO_ITEMS else "other"
        return (name, kind, end) if kind and not _goes_on(text, end) else None
    word = at
    while word < min(len(text), at + 5) and text[word].isalpha():
        word += 1
    kind = text[at:word].lower()
    if kind in WORDS:
        start = word
        while start < word + 2 and text[start : start + 1] in (" ", "#", "-", "\xa0"):
            start += 1
        end = code_end(text, start)[1] if start > word else start
        if end == start:
            end = number_end(text, start)
        return (text[start:end], kind, end) if end > start and not _goes_on(text, end) else None
    end = number_end(text, at)
    if end == at or _goes_on(text, end):
        return None
    return text[at:end], "number", end


def _goes_on(text: str, end: int) -> bool:
    """Is the id the start of a range: "Tasks 1-3", "T002–T007"?"""
    mark = text[end : end + 1]
    after = text[end + 1 : end + 2]
    return mark in ("-", "–", "—") and after.isalnum() and (after.isdigit() or code_end(text, end + 1)[1] > end + 1)
