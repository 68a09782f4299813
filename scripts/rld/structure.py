"""The structure of a post-mortem in a few lines: its headings, and the records below each."""

from __future__ import annotations

from rld.postmortem import PostMortem
from rld.record import ACTIVE, HEADING


def lines(found: PostMortem) -> list[str]:
    """One line for each heading that is no record, with the numbers of the records in force directly below it."""
    heads = {r.line: r.end for r in found.records if r.form == HEADING}
    made: list[tuple[int, str, list[str]]] = []
    inside = 0
    records = iter([*found.records, None])
    record = next(records)
    parts = [part for part in found.parts if part.level]
    for place, part in enumerate(parts):
        inside = max(inside, heads.get(part.line, 0))
        if part.line > inside:
            made.append((part.level, part.title, []))
        until = parts[place + 1].line if place + 1 < len(parts) else len(found.text) + 1
        while record is not None and record.line < until:
            if made and record.status == ACTIVE:
                made[-1][2].append(record.number or "–")
            record = next(records)
    return ["%s%s%s" % ("  " * (level - 1), title, _numbers(numbers)) for level, title, numbers in made]


def _numbers(numbers: list[str]) -> str:
    if not numbers:
        return ""
    shown = numbers if len(numbers) <= 12 else [*numbers[:5], "…", *numbers[-5:]]
    return "  (%d: %s)" % (len(numbers), ", ".join(shown))
