"""A post-mortem in any form into the canonical one: pure, and proven before anybody writes it.

Every number that stands for one record stays. The text of records is kept word for word; text that is no record stays
where it is, above the records of its section, and moves only with its section.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from rld import canon, faithful, layout, naming, numbers, postmortem
from rld.errors import Refused, from_tuples
from rld.layout import Section, Unit
from rld.places import HEADINGS, ORDER, Places
from rld.postmortem import PostMortem
from rld.record import CLOSED, HEADING, ROW, Record

FORMERLY = "Formerly"
_TITLE = "# Post-mortem"


class Adopted:
    """`text`: the post-mortem in the canonical form; `kept`: how many records keep their number; `given`: for each of
    the others (how it was cited, how it is cited now), in the order of the file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kept = 0
        self.given: list[tuple[str, str]] = []


def adopt(text: str, cited: Mapping[str, Collection[str]], file: str) -> Adopted:
    """A post-mortem in the canonical form; the same text when it is in it already, so that twice is once.

    `cited`: per kind the numbers that something in the tree cites; `file`: its name in messages. Raises Refused, with
    lines, when the text has conflict markers or a number twice, or when the result would lose or change something.
    """
    found = postmortem.parse(text)
    if found.problems:
        raise Refused(*from_tuples(file, found.problems))
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    rows = text[len(bom) :].split("\n")
    laid = layout.sections(found, rows)
    done = Adopted(text)
    if not found.records or layout.is_canonical(laid):
        done.kept = sum(1 for record in found.records if record.number)
        return done
    work = _Conversion(found, rows, _numbers(found, cited))
    made = work.convert(laid)
    done.text = bom + work.end.join(made) + work.end
    faithful.prove(found, laid, done.text, work.numbers, file)
    for record in found.records:
        number = work.numbers[record]
        if number == record.number:
            done.kept += 1
        else:
            done.given.append((_old_name(record), "%s %s" % (record.kind.capitalize(), number)))
    return done


def _old_name(record: Record) -> str:
    name = "%s %s" % (record.kind, record.number) if record.number else "“%s”" % record.title
    return "%s of %s" % (name, record.session) if record.session and record.number else name


def _numbers(found: PostMortem, cited: Mapping[str, Collection[str]]) -> dict[Record, str]:
    """The number of each record: its own where only it has it. A number that several sessions used for different
    records is given to none of them: a citation of it must not come to mean another record."""
    uses = Counter((record.kind, record.number) for record in found.records)
    in_sections = {(record.kind, record.number) for record in found.records if not record.session}
    made: dict[Record, str] = {}
    latest: dict[str, str] = {}
    for record in found.records:
        key = (record.kind, record.number)
        if record.number and (uses[key] == 1 or (key in in_sections and not record.session)):
            made[record] = record.number
    for record in found.records:
        if record not in made:
            taken = cited.get(record.kind, ())
            if record.kind in latest:
                number = _following(latest[record.kind], taken)
            else:
                number = numbers.next_free(record.kind, found, taken)
            made[record] = latest[record.kind] = number
    return made


def _following(number: str, taken: Collection[str]) -> str:
    prefix, dot, last = number.rpartition(".")
    while True:
        last = str(int(last) + 1)
        if prefix + dot + last not in taken:
            return prefix + dot + last


class _Conversion:
    def __init__(self, found: PostMortem, rows: list[str], numbers: dict[Record, str]) -> None:
        self.found = found
        self.rows = rows
        self.numbers = numbers
        self.places = Places(found)
        self.parts = {part.line: part for part in found.parts}
        self.end = "\r\n" if sum(row.endswith("\r") for row in rows) * 2 > len(rows) - 1 else "\n"

    def convert(self, laid: list[Section]) -> list[str]:
        """The lines of the file in the canonical form, without the last line end and without carriage returns where
        the file's line ends add them."""
        laid = list(laid)
        self._move_records(laid)
        if any(section.entry for section in laid) and not any(s.kind == naming.SESSIONS and not s.entry for s in laid):
            laid.append(_new_section(naming.SESSIONS))
        laid.sort(key=lambda section: (section.rank, section.entry))
        first = self.found.parts[0].line - 1 if self.found.parts else 0
        made = self.rows[:first]  # front matter
        if not any(unit.out == 1 for section in laid for unit in section.units):
            _add(made, [_TITLE])
        for section in laid:
            for place, unit in enumerate(section.units):
                title = HEADINGS[section.kind] if section.kind and not section.entry and not place else unit.title
                if title != unit.title and layout.says_more(unit.title):
                    unit.prose = [naming.bare(unit.title), "", *_trimmed(unit.prose)]
                self._add_unit(made, unit, title)
        if first and self.rows[first - 1].strip() and not made[first].strip():
            del made[first]
        return [row.removesuffix("\r") if self.end == "\r\n" else row for row in _trimmed(made)]

    def _move_records(self, laid: list[Section]) -> None:
        """Take the records that stand elsewhere into the section of their kind, and name them where they stood."""
        moved: list[Record] = []
        for section in laid:
            story: Unit | None = None
            named: dict[int, list[Record]] = {}
            for unit in list(section.units):
                story = unit if unit.session else story
                away = [record for record in unit.records if not section.is_home_of(record, unit)]
                moved += away
                unit.records = [record for record in unit.records if record not in away]
                if story is not None:
                    named.setdefault(id(story), []).extend(record for record in away if record.session)
                bare = not (unit.prose or unit.tail or unit.records or unit.session)
                if away and unit is not section.units[0] and bare and not "".join(unit.prose).strip():
                    section.units.remove(unit)
            for unit in section.units:
                if named.get(id(unit)):
                    cites = ", ".join(self._name(record) for record in sorted(named[id(unit)], key=_rank))
                    unit.prose = [*_trimmed(unit.prose), "", "Records: %s." % cites]
        for record in moved:
            home = next((s for s in laid if s.kind == record.kind and not s.entry), None)
            if home is None:
                home = _new_section(record.kind)
                laid.append(home)
            home.units[0].records.append(record)

    def _name(self, record: Record) -> str:
        return "%s %s" % (record.kind.capitalize(), self.numbers[record])

    def _add_unit(self, made: list[str], unit: Unit, title: str) -> None:
        if unit.head and (unit.out, title) == (unit.level, unit.title):
            _add(made, unit.head)
        elif unit.out:
            _add(made, ["%s %s" % ("#" * unit.out, title)])
        _add(made, unit.prose)
        for record in unit.records:
            _add(made, self._record(record, min(unit.out + 1, 6)))
        _add(made, unit.tail)

    def _record(self, record: Record, level: int) -> list[str]:
        part = self.parts.get(record.line)
        if record.form != HEADING or part is None:
            body = _row_text(record) if record.form == ROW else record.body
            struck = "~~%s~~" if record.status == CLOSED else "%s"
            title = struck % ("%s: %s" % (self._name(record), record.title))
        else:
            body = "\n".join(self.rows[part.body_line - 1 : self.places.record_end(record)]).replace("\r\n", "\n")
            if record.labelled and self.numbers[record] == record.number:
                title = part.title
                rows = self.rows[record.line - 1 : self.places.record_end(record)]
                if record.level == level and rows[0].startswith("#"):
                    return rows
            else:
                title = self._heading(record, part.title)
        if not record.labelled:
            body = canon.body(body)
        body = canon.below(body.rstrip("\r").strip("\n"), level)
        if record.session and self.numbers[record] != record.number and record.number:
            body = _with_note(body, "- **%s:** %s" % (FORMERLY, _old_name(record)))
        return ["%s %s" % ("#" * level, title.rstrip()), *(["", *body.split("\n")] if body else [])]

    def _heading(self, record: Record, written: str) -> str:
        """The heading of a record as it was written, with its kind and number in front. Signs before it stay."""
        shown = naming.unstruck(written)
        plain = naming.skip_symbols(shown.replace("**", ""))
        signs = written[: len(written) - len(naming.skip_symbols(written))]
        said, _, rest = naming.record_label(plain)
        if record.number is None:
            signs, rest = "", shown
        elif not said:
            rest = naming.leading_number(plain)[1]
        title = "%s: %s" % (self._name(record), rest)
        if record.status == CLOSED:
            behind = written.split("~~", 2)[2:] if shown != written.replace("~~", "") else []
            title = "~~%s~~" % title + "".join(behind).lstrip("*_")
        return signs.replace("~", "").replace("*", "") + title


def _new_section(kind: str) -> Section:
    section = Section(kind, ORDER.index(kind), 2)
    section.units.append(Unit(0, 2, HEADINGS[kind]))
    return section


def _rank(record: Record) -> int:
    return naming.KINDS.index(record.kind)


def _trimmed(rows: list[str]) -> list[str]:
    start, end = 0, len(rows)
    while start < end and not rows[start].strip():
        start += 1
    while end > start and not rows[end - 1].strip():
        end -= 1
    return rows[start:end]


def _add(made: list[str], rows: list[str]) -> None:
    """Add lines, parted from those before by one blank line."""
    rows = _trimmed(rows)
    if not rows:
        return
    while made and not made[-1].strip():
        made.pop()
    if made:
        made.append("")
    made += rows


def _row_text(record: Record) -> str:
    """The text of a record that was a row of a table: the first cell, and the others as fields."""
    cells = list(record.fields.items())
    said = [] if cells and cells[0][0] in canon.LABELS else [record.body, ""]
    fields = cells if not said else [cell for cell in cells if cell[1] != record.body]
    return "\n".join([*said, *("- **%s:** %s" % (canon.LABELS.get(key, key), value) for key, value in fields)])


def _with_note(body: str, line: str) -> str:
    is_list = body.rpartition("\n")[2].startswith(("- ", "  "))
    return "%s%s%s" % (body, "\n" if is_list else "\n\n" if body else "", line)
