"""A plan's graph as text for a terminal: a row per item, parents above their children, and rails that lead from one to the other.

The rails show what must be known to read the order: a dependency that follows from others has none. The words behind
an item name all its parents, so nothing depends on following a line across a wide drawing.
"""

from __future__ import annotations

import heapq
import unicodedata

from rld import graph, redact
from rld.graphrails import ASCII, UNICODE, Rails

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
            others = dict.fromkeys([*node.parents, *node.unknown, *item.depends_on])
            node.itself = node.itself or item.id in others
            node.parents = [parent for parent in others if parent in states and parent != item.id]
            node.unknown = [parent for parent in others if parent not in states]
        self.beyond = [Node(id, title, DONE) for id, title in beyond]

    def counts(self) -> list[tuple[str, int]]:
        """How many items are in each state, those that occur, beyond the plan too."""
        states = [node.state for node in self.nodes.values()] + [node.state for node in self.beyond]
        return [(state, states.count(state)) for state in WORDS if state in states]


class Pen:
    """The characters of a drawing: `marks` by state, and the strokes of its lines."""

    def __init__(self, unicode: bool) -> None:
        self.unicode = unicode
        marks = "✓▶·↻" if unicode else "x>.@"
        self.marks = dict(zip(WORDS, marks))
        self.strokes = UNICODE if unicode else ASCII
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
    order = [id for group in groups for id in group]
    marks = {id: pen.marks[node.state] for id, node in picture.nodes.items()}
    parents = {id: node.parents for id, node in picture.nodes.items()}
    rails = Rails(order, parents, marks, max(2, (width - _LEAST_TITLE - _PARENTS) // 2), pen.strokes)
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
    place = {id: n for n, id in enumerate(nodes)}
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
        groups.append(_sorted(group, nodes, place))
    return groups, [nodes[id] for id in nodes if not near[id]]


def _sorted(group: list[str], nodes: dict[str, Node], place: dict[str, int]) -> list[str]:
    children: dict[str, list[str]] = {id: [] for id in group}
    waits = {id: len(nodes[id].parents) for id in group}
    for id in group:
        for parent in nodes[id].parents:
            children[parent].append(id)
    free = [(place[id], id) for id in group if not waits[id]]
    heapq.heapify(free)
    # Where all wait for each other the first of a cycle goes first.
    stuck = sorted(group, key=lambda id: (nodes[id].state != CYCLE, place[id]), reverse=True)
    made: dict[str, None] = {}
    while len(made) < len(group):
        _, id = heapq.heappop(free) if free else (0, stuck.pop())
        if id in made:
            continue
        made[id] = None
        for child in children[id]:
            waits[child] -= 1
            if not waits[child]:
                heapq.heappush(free, (place[child], child))
    return list(made)


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
