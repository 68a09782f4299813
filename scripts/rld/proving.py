"""The proof that an edit of the post-mortem did what it should and nothing else.

It looks at the two texts alone and knows nothing of how the edit was made.
"""

from __future__ import annotations

from rld import naming, postmortem
from rld.errors import Problem, Refused
from rld.places import Places
from rld.record import ACTIVE, ITEM, REPEALED, Record


class Expected:
    """What an edit means to do, in terms of records."""

    def __init__(self) -> None:
        self.new: list[tuple[str, str, str]] = []  # kind, number, title of records that were not there
        self.touched: dict[str, str | None] = {}  # id to the new title, None when the record goes
        self.tombstones: list[tuple[str, str]] = []  # kind, number

    def added(self, kind: str, number: str, title: str) -> None:
        self.new.append((kind, number, naming.strip_marks(title)))

    def changed(self, record: Record, title: str) -> None:
        self.touched[record.id] = naming.strip_marks(title)

    def repealed(self, record: Record) -> None:
        self.touched[record.id] = None
        if record.number and not record.session:
            self.tombstones.append((record.kind, record.number))


def prove(old: str, new: str, expected: Expected, file: str) -> None:
    """Raises Refused unless `new` is `old` with what was expected, and all other lines and records as they were."""
    before, after = postmortem.parse(old), postmortem.parse(new)
    if after.problems:
        line, _, message = after.problems[0]
        raise _failure(file, "line %d of the result: %s" % (line, message))
    touched = [r for r in before.records if r.id in expected.touched]
    kept = [r for r in before.records if r.id not in expected.touched]
    rest = list(after.records)
    for record in touched:
        title = expected.touched[record.id]
        if title is not None:
            # The title of a list item depends on its text, and its number says enough.
            title = "" if record.form == ITEM and record.number else title
            _take(rest, file, record.kind, record.number, title, bool(record.session))
    for kind, number, title in expected.new:
        _take(rest, file, kind, number, title, False)
    for kind, number in expected.tombstones:
        there = next((r for r in rest if (r.kind, r.number, r.status) == (kind, number, REPEALED)), None)
        if there is None:
            raise _failure(file, "the tombstone of %s %s does not read back" % (kind, number))
        rest.remove(there)
    if len(kept) != len(rest):
        raise _failure(file, "%d other records would become %d" % (len(kept), len(rest)))
    places, placed = Places(before), Places(after)
    for was, now in zip(kept, rest):
        if _key(was, places) != _key(now, placed):
            raise _failure(file, "%s at line %d would change too" % (was.cite, was.line))
    gone = {n for r in touched for n in range(r.line, places.record_end(r) + 1)}
    _prove_lines(old, new, gone, file)


def prove_records(old: str, new: str, file: str) -> None:
    """Raises Refused unless both texts have the same records, each with the same lines."""
    before, after = postmortem.parse(old), postmortem.parse(new)
    keys = [
        [_key(record, places) for record in found.records]
        for found, places in ((before, Places(before)), (after, Places(after)))
    ]
    if after.problems or keys[0] != keys[1]:
        raise _failure(file, "a record would change")


def _take(rest: list[Record], file: str, kind: str, number: str | None, title: str, in_session: bool) -> None:
    """Take the one record out of the rest that was expected there."""
    for record in rest:
        if (record.kind, record.number, record.status) == (kind, number, ACTIVE) and bool(record.session) == in_session:
            if not title or _bare(record.title) == _bare(title):
                rest.remove(record)
                return
    raise _failure(file, "%s %s does not read back" % (kind, number or "“%s”" % title))


def _bare(title: str) -> str:
    """A title without the signs that reading a heading leaves out between number and title."""
    return title.lstrip(" :.)(—–-")


def _key(record: Record, places: Places) -> tuple[object, ...]:
    text = places.rows[record.line - 1 : places.record_end(record)]
    return record.kind, record.number, record.title, record.status, record.form, bool(record.session), text


def _prove_lines(old: str, new: str, gone: set[int], file: str) -> None:
    """Every line with text that is not meant to go is there again, with its line end and in order."""
    if old.startswith("\ufeff") != new.startswith("\ufeff"):
        raise _failure(file, "the byte order mark would change")
    rows = old.removeprefix("\ufeff").split("\n")
    there = iter(new.removeprefix("\ufeff").split("\n"))
    for line, row in enumerate(rows, 1):
        if row.strip() and line not in gone:
            # The last line may have had no line end; it has one when something follows it now.
            wanted = (row,) if line < len(rows) else (row, row + "\r")
            if not any(other in wanted for other in there):
                raise _failure(file, "line %d would be lost" % line)


def _failure(file: str, what: str) -> Refused:
    return Refused(
        Problem(
            "nothing was written, since the change would not read back as it was meant: %s. `rld list` shows how the "
            "file is read" % what,
            file=file,
            code="unproven",
        )
    )
