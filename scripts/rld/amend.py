"""Accepted candidates into the text of a post-mortem: pure, and proven before anybody writes it.

Only the records that a candidate names change, and what is new is added; every other character stays, line ends, BOM
and bytes that are not UTF-8 included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from rld import canon, citations, naming, numbers, postmortem
from rld import lines as md
from rld.errors import Problem, Refused, from_tuples
from rld.places import HEADINGS, Places
from rld.postmortem import PostMortem
from rld.proposal import ADD, AMEND, REPEAL, Candidate
from rld.proving import Expected, prove
from rld.record import ITEM, REPEALED, ROW, Record

NEW = "# Post-mortem\n"

_MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


class Session:
    """What the session section says: its date (YYYY-MM-DD), work type, title, and a paragraph or ""."""

    def __init__(self, date: str, tag: str, title: str, summary: str = "") -> None:
        self.date = date
        self.heading = "%s [%s] %s" % (date, tag, " ".join(title.split()))
        self.summary = " ".join(summary.split())


class Edited:
    """`text`: the new post-mortem; `lines`: what was done, a line for each record, in the order of the candidates."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[str] = []


def edit(
    text: str,
    candidates: list[Candidate],
    session: Session | None,
    today: str,
    cited: Mapping[str, Collection[str]],
    file: str,
) -> Edited:
    """Apply candidates in their order, then add the session's section.

    `today`: the date of tombstones; `cited`: per kind the numbers that something in the tree cites; `file`: its name in
    messages. Raises Refused, with lines, when the text has problems that stop a write, when a record is not there, or
    when the result would not read back as it was meant.
    """
    before = postmortem.parse(text)
    if before.problems:
        raise Refused(*from_tuples(file, before.problems))
    if not candidates:
        return Edited(text)
    work = _Edit(text if before.text.strip() else text.rstrip("\r\n\t ") + NEW, today, cited, file)
    for candidate in candidates:
        work.apply(candidate)
    if session is not None:
        work.add_session(session)
    try:
        prove(text, work.text, work.expected, file)
    except Refused:
        line = _left_open(before.text)
        if not line:
            raise
        what = "a code fence or a comment is opened here and never closed, so nothing behind it can be read: close it"
        raise Refused(Problem(what, file=file, line=line, code="open-fence")) from None
    work.edited.text = work.text
    return work.edited


class _Edit:
    """The text between two changes. It is parsed again for each, since every change moves lines."""

    def __init__(self, text: str, today: str, cited: Mapping[str, Collection[str]], file: str) -> None:
        self.text = text
        self.today = today
        self.cited = cited
        self.file = file
        self.expected = Expected()
        self.edited = Edited(text)
        self.done: dict[str, list[str]] = {}  # what the session section says: word to citations
        self.end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"

    def apply(self, candidate: Candidate) -> None:
        if candidate.verb == ADD:
            self._add(candidate)
        elif candidate.verb == REPEAL:
            why = candidate.fields.get("why", "") or candidate.title
            for id in candidate.targets:
                record = self._repeal(id, why)
                self._note("repealed", _named(record), record.title)
        elif candidate.verb == AMEND:
            record = self._amend(candidate)
            self._note("amended", _named(record), candidate.title or record.title)
        else:
            into = _named(self._amend(candidate))
            gone = [_named(self._repeal(id, "merged into %s." % into)) for id in candidate.targets[1:]]
            self._note("merged", "%s into %s" % (" and ".join(gone), into), candidate.title)

    def _add(self, candidate: Candidate) -> None:
        found = postmortem.parse(self.text)
        cited = {number for _, kind, number in citations.find(self.text) if kind == candidate.kind}
        number = numbers.next_free(candidate.kind, found, cited.union(self.cited.get(candidate.kind, ())))
        label = "%s %s" % (candidate.kind.capitalize(), number)
        title = "%s: %s" % (label, candidate.title)
        self._put(found, candidate.kind, lambda level: _record(level, title, candidate.body))
        self.expected.added(candidate.kind, number, candidate.title)
        self._note("", label, candidate.title)

    def _put(self, found: PostMortem, kind: str, block: Callable[[int], list[str]]) -> None:
        """Put a block at the end of the section of a kind, which is made when it is missing."""
        places = Places(found)
        section = places.section(kind)
        if section is not None:
            self._insert(section.end, block(section.records))
        else:
            line, level = places.missing(kind)
            self._insert(line, ["#" * level + " " + HEADINGS[kind], "", *block(min(level + 1, 6))])

    def _amend(self, candidate: Candidate) -> Record:
        """Give the first record that a candidate names its new text; the record as it was."""
        found = postmortem.parse(self.text)
        record = self._find(found, candidate.targets[0])
        title = candidate.title or record.title
        places = Places(found)
        start, end = record.line, places.record_end(record)
        if record.form == ROW:
            what = "is a row of a table, which cannot hold the new text: `rld adopt` first"
            raise Refused(self._problem(record, what))
        if record.form == ITEM:
            self._replace(start, end, _item(places.rows[start - 1], record, title, candidate.body))
        else:
            heading = "%s: %s" % (_named(record), title) if record.number else title
            self._replace(start, end, _record(record.level, heading, candidate.body))
        self.expected.changed(record, title)
        return record

    def _repeal(self, id: str, why: str) -> Record:
        """Take a record out and leave its tombstone; the record as it was."""
        found = postmortem.parse(self.text)
        record = self._find(found, id)
        self._remove(record.line, Places(found).record_end(record))
        name = "%s (%s)" % (_named(record), self.today)
        if record.session:
            # The number of one session's rule is free elsewhere: in front it would read as a tombstone of that one.
            name = "(%s) %s of %s, “%s”" % (self.today, _named(record), record.session, record.title)
        line = "- %s: %s" % (name, " ".join(why.split()))
        found = postmortem.parse(self.text)
        section = Places(found).section(naming.REPEALED)
        rows = found.text.split("\n")
        if section is not None and rows[section.end - 1].startswith(("- ", "* ", "+ ", "  ")):
            self._insert(section.end, [line], apart=False)
        else:
            self._put(found, naming.REPEALED, lambda level: [line])
        self.expected.repealed(record)
        return record

    def add_session(self, session: Session) -> None:
        """Add the session's section; a second round of the same session adds a line to the section that is there."""
        told = []
        for word in ("", "amended", "merged", "repealed"):
            cites = sorted(self.done.get(word, []), key=_kind_rank)
            told += [("%s %s" % (word, ", ".join(cites))).strip()] if cites else []
        records = "Records: %s." % "; ".join(told)
        found = postmortem.parse(self.text)
        places = Places(found)
        for there in places.sessions:
            if _title_at(found, there.line) == session.heading:
                self._insert(there.end, [records])
                return
        paragraph = "%s %s" % (session.summary, records) if session.summary else records
        self._put(found, naming.SESSIONS, lambda level: _record(level, session.heading, paragraph))

    def _note(self, word: str, cite: str, title: str) -> None:
        self.done.setdefault(word, []).append(cite)
        self.edited.lines.append(("%s %s: %s" % (word, cite, title)).lstrip())

    def _find(self, found: PostMortem, id: str) -> Record:
        record = found.find(id)
        if record is None:
            what = "has no record %s: `rld list` shows what there is" % id
            raise Refused(Problem(what, file=self.file, code="unknown-record"))
        if record.status == REPEALED:
            raise Refused(self._problem(record, "is repealed already"))
        return record

    def _problem(self, record: Record, what: str) -> Problem:
        return Problem("%s %s" % (record.cite, what), file=self.file, line=record.line)

    def _insert(self, line: int, block: list[str], apart: bool = True) -> None:
        """Put a block behind a line (0: at the top), parted from what is around it by blank lines."""
        rows = self.text.split("\n")
        cr = self.end[:-1]
        if not line:
            bom = "\ufeff" if self.text.startswith("\ufeff") else ""
            self.text = bom + self.end.join([*block, "", ""]) + self.text[len(bom) :]
            return
        new = ["", *block] if apart else block
        if line == len(rows):  # no line end behind it, and none behind what is new
            rows[-1] += cr
            rows += [row + cr for row in new[:-1]] + [new[-1]]
        else:
            if apart and rows[line].strip():
                new.append("")
            rows[line:line] = [row + cr for row in new]
        self.text = "\n".join(rows)

    def _replace(self, start: int, end: int, block: list[str]) -> None:
        rows = self.text.split("\n")
        cr = self.end[:-1]
        new = [row + cr for row in block]
        if end == len(rows):
            new[-1] = block[-1]
        if start == 1 and rows[0].startswith("\ufeff"):
            new[0] = "\ufeff" + new[0]
        rows[start - 1 : end] = new
        self.text = "\n".join(rows)

    def _remove(self, start: int, end: int) -> None:
        """Take lines out, and one of the two gaps that would then meet."""
        rows = self.text.split("\n")
        first = "\ufeff" if start == 1 and rows[0].startswith("\ufeff") else ""
        after = end
        if start == 1 or not rows[start - 2].strip():
            while after < len(rows) - 1 and not rows[after].strip():
                after += 1
        before = start - 1
        if after >= len(rows) - 1 and not "".join(rows[after:]).strip():
            while before > 0 and not rows[before - 1].strip():
                before -= 1
        rest = rows[after:] or [""]
        self.text = first + "\n".join(rows[:before] + rest)


def _record(level: int, title: str, body: str) -> list[str]:
    rows = ["#" * level + " " + title]
    return [*rows, "", *canon.below(body, level).split("\n")] if body else rows


def _item(row: str, record: Record, title: str, body: str) -> list[str]:
    """A record that is a list item, with its marker as it was."""
    found = _MARKER.match(row)
    marker = found[0] if found else "- "
    if naming.record_label(row[len(marker) :].lstrip("*_~"))[0]:
        title = "%s: %s" % (_named(record), title)
    elif record.number and not marker.strip().rstrip(".)").isdigit():
        title = "%s. %s" % (record.number, title)
    rows = canon.below(body, 6).split("\n") if body else []
    lead = "%s**%s**" % (marker, title if title.endswith(("?", "!", "…")) else title.rstrip(".") + ".")
    if rows and rows[0] and not rows[0].startswith(("- ", "#", "```", "~~~", "|", ">")):
        lead += " " + rows.pop(0)
    return [lead, *(" " * len(marker) + text if text else "" for text in rows)]


def _named(record: Record) -> str:
    """The record as headings and tombstones name it: "Debt 9"."""
    return "%s %s" % (record.kind.capitalize(), record.number or "“%s”" % record.title)


def _kind_rank(cite: str) -> int:
    return naming.KINDS.index(cite.partition(" ")[0].lower())


def _left_open(text: str) -> int:
    """The line of the last block that swallows whatever follows the text, 0 when there is none."""
    blocks = md.scan(md.split(text + "\n\n# end"))
    return 0 if blocks[-1].kind is md.HEADING else blocks[-1].start


def _title_at(found: PostMortem, line: int) -> str:
    return next((part.title for part in found.parts if part.line == line), "")
