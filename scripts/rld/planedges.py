"""What one line of a plan says about dependencies, and the edges collected from all of them."""

from rld.itemids import lower
from rld.itemrefs import EARLIER, Names

# (label, does it need a colon?): "requires" and "depends on" also work as verbs.
_LABELS = (
    ("depends on", False),
    ("depend on", False),
    ("blocked by", False),
    ("requires", False),
    ("dependencies", True),
    ("dependency", True),
    ("prerequisites", True),
    ("prerequisite", True),
    ("depends", True),
    ("deps", True),
)
_HINTS = ("depend", "blocked", "requires", "prereq", "deps")
_MARKS = " *_`"
_OPENERS = "([（【"
_BREAKS = "|—–-·•"
_ARROWS = ("->", "→", "=>", "▶", "►", "➜", "➔")
_MOST = 200_000


class Edges:
    """Who depends on whom: for every item, by its place in the plan, its parents' ids and the line that says
    so."""

    __slots__ = ("names", "places", "parents", "left")

    def __init__(self, ids: "list[str]", names: Names) -> None:
        self.names = names
        self.places: "dict[str, int]" = {}
        for place, name in enumerate(ids):
            self.places.setdefault(name, place)
        self.parents: "list[dict[str, int]]" = [{} for _ in ids]
        self.left = _MOST

    def add(self, child: int, ids: "list[str]", line: int) -> None:
        """The item at place `child` depends on these ids. Past a large number of edges nothing is added any
        more."""
        found = self.parents[child]
        for name in ids:
            if self.left <= 0:
                return
            if name == EARLIER:
                self.add(child, [other for other, place in self.places.items() if place < child], line)
            elif name not in found:
                found[name] = line
                self.left -= 1

    def link(self, parents: "list[str]", children: "list[str]", line: int) -> None:
        """Every one of `children` depends on every one of `parents`; what is no item of the plan is left
        out."""
        known = [name for name in parents if name in self.places]
        for name in children:
            if name in self.places:
                self.add(self.places[name], known, line)

    @property
    def full(self) -> bool:
        """Were there more edges than anybody could mean?"""
        return self.left <= 0 or self.names.left < 0


class Claim:
    """ "`children` depend on `parents`". `children` is None where the line speaks of the item it stands in.

    `open`: the label has nothing behind it, so the parents may follow as a list.
    """

    __slots__ = ("children", "parents", "open")

    def __init__(self, children: "list[str] | None", parents: "list[str]", is_open: bool) -> None:
        self.children = children
        self.parents = parents
        self.open = is_open


def claims(text: str, names: Names, first: bool) -> "list[Claim]":
    """What a line says: "**Depends on:** Items 1-3", "Task 3: requires Task 2", "Draw the board (depends on
    T003)".

    `first`: the line begins a paragraph or list item. Prose is no claim: there the label needs a colon, a
    bracket or a dash before it.
    """
    low = lower(text)
    if not any(hint in low for hint in _HINTS):
        return []
    found: "list[Claim]" = []
    places = _labels(low)
    for n, (at, label, needs_colon) in enumerate(places):
        start, colon = _behind(text, at + len(label))
        if needs_colon and not colon:
            continue
        children = _subject(text[:at], names) if n == 0 else []
        if not children and not _may_stand(text, at, first and n == 0, colon):
            continue
        value = text[start : places[n + 1][0] if n + 1 < len(places) else len(text)]
        parents = names.value(value)
        found.append(Claim(children or None, parents, colon and not value.strip(_MARKS)))
    return found


def arrows(text: str, names: Names) -> "list[tuple[list[str], list[str]]]":
    """(parents, children) pairs of a line such as "Task 1 --> Task 2 (why) --> Tasks 3, 4" that begins with
    an item."""
    if not any(arrow in text for arrow in _ARROWS):
        return []
    for arrow in _ARROWS:
        text = text.replace(arrow, "→")
    parts = text.split("→")
    found: "list[tuple[list[str], list[str]]]" = []
    before: "list[str]" = []
    for n, part in enumerate(parts):
        ids, end = names.leading(part, bare=n > 0)
        if n == 0 and (not ids or not _is_aside(part[end:].rstrip("-=─ "))):
            return []
        if before and ids:
            found.append((before, ids))
        before = ids
    return found


def _is_aside(text: str) -> bool:
    """Nothing, or an explanation in parentheses."""
    text = text.strip(" *_`:]")
    return not text or (text[0] in "(（" and text[-1] in ")）")


def _labels(low: str) -> "list[tuple[int, str, bool]]":
    """The labels in a line, from left to right; of two at one place the longer."""
    found: "list[tuple[int, str, bool]]" = []
    for label, needs_colon in _LABELS:
        at = low.find(label)
        while at >= 0:
            end = at + len(label)
            if not low[at - 1 : at].isalnum() and not low[end : end + 1].isalnum():
                found.append((at, label, needs_colon))
            at = low.find(label, end)
    found.sort(key=lambda one: (one[0], -len(one[1])))
    return [one for n, one in enumerate(found) if not n or one[0] != found[n - 1][0]]


def _behind(text: str, at: int) -> "tuple[int, bool]":
    """Where the value behind a label begins, and whether a colon stands between."""
    end = at
    while end < at + 8 and text[end : end + 1] and text[end] in _MARKS + ":：":
        end += 1
    between = text[at:end]
    return end, ":" in between or "：" in between


def _may_stand(text: str, at: int, first: bool, colon: bool) -> bool:
    """Does a label at `at` stand where a label stands: first in the line, in bold, behind a bracket or a
    dash?"""
    if text.startswith(("**", "__"), max(0, at - 2)):
        return True
    start = at
    while start > max(0, at - 8) and text[start - 1] in _MARKS:
        start -= 1
    before = text[start - 1 : start]
    if before and before in _OPENERS + _BREAKS:
        return True
    if colon and before and before in ",;.:":
        return True
    return (first or colon) and at < 40 and not any(char.isalnum() for char in text[:at])


def _subject(before: str, names: Names) -> "list[str]":
    """The items that all of the text before a label names: "Task 3: ", "**T014/T015** — "."""
    if len(before) > 400:
        return []
    ids, end = names.leading(before)
    rest = before[end:].strip(" *_`:：—–-]")
    return ids if ids and _is_aside(rest) else []
