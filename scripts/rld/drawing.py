"""Dependency graphs drawn with characters: indented trees, and lines that run to an arrowhead.

    Task 1 (names) ---+                 Item 1
                      +--> Task 4         └── Item 2
    Task 2 -----------+                       └── Item 5

A line of the drawing joins whatever it touches: what touches a plain end comes before what an arrowhead
points to.
"""

from rld.itemrefs import Names

_LEFT, _RIGHT, _UP, _DOWN = 1, 2, 4, 8
_OPPOSITE = {_LEFT: _RIGHT, _RIGHT: _LEFT, _UP: _DOWN, _DOWN: _UP}
_STEP = {_LEFT: (0, -1), _RIGHT: (0, 1), _UP: (-1, 0), _DOWN: (1, 0)}

# Where the arms of a character reach.
_ARMS = {
    **dict.fromkeys("-=─━═╌┄", _LEFT | _RIGHT),
    **dict.fromkeys("|│┃║╎┆", _UP | _DOWN),
    **dict.fromkeys("+┼╋╬", _LEFT | _RIGHT | _UP | _DOWN),
    **dict.fromkeys("├┝┣╠", _RIGHT | _UP | _DOWN),
    **dict.fromkeys("┤┫╣", _LEFT | _UP | _DOWN),
    **dict.fromkeys("┬┳╦", _LEFT | _RIGHT | _DOWN),
    **dict.fromkeys("┴┻╩", _LEFT | _RIGHT | _UP),
    **dict.fromkeys("└╰┗╚`", _RIGHT | _UP),
    **dict.fromkeys("┌╭┏╔", _RIGHT | _DOWN),
    **dict.fromkeys("┐╮┓╗", _LEFT | _DOWN),
    **dict.fromkeys("┘╯┛╝", _LEFT | _UP),
}
_HEADS = {
    **dict.fromkeys(">→▶►➜⟶", _RIGHT),
    **dict.fromkeys("<←◀◄", _LEFT),
    **dict.fromkeys("▼↓vV", _DOWN),
    **dict.fromkeys("▲↑^", _UP),
}
_ASCII = "-=|+><`"
_TREE = ("├", "└", "╰", "┗", "|--", "+--", "`--", "\\--", "|__")


def edges(rows: "list[str]", names: Names) -> "list[tuple[int, list[str], list[str]]]":
    """(row, parents, children) of the items a drawing connects; rows count from 0. [] when it is not about
    items."""
    drawing = _Drawing([row.expandtabs(4) for row in rows], names)
    return drawing.lines() + drawing.tree() if drawing.nodes else []


class _Line:
    """A connected line: the nodes at its plain ends, those of them that are above it, and those its heads
    point to."""

    __slots__ = ("touched", "above", "targets", "row")

    def __init__(self, row: int) -> None:
        self.touched: "dict[int, bool]" = {}  # an ordered set
        self.above: "list[int]" = []
        self.targets: "list[int]" = []
        self.row = row


class _Drawing:
    def __init__(self, rows: "list[str]", names: Names) -> None:
        self.rows = rows
        self.nodes: "list[list[str]]" = []  # the ids of each node
        self.owner: "list[dict[int, int]]" = []  # per row: column -> node
        self.cells: "list[dict[int, int]]" = []  # per row: column -> arms
        self.heads: "list[dict[int, int]]" = []  # per row: column -> direction of the arrowhead there
        self.first: "list[tuple[int, int]]" = []  # per row: column of its first text, node there or -1
        self.flows = False  # are there arrowheads at all?
        self.hung: "set[int]" = set()  # nodes that got their parents from a line
        for n, row in enumerate(rows):
            self._read(row, n, names)

    def _read(self, row: str, n: int, names: Names) -> None:
        above = self.cells[-1] if n else {}
        cells, heads = _connectors(row, above)
        owner: "dict[int, int]" = {}
        runs = _runs(row, cells, heads)
        first = (runs[0][0] if runs else len(row), -1)
        # The critical path is an extract of the graph, often with branches folded into one step.
        for start, end in runs if not row.strip().lower().startswith("critical path") else ():
            ids, stop = names.leading(row[start:end], bare=bool(heads))
            if ids:
                if start == first[0]:
                    first = (start, len(self.nodes))
                self._own(owner, len(self.nodes), start, end, cells, row)
                self.nodes.append(ids)
        if n and not owner and not heads:
            # A second line of a label goes on with the node above it.
            for start, end in _runs(row, cells, heads, gap=2):
                node = next((self.owner[-1][c] for c in (start, (start + end) // 2) if c in self.owner[-1]), -1)
                if node >= 0:
                    self._own(owner, node, start, end, cells, row)
        self.flows = self.flows or bool(heads)
        self.owner.append(owner)
        self.cells.append(cells)
        self.heads.append(heads)
        self.first.append(first)

    def _own(self, owner: "dict[int, int]", node: int, start: int, end: int, cells: "dict[int, int]", row: str) -> None:
        """The columns of a node: its text, and all of its box when it stands in one."""
        left, right = start, end
        while left and row[left - 1] == " ":
            left -= 1
        while right < len(row) and row[right] == " ":
            right += 1
        if cells.get(left - 1) == cells.get(right) == _UP | _DOWN:
            start, end = left - 1, right + 1
        for column in range(start, end):
            owner[column] = node

    def lines(self) -> "list[tuple[int, list[str], list[str]]]":
        """What lines connect."""
        found = []
        for line in self._trace():
            if line.targets:
                before = [node for node in line.touched if node not in line.targets]
                after = line.targets
            else:
                # No arrowhead: what hangs below or to the right of a line waits for what it hangs from.
                before = line.above
                after = [node for node in line.touched if node not in before]
            if before and after:
                self.hung.update(after)
                found.append((line.row, self._ids(before), self._ids(after)))
        return found

    def _ids(self, nodes: "list[int]") -> "list[str]":
        return [name for node in nodes for name in self.nodes[node]]

    def _trace(self) -> "list[_Line]":
        """Every connected line of the drawing."""
        seen: "set[tuple[int, int]]" = set()
        found: "list[_Line]" = []
        for n in range(len(self.rows)):
            for column in sorted({*self.cells[n], *self.heads[n]}):
                if (n, column) not in seen:
                    found.append(self._follow(n, column, seen))
        return found

    def _follow(self, row: int, column: int, seen: "set[tuple[int, int]]") -> _Line:
        line = _Line(row)
        todo = [(row, column)]
        seen.add((row, column))
        while todo:
            here = todo.pop()
            line.row = max(line.row, here[0])
            head = self.heads[here[0]].get(here[1], 0)
            border = self.owner[here[0]].get(here[1], -1)
            if border >= 0:
                line.touched[border] = True
            for arm in (_LEFT, _RIGHT, _UP, _DOWN):
                if not self._arms(*here) & arm and arm != head:
                    continue
                there = (here[0] + _STEP[arm][0], here[1] + _STEP[arm][1])
                if arm != head and self._arms(*there) & _OPPOSITE[arm]:
                    if there not in seen:
                        seen.add(there)
                        todo.append(there)
                    continue
                node = self._node(here, arm)
                if node < 0:
                    continue
                if arm == head:
                    line.targets.append(node)
                else:
                    line.touched[node] = True
                    if arm == _UP:
                        line.above.append(node)
        return line

    def _arms(self, row: int, column: int) -> int:
        if not 0 <= row < len(self.cells):
            return 0
        head = self.heads[row].get(column, 0)
        return _OPPOSITE[head] if head else self.cells[row].get(column, 0)

    def _node(self, here: "tuple[int, int]", arm: int) -> int:
        """The node that an arm at `here` reaches, over up to two spaces or over the border of its box; -1 for
        none."""
        down, right = _STEP[arm]
        for distance in (1, 2, 3) if right else (1, 2):
            row, column = here[0] + down * distance, here[1] + right * distance
            if not 0 <= row < len(self.rows) or column < 0:
                return -1
            node = self.owner[row].get(column, -1)
            if node >= 0:
                return node
            if right and self.rows[row][column : column + 1] != " ":
                return -1
            if down and self.cells[row].get(column, 0) & 3 != 3:
                return -1
        return -1

    def tree(self) -> "list[tuple[int, list[str], list[str]]]":
        """What indentation says, in rows that a tree's branch leads, or everywhere when nothing else is
        drawn."""
        found = []
        stack: "list[tuple[int, int]]" = []
        for n, (column, node) in enumerate(self.first):
            if column == len(self.rows[n]):
                continue
            while stack and stack[-1][0] >= column:
                stack.pop()
            branch = self.rows[n][:column].strip()
            hangs = (
                branch.startswith(_TREE) or branch.lstrip("│| ").startswith(_TREE) or (not branch and not self.flows)
            )
            if node >= 0 and hangs and node not in self.hung and stack and stack[-1][1] >= 0:
                found.append((n, self.nodes[stack[-1][1]], self.nodes[node]))
            stack.append((column, node))
        return found


def _connectors(row: str, above: "dict[int, int]") -> "tuple[dict[int, int], dict[int, int]]":
    """The characters of a row that draw: {column: arms}, and its arrowheads: {column: direction}."""
    cells: "dict[int, int]" = {}
    heads: "dict[int, int]" = {}
    size = len(row)
    at = 0
    while at < size:
        char = row[at]
        if char in _ASCII:
            end = at + 1
            while end < size and (
                row[end] in _ASCII or (row[end] in _ARMS or row[end] in _HEADS) and not row[end].isascii()
            ):
                end += 1
            alone = row[max(0, at - 1) : at] in ("", " ") and row[end : end + 1] in ("", " ")
            # "Item 13 + 14" is a list; a plus that draws has a line above, below or beside it.
            if end - at > 1 or (alone and (char == "|" or (char == "+" and above.get(at, 0) & _DOWN))):
                for column in range(at, end):
                    _draw(row[column], column, cells, heads)
            at = end
            continue
        if char in "vV^":
            alone = row[max(0, at - 1) : at] in ("", " ") and row[at + 1 : at + 2] in ("", " ")
            if alone and (char == "^" or above.get(at, 0) & _DOWN):
                _draw(char, at, cells, heads)
        elif char in _ARMS or char in _HEADS:
            _draw(char, at, cells, heads)
        at += 1
    return cells, heads


def _draw(char: str, column: int, cells: "dict[int, int]", heads: "dict[int, int]") -> None:
    if char in _HEADS:
        heads[column] = _HEADS[char]
    else:
        cells[column] = _ARMS[char]


def _runs(row: str, cells: "dict[int, int]", heads: "dict[int, int]", gap: int = 3) -> "list[tuple[int, int]]":
    """(start, end) of the texts in a row: what no drawing character and no gap of so many spaces
    interrupts."""
    found: "list[tuple[int, int]]" = []
    start = -1
    end = 0
    for column, char in enumerate(row):
        drawn = column in cells or column in heads
        if start >= 0 and (drawn or column - end >= gap):
            found.append((start, end))
            start = -1
        if not drawn and char != " ":
            if start < 0:
                start = column
            end = column + 1
    if start >= 0:
        found.append((start, end))
    return found
