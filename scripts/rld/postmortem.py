"""The post-mortem as it is read: every form that people's files have, none of them rewritten."""

from rld import naming, outline, record
from rld import lines as md
from rld.record import Record

_NUMBER_COLUMNS = ("#", "no", "no.", "nr", "nr.", "№", "n", "id", "number", "num")
_CONFLICT = ("<<<<<<< ", "||||||| ", ">>>>>>> ")


class PostMortem:
    """A post-mortem that was read.

    `records` in the order of the file; `problems` as (line, code, message), only those that stop a write; `text`:
    the text with line ends LF and no BOM; `parts`: the text cut at its headings.
    """

    __slots__ = ("text", "records", "problems", "parts")

    def __init__(self, text: str) -> None:
        self.text = text
        self.records: "list[Record]" = []
        self.problems: "list[tuple[int, str, str]]" = []
        self.parts: "list[outline.Part]" = []

    def find(self, id: str) -> "Record | None":
        wanted = id.lower()
        return next((r for r in self.records if r.id == wanted), None)

    def active(self, kind: str = "") -> "list[Record]":
        return [r for r in self.records if r.status == record.ACTIVE and (not kind or r.kind == kind)]


def parse(text: str) -> PostMortem:
    """Read a post-mortem. Takes any text, with any line ends; never raises; linear."""
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    found = PostMortem(text)
    markers: "list[int]" = []
    if "<<<<<<< " in text and ">>>>>>> " in text:
        text, markers = _without_conflict_markers(text)
    found.parts = outline.cut(text)
    _Reader(found).read()
    for line in markers:
        found.problems.append((line, "conflict-marker", "an unresolved merge: decide between the two sides and delete the marker lines"))
    _find_duplicates(found)
    found.problems.sort(key=lambda problem: problem[0])
    return found


class _Reader:
    """Walks the parts of a document and knows in which section it is."""

    def __init__(self, found: PostMortem) -> None:
        self.found = found
        self.above: "list[tuple[int, str]]" = []  # (level, kind) of the sections around, outermost first
        self.session = ""
        self.session_level = 0
        self.dates: "dict[str, int]" = {}
        self.open: "Record | None" = None  # a record whose heading is above the present part,
        self.open_body: "list[str]" = []  # and its text so far

    def read(self) -> None:
        for part in self.found.parts:
            if part.level:  # what stands before the first heading is no record
                self._heading(part)
        self._close()

    def _kind(self) -> str:
        return self.above[-1][1] if self.above else ""

    def _heading(self, part: outline.Part) -> None:
        title = part.title
        kind, number, rest, closed = self._label(title)
        if self.open is not None and part.level > self.open.level and not kind:
            # A deeper heading inside a record is text of the record.
            self.open_body.append("%s %s\n%s" % ("#" * part.level, part.title, part.body))
            self.open.end = _end(part)
            return
        self._close()
        while self.above and self.above[-1][0] >= part.level:
            self.above.pop()
        if self.session and part.level <= self.session_level:
            self.session = ""
        if kind:
            self._add_heading(part, kind, number, rest, closed, True)
            return
        around = self._kind()
        number, rest = naming.leading_number(naming.skip_symbols(title.replace("~~", "").replace("**", "")))
        if around in naming.KINDS and number and ("." in number or not naming.section(title)):
            self._add_heading(part, around, number, rest, closed, False)
            return
        section = naming.section(title)
        if section:
            self.above.append((part.level, section))
        elif self._is_session(title, around):
            self._enter_session(part.level, title)
            self.above.append((part.level, ""))
        elif around in naming.KINDS and _is_unnumbered_record(part):
            self._add_heading(part, around, None, title, closed, False)
            return
        else:
            self.above.append((part.level, around))
        self._items(part, self._kind())

    def _label(self, title: str) -> "tuple[str, str, str, bool]":
        if title[:1].isalnum() and "~~" not in title:
            kind, number, rest = naming.record_label(title)
            return kind, number, rest, False
        closed = title.lstrip("*_ ").startswith("~~") or naming.skip_symbols(title).startswith("~~")
        plain = naming.skip_symbols(title.replace("~~", "").replace("**", ""))
        kind, number, rest = naming.record_label(plain)
        return kind, number, rest, closed

    def _is_session(self, title: str, around: str) -> bool:
        if around in naming.KINDS:
            return False
        lower = naming.bare(title).lower()
        return bool(naming.session_date(title) or naming.work_type(title) or lower.startswith(("session ", "run ")))

    def _enter_session(self, level: int, title: str) -> None:
        name = naming.session_date(title) or naming.slug(title, 40)
        count = self.dates[name] = self.dates.get(name, 0) + 1
        self.session = name if count == 1 else "%s-%d" % (name, count)
        self.session_level = level

    def _add_heading(self, part: outline.Part, kind: str, number: "str | None", title: str, closed: bool, labelled: bool) -> None:
        made = Record(kind, number, naming.strip_marks(title), part.line, _end(part), part.body, record.HEADING)
        made.labelled = labelled
        made.level = part.level
        self._finish(made, closed)
        self.open = made
        self.open_body = [part.body]

    def _close(self) -> None:
        if self.open is not None and len(self.open_body) > 1:
            self.open.body = "\n".join(self.open_body)
        self.open = None

    def _finish(self, made: Record, closed: bool) -> None:
        made.session = self.session
        if closed:
            made.status = record.CLOSED
        self.found.records.append(made)

    def _items(self, part: outline.Part, kind: str) -> None:
        """The records among a section's list items and table rows."""
        if not kind or kind == naming.SESSIONS or not part.body:
            return
        rows = md.split(part.body)
        columns: "list[str]" = []
        offset = part.body_line - 1
        for block in part.blocks:
            if block.quoted or block.depth:
                continue
            if block.kind is md.ITEM:
                self._item(block, rows, offset, kind)
            elif block.kind is md.ROW and kind in naming.KINDS:
                if block.level == 0:
                    columns = block.cells
                else:
                    self._row(block, columns, offset, kind)

    def _item(self, block: md.Block, rows: "list[str]", offset: int, kind: str) -> None:
        if _is_link_to_heading(block.text):
            return
        text = _paragraph(block, rows)
        plain = text.lstrip("*_")
        closed = plain.startswith("~~")
        said, number, rest = naming.record_label(plain.lstrip("~").lstrip("*_"))
        if kind == naming.REPEALED:
            if said:
                made = self._make(said, number, rest, block, rows, offset)
                made.status = record.REPEALED
                made.title = naming.first_sentence(rest.partition("): ")[2] or rest)
            return
        if not block.number and not said and not naming.bold_lead(text):
            return
        if not block.number and naming.field_label(block.text)[0]:
            return
        if said:
            made = self._make(said, number, rest, block, rows, offset)
            made.title = naming.title_of(rest.replace("**", "")) or made.title
        elif block.number:
            made = self._make(kind, block.number, text, block, rows, offset)
        else:
            number, rest = naming.leading_number(naming.bold_lead(text))
            made = self._make(kind, number or None, text, block, rows, offset)
            if number:
                made.title = naming.strip_marks(rest).rstrip(".:")
        if closed:
            made.status = record.CLOSED

    def _make(self, kind: str, number: "str | None", text: str, block: md.Block, rows: "list[str]", offset: int) -> Record:
        width = block.level
        body = [rows[block.start - 1].lstrip()[len(block.number) + 1 :].strip()] if block.number else [block.text]
        body += [row[width:] if not row[:width].strip() else row for row in rows[block.start : block.end]]
        title = naming.title_of(text)
        made = Record(kind, number, title, offset + block.start, offset + block.end, "\n".join(body), record.ITEM)
        self._finish(made, False)
        return made

    def _row(self, block: md.Block, columns: "list[str]", offset: int, kind: str) -> None:
        place = next((n for n, name in enumerate(columns) if naming.strip_marks(name).lower() in _NUMBER_COLUMNS), -1)
        if place < 0 or place >= len(block.cells):
            return
        cell = naming.strip_marks(block.cells[place])
        said, number, _ = naming.record_label(cell)
        if not said:
            number = cell.lstrip("#").rstrip(".)")
            if not number or not number.replace(".", "").isdigit():
                return
        others = [n for n in range(len(block.cells)) if n != place]
        if not others:
            return
        text = block.cells[others[0]]
        line = offset + block.start
        made = Record(said or kind, number, naming.title_of(text), line, line, text, record.ROW)
        made.fields = {naming.column_key(columns[n]): block.cells[n] for n in others if n < len(columns) and block.cells[n]}
        self._finish(made, text.startswith("~~"))


def _end(part: outline.Part) -> int:
    """The last line of a part that has text."""
    body = part.body.rstrip()
    return part.body_line + body.count("\n") if body else part.line


def _paragraph(block: md.Block, rows: "list[str]") -> str:
    """An item's first paragraph as one line."""
    text = [block.text]
    for row in rows[block.start : block.end]:
        bare = row.strip()
        if not bare or bare[0] in "#>|" or bare[:2] in ("- ", "* ", "+ ") or bare[:3] in ("```", "~~~") or naming.leading_number(bare)[0]:
            break
        text.append(bare)
    return " ".join(text)


def _is_link_to_heading(text: str) -> bool:
    """Is this an entry of a table of contents?"""
    return text.startswith("[") and text.endswith(")") and "](#" in text


def _is_unnumbered_record(part: outline.Part) -> bool:
    """A heading without a number is a record when its text says so, and only a group when the records are below it."""
    if "MUST" not in part.body and "FORBIDDEN" not in part.body and "**" not in part.body:
        return False
    for block in part.blocks:
        if block.quoted or block.depth:
            continue
        if block.kind is md.ROW or (block.kind is md.ITEM and (block.number or (naming.bold_lead(block.text) and not naming.field_label(block.text)[0]))):
            return False
    return "MUST" in part.body or "FORBIDDEN" in part.body or "why" in record.read_fields(part.body) or "symptom" in record.read_fields(part.body)


def _without_conflict_markers(text: str) -> "tuple[str, list[int]]":
    """The text with the marker lines of unresolved merges blanked, and the lines where such merges begin.

    A line of equals signs would turn the paragraph above it into a heading and close its section.
    """
    rows = text.split("\n")
    begins: "list[int]" = []
    inside = 0
    fences = [b for b in md.scan(rows) if b.kind is md.FENCE] if "```" in text or "~~~" in text else []
    for n, row in enumerate(rows):
        if row.startswith("<<<<<<< "):
            end = next((m for m in range(n + 1, len(rows)) if rows[m].startswith((">>>>>>> ", "<<<<<<< "))), len(rows))
            if end < len(rows) and rows[end].startswith(">>>>>>> ") and not any(f.start <= n + 1 and end < f.end for f in fences):
                begins.append(n + 1)
                inside = end
        if n <= inside and inside and (row.startswith(_CONFLICT) or row == "======="):
            rows[n] = ""
    return "\n".join(rows), begins


def _find_duplicates(found: PostMortem) -> None:
    numbered = [(entry.kind, entry.number) for entry in found.records if entry.number is not None and not entry.session]
    if len(set(numbered)) == len(numbered):
        return
    places: "dict[str, list[Record]]" = {}
    for entry in found.records:
        if entry.number is not None and not entry.session:
            places.setdefault(entry.id, []).append(entry)
    for same in places.values():
        if len(same) > 1:
            where = ", ".join(str(entry.line) for entry in same)
            for entry in same:
                found.problems.append(
                    (entry.line, "duplicate-number", "%s stands at lines %s: give the newer one a free number" % (entry.cite, where))
                )
