"""How a post-mortem is laid out: headings that are no records, the text and the records below each, and the sections
they make up. Each piece knows its level in the canonical form."""

from __future__ import annotations

import bisect

from rld import lines as md
from rld import naming, outline, sectioning
from rld.places import HEADINGS, ORDER, Places
from rld.places import Section as Place
from rld.postmortem import PostMortem
from rld.proposal import is_rule
from rld.record import HEADING, REPEALED, Record

_TOP, _REST = -1, len(ORDER)  # the ranks of what stands before the first section, and behind the last


class Unit:
    """A heading that is no record, and what stands below it up to the next one.

    `head`: its lines; `prose`: the text that belongs to no record; `tail`: rules behind the last record; `level` is the
    one it has, `out` the one it gets; `session`: it begins the section of one session.
    """

    def __init__(self, line: int, level: int, title: str) -> None:
        self.line = line
        self.level = self.out = level
        self.title = title
        self.head: list[str] = []
        self.prose: list[str] = []
        self.tail: list[str] = []
        self.records: list[Record] = []
        self.session = False


class Section:
    """Units that stay together. `kind` as in `places.HEADINGS`, "" for what is no section; `entry`: the section of one
    session, which stands in the one for sessions."""

    def __init__(self, kind: str, rank: int, level: int, entry: bool = False) -> None:
        self.kind = kind
        self.rank = rank
        self.level = level
        self.entry = entry
        self.units: list[Unit] = []

    def is_home_of(self, record: Record, unit: Unit) -> bool:
        """Does a record that stands in one of the units belong there?"""
        inside = unit is self.units[0] or unit.level > self.level
        return inside and record.kind == self.kind and not record.session

    def set_levels(self) -> None:
        if self.rank == _TOP:
            return
        if self.rank == _REST:
            for unit in self.units:
                unit.out = max(2, unit.level)
            return
        own = 3 if self.entry else 2
        before = own
        for place, unit in enumerate(self.units):
            if not place:
                unit.out = own
            elif unit.level > self.level:
                # A level that is left out would make the heading text of the record above it.
                unit.out = min(max(own + 1, unit.level + own - self.level), before + 1, 6)
            else:
                unit.out = own
            before = unit.out


def sections(found: PostMortem, rows: list[str]) -> list[Section]:
    """The sections of a post-mortem in the order of the file; the first holds what stands before any of them.

    `rows`: the lines of its text, with their carriage returns.
    """
    places = Places(found)
    units = _units(found, places, rows)
    titles = {unit.line: unit.title for unit in units}
    held = sorted(record.line for record in found.records)
    kinds = {s.line: s.kind for s in places.sections if s.line in titles and _holds(s, titles[s.line], held)}
    top = next((unit for unit in units if unit.level), None)
    if top is not None and top.level == 1 and len(kinds) > 1:
        kinds.pop(top.line, None)  # the title of the whole, whatever it says
    starts = {section.line for section in places.sessions}
    made = [Section("", _TOP, 0)]
    for unit in units:
        here = made[-1]
        deeper = unit.level > here.level
        kind = kinds.get(unit.line, "")
        unit.session = unit.line in starts
        if unit.session and not (deeper and here.kind == naming.SESSIONS):
            made.append(Section(naming.SESSIONS, ORDER.index(naming.SESSIONS), unit.level, True))
        elif kind and not (deeper and here.kind == kind):
            made.append(Section(kind, ORDER.index(kind), unit.level))
        elif not deeper and here.kind in (naming.SESSIONS, naming.REPEALED):
            made.append(Section("", _REST, 0))
        made[-1].units.append(unit)
    for section in made:
        section.set_levels()
    return made


def _holds(section: Place, title: str, records: list[int]) -> bool:
    """Is it worth a place of its own? One that only sounds like a section stays where it is when it has no records."""
    at = bisect.bisect(records, section.line)
    return bool(sectioning.section(title)) or (at < len(records) and records[at] <= section.end)


def says_more(heading: str) -> bool:
    """Has the heading of a section words that its kind does not say: "v2 pitfalls: themes, imports"?"""
    words = "".join([char if char.isalnum() or char == "-" else " " for char in naming.bare(heading).lower()]).split()
    return not all(word in sectioning.WORDS or word in sectioning.FILLING for word in words)


def is_canonical(laid: list[Section]) -> bool:
    """Is the file in the canonical form already: sections by name and in order, every record labelled and numbered?"""
    ranks = [section.rank for section in laid]
    if ranks != sorted(ranks):
        return False
    for section in laid:
        first = section.units[0] if section.units else None
        if first is not None and section.kind and not section.entry:
            if first.title != HEADINGS[section.kind] or first.level != 2:
                return False
        for unit in section.units:
            for record in unit.records:
                if not (record.labelled and record.number and section.is_home_of(record, unit)):
                    return False
    return True


def _units(found: PostMortem, places: Places, rows: list[str]) -> list[Unit]:
    heads = {record.line: record for record in found.records if record.form == HEADING}
    units: list[Unit] = []
    record: Record | None = None
    for place, part in enumerate(found.parts):
        until = found.parts[place + 1].line - 1 if place + 1 < len(found.parts) else len(rows)
        if record is None or not record.line < part.line <= record.end:
            record = heads.get(part.line)
            if record is None:
                units.append(_unit(part, found, rows, until))
                continue
            if not units:
                units.append(Unit(0, 0, ""))
            units[-1].records.append(record)
        end = places.record_end(record)
        units[-1].tail += rows[max(end, part.body_line - 1) : until]
    for unit in units:
        unit.tail = [row for row in unit.tail if row.strip()]
    return units


def _unit(part: outline.Part, found: PostMortem, rows: list[str], until: int) -> Unit:
    unit = Unit(part.line, part.level, part.title)
    unit.head = rows[part.line - 1 : part.body_line - 1] if part.level else []
    inside = [r for r in found.records if r.form != HEADING and part.line < r.line <= until and r.status != REPEALED]
    gone = {line for record in inside for line in range(record.line, record.end + 1)}
    gone |= _empty_tables(part, gone)
    unit.records = inside
    for line in range(part.body_line, until + 1):
        row = rows[line - 1]
        if line in gone:
            if unit.prose and unit.prose[-1].strip():
                unit.prose.append(row[len(row.rstrip("\r")) :])
        elif row.strip() or not gone or not unit.prose or unit.prose[-1].strip() or line - 1 not in gone:
            unit.prose.append(row)
    if inside:
        while unit.prose and (not unit.prose[-1].strip() or _parts_off(unit.prose)):
            row = unit.prose.pop()
            unit.tail[:0] = [row] if row.strip() else []
    return unit


def _parts_off(rows: list[str]) -> bool:
    """Is the last row a rule, not the underline of a heading?"""
    return is_rule(rows[-1]) and (len(rows) == 1 or not rows[-2].strip())


def _empty_tables(part: outline.Part, gone: set[int]) -> set[int]:
    """The lines of table heads all of whose rows go."""
    if not gone or "|" not in part.body:
        return set()
    found: set[int] = set()
    head: set[int] = set()
    for block in part.blocks:
        if block.kind is not md.ROW or block.quoted or block.depth:
            continue
        lines = {part.body_line - 1 + n for n in range(block.start, block.end + 1)}
        if block.level == 0:
            head = lines
            found |= head
        elif not lines <= gone:
            found -= head
    return {line for line in found if line not in gone}
