"""What a record's evidence names: items of a journal, files."""

from __future__ import annotations

import re

from rld import lines as md
from rld import naming

_ITEMS = re.compile(
    r"\b(?:items?|tasks?|steps?|units?|entry|entries)\s+#?(?P<ids>[\w.]+(?:\s*(?:,|&|-|–|and|to)\s*#?[\w.]+)*)", re.I
)


def items(evidence: str) -> list[str]:
    """The items that evidence names: "Items 3-5 and 7" gives 3, 4, 5, 7."""
    found: list[str] = []
    for match in _ITEMS.finditer(evidence):
        for part in re.split(r"\s*(?:,|&|\band\b)\s*", match["ids"]):
            ends = [end.strip("#. ") for end in re.split(r"\s*(?:-|–|\bto\b)\s*", part)]
            if len(ends) == 2 and all(end.isdigit() for end in ends):
                ends = [str(n) for n in range(int(ends[0]), min(int(ends[1]), int(ends[0]) + 100) + 1)]
            found += [end for end in ends if any(char.isdigit() for char in end) and end not in found]
    return found


def paths(evidence: str) -> list[str]:
    """What in a text is a path of a file: it has a folder and an extension."""
    found = []
    for word in evidence.replace("`", " ").replace(",", " ").replace(";", " ").split():
        word = word.strip("()[]\"'“”").rstrip(".:")
        path = word.partition("#")[0]
        head, colon, line = path.rpartition(":")
        if colon and line.replace("-", "").isdigit():
            path = head
        ending = path.rpartition("/")[2].rpartition(".")[2]
        named = "/" in path and "." in path.rpartition("/")[2] and ending.isalnum() and len(ending) < 6
        elsewhere = path.startswith(("/", "~", "-", "@")) or "://" in word
        if named and not elsewhere and not any(char in path for char in "*$<>{}="):
            found.append(path.removeprefix("./"))
    return found


def are_several(evidence: str) -> bool:
    """Does it name several things in words?"""
    return any(mark in evidence for mark in (";", "\n")) or evidence.count("`") >= 4


def archived(text: str, journal: str, archive: str) -> str:
    """The text with its evidence naming the journal where it will be: "Item 7" alone would say nothing later."""
    rows = md.split(text)
    for block in md.scan(rows):
        if block.kind is md.ITEM and not block.depth and naming.field_label(block.text)[0] == "evidence":
            row = rows[block.start - 1]
            whole = "\n".join(rows[block.start - 1 : block.end])
            if journal in whole:
                rows[block.start - 1 : block.end] = whole.replace(journal, archive).split("\n")
            elif items(block.text) and archive not in whole:
                value = naming.field_label(block.text)[1]
                rows[block.start - 1] = row.replace(block.text, "**Evidence:** %s, %s" % (archive, value))
            break
    return "\n".join(rows)
