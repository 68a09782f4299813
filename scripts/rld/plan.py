"""An implementation plan: its items, what each depends on, and what is wrong with it.

Read are headings, check boxes, list lines and tables, with dependencies in lines, tables, drawings and
diagrams, and the task files of Taskmaster and beads. A plan's check boxes say nothing about what is done: the
journal does.
"""

from rld import graph, lines, naming, planitems
from rld.graph import Item as Item
from rld.graph import Plan as Plan
from rld.itemids import DIGITS, lower
from rld.planedges import Edges, arrows, claims
from rld.planitems import Columns, Found, cell, unbox

FORMS = (
    "this is not a plan I can read: it has no items. Understood are headings or list lines such as "
    '"Task 3: …" (also Item, Step, Unit, T001, WP01), check boxes ("- [ ] 1.1 …"), tables with a Step, Item, '
    "Task or # column and a column of dependencies, Taskmaster's tasks.json and the issues.jsonl of beads"
)

_DRAWN = frozenset(("", "text", "txt", "plain", "plaintext", "ascii", "tree", "graph", "none"))
_YES = ("yes", "true", "✓", "✔", "✅", "x", "y")


def parse(text: str) -> Plan:
    """Read a plan; never raises. A file without items gives the problem `no-items`."""
    text = text.lstrip("\ufeff")
    if text.lstrip()[:1] in ("{", "["):
        from rld import taskfile  # rare: hooks read Markdown

        found = taskfile.parse(text)
        if found is not None:
            return found
    rows = lines.split(text)
    blocks = lines.scan(rows, lines.front_matter(rows))
    return _Reader(rows, blocks, "epend" in text or "locked by" in text.lower()).plan()


def assemble(items: "list[Item]", parents: "list[dict[str, int]]", extra: "list[tuple[int, str, str]]") -> Plan:
    """A plan of items and their parents' ids (with the lines that name them): sorts the parents, finds the
    problems."""
    problems = list(extra)
    places: "dict[str, int]" = {}
    twice: "set[str]" = set()
    for place, item in enumerate(items):
        if item.id in places:
            twice.add(item.id)
        places.setdefault(item.id, place)
    for item, above in zip(items, parents):
        known = sorted((name for name in above if name in places), key=places.__getitem__)
        item.depends_on = known + [name for name in above if name not in places]
        if item.id in above:
            problems.append((above[item.id], "self-dependency", "item %s depends on itself" % item.id))
        for name in item.depends_on[len(known) :]:
            message = "item %s depends on %s, which this plan does not have: it counts as not done" % (
                item.id,
                name,
            )
            problems.append((above[name], "unknown-parent", message))
        if item.id in twice:
            message = "there is more than one item %s: give each its own number" % item.id
            problems.append((item.line, "duplicate-item", message))
    for way in graph.cycles(items):
        message = "these items wait for each other: " + " → ".join([*way, way[0]])
        problems.append((items[places[way[0]]].line, "cycle", message))
    problems.sort(key=lambda problem: problem[:2])
    return Plan(items, problems)


class _Reader:
    """One walk over the blocks of a plan whose items are known, with the item that the walk is in."""

    def __init__(self, rows: "list[str]", blocks: "list[lines.Block]", has_dependencies: bool) -> None:
        self.rows = rows
        self.blocks = blocks
        self.found, self.names = planitems.find(blocks, has_dependencies)
        self.items = [Item(one.id, one.title, one.line) for one in self.found]
        self.edges = Edges([one.id for one in self.found], self.names)
        self.starts: "dict[int, int]" = {one.block: place for place, one in enumerate(self.found)}
        self.current = -1  # the place of the item that the walk is in
        self.level = 0  # of its heading, 0 when it is no heading
        self.quick = 0  # the level of the heading "Quick wins" that the walk is under
        self.open = ""  # "parents" or "quick": a label had nothing behind it, a list may follow
        self.columns: "Columns | None" = None

    def plan(self) -> Plan:
        if not self.items:
            return Plan([], [(1, "no-items", FORMS)])
        text_of: "tuple[int, str]" = (0, "")  # the list item that begins on a line
        for n, block in enumerate(self.blocks):
            if block.quoted:
                continue
            if n in self.starts:
                self._start(n, self.found[self.starts[n]], block)
            if block.kind is lines.HEADING:
                self._heading(n, block)
            elif block.kind is lines.ITEM:
                text_of = (block.start, unbox(block.text)[1])
                self._list_line(n, text_of[1], block.start)
            elif block.kind is lines.PARA:
                self._paragraph(block, text_of)
            elif block.kind is lines.ROW:
                self._row(n, block)
            elif block.kind is lines.FENCE or block.kind is lines.CODE:
                self._drawing(block)
        extra = []
        if self.edges.full:
            extra.append((1, "too-many-edges", "more dependencies than anybody can mean: only the first were read"))
        return assemble(self.items, self.edges.parents, extra)

    def _start(self, n: int, found: Found, block: lines.Block) -> None:
        if found.row is not None:
            return  # a row is over with its line
        self.open = ""
        self.current = self.starts[n]
        self.level = found.level
        low = (block.text).lower()
        if "(quick win" in low or "[quick win" in low or self.quick and not (self.level and self.level <= self.quick):
            self.items[self.current].quick_win = True

    def _heading(self, n: int, block: lines.Block) -> None:
        self.open = ""
        if self.quick and block.level <= self.quick:
            self.quick = 0
        if n in self.starts:
            self._claims(block.text, block.start, True)
            return
        low = naming.bare(block.text).lower()
        if "quick win" in low:
            self.quick = block.level
        if self.current >= 0 and (not self.level or block.level <= self.level):
            self.current = -1
        elif self.current >= 0 and low.rstrip(":") in (
            "dependencies",
            "depends on",
            "blocked by",
            "prerequisites",
        ):
            self.open = "parents"

    def _list_line(self, n: int, text: str, line: int) -> None:
        if n in self.starts or not (self.open or self.quick):
            return
        ids, _ = self.names.leading(text, bare=True)
        if self.open == "parents":
            self.edges.add(self.current, self.names.value(text) if ids else [], line)
        elif ids:
            self._mark(ids)

    def _paragraph(self, block: lines.Block, text_of: "tuple[int, str]") -> None:
        if not block.depth:
            self.open = ""
        if block.end > block.start and self.rows[block.end - 1].lstrip(" │").startswith(("├", "└")):
            self._drawing(block)
            return
        for line in range(block.start, block.end + 1):
            first = line == block.start
            text = text_of[1] if first and line == text_of[0] else self.rows[line - 1].strip()
            self._claims(text, line, first)
            for parents, children in arrows(text, self.names):
                self.edges.link(parents, children, line)
            low = lower(text)
            if "quick win" in low:
                self._quick_line(text, low)
            elif self.quick and not block.depth and first:
                self._mark(self.names.leading(text)[0])

    def _claims(self, text: str, line: int, first: bool) -> None:
        for claim in claims(text, self.names, first):
            if claim.children is not None:
                for name in claim.children:
                    if name in self.edges.places:
                        # An item's own line speaks of itself, also when its id occurs twice.
                        own = self.current >= 0 and self.items[self.current].line == line
                        self.edges.add(self.current if own else self.edges.places[name], claim.parents, line)
            elif self.current >= 0:
                self.edges.add(self.current, claim.parents, line)
                self.open = "parents" if claim.open else self.open

    def _quick_line(self, text: str, low: str) -> None:
        """`**Quick win:** yes` in an item, `Quick wins: Items 4 and 6` anywhere."""
        at = low.find("quick win")
        if any(char.isalnum() for char in low[:at]):
            return
        label, colon, value = text[at:].partition(":")
        if not colon or len(label) > 40:
            return
        ids = self.names.value(value)
        if self.current >= 0 and value.strip(" *_`").lower().startswith(_YES):
            self.items[self.current].quick_win = True
        elif ids:
            self._mark(ids)
        elif not value.strip(" *_"):
            self.open = "quick"

    def _mark(self, ids: "list[str]") -> None:
        for name in ids:
            if name in self.edges.places:
                self.items[self.edges.places[name]].quick_win = True

    def _row(self, n: int, block: lines.Block) -> None:
        self.open = ""
        if not block.level:
            self.columns = Columns(block.cells)
            return
        columns = self.columns
        if columns is None:
            return
        if self.quick:
            self._mark(self.names.leading(cell(block, max(0, columns.ids)), bare=True)[0])
        if columns.ids < 0:
            return
        if n in self.starts:
            children = [self.starts[n]]
        elif columns.parents >= 0:
            ids, _ = self.names.leading(cell(block, columns.ids), bare=True)
            children = [self.edges.places[name] for name in ids if name in self.edges.places]
        else:
            return
        parents = self.names.value(cell(block, columns.parents))
        for child in children:
            self.edges.add(child, parents, block.start)
            if columns.quick >= 0 and cell(block, columns.quick).strip(" *_`").lower().startswith(_YES):
                self.items[child].quick_win = True

    def _drawing(self, block: lines.Block) -> None:
        """Dependencies from a fence, indented code, or a paragraph that is a tree. What reads diagrams and
        drawings is loaded by plans that have one."""
        self.open = ""
        kind = block.text.split(" ")[0].strip("{}.").lower()
        first = block.start + (block.kind is lines.FENCE)
        rows = self.rows[first - 1 : block.end]
        if kind == "mermaid":
            from rld.mermaid import edges
        elif kind in _DRAWN and any(char in DIGITS for row in rows for char in row):
            from rld.drawing import edges
        else:
            return
        for row, parents, children in edges(rows, self.names):
            self.edges.link(parents, children, first + row)
