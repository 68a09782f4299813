"""The post-mortem as it is read: every form that people's files have, none of them rewritten."""

from rld import naming, outline, record, sectioning
from rld.record import Record

_PLACES = 8  # how many lines of the same number a message names


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
    if "<<<<<<< " in text:
        # A line of equals signs would turn the paragraph above it into a heading and close its section.
        from rld import conflict

        rows = text.split("\n")
        markers = conflict.blank_markers(rows)
        text = "\n".join(rows)
    found.parts = outline.cut(text)
    _Reader(found).read()
    for line in markers:
        found.problems.append(
            (line, "conflict-marker", "an unresolved merge: decide between the two sides and delete the marker lines")
        )
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        found.problems.append((line, "not-text", "a NUL character: is it UTF-16? Save the file as UTF-8"))
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
            # Spelled as we do, and not "Guardrail 4 – x"?
            at = len(kind) + 1 + len(number)
            ours = title.startswith(":", at) or _plain(title).startswith(":", at) or not ("—" in title or "–" in title)
            self._add_heading(part, kind, number, rest, closed, ours)
            return
        around = self._kind() or (naming.PITFALL if title.startswith("Lesson ") else "")
        number, rest = naming.leading_number(_plain(title))
        if around in naming.KINDS and number and ("." in number or not sectioning.section(title)):
            self._add_heading(part, around, number, rest, closed, False)
            return
        section = sectioning.section(title, 0 if around else part.level)
        if section:
            self.above.append((part.level, section))
        elif around not in naming.KINDS and sectioning.is_session(title):
            self._enter_session(part.level, title)
            self.above.append((part.level, ""))
        elif around == naming.PITFALL and naming.bare(title).lower().startswith(sectioning.ASIDES):
            self.above.append((part.level, ""))
        elif around in naming.KINDS and _may_be_record(part):
            self._add_heading(part, around, None, naming.unstruck(title) if closed else title, closed, False)
            return
        else:
            self.above.append((part.level, around))
        if self._kind() in (*naming.KINDS, naming.REPEALED) and part.body:
            from rld import listed  # a file in canonical form rarely comes here

            listed.read(part, self._kind(), self.session, self.found.records)

    def _label(self, title: str) -> "tuple[str, str, str, bool]":
        if title[:1].isalnum() and "~~" not in title:
            kind, number, rest = naming.record_label(title)
            return kind, number, rest, False
        closed = title.lstrip("*_ ").startswith("~~") or naming.skip_symbols(title).startswith("~~")
        kind, number, rest = naming.record_label(_plain(title))
        return kind, number, rest, closed

    def _enter_session(self, level: int, title: str) -> None:
        name = naming.session_date(title) or naming.slug(title, 40)
        count = self.dates[name] = self.dates.get(name, 0) + 1
        self.session = name if count == 1 else "%s-%d" % (name, count)
        self.session_level = level

    def _add_heading(
        self, part: outline.Part, kind: str, number: "str | None", title: str, closed: bool, labelled: bool
    ) -> None:
        made = Record(kind, number, naming.strip_marks(title), part.line, 0, part.body, record.HEADING)
        if part.body_line != part.line + 1:
            made.end = _end(part)  # an underlined heading
        made.labelled = labelled
        made.level = part.level
        made.session = self.session
        if closed:
            made.status = record.CLOSED
        self.found.records.append(made)
        self.open = made
        self.open_body = [part.body]

    def _close(self) -> None:
        if self.open is not None and len(self.open_body) > 1:
            self.open.body = "\n".join(self.open_body)
        self.open = None


def _plain(title: str) -> str:
    """A heading from its first word on, without the marks around words."""
    return naming.skip_symbols(naming.unstruck(title).replace("**", ""))


def _may_be_record(part: outline.Part) -> bool:
    if "MUST" not in part.body and "FORBIDDEN" not in part.body and "**" not in part.body:
        return False
    from rld import listed

    return listed.is_record(part)


def _end(part: outline.Part) -> int:
    """The last line of a part that has text; an underline belongs to its heading."""
    body = part.body.rstrip()
    return part.body_line + body.count("\n") if body else part.body_line - 1


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
            # Not all of them: as many messages that each name every place would fill the memory.
            where = ", ".join([str(entry.line) for entry in same[:_PLACES]])
            where += " and %d more" % (len(same) - _PLACES) if len(same) > _PLACES else ""
            gone = next((entry.line for entry in same if entry.status == record.REPEALED), 0)
            way_out = (
                "line %d says it is repealed: delete one of them" % gone if gone else "give the newer one a free number"
            )
            for entry in same:
                what = "%s stands at lines %s: %s" % (entry.cite, where, way_out)
                found.problems.append((entry.line, "duplicate-number", what))
