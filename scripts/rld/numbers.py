"""The next free number of a kind. Numbers are allocated once: those of closed and repealed records, and those that
anything in the tree cites, stay taken."""

from __future__ import annotations

from collections.abc import Collection

from rld.postmortem import PostMortem

# A citation this far above the highest number is somebody's example: avoided, but not a reason to leave a gap.
FAR = 100
_LONGEST = 18  # digits: what has more counts nothing, and Python refuses to read some thousands of them


def next_free(kind: str, found: PostMortem, cited: Collection[str]) -> str:
    """The number of a new record of a kind. `cited`: the numbers of that kind that something cites.

    A file whose numbers are dotted ("2.7") goes on with the prefix it used last.
    """
    own = [r.number for r in found.records if r.kind == kind and r.number]
    plain = [r.number for r in found.records if r.kind == kind and r.number and not r.session]
    dotted = [number for number in plain if "." in number]
    prefix = dotted[-1].rpartition(".")[0] + "." if len(dotted) * 2 > len(plain) else ""
    highest = max(_lasts(own, prefix), default=0)
    taken = set(_lasts(cited, prefix))
    number = max([highest, *(n for n in taken if n <= highest + FAR)]) + 1
    while number in taken:
        number += 1
    return prefix + str(number)


def _lasts(numbers: Collection[str], prefix: str) -> list[int]:
    """The last parts of the numbers with this prefix."""
    lasts = [n[len(prefix) :] for n in numbers if n.startswith(prefix)]
    return [int(last) for last in lasts if last.isdecimal() and len(last) <= _LONGEST]
