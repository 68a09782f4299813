"""A plan's graph as text for a terminal: a row per item, parents above their children, and rails that lead from one to the other.

The rails show what must be known to read the order: a dependency that follows from others has none. The words behind
an item name all its parents, so nothing depends on following a line across a wide drawing.
"""

from __future__ import annotations

import unicodedata

from rld import graph, redact

DONE, READY, BLOCKED = graph.DONE, graph.READY, graph.BLOCKED
CYCLE = "cycle"
WORDS = {DONE: "done", READY: "ready", BLOCKED: "waiting", CYCLE: "on a cycle"}

_MOST_LANES = 20  # beyond these an item has no rail, only the words
_LEAST_TITLE = 24  # columns
_PARENTS = 30  # columns that the names of the parents may take


class Node:
    """An item as it is drawn: `state` one of DONE, READY, BLOCKED, CYCLE; `parents` known ids; `unknown` the others."""

    def __init__(self, id: str, title: str, state: str) -> None:
        self.id = id
        self.title = " ".join(redact.visible(title).split())
        self.state = state
        self.parents: list[str] = []
        self.unknown: list[str] = []
        self.itself = False


class Picture:
    """What is drawn: the plan's items by id in plan order, items beyond the plan, and the cycles as lists of ids."""

    def __init__(self, items: list[graph.Item], done: set[str], beyond: list[tuple[str, str]]) -> None:
        states = graph.states(items, done)
        self.cycles = graph.cycles(items)
        looped = {id for way in self.cycles for id in way} | {item.id for item in items if item.id in item.depends_on}
        self.nodes: dict[str, Node] = {}
        for item in items:
            state = states[item.id]
            title = item.title
            if item.quick_win and "quick win" not in title.lower():
                title += " (quick win)"
            node = Node(item.id, title, CYCLE if state != DONE and item.id in looped else state)
            node = self.nodes.setdefault(item.id, node)
            for parent in item.depends_on:
                known = node.parents if parent in states else node.unknown
                if parent == item.id:
                    node.itself = True
                elif parent not in known:
                    known.append(parent)
        self.beyond = [Node(id, title, DONE) for id, title in beyond]

    def counts(self) -> list[tuple[str, int]]:
        """How many items are in each state, those that occur, beyond the plan too."""
        states = [node.state for node in self.nodes.values()] + [node.state for node in self.beyond]
        return [(state, states.count(state)) for state in WORDS if state in states]


class Pen:
    """The characters of a drawing: `marks` by state, and the lines."""

    def __init__(self, unicode: bool) -> None:
        self.unicode = unicode
        marks = "✓▶·↻" if unicode else "x>.@"
        self.marks = dict(zip(WORDS, marks))
        self.vertical, self.horizontal = "│─" if unicode else "|-"
        # by what a parent's rail does here: (goes on below, line from the left, line to the right)
        self.joints = {
            (True, False, True): "├" if unicode else "+",
            (True, True, True): "┼" if unicode else "+",
            (True, True, False): "┤" if unicode else "+",
            (False, False, True): "╰" if unicode else "`",
            (False, True, True): "┴" if unicode else "+",
            (False, True, False): "╯" if unicode else "'",
        }
        self.arrow = "←" if unicode else "<-"
        self.dots = "…" if unicode else ".."

    def plain(self, text: str) -> str:
        """A text of the plan as this pen can write it."""
        return text if self.unicode else text.encode("ascii", "replace").decode("ascii")


def draw(picture: Picture, width: int, pen: Pen) -> list[tuple[str, str]]:
    """The drawing as (state, line) in order; "" where a line is no item's. No line is wider than `width` columns.

    A legend with the number of items in each state ends it.
    """
    order, groups = _order(picture)
    rails = _Rails(order, _reduced(picture, order), max(1, min(_MOST_LANES, (width - _LEAST_TITLE - _PARENTS) // 2)), pen)
    page = _Page(picture, width, pen, max((len(row) for row in rails.rows.values()), default=1))
    for group in groups:
        for id in group:
            page.item(picture.nodes[id], rails.rows[id])
        page.line("")
    linked = {id for group in groups for id in group}
    alone = [node for id, node in picture.nodes.items() if id not in linked]
    for title, nodes in (("Nothing depends on these, and they depend on nothing:", alone), ("Logged, not in the plan:", picture.beyond)):
        if nodes and (groups or nodes is picture.beyond):
            page.line(title)
        for node in nodes:
            page.item(node, pen.marks[node.state])
        if nodes:
            page.line("")
    for way in picture.cycles:
        page.line("%s %s wait for each other" % (pen.marks[CYCLE], pen.plain((" %s " % pen.arrow).join([*way, way[0]]))))
    page.line("   ".join("%s %s %d" % (pen.marks[state], WORDS[state], count) for state, count in picture.counts()))
    return page.lines


class _Page:
    """The lines of a drawing, each cut to the width; ids and titles stand in columns."""

    def __init__(self, picture: Picture, width: int, pen: Pen, rails: int) -> None:
        self.width = width
        self.pen = pen
        self.rails = rails
        everyone = [*picture.nodes.values(), *picture.beyond]
        self.ids = min(12, max((columns(pen.plain(node.id)) for node in everyone), default=1))
        self.below: set[str] = set(picture.nodes)  # not drawn yet
        self.lines: list[tuple[str, str]] = []

    def line(self, text: str) -> None:
        self.lines.append(("", cut(text, self.width, self.pen.dots)))

    def item(self, node: Node, rail: str) -> None:
        self.below.discard(node.id)
        id = cut(self.pen.plain(node.id), 12, self.pen.dots)
        head = "%s  %s  " % (rail.ljust(self.rails), id + " " * (self.ids - columns(id)))
        parents = self._parents(node)
        title = self.pen.plain(node.title)
        room = self.width - columns(head) - columns(parents)
        self.lines.append((node.state, (head + cut(title, max(room, 8), self.pen.dots) + parents).rstrip()))

    def _parents(self, node: Node) -> str:
        """All parents by id, unknown ones with a question mark, those that come only below with the mark of a cycle."""
        loop = self.pen.marks[CYCLE]
        names = [id + loop if id in self.below else id for id in node.parents]
        names += ["itself " + loop] * node.itself + [id + "?" for id in node.unknown]
        if not names:
            return ""
        text = self.pen.plain(", ".join(names)) if self.pen.unicode else self.pen.plain(", ".join(names))
        if columns(text) > _PARENTS:
            kept = ""
            count = 0
            while columns(kept) + columns(self.pen.plain(names[count])) < _PARENTS - 6:
                kept += self.pen.plain(names[count]) + ", "
                count += 1
            text = "%s+%d" % (kept, len(names) - count)
        return "  %s %s" % (self.pen.arrow, text)


class _Rails:
    """The rails beside each item: two columns per lane, a lane for each item that has children still to come."""

    def __init__(self, order: list[str], parents: dict[str, list[str]], most: int, pen: Pen) -> None:
        self.pen = pen
        self.most = most
        self.rows: dict[str, str] = {}
        self.lanes: list[str] = []  # whose rail it is, "" for a free lane
        self.last: dict[str, str] = {parent: id for id in order for parent in parents[id]}
        self.above = -1  # the lane of an item right above that has no children
        self.marks = pen.marks
        self.parents = parents

    def add(self, id: str, mark: str) -> None:
        """Draw the row of an item and open its lane."""
        above = set(self.parents[id])
        joined = [lane for lane, owner in enumerate(self.lanes) if owner in above]
        ends = [lane for lane in joined if self.last[self.lanes[lane]] == id]
        own = ends[0] if ends else self._free(not joined)
        self.rows[id] = self._row(own, mark, [lane for lane in joined if lane != own], set(ends))
        for lane in ends:
            self.lanes[lane] = ""
        goes_on = id in self.last and own < self.most
        if goes_on:
            self.lanes[own] = id
        self.above = -1 if goes_on else own
        while self.lanes and not self.lanes[-1]:
            self.lanes.pop()

    def _free(self, is_root: bool) -> int:
        """A free lane; a root does not stand right below an item that leads nowhere, as if it followed from it."""
        lane = 0
        while lane < len(self.lanes) and self.lanes[lane] or (is_root and lane == self.above):
            lane += 1
        lane = min(lane, self.most)
        self.lanes += [""] * (lane + 1 - len(self.lanes))
        return lane

    def _row(self, own: int, mark: str, joined: list[int], ends: set[int]) -> str:
        low, high = min([own, *joined]), max([own, *joined])
        made = ""
        for lane, owner in enumerate(self.lanes):
            if lane == own:
                made += mark
            elif lane in joined:
                made += self.pen.joints[(lane not in ends, low < lane or lane > own, lane < high or lane < own)]
            elif owner:
                made += self.pen.vertical
            else:
                made += self.pen.horizontal if low < lane < high else " "
            made += self.pen.horizontal if low <= lane < high else " "
        return made.rstrip()
