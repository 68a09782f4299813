"""One numbered thing in the post-mortem."""

from rld import naming

ACTIVE = "active"
CLOSED = "closed"
REPEALED = "repealed"

HEADING = "heading"  # the record is a heading and what stands below it
ITEM = "item"  # the record is a list item
ROW = "row"  # the record is a row of a table

_SYMPTOMS = ("ymptom", "roblem", "ymptôme", "íntoma", "intoma", "имптом", "症状", "现象", "증상")  # of labels


class Record:
    """One record. `line` to `end` are its lines in the file, from 1 (an `end` of 0 is found out when it is asked for); `body` is its text without heading or marker.

    `number` is as written ("2.1"), None where the file has none; `session` is what a per-session section adds to the id.
    Fields are read when somebody asks: a hook that prints titles never pays for them.
    """

    __slots__ = (
        "kind", "number", "title", "status", "form", "labelled", "line", "_end", "body", "session", "level", "_fields",
    )  # fmt: skip

    def __init__(self, kind: str, number: "str | None", title: str, line: int, end: int, body: str, form: str) -> None:
        self.kind = kind
        self.number = number
        self.title = title
        self.line = line
        self._end = end
        self.body = body
        self.form = form
        self.status = ACTIVE
        self.labelled = False  # the heading names the kind: the canonical form
        self.session = ""
        self.level = 0
        self._fields: "dict[str, str] | None" = None

    @property
    def id(self) -> str:
        if self.number is None:
            name = self.kind + "~" + naming.slug(self.title)
        else:
            name = self.kind + "-" + self.number
        return name + "@" + self.session if self.session else name

    @property
    def end(self) -> int:
        """The last line of the record that has text."""
        if not self._end:
            body = self.body.rstrip()
            self._end = self.line + 1 + body.count("\n") if body else self.line
        return self._end

    @end.setter
    def end(self, line: int) -> None:
        self._end = line

    @property
    def cite(self) -> str:
        """How people and comments call it: "Guardrail 4"."""
        kind = "Tech debt" if self.kind == naming.DEBT else self.kind.capitalize()
        return "%s %s" % (kind, self.number) if self.number else "%s “%s”" % (kind, self.title)

    @property
    def text(self) -> str:
        return self.body.strip()

    @property
    def fields(self) -> "dict[str, str]":
        if self._fields is None:
            self._fields = read_fields(self.body)
        return self._fields

    @fields.setter
    def fields(self, value: "dict[str, str]") -> None:
        self._fields = value

    @property
    def scope(self) -> "list[str]":
        if self._fields is None:
            # Scanning every record for its fields would be most of a hook's time.
            if "cope" not in self.body:
                return []
            value = _plain_field(self.body, "Scope")
            if value:
                return read_scope(value)
        return read_scope(self.fields.get("scope", ""))

    @property
    def symptom(self) -> str:
        """What a pitfall looks like when it happens; its title where it has no such field."""
        if self._fields is None and not any(word in self.body for word in _SYMPTOMS):
            return self.title
        plain = _plain_field(self.body, "Symptom") if self._fields is None else ""
        return plain or self.fields.get("symptom") or self.title

    @property
    def statement(self) -> str:
        """The first paragraph that is no field: what the record says."""
        rows: "list[str]" = []
        for row in self.body.split("\n"):
            bare = row.strip()
            if not bare:
                if rows:
                    break
                continue
            if bare[0] in "#|><" or bare.startswith(("- ", "* ", "+ ", "```", "~~~", "---")):
                if rows:
                    break
                if bare[1:2] == " " and bare[0] in "-*+" and not naming.is_field(bare[2:].strip()):
                    rows.append(bare[2:].strip())
                    continue
                return ""
            if naming.field_label(bare)[0]:
                break
            rows.append(bare)
        return " ".join(rows)

    def __repr__(self) -> str:
        return "Record(%s, line %d, %s)" % (self.id, self.line, self.status)


def _plain_field(body: str, label: str) -> str:
    """The value of a `- **Label:**` line where nothing around it could make it something else; otherwise ""."""
    mark = "\n- **%s:** " % label
    at = ("\n" + body).find(mark)
    if at < 0 or "\n```" in body or "~~~" in body or "<" in body:
        return ""
    end = body.find("\n", at)
    if end >= 0 and body[end + 1 : end + 2] == " ":
        return ""  # it goes on
    return body[at + len(mark) - 1 : end if end >= 0 else len(body)].strip()


def read_scope(value: str) -> "list[str]":
    """The globs of a Scope field: what stands in code marks, else what commas part."""
    if "`" in value:
        return [glob.strip() for glob in value.split("`")[1::2] if glob.strip()]
    return [glob.strip() for glob in value.replace("\n", ",").split(",") if glob.strip()]


def read_fields(body: str) -> "dict[str, str]":
    """The labelled fields of a record's text, key to value; the first of a key wins."""
    from rld import lines  # a hook that prints titles never needs it

    rows = lines.split(body)
    found: "dict[str, str]" = {}
    for block in lines.scan(rows):
        if block.quoted or block.depth or block.kind not in (lines.ITEM, lines.PARA):
            continue
        if block.kind is lines.ITEM:
            key, value = naming.field_label(block.text)
            if key:
                rest = [
                    row[block.level :].rstrip() if not row[: block.level].strip() else row.strip()
                    for row in rows[block.start : block.end]
                ]
                found.setdefault(key, "\n".join([value, *rest]).strip())
            continue
        key = ""
        for row in rows[block.start - 1 : block.end]:
            label, value = naming.field_label(row.strip())
            if label:
                key = label if label not in found else ""
                if key:
                    found[key] = value
            elif key:
                found[key] += "\n" + row.strip()
    return found
