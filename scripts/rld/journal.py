"""The journal of a run: what it says, what is wrong with it, and the text to add to it."""

from rld import conflict, entries, header, naming, outline
from rld import lines as md
from rld.entries import FIELDS, LABELS, Entry

__all__ = ["FIELDS", "LABELS", "Entry", "Journal", "check", "done", "parse"]
__all__ += ["render_entry", "render_new", "set_status"]

_INDENT = "   "  # the width of "1. ": a row so far in belongs to the field, whatever it looks like
_BLOCKS = ("- ", "* ", "+ ", "1. ", "```", "~~~", "|", ">")  # what would not be itself behind a label
_MARKS = " \t\r-*_#`~=>|+<"
_STATUSES = "            # open | complete | distilled | abandoned"
_PLAN_WORDS = frozenset(("plan", "план"))


class Journal:
    """A journal that was read.

    `meta`: its front matter, or only the `plan` that its text names; `canonical`: it has front matter;
    `problems` as (line, code, message): what reading alone showed, `check` gives all.
    """

    __slots__ = ("meta", "title", "entries", "problems", "canonical")

    def __init__(self) -> None:
        self.meta: "dict[str, str]" = {}
        self.title = ""
        self.entries: "list[Entry]" = []
        self.problems: "list[tuple[int, str, str]]" = []
        self.canonical = False


def parse(text: str) -> Journal:
    """Read a journal. Takes any text, with any line ends; never raises; linear."""
    rows = md.split(text)
    found = Journal()
    if "<<<<<<< " in text:
        for line in conflict.blank_markers(rows):
            what = "an unresolved merge: both sides may hold entries; keep them and delete the marker lines"
            found.problems.append((line, "conflict-marker", what))
    found.meta, size = header.read(rows)
    found.canonical = size > 0
    rows[:size] = [""] * size
    if rows[0].startswith("\ufeff"):
        rows[0] = rows[0][1:]
    unfinished = rows[-1] != ""
    if unfinished and not rows[-1].strip(_MARKS):
        rows[-1] = ""  # the first marks of a rule, a heading or a fence say nothing yet
    parts = outline.cut("\n".join(rows))
    found.title = next((_journal_title(part.title) for part in parts if part.level == 1), "")
    reader = entries.Reader(rows)
    reader.read(parts)
    found.entries = reader.entries
    if not found.canonical:
        plan = _named_plan(parts, found.entries[0].line if found.entries else len(rows) + 1)
        if plan:
            found.meta["plan"] = plan
    if reader.entry is not None and unfinished:
        reader.entry.torn = _is_torn(reader.entry, found.canonical)
    return found


def _journal_title(heading: str) -> str:
    title = naming.strip_marks(heading)
    return title[8:].strip() if title[:8].lower() == "journal:" else title


def _named_plan(parts: "list[outline.Part]", before: int) -> str:
    """The path that a line such as "**Plan:** `docs/plans/x.md`" above the entries gives, or ""."""
    for part in parts:
        if part.line >= before:
            break
        rows = part.body.split("\n") if "`" in part.body else []
        for block in part.blocks if rows else ():
            if block.quoted or block.kind not in (md.PARA, md.ITEM):
                continue
            for row in rows[block.start - 1 : block.end if block.kind is md.PARA else block.start]:
                label, _, value = row.replace("：", ":").partition(":")
                path = value.partition("`")[2].partition("`")[0].strip()
                words = [word.strip("*_") for word in label.lower().split()]
                if path.endswith(".md") and not _PLAN_WORDS.isdisjoint(words):
                    return path
    return ""


def _is_torn(last: Entry, canonical: bool) -> bool:
    """Does the last entry of a file without a final line end lack what would have been written next?"""
    missing = last.missing
    if not missing or last.as_headings or not (canonical or last.lines):
        return False
    return missing == list(FIELDS[-len(missing) :])


def check(journal: Journal) -> "list[tuple[int, str, str]]":
    """What is wrong with a journal, as (line, code, message) in the order of the lines.

    Entries whose labels are headings and files without front matter are not in our form: they only hear what
    is torn.
    """
    found = list(journal.problems)
    for entry in journal.entries:
        missing = ", ".join("[%s]" % LABELS[key] for key in entry.missing)
        if entry.torn:
            what = "the entry of item %s was cut off in mid-write, without %s: complete it or delete it"
            found.append((entry.line, "torn-entry", what % (entry.item, missing)))
        if not journal.canonical or entry.as_headings:
            continue
        if missing and not entry.torn:
            what = "the entry of item %s has no %s"
            found.append((entry.line, "missing-field", what % (entry.item, missing)))
        for line in entry.stubs:
            what = "a placeholder in the entry of item %s: say what happened, or “none”"
            found.append((line, "placeholder", what % entry.item))
    found.sort(key=lambda problem: problem[0])
    return found


def done(journal: Journal) -> "list[str]":
    """The ids of the items that have a whole entry, in the order of the journal, each once."""
    return list(dict.fromkeys(entry.item for entry in journal.entries if not entry.missing))


def render_entry(item: str, title: str, fields: "dict[str, str]") -> str:
    """The text of an entry, from its heading to one final line end; `parse` gives the same fields back.

    Every row of a field is indented into its list item, so that nothing in it can be taken for an entry, a
    label or a fence of the journal. White space at the ends of fields and rows goes.
    """
    made = [("### Item %s: %s" % (item, " ".join(title.split()))).rstrip(" ")]
    for number, key in enumerate(FIELDS, 1):
        rows = md.split(fields.get(key, "").strip())
        if len(rows) > 1 and rows[0].startswith(_BLOCKS):
            rows.insert(0, "")
        made.append(("%d. [%s] %s" % (number, LABELS[key], rows[0].rstrip(" \t\r"))).rstrip(" "))
        made.extend((_INDENT + row).rstrip(" \t\r") for row in rows[1:])
    return "\n".join(made) + "\n"


def render_new(plan: str, verify: str, tag: str, started: str, title: str) -> str:
    """The text of a journal without entries; values are quoted where YAML needs it, empty ones left out."""
    values = [("plan", plan), ("verify", verify), ("tag", tag)]
    made = ["%s: %s\n" % (name, header.scalar(value)) for name, value in values if value]
    made.append("status: open%s\nstarted: %s\n" % (_STATUSES, header.scalar(started)))
    return "---\n%s---\n# Journal: %s\n" % ("".join(made), " ".join(title.split()))


def set_status(text: str, status: str) -> str:
    """The journal with another status in its front matter; every other character is kept, line ends too.

    A missing line is added, and front matter where there is none.
    """
    return header.with_value(text, "status", status)
