"""The text of a record in the canonical form: fields are list items with bold labels, globs stand in code marks."""

from __future__ import annotations

from rld import lines as md
from rld import naming
from rld.record import read_scope

LABELS = {
    "why": "Why", "scope": "Scope", "evidence": "Evidence", "check": "Check", "valid-while": "Valid while",
    "symptom": "Symptom", "root-cause": "Root cause", "diagnose": "Diagnose", "fix": "Fix",
    "why-deferred": "Why deferred", "trigger": "Trigger",
}  # fmt: skip


def body(text: str) -> str:
    """A record's text with its fields in the canonical form; code, quotes and everything else as they are."""
    rows = md.split(text)
    made: list[str] = []
    at = 0
    for block in md.scan(rows):
        if block.depth or block.quoted or block.kind not in (md.ITEM, md.PARA):
            continue
        made += rows[at : block.start - 1]
        old = rows[block.start - 1 : block.end]
        made += _item(block, made, old) if block.kind is md.ITEM else _paragraph(made, old)
        at = block.end
    return "\n".join([*made, *rows[at:]]).strip("\n")


def _item(block: md.Block, above: list[str], rows: list[str]) -> list[str]:
    key, value = naming.field_label(block.text)
    if key not in LABELS:
        return rows
    return [*_gap(above), "- " + _field(key, value), *rows[1:]]


def _gap(above: list[str]) -> list[str]:
    """A blank line between a paragraph and the list of fields."""
    return [""] if above and above[-1].strip() and not above[-1].startswith(("- ", " ")) else []


def _paragraph(above: list[str], rows: list[str]) -> list[str]:
    made: list[str] = []
    inside = False
    for row in rows:
        key, value = naming.field_label(row.strip())
        if key in LABELS or (key and inside):
            if not inside:
                made += _gap(made or above)
            made.append("- " + (_field(key, value) if key in LABELS else row.strip()))
            inside = True
        else:
            made.append("  " + row.strip() if inside else row)
    return made


def _field(key: str, value: str) -> str:
    if key == "scope" and value and "`" not in value:
        value = ", ".join("`%s`" % glob for glob in read_scope(value))
    return ("**%s:** %s" % (LABELS[key], value)).rstrip()


def field_rows(text: str) -> list[tuple[str, int, int]]:
    """The fields of a record's text in any form, as (key, first row, row behind the last), rows counted from 0."""
    rows = md.split(text)
    found: list[tuple[str, int, int]] = []
    for block in md.scan(rows):
        if block.depth or block.quoted or block.kind not in (md.ITEM, md.PARA):
            continue
        if block.kind is md.ITEM:
            found.append((naming.field_label(block.text)[0], block.start - 1, block.end))
            continue
        for n in range(block.start - 1, block.end):
            key = naming.field_label(rows[n].strip())[0]
            if key:
                found.append((key, n, n + 1))
            elif found and found[-1][2] == n:
                found[-1] = (found[-1][0], found[-1][1], n + 1)
    return [field for field in found if field[0]]


def with_field(text: str, key: str, value: str) -> str:
    """The text with one field set on one line; it comes last when it is new."""
    rows = md.split(text)
    line = "- " + _field(key, value)
    for block in md.scan(rows):
        if block.kind is md.ITEM and not block.depth and naming.field_label(block.text)[0] == key:
            return "\n".join([*rows[: block.start - 1], line, *rows[block.end :]])
    is_list = bool(rows) and rows[-1].startswith(("- ", "  "))
    return "\n".join([*rows, *([] if is_list else [""]), line]).strip("\n")


def below(text: str, level: int) -> str:
    """The text with its headings deeper than `level`, so that none of them ends the record."""
    rows = md.split(text)
    heads = [b for b in md.scan(rows) if b.kind is md.HEADING and not b.quoted and not b.depth]
    more = level + 1 - min((b.level for b in heads), default=level + 1)
    if more <= 0:
        return text
    made: list[str] = []
    at = 0
    for head in heads:
        made += rows[at : head.start - 1]
        made.append("#" * min(6, head.level + more) + " " + head.text)
        at = head.end
    return "\n".join([*made, *rows[at:]])
