"""Which headings, list items and table rows of a plan are its items."""

from rld import lines, naming
from rld.itemids import WORDS, head
from rld.itemrefs import Names

_BETWEEN = " .:)-–—：、|]"  # what may stand between an id and its title
_ENDS = ("", ".", ":", ")", "：", "]", "*", "、")
_BOXES = frozenset(" xX-~/>!*✓✔✅")
_ID_COLUMNS = (
    "#",
    "id",
    "no",
    "no.",
    "nr",
    "nr.",
    "№",
    "step",
    "task",
    "item",
    "unit",
    "wp",
    "step #",
    "task #",
    "item #",
    "task id",
)
_SAYS = ("requires ", "depends on ", "blocked by ", "depends: ", ">", "→")
_TITLE_COLUMNS = ("title", "description", "what", "name", "task", "step", "item", "summary", "work", "unit")


class Found:
    """Something that may be an item. `kind`: "item", "task", "unit", "step" or "wp" (the word before its
    number), "code" (T001), "other" (a code that is no task's by itself), "number", or "box" (a check box
    without an id). `block`: the place of its block; `level`: of a heading."""

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
        self.ids = _place(heads, _ID_COLUMNS[:7])
        if self.ids < 0:
            self.ids = _place(heads, _ID_COLUMNS)
        self.parents = next((n for n, text in enumerate(heads) if _names_parents(text)), -1)
        self.quick = _place(heads, ("quick win", "quick wins", "quick win?"))
        taken = (self.ids, self.parents, self.quick)
        free = ["" if n in taken else text for n, text in enumerate(heads)]
        self.titles = _place(free, _TITLE_COLUMNS)
        if self.titles < 0:
            self.titles = next((n for n, text in enumerate(free) if text), -1)


def _place(heads: "list[str]", wanted: "tuple[str, ...]") -> int:
    """The first column with one of these heads, or -1."""
    return next((n for n, text in enumerate(heads) if text in wanted), -1)


def _names_parents(text: str) -> bool:
    if "dependent" in text and "dependent on" not in text:
        return False  # who waits for this one
    return any(word in text for word in ("depend", "deps", "blocked by", "requires", "prerequisite"))


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


def _title(text: str, end: int, is_line: bool) -> str:
    """What follows the id; of a line its bold lead, else its first sentence. Tags such as [P] and (P) go."""
    rest = text[end:].lstrip(_BETWEEN)
    is_bold = "**" in text[:end] and not rest.startswith("**")  # the id and the title, not the id alone
    rest = rest.lstrip(_BETWEEN + "*")[:1000]
    while rest[:1] in ("[", "("):
        close = rest.find("]" if rest[0] == "[" else ")", 0, 14)
        if close < 0 or rest[close + 1 : close + 2] == "(" or not _is_tag(rest[1:close]):
            break
        rest = rest[close + 1 :].lstrip(_BETWEEN + "*")
    if is_bold and "**" in rest:
        return naming.strip_marks(rest[: rest.index("**")]).rstrip(".:")
    return naming.title_of(rest) if is_line else naming.strip_marks(rest)


def _is_tag(text: str) -> bool:
    return text[:1].isupper() and text.replace(",", "").isalnum()


def _candidates(blocks: "list[lines.Block]") -> "dict[str, list[Found]]":
    """Everything that looks like an item, by form."""
    forms: "dict[str, list[Found]]" = {
        "heading": [],
        "boxed": [],
        "listed": [],
        "row": [],
        "numbered": [],
        "box": [],
    }
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
    separated = after in _ENDS or text[end : end + 3] in (" - ", " – ", " — ")
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

    `has_dependencies`: there are dependency lines, so that headings that are merely numbered count too.
    """
    items, groups = _without_groups(blocks, _without_mentions(_chosen(blocks, has_dependencies)))
    words = {one.kind for one in items if one.kind in WORDS}
    if items and not words and items[0].row is not None:
        header = naming.strip_marks(cell(_header(blocks, items[0].block), items[0].row.ids)).lower()
        words = {word for word in WORDS if word == header}
    return items, Names([one.id for one in items], words, groups)


def _chosen(blocks: "list[lines.Block]", has_dependencies: bool) -> "list[Found]":
    """The candidates in the form that the plan has its items in: what looks like an item in another form is a
    step inside one, or a mention of it."""
    forms = _candidates(blocks)
    steps = {form: [one for one in found if one.kind == "step"] for form, found in forms.items()}
    tasks = {form: [one for one in found if one.kind != "step"] for form, found in forms.items()}
    headings, boxed = tasks["heading"], _outermost(blocks, tasks["boxed"])
    if headings and not _are_remarks(headings, boxed):
        return _with_loose_boxes(blocks, headings, boxed)
    if len(steps["heading"]) > 1 and all(one.kind == "number" for one in boxed):
        return steps["heading"]
    for items in (
        boxed,
        tasks["row"],
        _outermost(blocks, tasks["listed"]),
        forms["row"],
        steps["heading"],
        _outermost(blocks, steps["boxed"]),
        _outermost(blocks, steps["listed"]),
        forms["numbered"] if has_dependencies else [],
    ):
        if items:
            return items
    for place, one in enumerate(forms["box"]):
        one.id = str(place + 1)
    return forms["box"]


def _are_remarks(headings: "list[Found]", boxed: "list[Found]") -> bool:
    """Are the headings about a few of the items that check boxes list?"""
    listed = {one.id for one in boxed}
    return len(listed) > 2 * len(headings) and all(one.id in listed for one in headings)


def _header(blocks: "list[lines.Block]", n: int) -> lines.Block:
    """The header of the table that the row at place `n` is in."""
    while n and blocks[n].level:
        n -= 1
    return blocks[n]


def _outermost(blocks: "list[lines.Block]", found: "list[Found]") -> "list[Found]":
    """Those that are not inside another's list item, where they are steps. Kiro nests 2.1 in 2; those
    stay."""
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
    """The headings, and check boxes with ids of their own that stand in no item's section: work added
    later."""
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
    """Numbered entries with nothing of their own but dotted ones ("2" right before "2.1") are no items: they
    stand for those. An entry that has text of its own is work of its own (Kiro writes both)."""
    groups: "dict[str, list[str]]" = {}
    for one, after in zip(items, items[1:]):
        between = blocks[one.block + 1 : after.block]
        if (
            one.kind == after.kind == "number"
            and after.id.startswith(one.id + ".")
            and all(b.start == one.line for b in between)
        ):
            groups[one.id] = []
    kept = [one for one in items if one.id not in groups]
    for one in kept:
        above = one.id.rpartition(".")[0]
        while above:
            if above in groups:
                groups[above].append(one.id)
            above = above.rpartition(".")[0]
    return kept, groups
