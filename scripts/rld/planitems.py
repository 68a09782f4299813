"""Which headings, list items and table rows of a plan are its items."""

from rld import lines, naming
from rld.itemrefs import CODES, NO_ITEMS, WORDS, Names, code_end, number_end

_BOXES = frozenset(" xX-~/>!*✓✔✅")
_ID_COLUMNS = ("#", "id", "no", "no.", "nr", "nr.", "№", "step", "task", "item", "unit", "wp", "step #", "task #", "item #", "task id")
_SAYS = ("requires ", "depends on ", "blocked by ", "depends: ", ">", "→")
_TITLE_COLUMNS = ("title", "description", "what", "name", "task", "step", "item", "summary", "work", "unit")


class Found:
    """Something that may be an item. `kind`: "item", "task", "unit", "step" or "wp" (the word before its number),
    "code" (T001), "other" (a code that is no task's by itself), "number", or "box" (a check box without an id).
    `block`: the place of its block; `level`: of a heading."""

    __slots__ = ("id", "title", "line", "kind", "block", "level", "row")

    def __init__(self, name: str, title: str, line: int, kind: str, block: int) -> None:
        self.id = name
        self.title = title
        self.line = line
        self.kind = kind
        self.block = block
        self.level = 0
        self.row: "Columns | None" = None


class Columns:
    """Where a table has its items' ids, titles, dependencies and marks for quick wins; -1 for nowhere."""

    __slots__ = ("ids", "titles", "parents", "quick")

    def __init__(self, header: "list[str]") -> None:
        heads = [naming.strip_marks(cell).lower().strip(" :") for cell in header]
        self.ids = _column(heads, lambda head: head in _ID_COLUMNS[:7])
        if self.ids < 0:
            self.ids = _column(heads, lambda head: head in _ID_COLUMNS)
        self.parents = _column(heads, _names_parents)
        self.quick = _column(heads, lambda head: head.rstrip("s?") == "quick win")
        self.titles = -1
        for wanted in (lambda head: head in _TITLE_COLUMNS, lambda head: True):
            if self.titles < 0:
                rest = [head if n not in (self.ids, self.parents, self.quick) else None for n, head in enumerate(heads)]
                self.titles = _column(rest, wanted)


def _column(heads, wanted) -> int:  # type: ignore[no-untyped-def]
    return next((n for n, head in enumerate(heads) if head is not None and wanted(head)), -1)


def _names_parents(head: str) -> bool:
    if "dependent" in head and "dependent on" not in head:
        return False
    return "depend" in head or "deps" in head or "blocked by" in head or "requires" in head or "prerequisite" in head


def cell(row: lines.Block, column: int) -> str:
    """A row's cell, "" where it has none."""
    return row.cells[column] if 0 <= column < len(row.cells) else ""


def unbox(text: str) -> "tuple[bool, str]":
    """(is it a check box, the text behind it) of a list item. Kiro marks optional tasks "[ ]*"."""
    if len(text) > 2 and text[0] == "[" and text[2] == "]" and text[1] in _BOXES:
        rest = text[4:] if text[3:4] == "*" else text[3:]
        if rest[:1] in ("", " "):
            return True, rest.strip(" ")
    return False, text


def head(text: str) -> "tuple[str, str, int] | None":
    """(id, kind, where it ends) of a text that begins with an id, whatever marks stand before it; None without one."""
    at = 0
    while at < min(len(text), 12) and not text[at].isalnum():
        at += 1
    letters, end = code_end(text, at)
    if end > at:
        name = text[at:end]
        tail = number_end(text, end + 1) if text[end : end + 1] == "-" else 0
        if tail > end + 1:  # T0-2
            name, end = text[at:tail], tail
        prefix = text[at:letters].replace("-", "").lower()
        kind = "code" if prefix in CODES else "" if prefix in NO_ITEMS else "other"
        return (name, kind, end) if kind and not _goes_on(text, end) else None
    word = at
    while word < min(len(text), at + 5) and text[word].isalpha():
        word += 1
    kind = text[at:word].lower()
    if kind in WORDS:
        start = word
        while start < word + 2 and text[start : start + 1] in (" ", "#", "-", "\xa0"):
            start += 1
        end = code_end(text, start)[1] if start > word else start
        if end == start:
            end = number_end(text, start)
        return (text[start:end], kind, end) if end > start and not _goes_on(text, end) else None
    end = number_end(text, at)
    if end == at or _goes_on(text, end):
        return None
    return text[at:end], "number", end


def _goes_on(text: str, end: int) -> bool:
    """Is the id the start of a range: "Tasks 1-3", "T002–T007"?"""
    mark = text[end : end + 1]
    after = text[end + 1 : end + 2]
    return mark in ("-", "–", "—") and after.isalnum() and (after.isdigit() or code_end(text, end + 1)[1] > end + 1)


def _title(text: str, end: int, is_line: bool) -> str:
    """What follows the id; of a line its bold lead, else its first sentence. Tags such as [P] and (P) go."""
    rest = text[end:].lstrip(" .:)-–—：、|]")
    bold = text[:end].rstrip("[").rpartition("**")[1] and not rest.startswith("**")
    rest = rest.lstrip("*_ ")
    while rest[:1] in ("[", "("):
        close = rest.find("]" if rest[0] == "[" else ")", 0, 14)
        if close < 0 or rest[close + 1 : close + 2] == "(" or not rest[1:close].replace(",", "").isalnum() or not rest[1:2].isupper():
            break
        rest = rest[close + 1 :].lstrip(" *:-–—")
    rest = rest[:1000]
    if bold and "**" in rest:
        return naming.strip_marks(rest[: rest.index("**")]).rstrip(".:")
    return naming.title_of(rest) if is_line else naming.strip_marks(rest)


def _candidates(blocks: "list[lines.Block]") -> "dict[str, list[Found]]":
    """Everything that looks like an item, by form."""
    forms: "dict[str, list[Found]]" = {"heading": [], "boxed": [], "listed": [], "row": [], "numbered": [], "box": []}
    columns: "Columns | None" = None
    for n, block in enumerate(blocks):
        if block.quoted:
            continue
        if block.kind is lines.HEADING:
            found = _found(block.text, block.start, n, False)
            if found:
                found.level = block.level
                if found.kind == "number":
                    forms["numbered"].append(found)
                elif found.kind != "other":
                    forms["heading"].append(found)
        elif block.kind is lines.ITEM:
            boxed, text = unbox(block.text)
            found = _found(text, block.start, n, True)
            if found and (boxed or found.kind not in ("number", "other")):
                forms["boxed" if boxed else "listed"].append(found)
            elif boxed and not block.depth:
                forms["box"].append(Found("", naming.title_of(text[:1000]), block.start, "box", n))
        elif block.kind is lines.ROW:
            if not block.level:
                columns = Columns(block.cells)
            elif columns and columns.ids >= 0 and columns.parents >= 0:
                found = _row(block, columns, n)
                if found:
                    forms["row"].append(found)
    return forms


def _found(text: str, line: int, n: int, is_line: bool) -> "Found | None":
    known = head(text)
    if known is None:
        return None
    name, kind, end = known
    after = text[end : end + 1]
    separated = after in ("", ".", ":", ")", "：", "]", "*", "、") or text[end : end + 3] in (" - ", " – ", " — ")
    if kind == "number" and not separated and not ("." in name and (after == " " or not after.isascii())):
        return None  # "3 reviewers agree"
    if kind == "other" and not separated:
        return None
    return Found(name, _title(text, end, is_line), line, kind, n)


def _row(block: lines.Block, columns: Columns, n: int) -> "Found | None":
    text = cell(block, columns.ids)
    known = head(text)
    if known is None:
        return None
    name, kind, end = known
    title = _title(text, end, True) if text[end:].strip(" *_`.:)]") and "](" not in text else ""
    found = Found(name, title or naming.title_of(cell(block, columns.titles)[:1000]), block.start, kind, n)
    found.row = columns
    return found


def find(blocks: "list[lines.Block]", has_dependencies: bool) -> "tuple[list[Found], Names]":
    """The items of a plan in its order, and the names for them. [] when nothing in it is an item.

    A plan has its items in one form; what looks like an item in another is a step inside one or a mention of it.
    `has_dependencies`: there are dependency lines, so that headings that are merely numbered count too.
    """
    forms = _candidates(blocks)
    steps = {form: [one for one in found if one.kind == "step"] for form, found in forms.items()}
    tasks = {form: [one for one in found if one.kind != "step"] for form, found in forms.items()}
    boxed = _outermost(blocks, tasks["boxed"])
    items = tasks["heading"]
    if not items and len(steps["heading"]) > 1 and all(one.kind == "number" for one in boxed):
        items = steps["heading"]
    elif items and not {one.id for one in items} < {one.id for one in boxed}:
        items = _with_loose_boxes(blocks, items, boxed)
    else:
        items = boxed or tasks["row"] or _outermost(blocks, tasks["listed"])
    items = items or forms["row"] or steps["heading"] or _outermost(blocks, steps["boxed"]) or _outermost(blocks, steps["listed"])
    if not items and has_dependencies:
        items = forms["numbered"]
    if not items:
        items = forms["box"]
        for place, one in enumerate(items):
            one.id = str(place + 1)
    items, groups = _without_groups(blocks, _without_mentions(items))
    words = {one.kind for one in items if one.kind in WORDS}
    for one in items:
        if one.row is not None and not words and one.kind == "number":
            head_text = naming.strip_marks(cell(_header(blocks, one.block), one.row.ids)).lower()
            words |= {word for word in WORDS if word == head_text}
            break
    return items, Names([one.id for one in items], words, groups)


def _header(blocks: "list[lines.Block]", n: int) -> lines.Block:
    """The header of the table that the row at place `n` is in."""
    while n and blocks[n].level:
        n -= 1
    return blocks[n]


def _outermost(blocks: "list[lines.Block]", found: "list[Found]") -> "list[Found]":
    """Those that are not inside another's list item, where they are steps. Kiro nests 2.1 in 2; those stay."""
    kept: "list[Found]" = []
    end = 0
    name = ""
    for one in found:
        block = blocks[one.block]
        if block.start > end:
            end = block.end
            name = one.id
            kept.append(one)
        elif one.id.startswith(name + "."):
            kept.append(one)
    return kept


def _with_loose_boxes(blocks: "list[lines.Block]", headings: "list[Found]", boxed: "list[Found]") -> "list[Found]":
    """The headings, and check boxes with ids of their own that stand in no item's section: work added later."""
    known = {one.id.lower() for one in headings}
    levels = {one.block: one.level for one in headings}
    loose = {one.block: one for one in boxed if one.kind in WORDS + ("code",) and one.id.lower() not in known}
    kept = list(headings)
    inside = 0
    for n, block in enumerate(blocks):
        if n in levels:
            inside = levels[n]
        elif block.kind is lines.HEADING and inside and block.level <= inside:
            inside = 0
        elif n in loose and not inside:
            kept.append(loose[n])
    return sorted(kept, key=lambda one: one.line)


def _without_mentions(items: "list[Found]") -> "list[Found]":
    """Without lines that only say what an item listed elsewhere waits for: "- Task 3: requires Task 2"."""
    counts: "dict[str, int]" = {}
    for one in items:
        counts[one.id] = counts.get(one.id, 0) + 1
    return [one for one in items if counts[one.id] == 1 or not one.title.lower().startswith(_SAYS)]


def _without_groups(blocks: "list[lines.Block]", items: "list[Found]") -> "tuple[list[Found], dict[str, list[str]]]":
    """Numbered entries with nothing of their own but dotted ones ("2" right before "2.1") are no items: they stand for
    those. An entry that has text of its own is work of its own (Kiro writes both)."""
    groups: "dict[str, list[str]]" = {}
    for one, after in zip(items, items[1:]):
        between = blocks[one.block + 1 : after.block]
        if one.kind == after.kind == "number" and after.id.startswith(one.id + ".") and all(b.start == one.line for b in between):
            groups[one.id] = []
    kept = [one for one in items if one.id not in groups]
    for one in kept:
        above = one.id.rpartition(".")[0]
        while above:
            if above in groups:
                groups[above].append(one.id)
            above = above.rpartition(".")[0]
    return kept, groups
