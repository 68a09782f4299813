"""The records that stand as list items and table rows in a section: the article's form."""

from rld import lines as md
from rld import naming, outline, record
from rld.record import Record

_NUMBER_COLUMNS = ("#", "no", "no.", "nr", "nr.", "№", "n", "id", "number", "num")


def read(part: outline.Part, kind: str, session: str, found: "list[Record]") -> None:
    """Add the records of a section's list items and table rows to `found`.

    `kind`: what the section holds, or naming.REPEALED; `session`: of the per-session section around it, or "".
    """
    reader = _Reader(part, kind, session, found)
    columns: "list[str]" = []
    for block in md.scan(reader.rows):
        if block.quoted or block.depth:
            continue
        if block.kind is md.ITEM:
            reader.item(block)
        elif block.kind is md.ROW and kind in naming.KINDS:
            if block.level == 0:
                columns = block.cells
            else:
                reader.row(block, columns)


def is_record(part: outline.Part) -> bool:
    """Is a heading without a number a record, and not only the head of a group of records?"""
    fields = record.read_fields(part.body)
    blocks = [block for block in part.blocks if not block.quoted and not block.depth]
    first = next((block for block in blocks if block.kind in (md.ITEM, md.PARA)), None)
    if first is not None and ("symptom" in fields or "root-cause" in fields or "fix" in fields):
        if naming.field_label(first.text or md.split(part.body)[first.start - 1].strip())[0]:
            return True
    for block in blocks:
        if block.kind is md.ROW or (block.kind is md.ITEM and (block.number or _begins_bold(block.text))):
            return False
    return "MUST" in part.body or "FORBIDDEN" in part.body or "why" in fields or "symptom" in fields


def _begins_bold(text: str) -> bool:
    return bool(naming.bold_lead(text)) and not naming.is_field(text)


class _Reader:
    def __init__(self, part: outline.Part, kind: str, session: str, found: "list[Record]") -> None:
        self.rows = md.split(part.body)
        self.offset = part.body_line - 1
        self.kind = kind
        self.session = session
        self.found = found

    def item(self, block: md.Block) -> None:
        if _is_link_to_heading(block.text):
            return
        text = self._paragraph(block)
        closed = text[:4] in ("[x] ", "[X] ")
        if closed or text[:4] == "[ ] ":
            text = text[4:]
        if "~~" in text:
            closed = closed or text.lstrip("*_").startswith("~~")
            text = naming.unstruck(text)
        said, number, rest = naming.record_label(text.lstrip("*_"))
        if self.kind == naming.REPEALED:
            if said:
                made = self._make(said, number, rest, block)
                made.status = record.REPEALED
                made.title = naming.first_sentence(rest.partition("): ")[2] or rest)
            return
        if said:
            made = self._make(said, number, rest, block)
            made.title = naming.title_of(rest.replace("**", "")) or made.title
        elif block.number:
            made = self._make(self.kind, block.number, text, block)
        elif not _begins_bold(text):
            return
        else:
            number, rest = naming.leading_number(naming.bold_lead(text))
            made = self._make(self.kind, number or None, text, block)
            if number:
                made.title = naming.strip_marks(rest).rstrip(".:")
        if closed:
            made.status = record.CLOSED

    def _make(self, kind: str, number: "str | None", text: str, block: md.Block) -> Record:
        width = block.level
        first = self.rows[block.start - 1].lstrip()
        body = [first[len(block.number) + 1 :].strip() if block.number else block.text]
        body += [row[width:] if not row[:width].strip() else row for row in self.rows[block.start : block.end]]
        start, end = self.offset + block.start, self.offset + block.end
        return self._add(Record(kind, number, naming.title_of(text), start, end, "\n".join(body), record.ITEM))

    def _add(self, made: Record) -> Record:
        made.session = self.session
        self.found.append(made)
        return made

    def row(self, block: md.Block, columns: "list[str]") -> None:
        place = next((n for n, name in enumerate(columns) if naming.strip_marks(name).lower() in _NUMBER_COLUMNS), -1)
        if place < 0 or place >= len(block.cells) or len(block.cells) < 2:
            return
        cell = naming.strip_marks(block.cells[place])
        said, number, _ = naming.record_label(cell)
        if not said:
            number = cell.lstrip("#").rstrip(".)")
            if not number or not number.replace(".", "").isdecimal():
                return
        others = [n for n in range(len(block.cells)) if n != place]
        text = block.cells[others[0]]
        line = self.offset + block.start
        title = naming.title_of(naming.unstruck(text))
        made = self._add(Record(said or self.kind, number, title, line, line, text, record.ROW))
        made.fields = {
            naming.column_key(columns[n]): block.cells[n] for n in others if n < len(columns) and block.cells[n]
        }
        if text.startswith("~~"):
            made.status = record.CLOSED

    def _paragraph(self, block: md.Block) -> str:
        """An item's first paragraph as one line."""
        text = [block.text]
        for row in self.rows[block.start : block.end]:
            bare = row.strip()
            if not bare or bare[0] in "#>|" or bare[:2] in ("- ", "* ", "+ ") or bare[:3] in ("```", "~~~"):
                break
            if bare[0].isdigit() and naming.leading_number(bare)[0]:
                break
            text.append(bare)
        return " ".join(text)


def _is_link_to_heading(text: str) -> bool:
    """Is this an entry of a table of contents?"""
    return text.startswith("[") and text.endswith(")") and "](#" in text
