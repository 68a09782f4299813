"""A plan's graph as text for a terminal: a row per item, parents above their children, and rails that lead from one to the other.

The rails show what must be known to read the order: a dependency that follows from others has none. The words behind
an item name all its parents, so nothing depends on following a line across a wide drawing.
"""

from __future__ import annotations

import heapq
import unicodedata

from rld import graph, redact

DONE, READY, BLOCKED = graph.DONE, graph.READY, graph.BLOCKED
CYCLE = "cycle"
WORDS = {DONE: "done", READY: "ready", BLOCKED: "waiting", CYCLE: "on a cycle"}

# In columns:
_LEAST_TITLE = 30
_PARENTS = 26  # what the names of the parents may take
_LONGEST_ID = 12


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
    """The drawing as (state, line) in order; the state is "" where a line is no item's. No line is wider than `width` columns.

    A legend with the number of items in each state ends it.
    """
    groups, alone = _groups(picture)
    rails = _Rails(
        picture, [id for group in groups for id in group], max(2, (width - _LEAST_TITLE - _PARENTS) // 2), pen
    )
    page = _Page(picture, width, pen, max((len(row) for row in rails.rows.values()), default=1))
    for group in groups:
        page.items([(picture.nodes[id], rails.rows[id]) for id in group])
    if alone:
        page.line("Not linked with any other:")
    page.items([(node, pen.marks[node.state]) for node in alone])
    if picture.beyond:
        page.line("Logged, not in the plan:")
    page.items([(node, pen.marks[node.state]) for node in picture.beyond])
    for way in picture.cycles:
        page.line("%s These wait for each other: %s" % (pen.marks[CYCLE], (" %s " % pen.arrow).join([*way, way[0]])))
    page.line("   ".join("%s %s %d" % (pen.marks[state], WORDS[state], count) for state, count in picture.counts()))
    return page.lines


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def cut(text: str, room: int, dots: str) -> str:
    """A text that takes at most `room` columns; `dots` stand for what is left out."""
    if columns(text) <= room:
        return text
    room -= columns(dots)
    kept = []
    for char in text:
        room -= columns(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip() + dots


def _groups(picture: Picture) -> tuple[list[list[str]], list[Node]]:
    """The items that hang together, each group with parents before children as far as there is no cycle, in plan order
    where that is free; and those that hang together with nothing."""
    nodes = picture.nodes
    near: dict[str, list[str]] = {id: list(node.parents) for id, node in nodes.items()}
    for id, node in nodes.items():
        for parent in node.parents:
            near[parent].append(id)
    groups = []
    seen: set[str] = set()
    for id in nodes:
        if id in seen or not near[id]:
            continue
        seen.add(id)
        group = [id]
        for member in group:  # grows while it is read
            group += [other for other in dict.fromkeys(near[member]) if other not in seen]
            seen.update(near[member])
        groups.append(_sorted(group, picture))
    return groups, [nodes[id] for id in nodes if not near[id]]


def _sorted(group: list[str], picture: Picture) -> list[str]:
    place = {id: n for n, id in enumerate(picture.nodes)}
    children: dict[str, list[str]] = {id: [] for id in group}
    waits = {}
    for id in group:
        waits[id] = len(picture.nodes[id].parents)
        for parent in picture.nodes[id].parents:
            children[parent].append(id)
    free = [place[id] for id in group if not waits[id]]
    heapq.heapify(free)
    # Where all wait for each other the first of a cycle goes first.
    stuck = sorted(group, key=lambda id: (picture.nodes[id].state != CYCLE, place[id]), reverse=True)
    names = list(picture.nodes)
    made: dict[str, None] = {}
    while len(made) < len(group):
        while not free:
            id = stuck.pop()
            if id not in made:
                free.append(place[id])
        id = names[heapq.heappop(free)]
        if id in made:
            continue
        made[id] = None
        for child in children[id]:
            waits[child] -= 1
            if not waits[child]:
                heapq.heappush(free, place[child])
    return list(made)


def _led_to(picture: Picture, order: list[str]) -> dict[str, list[str]]:
    """The parents of each item that are drawn above it and do not follow from its other parents.

    A set of ancestors is one integer, a bit per item.
    """
    bit: dict[str, int] = {}
    above: dict[str, int] = {}
    found = {}
    for n, id in enumerate(order):
        known = [parent for parent in picture.nodes[id].parents if parent in bit]
        older = 0
        for parent in known:
            older |= above[parent]
        found[id] = [parent for parent in known if not older & bit[parent]]
        bit[id] = 1 << n
        for parent in known:
            older |= bit[parent]
        above[id] = older
    return found


class _Page:
    """The lines of a drawing, each cut to the width; ids and titles stand in columns."""

    def __init__(self, picture: Picture, width: int, pen: Pen, rails: int) -> None:
        self.width = width
        self.pen = pen
        self.rails = rails
        everyone = [*picture.nodes.values(), *picture.beyond]
        self.ids = max((columns(self._id(node)) for node in everyone), default=1)
        self.below = set(picture.nodes)  # not drawn yet
        self.lines: list[tuple[str, str]] = []

    def line(self, text: str) -> None:
        self.lines.append(("", cut(self.pen.plain(text), self.width, self.pen.dots)))

    def items(self, rows: list[tuple[Node, str]]) -> None:
        """A paragraph of items with their rails."""
        for node, rail in rows:
            self.below.discard(node.id)
            id = self._id(node)
            head = "%s  %s  " % (rail.ljust(self.rails), id + " " * (self.ids - columns(id)))
            parents = self._parents(node)
            room = max(8, self.width - columns(head) - columns(parents))
            line = head + cut(self.pen.plain(node.title), room, self.pen.dots) + parents
            self.lines.append((node.state, cut(line.rstrip(), self.width, self.pen.dots)))
        if rows:
            self.line("")

    def _id(self, node: Node) -> str:
        return cut(self.pen.plain(node.id), _LONGEST_ID, self.pen.dots)

    def _parents(self, node: Node) -> str:
        """All parents by id: those that come only below with the mark of a cycle, unknown ones with a question mark."""
        loop = self.pen.marks[CYCLE]
        names = [id + loop if id in self.below else id for id in node.parents]
        names += ["itself" + loop] * node.itself + [id + "?" for id in node.unknown]
        if not names:
            return ""
        kept = ""
        for n, name in enumerate(names):
            more = kept + (", " if kept else "") + self.pen.plain(name)
            left = len(names) - n - 1
            if kept and columns(more) + (5 if left else 0) > _PARENTS:
                kept += ", +%d" % (left + 1)
                break
            kept = more
        return "  %s %s" % (self.pen.arrow, cut(kept, _PARENTS, self.pen.dots))


class _Rails:
    """The rail beside each item, in `rows`: two columns per lane, a lane for each item that has children to come."""

    def __init__(self, picture: Picture, order: list[str], most: int, pen: Pen) -> None:
        """`most`: beyond so many lanes an item has no rail to its children, only the words beside them."""
        self.pen = pen
        self.most = most
        self.parents = _led_to(picture, order)
        self.last = {parent: id for id in order for parent in self.parents[id]}
        self.lanes: list[str] = []  # whose each is, "" for a free one
        self.above = -1  # the lane of the item right above if nothing follows from it
        self.rows = {id: self._add(id, pen.marks[picture.nodes[id].state]) for id in order}

    def _add(self, id: str, mark: str) -> str:
        parents = set(self.parents[id])
        joined = [lane for lane, owner in enumerate(self.lanes) if owner in parents]
        ends = [lane for lane in joined if self.last[self.lanes[lane]] == id]
        own = ends[0] if ends else self._free(not joined)
        row = self._row(own, mark, [lane for lane in joined if lane != own], ends)
        for lane in ends:
            self.lanes[lane] = ""
        goes_on = id in self.last and own < self.most
        if goes_on:
            self.lanes[own] = id
        self.above = -1 if goes_on else own
        while self.lanes and not self.lanes[-1]:
            self.lanes.pop()
        return row

    def _free(self, is_root: bool) -> int:
        """A free lane. A root does not stand right below an item from which nothing follows, as if it did."""
        lane = 0
        while lane < self.most and (lane < len(self.lanes) and self.lanes[lane] or (is_root and lane == self.above)):
            lane += 1
        self.lanes += [""] * (lane + 1 - len(self.lanes))
        return lane

    def _row(self, own: int, mark: str, joined: list[int], ends: list[int]) -> str:
        low, high = min([own, *joined]), max([own, *joined])
        made = ""
        for lane, owner in enumerate(self.lanes):
            if lane == own:
                made += mark
            elif lane in joined:
                made += self.pen.joints[(lane not in ends, low < lane, lane < high)]
            else:
                made += self.pen.vertical if owner else self.pen.horizontal if low < lane < high else " "
            made += self.pen.horizontal if low <= lane < high else " "
        return made.rstrip()
