"""How much two records say the same: problem, cause, fix and files, rare words counting more than common ones."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from rld import canon
from rld.record import Record

# From here on a human should look at both. The same in other words scores 0.4 and more, neighbours of one topic 0.25.
ALIKE = 0.35
_SHOWN = 6  # lines of a record

_PARTS = (("problem", 3), ("cause", 2), ("fix", 2), ("files", 1))
_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    "the and for that this with from are was were not but its into than then when where which while who whose why how "
    "all any each every only also must forbidden never always shall should required may can could will would has have "
    "had been being one two our your their there here what because since instead does did done use used using".split()
)  # fmt: skip


def words(text: str) -> set[str]:
    """The words of a text that carry meaning, in one form for singular and plural; of scripts without spaces, pairs."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if word[0] >= "\u2e80":
            found.update(word[n : n + 2] for n in range(max(len(word) - 1, 1)))
        elif len(word) > 2 and word not in _COMMON:
            found.add(_stem(word))
    return found


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


class Parts:
    """The words of a record by what they are about."""

    def __init__(self, record: Record) -> None:
        def of(*keys: str) -> str:
            return " ".join(record.fields.get(key, "") for key in keys)

        self.record = record
        self.words = {
            "problem": words(" ".join((record.title, record.statement, of("symptom")))),
            "cause": words(of("why", "root-cause", "why-deferred")),
            "fix": words(of("fix", "diagnose", "check")),
            "files": words(" ".join(record.scope)),
        }
        self.all = words(record.title + " " + _said(record.body))


def _said(body: str) -> str:
    """A record's text without its evidence: two lessons of one session name the same."""
    rows = body.split("\n")
    for key, first, end in canon.field_rows(body):
        if key == "evidence":
            rows[first:end] = [""] * (end - first)
    return "\n".join(rows)


class Overlap:
    """Compares texts with a set of records, which say how rare a word is."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.known = [Parts(record) for record in records]
        self.count = Counter(word for parts in self.known for word in parts.all)

    def closest(self, record: Record, least: float = ALIKE) -> list[tuple[float, Record]]:
        """The known records that are at least so much like this one (0 to 1), the closest first."""
        parts = Parts(record)
        scored = [(self.score(parts, known), known.record) for known in self.known]
        return sorted((pair for pair in scored if pair[0] >= least), key=lambda pair: -pair[0])

    def score(self, one: Parts, other: Parts) -> float:
        total = sum(weight for name, weight in _PARTS if one.words[name] and other.words[name])
        by_part = sum(
            weight * self._alike(one.words[name], other.words[name])
            for name, weight in _PARTS
            if one.words[name] and other.words[name]
        )
        return max(by_part / total if total else 0.0, self._alike(one.all, other.all))

    def near(self, text: str, most: int) -> list[Record]:
        """The records that share the most with a long text, those that share next to nothing left out."""
        there = words(text)
        scored = []
        for parts in self.known:
            scored.append((self._weight(parts.all & there) / (self._weight(parts.all) or 1), parts.record))
        scored.sort(key=lambda pair: -pair[0])
        return [record for share, record in scored[:most] if share >= 0.2]

    def _alike(self, one: set[str], other: set[str]) -> float:
        both = self._weight(one) + self._weight(other)
        return 2 * self._weight(one & other) / both if both else 0.0

    def _weight(self, some: set[str]) -> float:
        size = len(self.known) + 1
        return sum(math.log(1 + size / (1 + self.count[word])) for word in some)


def shown(record: Record) -> str:
    """A record in a few lines, to look at beside a candidate."""
    rows = [row for row in record.text.split("\n") if row.strip()]
    more = ["…"] if len(rows) > _SHOWN else []
    return "\n".join("  | " + row for row in ["%s: %s" % (record.cite, record.title), *rows[:_SHOWN], *more])
