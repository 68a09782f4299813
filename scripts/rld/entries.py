"""The entries of a journal, in every form that people's journals have.

An entry is a heading ("Item 7: title", "Task 7", "Step 7") with five fields below it. Their labels lead list
items or paragraphs, in brackets, in bold or both, or are headings themselves.
"""

from rld import lines as md
from rld import naming, outline

FIELDS = ("facts", "worked", "rules", "pitfalls", "next")
LABELS = {
    "facts": "Verified Facts",
    "worked": "What Worked",
    "rules": "Distilled Rules",
    "pitfalls": "Pitfalls & What to Avoid",
    "next": "What's Next",
}
_READ_AS = (
    ("verified facts", "facts"), ("what worked", "worked"), ("distilled rules", "rules"),
    ("pitfalls & what to avoid", "pitfalls"), ("pitfalls and what to avoid", "pitfalls"),
    ("pitfalls &amp; what to avoid", "pitfalls"),
    ("what's next", "next"), ("whats next", "next"), ("what is next", "next"),
)  # fmt: skip
_WORDS = ("item", "task", "step", "unit")
_LEVELS = (2, 3, 4)  # of an entry's heading: 1 is a title, and what is deeper is part of an entry
_STUBS = frozenset((
    "todo", "tbd", "tba", "tbc", "fixme", "xxx", "placeholder", "fill in", "fill me in", "add summary",
    "to be done", "to be added", "to be filled", "to be filled in", "to be written",
    "todo: fill in", "tbd: fill in",
))  # fmt: skip
_ASKS = ("add ", "fill ", "insert ", "describe ", "write ", "enter ", "your ")


class Entry:
    """One entry. `item`: its id as written, without the word before it; `line` to `end`: its lines, from 1.

    `fields`: key to text, the rows of a field joined by LF, without their indentation; `lines`: key to the
    line of the label. `stubs`: the lines where a placeholder stands. `as_headings`: its labels are headings,
    a form that is read but never held to ours. `torn`: the file ends in the middle of it.
    """

    __slots__ = ("item", "title", "line", "end", "fields", "lines", "stubs", "as_headings", "torn")

    def __init__(self, item: str, title: str, line: int) -> None:
        self.item = item
        self.title = title
        self.line = line
        self.end = line
        self.fields: "dict[str, str]" = {}
        self.lines: "dict[str, int]" = {}
        self.stubs: "list[int]" = []
        self.as_headings = False
        self.torn = False

    @property
    def missing(self) -> "list[str]":
        """The fields it lacks or that say nothing."""
        return [key for key in FIELDS if not self.fields.get(key)]

    def __repr__(self) -> str:
        return "Entry(%s, lines %d-%d)" % (self.item, self.line, self.end)


class Reader:
    """One walk over the parts of a journal.

    `entries`: those found; `entry`: the open one, None at the end when other text follows the last one.
    """

    def __init__(self, rows: "list[str]") -> None:
        """`rows`: the lines of the document that the parts were cut from."""
        self.rows = rows
        self.entries: "list[Entry]" = []
        self.entry: "Entry | None" = None
        self.level = 0  # of the open entry's heading
        self.word = ""  # what the open entry calls its item
        self.key = ""  # of the open field
        self.field_level = 0  # of the open field's heading; 0 when its label is no heading
        self.start = 0  # the line of the open field's label
        self.width = 0  # how far the open field's rows are indented
        self.text: "list[str]" = []  # its rows, without a gap, from the label on
        self.texts: "dict[str, list[str]]" = {}  # of the open entry: a label that stands twice has both texts
        self.fenced: "set[int]" = set()

    def read(self, parts: "list[outline.Part]") -> None:
        for part in parts:
            if part.level and not self._is_underlined_field(part):
                self._heading(part)
            if self.entry is not None and part.body:
                self._body(self.entry, part)
        self._finish()

    def _heading(self, part: outline.Part) -> None:
        word, item, title = _item(part.title)
        entry = self.entry
        inside = entry is not None and part.level > self.level
        if item and part.level in _LEVELS and not (inside and word == "step" != self.word):
            self._finish()
            self.entry = Entry(item, title, part.line)
            self.entries.append(self.entry)
            self.level, self.word = part.level, word
            return
        key, value = label(part.title)
        if entry is not None and key and part.level >= self.level:
            self._open(entry, key, value, part.line, 0)
            self.field_level = part.level
            entry.as_headings = True
            entry.end = part.line
        elif entry is not None and inside:
            if self.field_level and part.level > self.field_level:
                self.text.extend(self.rows[part.line - 1 : part.body_line - 1])
            else:
                self._close()
            entry.end = part.body_line - 1
        else:
            self._finish()
            self.entry = None

    def _is_underlined_field(self, part: outline.Part) -> bool:
        """Take a paragraph that a rule right under it made a heading, which in a journal nobody means."""
        rows = self.rows[part.line - 1 : part.body_line - 2]
        if self.entry is None or not any(label(row)[0] for row in rows):
            return False
        for line, row in enumerate(rows, part.line):
            self._row(self.entry, line, row, label(row), 0)
        self._close()
        return True

    def _body(self, entry: Entry, part: outline.Part) -> None:
        above = part.body_line - 1
        tops: "dict[int, md.Block]" = {}  # first line to the block there that is in no list and no quote
        for block in part.blocks:
            if block.kind is md.FENCE:
                self.fenced.update(range(above + block.start, above + block.end + 1))
            if not (block.quoted or block.depth):
                tops[block.start] = block
        para_end = 0
        for n, row in enumerate(self.rows[above : above + part.body.count("\n") + 1], 1):
            top = tops.get(n)
            if top is not None and top.kind is md.RULE:
                self._close()
                continue
            found, width = ("", ""), 0
            if top is not None and top.kind is md.ITEM:
                found, width = label(row.lstrip(" \t")[len(top.number) + 1 :].strip(" \t")), top.level
            elif top is not None and top.kind is md.PARA:
                para_end = top.end
            if n <= para_end:
                found = label(row)
            if top is not None:
                self.width = 0
            self._row(entry, above + n, row, found, width)

    def _row(self, entry: Entry, line: int, row: str, found: "tuple[str, str]", width: int) -> None:
        """Take one row: it begins the field whose label was found in it, or goes on with the open one."""
        if row.strip(" \t"):
            entry.end = line
        if found[0]:
            self._open(entry, found[0], found[1], line, width)
        elif self.key:
            self.text.append(row[self.width :] if not row[: self.width].strip(" ") else row.strip(" \t"))

    def _open(self, entry: Entry, key: str, value: str, line: int, width: int) -> None:
        self._close()
        self.key, self.start, self.width, self.text = key, line, width, [value]
        entry.lines.setdefault(key, line)

    def _close(self) -> None:
        """The open field is over."""
        key, entry = self.key, self.entry
        self.key, self.field_level = "", 0
        if not key or entry is None:
            return
        value = "\n".join([row.rstrip(" \t\r") for row in self.text]).strip()
        alone = "\n" not in value
        for line, row in enumerate(self.text, self.start):
            if row and line not in self.fenced and is_stub(row, alone):
                entry.stubs.append(line)
        self.texts.setdefault(key, []).append(value)

    def _finish(self) -> None:
        """The open entry is over."""
        self._close()
        if self.entry is not None:
            self.entry.fields = {key: "\n".join(texts).strip() for key, texts in self.texts.items()}
        self.texts = {}


def label(text: str) -> "tuple[str, str]":
    """(key, text behind it) when a line begins with the label of a field; ("", "") for other text."""
    if text[:1].isdigit():
        text = naming.leading_number(text)[1]
    name = text if text[:1].isalpha() else naming.skip_symbols(text)
    if name[:1] not in ("V", "W", "D", "P", "v", "w", "d", "p"):
        return "", ""
    head = name[:32].lower().replace("’", "'")
    words, key = next((known for known in _READ_AS if head.startswith(known[0])), ("", ""))
    value = name[len(words) :].lstrip("]*_:")
    marks = name[len(words) : len(name) - len(value)]
    said = value.strip(" \t")
    if not key or ("]" in marks and value[:1] in ("(", "[")):  # a link is no label
        return "", ""
    if not said or "]" in marks or ":" in marks:
        return key, said
    if marks and said[0] in "—–-":
        return key, said[1:].strip(" \t")
    return "", ""


def _item(title: str) -> "tuple[str, str, str]":
    """(word, id, title) of an entry's heading such as "Task 2.1 — title"; ("", "", "") of another heading."""
    text = naming.skip_symbols(title.replace("**", "").replace("~~", ""))
    name, _, rest = text.partition(" ")
    word = name.lower()
    if word not in _WORDS:
        return "", "", ""
    rest = rest.lstrip(" #[`")
    end = 0
    numbered = rest[:1].isdigit()
    while end < len(rest) and rest[end].isascii():
        after = rest[end + 1 : end + 2]
        if not rest[end].isalnum() and not (
            rest[end] in "._-/" and after.isascii() and (after.isdigit() if numbered else after.isalnum())
        ):
            break
        end += 1
    found = rest[:end]
    rest = rest[end:].lstrip(" `]")
    # An id without a digit is one only as we write it: "Task list" is none.
    if not found or not (any(char.isdigit() for char in found) or (name == "Item" and rest[:1] == ":")):
        return "", "", ""
    if rest[:1] in (":", ".", ")", "—", "–", "-", "|", "·", "："):
        rest = rest[1:]
    return word, found, naming.strip_marks(rest)


def is_stub(text: str, alone: bool) -> bool:
    """Is a row nothing but a placeholder? When it is `alone` in its field, dots and `<word>` are one too."""
    bare = text.strip(" \t-*+_`.:!").lower()
    if bare in _STUBS or (alone and text.strip() in ("...", "…")):
        return True
    if len(bare) < 2 or bare[0] + bare[-1] not in ("()", "<>", "[]", "{}"):
        return False
    inside = bare.strip("()<>[]{} .…")
    if not inside:
        return "…" in bare or "..." in bare
    if inside in _STUBS or inside.startswith(_ASKS):
        return True
    return bare[0] == "<" and (alone or " " in inside) and not any(char in inside for char in "=\"'/:@<>")
