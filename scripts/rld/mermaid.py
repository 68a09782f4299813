"""Mermaid flowcharts: which node comes before which."""

from rld.itemids import WORDS
from rld.itemrefs import Names

_KINDS = ("graph", "flowchart")
_SKIPPED = ("%%", "classDef", "class ", "style ", "linkStyle", "click ", "direction", "accTitle", "accDescr")
_OPEN = "[({>"
_CLOSE = {"[": "]", "(": ")", "{": "}", ">": "]"}
_LINK = "-=.<~"
_REVERSED = ("depends", "requires", "needs", "blocked")


def edges(rows: "list[str]", names: Names) -> "list[tuple[int, list[str], list[str]]]":
    """(row, parents, children) of the items a diagram connects; rows count from 0.

    [] when it is no flowchart or not about items. A node is an item when its text begins with one ("Task 1:
    …") or it is called exactly like one (T001). Looser names (T1 for Task 1) count only where all nodes have
    one.
    """
    chart = _Chart()
    started = False
    settings = False  # between two lines of dashes
    for n, row in enumerate(rows):
        text = row.strip()
        if not started:
            if text == "---":
                settings = not settings
            elif text and not settings and not text.startswith("%%"):
                if text.split(" ")[0].rstrip(";") not in _KINDS:
                    return []
                started = True
        elif text and not text.startswith(_SKIPPED):
            chart.read(text, n)
    return chart.resolve(names)


class _Chart:
    """Nodes with their labels, links between groups of nodes, and who is in which subgraph."""

    def __init__(self) -> None:
        self.labels: "dict[str, str]" = {}
        self.links: "list[tuple[int, list[str], list[str]]]" = []
        self.members: "dict[str, list[str]]" = {}
        self.open: "list[str]" = []

    def read(self, text: str, n: int) -> None:
        """One line: a subgraph's start or end, or statements."""
        if text == "end" or text.startswith("end "):
            if self.open:
                self.open.pop()
        elif text.startswith("subgraph"):
            name, _ = _node(text, len("subgraph") + 1) if text[8:].strip() else ("", 0)
            self.open.append(name)
            self.members.setdefault(name, [])
        else:
            self._statements(text, n)

    def _statements(self, text: str, n: int) -> None:
        """Chains such as `A & B -->|label| C --> D; E --> F`."""
        at = 0
        before: "list[str]" = []
        group: "list[str]" = []
        link = ""
        while at < len(text):
            char = text[at]
            if char in _LINK:
                if link or group:
                    before, link = self._join(before, link, group, n), ""
                    group = []
                link, at = _read_link(text, at)
            elif char == ";":
                self._join(before, link, group, n)
                before, group, link = [], [], ""
                at += 1
            elif text.startswith(":::", at):
                _, at = _node(text, at + 3)
            elif text.startswith("@{", at):
                at = (text.find("}", at) + 1) or len(text)
            elif char.isalnum() or char == "_":
                name, at = self._node(text, at)
                group.append(name)
            else:
                at += 1
        self._join(before, link, group, n)

    def _join(self, before: "list[str]", link: str, group: "list[str]", n: int) -> "list[str]":
        if before and group and link:
            if link == "<":
                self.links.append((n, group, before))
            elif link == ">":
                self.links.append((n, before, group))
        return group

    def _node(self, text: str, at: int) -> "tuple[str, int]":
        name, at = _node(text, at)
        label, at = _label(text, at)
        if label or name not in self.labels:
            self.labels[name] = label
            # Only subgraphs that links name are ever asked for; the innermost one is enough.
            if self.open:
                self.members[self.open[-1]].append(name)
        return name, at

    def resolve(self, names: Names) -> "list[tuple[int, list[str], list[str]]]":
        """The links between nodes that are items."""
        sure = {name: _sure(name, label, names) for name, label in self.labels.items() if name not in self.members}
        loose = {name: found or _loose(name, names) for name, found in sure.items()}
        items = loose if all(loose.values()) else sure
        for name, members in self.members.items():
            items[name] = [one for member in members for one in items.get(member, ())]
        found = []
        for n, before, after in self.links:
            parents = [one for name in before for one in items.get(name, ())]
            children = [one for name in after for one in items.get(name, ())]
            if parents and children:
                found.append((n, parents, children))
        return found


def _sure(name: str, label: str, names: Names) -> "list[str]":
    ids, _ = names.leading(label)
    if not ids and name.lower() in names.exact and not name.isdigit():
        ids = [names.exact[name.lower()]]
    return ids


def _loose(name: str, names: Names) -> "list[str]":
    """`T1`, `Task_1`, `task2_1`, `3`: the item so called, if the plan has it."""
    at = 0
    while at < len(name) and name[at].isalpha():
        at += 1
    letters, number = name[:at], name[at:].lstrip("_").replace("_", ".")
    if not number or not number[-1].isalnum():
        return []
    found = names.known("" if letters.lower() in WORDS else letters, number)
    return [found] if found else []


def _node(text: str, at: int) -> "tuple[str, int]":
    """A node's name and where it ends."""
    while text[at : at + 1] == " ":
        at += 1
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_."):
        end += 1
    # A hyphen belongs to the name unless a link begins with it.
    while text[end : end + 1] == "-" and text[end + 1 : end + 2].isalnum() and text[end - 1 : end].isalnum():
        end += 1
        while end < len(text) and (text[end].isalnum() or text[end] in "_."):
            end += 1
    return text[at:end], end


def _label(text: str, at: int) -> "tuple[str, int]":
    """The text in a node's brackets and where they end; ("", at) when it has none."""
    if text[at : at + 1] not in _CLOSE:
        return "", at
    start = at
    while text[start : start + 1] and text[start] in _OPEN + "/\\":
        start += 1
    close = _CLOSE[text[at]]
    if text[start : start + 1] == '"':
        end = text.find('"', start + 1)
        label = text[start + 1 : end if end >= 0 else len(text)]
        end = text.find(close, end) if end >= 0 else -1
    else:
        end = text.find(close, start)
        label = text[start : end if end >= 0 else len(text)]
    if end < 0:
        return label, len(text)
    while text[end : end + 1] and text[end] in ")]}":
        end += 1
    return label.strip(" \"'`*/\\"), end


def _read_link(text: str, at: int) -> "tuple[str, int]":
    """A link's direction (">", "<" when its text says that the left one waits, "" for none) and where it
    ends."""
    end, head = _dashes(text, at)
    label = ""
    if text[end : end + 1] == "|":
        stop = text.find("|", end + 1)
        stop = len(text) - 1 if stop < 0 else stop
        label, end = text[end + 1 : stop], stop + 1
    elif not head and end == at + 2:
        # `A -- text --> B`: the text runs up to the next dashes. `A --- B` has three.
        stop = _next_dashes(text, end)
        if stop > end:
            label = text[end:stop]
            end, head = _dashes(text, stop)
    if not head or text[at] == "<":
        return "", end
    return ("<" if label.strip(' "').lower().startswith(_REVERSED) else ">"), end


def _dashes(text: str, at: int) -> "tuple[int, bool]":
    """Where a run of link characters ends, and whether it ends in a head (`-->`, `--x`, `--o`)."""
    end = at
    while text[end : end + 1] and text[end] in _LINK:
        end += 1
    if text[end : end + 1] == ">":
        return end + 1, True
    if text[end : end + 1] and text[end] in "xo" and text[end + 1 : end + 2] in ("", " ", "|") and end > at + 1:
        return end + 1, True
    return end, False


def _next_dashes(text: str, at: int) -> int:
    found = [place for place in (text.find(mark, at, at + 200) for mark in ("--", "==", "-.", ".-")) if place >= 0]
    return min(found) if found else -1
