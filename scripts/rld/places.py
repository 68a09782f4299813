"""Where in a post-mortem new text belongs: its global sections, the ends of records, the place of a missing section."""

from __future__ import annotations

from rld import naming, outline, sectioning
from rld.postmortem import PostMortem
from rld.proposal import is_rule
from rld.record import HEADING, Record

HEADINGS = {
    naming.GUARDRAIL: "Production guardrails",
    naming.PITFALL: "Pitfalls and repair guides",
    naming.DECISION: "Architectural decisions",
    naming.DEBT: "Tech debt",
    naming.SESSIONS: "Sessions",
    naming.REPEALED: "Repealed",
}  # in the order in which they stand
ORDER = tuple(HEADINGS)


class Section:
    """A section for all sessions. `line` is its heading's, `end` its last line with text, those of its records
    included; `records` is the level of a new record's heading in it."""

    __slots__ = ("kind", "level", "records", "line", "end")

    def __init__(self, kind: str, level: int, line: int) -> None:
        self.kind = kind
        self.level = level
        self.records = min(level + 1, 6)
        self.line = line
        self.end = line


class Places:
    """The sections of a post-mortem, and the per-session sections, as lines of its text."""

    def __init__(self, found: PostMortem) -> None:
        self.rows = found.text.split("\n")
        self.sections: list[Section] = []
        self.sessions: list[Section] = []
        heads = {r.line: r for r in found.records if r.form == HEADING}
        opened: list[Section] = []
        record: Record | None = None
        parts = [part for part in found.parts if part.level]
        titles = [part.line for part in parts if part.level == 1]
        self.title = titles[0] if len(titles) == 1 else 0  # nothing stands before the title of the whole
        for part in parts:
            if record is not None and record.line < part.line <= record.end:
                continue
            record = heads.get(part.line)
            while opened and opened[-1].level >= part.level:
                self._end(opened.pop(), part.line)
            if record is None:
                self._open(part, opened)
            elif not any(section.kind for section in opened) and not record.session:
                self._beside(record)
        for section in opened:
            self._end(section, len(self.rows) + 1)

    def _open(self, part: outline.Part, opened: list[Section]) -> None:
        around = opened[-1].kind if opened else ""
        kind = sectioning.section(part.title, 0 if around else part.level)
        dated = sectioning.is_session(part.title)
        section = Section(kind or around, part.level, part.line)
        if any(s in self.sessions for s in opened):
            section.kind = ""
        elif kind:
            self.sections.append(section)
        elif dated and around not in naming.KINDS:
            section.kind = ""
            self.sessions.append(section)
        opened.append(section)

    def _end(self, section: Section, before: int) -> None:
        section.end = self.last_text(before)

    def _beside(self, record: Record) -> None:
        """Take in a record whose heading is no deeper than its section's, or that stands under no section at all."""
        section = self.section(record.kind)
        if section is None:
            section = Section(record.kind, record.level, record.line)
            self.sections.append(section)
        elif self.last_text(record.line) != section.end:
            return
        section.records = record.level
        section.end = self.last_text(record.end + 1)

    def last_text(self, before: int) -> int:
        """The last line before line `before` that has text and is no rule between sections; 0 when there is none."""
        line = before - 1
        while line > 0 and not self.rows[line - 1].strip():
            line -= 1
        last = line
        while line > 1 and is_rule(self.rows[line - 1]) and not self.rows[line - 2].strip():
            line -= 1
            while line > 0 and not self.rows[line - 1].strip():
                line -= 1
        return line if line else last

    def section(self, kind: str) -> Section | None:
        """The first global section of a kind."""
        return next((s for s in self.sections if s.kind == kind), None)

    def missing(self, kind: str) -> tuple[int, int]:
        """Where a new section of a kind goes: (the line behind which it comes, the level of its heading)."""
        rank = ORDER.index(kind)
        before = [s for s in self.sections if ORDER.index(s.kind) < rank]
        if kind in (naming.SESSIONS, naming.REPEALED):
            before += self.sessions
        if before:
            last = max(before, key=lambda s: s.end)
            return last.end, last.level
        after = [s for s in [*self.sections, *self.sessions] if s not in before]
        if after:
            first = min(after, key=lambda s: s.line)
            if first.line != self.title or first in self.sessions:
                return self.last_text(first.line), first.level
        return self.last_text(len(self.rows) + 1), 2

    def record_end(self, record: Record) -> int:
        """The last line of a record, without a rule that parts it from the next section."""
        return max(record.line, self.last_text(record.end + 1))
