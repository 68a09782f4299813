"""The entry point: the pointer on its first line, and journal entries that do not belong there.

Every edit keeps the characters it is not about: the file is the user's own configuration, and cleaning it too
well is the worst thing to do to it.
"""

from rld import entries, journal
from rld import lines as md

POST_MORTEM = "POST_MORTEM.md"
POINTER = (
    "👉 IMPORTANT: Before writing any new code, adding features, or refactoring, you MUST first read "
    "POST_MORTEM.md and strictly follow the architectural rules and Production Guardrails recorded there."
)
_HAND = "👉"
_READ_FIRST = frozenset(("before", "first", "always", "must"))
_MERE_NOTES = ("NOTE", "TODO", "FIXME")


def check(text: str, post_mortem: str = POST_MORTEM) -> "list[tuple[int, str, str]]":
    """What is wrong with an entry point, as (line, code, message). Takes any text; never raises."""
    found: "list[tuple[int, str, str]]" = []
    seen = _seen(text)
    line = _find(seen, post_mortem)
    if not line:
        what = "the first line does not name %s: `rld init` adds the pointer" % post_mortem
        found.append((1, "pointer-missing", what))
    elif line != _first(seen):
        what = "the pointer to %s must be the first line: `rld pointer --fix` moves it there" % post_mortem
        found.append((line, "pointer-not-first", what))
    for first, last in leaked(text):
        what = "lines %d-%d are journal entries: they belong in the worklog, not in what every session loads"
        found.append((first, "journal-in-entry-point", what % (first, last)))
    return found


def where(text: str, post_mortem: str = POST_MORTEM) -> "tuple[int, bool]":
    """The line of the pointer, 0 when there is none, and whether it is the first with something on it."""
    seen = _seen(text)
    line = _find(seen, post_mortem)
    return line, line > 0 and line == _first(seen)


def insert(text: str, post_mortem: str = POST_MORTEM) -> str:
    """The text with the pointer on its first line, behind a BOM or front matter, and a blank line below it.

    Nothing changes when a pointer is there, in whatever wording and wherever: never a second one.
    """
    if _find(_seen(text), post_mortem):
        return text
    return _with_first(text, POINTER.replace(POST_MORTEM, post_mortem))


def move_first(text: str, post_mortem: str = POST_MORTEM) -> str:
    """The text with a pointer that stands further down moved to the first line, in its own words."""
    seen = _seen(text)
    line = _find(seen, post_mortem)
    if line in (0, _first(seen)):
        return text
    return _with_first(_without(text, [(line, line)]), md.split(text)[line - 1].strip(" \t"))


def leaked(text: str) -> "list[tuple[int, int]]":
    """First and last lines of the ranges that are journal entries beyond doubt, in order.

    Only whole entries count, and without placeholders (those explain the form); what follows their last field
    does not. Entries with nothing but rules between them are one range.
    """
    found: "list[tuple[int, int]]" = []
    rows = md.split(text)
    for entry in journal.parse(text).entries:
        if entry.missing or entry.stubs:
            continue
        first, last = entry.line, _last_line(entry, rows)
        if found and not "".join(rows[found[-1][1] : first - 1]).strip(" \t-*_"):
            first = found.pop()[0]
        found.append((first, last))
    return found


def clean(text: str) -> str:
    """The text without the ranges that `leaked` names and the blank lines that parted them from the rest."""
    return _without(text, leaked(text))


def _seen(text: str) -> "list[str]":
    """The lines of a document, with what the agent is not shown blanked: BOM, front matter and comments."""
    rows = md.split(text)
    top = md.front_matter(rows)
    rows[:top] = [""] * top
    rows[0] = rows[0].lstrip("\ufeff")
    if "<!--" not in text:
        return rows
    for block in md.scan(rows):
        if block.kind is md.HTML and rows[block.start - 1].lstrip(" \t>-*+").startswith("<!--"):
            rest = _without_comments(rows[block.end - 1].partition("-->")[2])
            rows[block.start - 1 : block.end] = [""] * (block.end - block.start) + [rest]
        elif block.kind in (md.PARA, md.HEADING):
            for n in range(block.start - 1, block.end):
                rows[n] = _without_comments(rows[n])
    return rows


def _without_comments(row: str) -> str:
    kept = ""
    at = 0
    while True:
        opening = row.find("<!--", at)
        if opening < 0:
            return kept + row[at:]
        kept += row[at:opening]
        at = row.find("-->", opening) + 3
        if at < 3:
            return kept


def _first(seen: "list[str]") -> int:
    """The first line with something on it, from 1; 0 when there is none."""
    return next((n for n, row in enumerate(seen, 1) if row.strip()), 0)


def _find(seen: "list[str]", post_mortem: str) -> int:
    """The line of the pointer; 0 when there is none.

    On the first line any mention will do. Further down it must look like a pointer, since a list of files or
    a sentence about the method may name the post-mortem too.
    """
    name = post_mortem.replace("\\", "/").rpartition("/")[2].lower()
    first = _first(seen)
    if first and _names(seen[first - 1], name):
        return first
    if not any(_names(row, name) for row in seen):
        return 0
    for block in md.scan(seen):
        if block.kind not in (md.PARA, md.HEADING):
            continue
        alone = block.start == block.end and block.kind is md.PARA and not block.depth
        for line in range(block.start, block.end + 1):
            row = seen[line - 1]
            if _names(row, name) and (_HAND in row or (alone and _demands(row, name))):
                return line
    return 0


def _names(row: str, name: str) -> bool:
    """Does the line name the file, not another one whose name ends or begins the same?"""
    text = row.replace("\\_", "_").lower()
    at = text.find(name)
    while at >= 0:
        before, after = text[max(at - 1, 0) : at], text[at + len(name) : at + len(name) + 1]
        if not _is_name_char(before) and not (after.isascii() and after.isalnum()):
            return True
        at = text.find(name, at + 1)
    return False


def _is_name_char(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char in ("_", "-", "."))


def _demands(row: str, name: str) -> bool:
    """Does a line that names the post-mortem say that it must be read? A guess: it may be in any language."""
    rest = row.replace("\\_", "_").lower().replace(name, "")
    if rest == rest.upper() and any(char.isalpha() for char in rest):
        return True  # a script without capitals: Chinese, Japanese, Arabic
    lead = (row.strip(" >*_#`") + " ").partition(" ")[0]
    shout = lead.rstrip("*_:!")
    if len(shout) >= 4 and shout.isalpha() and shout.isupper() and shout != lead and shout not in _MERE_NOTES:
        return True
    words = {word.strip("*_`.,:;!()\"'") for word in rest.split()}
    return "read" in words and not words.isdisjoint(_READ_FIRST)


def _with_first(text: str, line: str) -> str:
    """The text with a line put first: behind the BOM and the front matter, in the text's own line ends."""
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    rows = text.split("\n")
    top = md.front_matter(rows)
    if top:
        above = "\n".join(rows[:top]) + ("\n" if top < len(rows) else end)
        rest = "\n".join(rows[top:])
    else:
        above = "\ufeff" if text.startswith("\ufeff") else ""
        rest = text[len(above) :]
    below = rest.partition("\n")[0].strip(" \t\r")
    return above + line + end + (end if below else "") + rest


def _without(text: str, ranges: "list[tuple[int, int]]") -> str:
    """The text without some ranges of lines, and without the blank lines that would be left twice."""
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    rows = text[len(bom) :].split("\n")
    kept: "list[str]" = []
    at = 0
    for first, last in ranges:
        kept.extend(rows[at : first - 1])
        at = last
        if not kept or not _is_text(kept[-1]):
            while at < len(rows) and not _is_text(rows[at]):
                at += 1
    if at == len(rows):
        while kept and not _is_text(kept[-1]):
            kept.pop()
        kept.append("")
    return bom + "\n".join(kept + rows[at:])


def _is_text(row: str) -> bool:
    return bool(row.strip(" \t\r"))


def _last_line(entry: journal.Entry, rows: "list[str]") -> int:
    """The line up to which an entry goes beyond doubt: where its last label's own block or list ends."""
    start = max(entry.lines.values())
    blocks = [block for block in md.scan(rows[start - 1 : entry.end]) if not (block.depth or block.quoted)]
    head = blocks[0]
    row = rows[start - 1].lstrip(" \t")[len(head.number) + 1 if head.kind is md.ITEM else 0 :]
    says = head.end > 1 or bool(entries.label(row.strip(" \t#"))[1])
    end = head.end
    taken = ""  # the kind of block that a bare label leads
    for block in blocks[1:]:
        if block.kind in (md.RULE, md.HEADING) or (block.number and head.number):
            break
        if not says:
            says, taken = True, block.kind
        elif block.start > end + 1 and not (block.kind is taken is md.ITEM):
            break
        end = max(end, block.end)
    return start - 1 + end
