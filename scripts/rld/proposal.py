"""A proposal: candidate changes to the post-mortem that wait for a human. Read leniently, written in one form.

Candidates are sections "## 2. add guardrail: Title", "amend guardrail-4: New title", "merge guardrail-2, guardrail-9:
Title" or "repeal guardrail-7" with the record's text below.
"""

from __future__ import annotations

import re

from rld import conflict, header, naming, outline
from rld import lines as md
from rld.record import HEADING, Record

ADD = "add"
AMEND = "amend"
MERGE = "merge"
REPEAL = "repeal"
VERBS = (ADD, AMEND, MERGE, REPEAL)
KEYS = ("journal", "session", "date", "tag", "title", "summary")
_UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")  # its byte order marks, read as UTF-8
_MERGE = "an unresolved merge: decide between the two sides and delete the marker lines"
FORM = "`add guardrail: Title`, `amend guardrail-4: Title`, `merge guardrail-2, guardrail-9: Title` or `repeal debt-7`"

_KIND = r"(guardrail|pitfall|decision|(?:tech(?:nical)?[ -])?debt)s?"
_NEW = re.compile(
    r"(?:(?:an?|new|the|production|architectural)\s+)*" + _KIND + r"\b(?:[ -]*#?\d+(?:\.\d+)*\b)?\s*[:.)—–-]*\s*", re.I
)
_ID = re.compile(_KIND + r"(?:[ -]*#?(\d+(?:\.\d+)*)(@[\w-]+)?|~([\w-]+(?:@[\w-]+)?))", re.I)
_RANGE = re.compile(r"[-–]#?\d")
_NUMBER = re.compile(r"#?(\d+(?:\.\d+)*)(@[\w-]+)?")
_AND = re.compile(r"\s*(?:,|&|\+|/|\b(?:and|with|into)\b)\s*((?:and|with|into)\s+)?", re.I)
_LEAD = re.compile(r"(?:candidate\s*)?(?:#?(\d{1,9})[.):]*(?:\s*[—–-])?\s*)?", re.I)
_VERB = re.compile(r"(add|amend|merge|repeal)\b[\]`*_:]*(?:\s*[—–-])?\s*", re.I)

_SIGNS = re.compile(r"^(?:[\s:—–]|-(?=\s))+")  # what parts a title from its label; "--flag" begins one


class Candidate:
    """One proposed change. `targets` are the ids of the records it is about, none for `add`; `line` is its heading's,
    `first` its text's first line, both in the text it was read from; `number` is what a human decides by."""

    def __init__(self, verb: str, kind: str, targets: list[str], title: str) -> None:
        self.verb = verb
        self.kind = kind
        self.targets = targets
        self.title = title
        self.body = ""
        self.number = 0
        self.line = 0
        self.first = 0

    @property
    def record(self) -> Record:
        """The record as it would stand in the file, without a number."""
        return Record(self.kind, None, naming.strip_marks(self.title), self.line, self.line, self.body, HEADING)

    @property
    def fields(self) -> dict[str, str]:
        return self.record.fields

    @property
    def evidence(self) -> str:
        return self.fields.get("evidence", "")

    @property
    def heading(self) -> str:
        """The candidate in one line: "amend guardrail-4: New title"."""
        about = self.kind if self.verb == ADD else ", ".join(self.targets)
        return "%s %s%s" % (self.verb, about, ": " + self.title if self.title else "")

    def line_of(self, row: int) -> int:
        """The line of a row of the body, counted from 0."""
        return self.first + row if self.first else 0


class Proposal:
    """`problems` as (line, code, message): what could not be read."""

    def __init__(self) -> None:
        self.meta: dict[str, str] = {}
        self.candidates: list[Candidate] = []
        self.problems: list[tuple[int, str, str]] = []

    def find(self, number: int) -> Candidate | None:
        return next((c for c in self.candidates if c.number == number), None)


def parse(text: str) -> Proposal:
    """Read a proposal, also one inside a Markdown fence, with prose around it or with numbered headings."""
    rows = md.split(text.removeprefix("\ufeff"))
    unread = [
        (line, "conflict-marker", _MERGE) for line in (conflict.blank_markers(rows) if "<<<<<<< " in text else ())
    ]
    if text.startswith(_UTF_16):
        unread.append((1, "not-text", "is not UTF-8 but UTF-16: save it as UTF-8"))
    rows = _unwrapped(rows)
    blank = next((n for n, row in enumerate(rows) if row.strip()), 0)
    found = Proposal()
    found.problems = unread
    meta, size = header.read(rows[blank:])
    rows[: blank + size] = [""] * (blank + size)
    parts = [part for part in outline.cut("\n".join(rows)) if part.level]
    read = [(part, *_heading(part.title)) for part in parts]
    level = next((part.level for part, candidate, _, _ in read if candidate), 0)
    first = next((part.line for part, candidate, _, _ in read if candidate), len(rows) + 1)
    found.meta = {key: value for key, value in (meta or _bare_meta(rows[: first - 1])).items() if key in KEYS}
    numbers = []
    ends = [part.line - 1 for part in parts[1:]] + [len(rows)]
    taking = None
    for (part, candidate, number, wrong), end in zip(read, ends):
        if candidate is not None:
            taking = candidate
            candidate.line, candidate.first = part.line, part.body_line
            found.candidates.append(candidate)
            numbers.append(number)
            taking.body = "\n".join(rows[part.body_line - 1 : end])
        elif wrong and (part.level <= level or not level):
            found.problems.append((part.line, "unknown-candidate", wrong))
            taking = None
        elif taking is not None and part.level > level:
            taking.body += "\n" + "\n".join(rows[part.line - 1 : end])
        elif taking is not None or (part.level == level and found.candidates):
            taking = None
            if part.level == level:
                wrong = "“%s” is no candidate: begin its heading with %s" % (part.title, FORM)
                found.problems.append((part.line, "unknown-candidate", wrong))
    named = all(numbers) and len(set(numbers)) == len(numbers)
    for place, candidate in enumerate(found.candidates):
        candidate.number = numbers[place] if named else place + 1
        candidate.first += _leading_blanks(candidate.body)
        candidate.body = _trimmed(candidate.body)
    if not found.candidates and not found.problems:
        found.problems.append((1, "no-candidates", "no candidate in it: a section each, its heading %s" % FORM))
    return found


def _unwrapped(rows: list[str]) -> list[str]:
    """The rows without the fence that models like to put around Markdown, and without the prose around that fence."""
    filled = [n for n, row in enumerate(rows) if row.strip()]
    if filled and _opens_markdown(rows[filled[0]]) and rows[filled[-1]].strip() == rows[filled[0]].strip()[:3]:
        # A fence inside would end it for a Markdown reader, but nobody means that.
        return ["" if n in (filled[0], filled[-1]) else row for n, row in enumerate(rows)]
    blocks = md.scan(rows, md.front_matter(rows))
    if any(b.kind is md.HEADING and _heading(b.text)[0] for b in blocks):
        return rows
    kept: set[int] = set()
    for block in blocks:
        inside = rows[block.start : block.end - 1]
        if block.kind is md.FENCE and any(row.startswith("#") and _heading(row.strip("# "))[0] for row in inside):
            kept.update(range(block.start, block.end - 1))
    return [row if n in kept else "" for n, row in enumerate(rows)] if kept else rows


def _opens_markdown(row: str) -> bool:
    return row.strip().lower() in ("```markdown", "```md", "~~~markdown", "~~~md")


def _bare_meta(rows: list[str]) -> dict[str, str]:
    """Front matter whose fences were forgotten."""
    pairs = [row.partition(":") for row in rows]
    return {key.strip().lower(): value.strip() for key, colon, value in pairs if colon and value.strip()}


def _leading_blanks(body: str) -> int:
    rows = body.split("\n")
    return next((n for n, row in enumerate(rows) if row.strip()), 0)


def _trimmed(body: str) -> str:
    """Without blank lines around it and without the rules that part it from the next section."""
    rows = body.split("\n")
    while rows and (not rows[-1].strip() or is_rule(rows[-1])):
        rows.pop()
    return "\n".join(rows[_leading_blanks(body) :])


def is_rule(row: str) -> bool:
    """Is it a thematic break?"""
    bare = row.strip().replace(" ", "")
    return len(bare) >= 3 and bare[0] in "-*_" and not bare.strip(bare[0])


def _heading(title: str) -> tuple[Candidate | None, int, str]:
    """(candidate, its number or 0, what is wrong) of a heading; (None, 0, "") of one that is about something else."""
    text = naming.skip_symbols(title.replace("**", "", 2) if title.startswith("**") else title).lstrip("`")
    lead = _LEAD.match(text)
    assert lead is not None
    number = int(lead[1] or 0)
    text = naming.skip_symbols(text[lead.end() :]).lstrip("`")
    verb = _VERB.match(text)
    if verb is None:
        return None, 0, ""
    rest = text[verb.end() :].lstrip("`*_")
    name = verb[1].lower()
    if name == ADD:
        new = _NEW.match(rest)
        if new is None:
            return None, 0, "add what? The kinds are %s: `add guardrail: Title`" % ", ".join(naming.KINDS)
        return Candidate(name, _kind(new[1]), [], _title(rest[new.end() :])), number, ""
    targets, rest = _targets(rest)
    if not targets:
        return None, 0, "%s what? Name the record: %s" % (name, FORM)
    if _RANGE.match(rest):
        return None, 0, "%s%s: a range names no records; name each of them, as in `%s guardrail-4, guardrail-7`" % (
            targets[-1], rest.split()[0], name
        )  # fmt: skip
    return Candidate(name, targets[0].partition("-")[0].partition("~")[0], targets, _title(rest)), number, ""


def ids(text: str) -> list[str]:
    """The ids in a text such as "guardrail-4 Pitfall 12"; a number without a kind stays a number."""
    found = []
    at = 0
    while at < len(text):
        named = _ID.match(text, at) or _NUMBER.match(text, at)
        if named is None:
            at += 1
            continue
        found.append(_targets(named[0])[0][0] if named.re is _ID else named[0].lstrip("#"))
        at = named.end()
    return found


def _targets(text: str) -> tuple[list[str], str]:
    """The ids that a text begins with, and the text behind them. "9 into 2" puts 2 first: its number is kept."""
    targets: list[str] = []
    kind = ""
    into = False
    while True:
        found = _ID.match(text)
        if found is not None:
            kind = _kind(found[1])
            name = "%s~%s" % (kind, found[4]) if found[4] else "%s-%s%s" % (kind, found[2], found[3] or "")
        else:
            found = _NUMBER.match(text) if kind else None
            if found is None:
                return targets, text
            name = "%s-%s%s" % (kind, found[1], found[2] or "")
        if name.lower() not in targets:
            targets.insert(0 if into else len(targets), name.lower())
        text = text[found.end() :].lstrip("`*_")
        also = _AND.match(text)
        if also is None or not (_ID.match(text, also.end()) or _NUMBER.match(text, also.end())):
            return targets, text
        into = "into" in also[0].lower()
        text = text[also.end() :].lstrip("`*_")


def _kind(word: str) -> str:
    return naming.DEBT if word.lower().endswith("debt") else word.lower()


def _title(text: str) -> str:
    if text.count("**") % 2:  # the mark that closes a bold "add guardrail:"
        text = text.replace("**", "", 1)
    if text.count("`") % 2:  # and the one that closes a "`add guardrail`:" or the whole heading
        begin, _, end = text.partition("`") if text.startswith("`") else text.rpartition("`")
        text = begin + end
    text = " ".join(_SIGNS.sub("", text.rstrip(" :—–-\t"), 1).split())
    while text.endswith("#") and text.rstrip("#")[-1:] in ("", " "):  # marks that close a heading are not read back
        text = text.rstrip("#").rstrip(" :—–-")
    return text


def render(proposal: Proposal) -> str:
    """The proposal as it is stored; `parse` gives the same candidates back."""
    made = ["---"]
    made += ["%s: %s" % (key, header.scalar(proposal.meta[key])) for key in KEYS if proposal.meta.get(key)]
    made += ["---", "# Proposal", ""]
    made.append("Candidates for the post-mortem. Nothing of this is in force before a human said yes: `rld review`.")
    for candidate in proposal.candidates:
        made += ["", "## %d. %s" % (candidate.number, candidate.heading)]
        made += ["", candidate.body] if candidate.body else []
    return "\n".join(made) + "\n"
