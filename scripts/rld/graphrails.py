"""The lines beside the rows of a drawn graph: which item leads to which."""

from __future__ import annotations


class Strokes:
    """The characters of the lines. A joint is where a rail meets the line to a child: (it goes on below, the line goes on to
    the left, to the right)."""

    def __init__(self, vertical: str, horizontal: str, joints: str) -> None:
        self.vertical = vertical
        self.horizontal = horizontal
        ways = [(True, False, True), (True, True, True), (True, True, False)]
        ways += [(False, False, True), (False, True, True), (False, True, False)]
        self.joints = dict(zip(ways, joints))


UNICODE = Strokes("│", "─", "├┼┤╰┴╯")
ASCII = Strokes("|", "-", "+++`+'")


class Rails:
    """The rail beside each item, in `rows`: two columns per lane, a lane for each item that has children to come."""

    def __init__(
        self, order: list[str], parents: dict[str, list[str]], marks: dict[str, str], most: int, strokes: Strokes
    ) -> None:
        """`order`: the ids from above to below; `marks`: what stands for each; `most`: beyond so many lanes an item has
        no rail to its children."""
        self.strokes = strokes
        self.most = most
        self.parents = _led_to(order, parents)
        self.last = {parent: id for id in order for parent in self.parents[id]}
        self.lanes: list[str] = []  # whose each is, "" for a free one
        self.above = -1  # the lane of the item right above if nothing follows from it
        self.rows = {id: self._add(id, marks[id]) for id in order}

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
                made += self.strokes.joints[(lane not in ends, low < lane, lane < high)]
            else:
                made += self.strokes.vertical if owner else self.strokes.horizontal if low < lane < high else " "
            made += self.strokes.horizontal if low <= lane < high else " "
        return made.rstrip()


def _led_to(order: list[str], parents: dict[str, list[str]]) -> dict[str, list[str]]:
    """The parents of each item that are drawn above it and do not follow from its other parents.

    A set of ancestors is one integer, a bit per item.
    """
    bit: dict[str, int] = {}
    above: dict[str, int] = {}
    found = {}
    for n, id in enumerate(order):
        known = [parent for parent in parents[id] if parent in bit]
        older = 0
        for parent in known:
            older |= above[parent]
        found[id] = [parent for parent in known if not older & bit[parent]]
        bit[id] = 1 << n
        for parent in known:
            older |= bit[parent]
        above[id] = older
    return found
