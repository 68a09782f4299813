"""The graph of a plan's items: what is done, what can be started, what waits, and what waits for itself.

Nothing here recurses: a plan may be a chain of thousands of items.
"""

DONE = "done"
READY = "ready"
BLOCKED = "blocked"

_EXACT = 8_000  # up to so many items, what an item unblocks is counted over all its descendants


class Item:
    """One item. `id` as written, without its word; `depends_on`: its parents in plan order, ids the plan does
    not have last; `done`: only task files that keep their own state say so."""

    __slots__ = ("id", "title", "depends_on", "quick_win", "line", "done")

    def __init__(self, name: str, title: str, line: int) -> None:
        self.id = name
        self.title = title
        self.line = line
        self.depends_on: "list[str]" = []
        self.quick_win = False
        self.done = False

    def __repr__(self) -> str:
        return "Item(%r, %r, line %d)" % (self.id, self.depends_on, self.line)


class Plan:
    """The items of a plan in its order, and (line, code, message) of every problem, by line."""

    __slots__ = ("items", "problems")

    def __init__(self, items: "list[Item]", problems: "list[tuple[int, str, str]]") -> None:
        self.items = items
        self.problems = problems


def states(items: "list[Item]", done: "set[str]") -> "dict[str, str]":
    """The state of every item, by id.

    Ready means that all parents are done. What is on a cycle, depends on itself or on an item the plan does
    not have is blocked, whatever else is done; so is what waits for it. Two items with one id share a state.
    """
    parents = _parents(items)
    finished = {item.id for item in items if item.done or item.id in done}
    looped = {name for loop in _loops(parents) for name in loop}
    found: "dict[str, str]" = {}
    for name, above in parents.items():
        if name in finished:
            found[name] = DONE
        elif name not in looped and all(other in parents and other in finished for other in above):
            found[name] = READY
        else:
            found[name] = BLOCKED
    return found


def ready(items: "list[Item]", done: "set[str]") -> "list[str]":
    """The ids of the items that can be started, in the order to offer them.

    Quick wins first (items without parents, where the plan marks none), then what unblocks most, then plan
    order.
    """
    return _ready(items, states(items, done))


def _ready(items: "list[Item]", state: "dict[str, str]") -> "list[str]":
    parents = _parents(items)
    quick = {item.id for item in items if item.quick_win} or {name for name, above in parents.items() if not above}
    names = [name for name in parents if state[name] == READY]
    gain = _unblocks(parents, state) if len(names) > 1 else {}
    names.sort(key=lambda name: (name not in quick, -gain.get(name, 0)))
    return names


def cycles(items: "list[Item]") -> "list[list[str]]":
    """A shortest cycle through the first item of every knot, each as ids where one depends on the next and
    the last on the first. Self-dependencies are none."""
    parents = _parents(items)
    return [_shortest(parents, loop) for loop in _loops(parents) if len(loop) > 1]


def answer(plan: Plan, done: "set[str]") -> "dict[str, object]":
    """A plan as `plan next --json` prints it."""
    state = states(plan.items, done)
    items = [
        {
            "id": item.id, "title": item.title, "depends_on": item.depends_on, "state": state[item.id],
            "quick_win": item.quick_win, "line": item.line,
        }
        for item in plan.items
    ]  # fmt: skip
    problems = [{"line": line, "code": code, "message": message} for line, code, message in plan.problems]
    return {"items": items, "ready": _ready(plan.items, state), "problems": problems}


def _parents(items: "list[Item]") -> "dict[str, list[str]]":
    """The parents of every id, in plan order."""
    found: "dict[str, list[str]]" = {}
    for item in items:
        if item.id in found:
            found[item.id] = found[item.id] + item.depends_on
        else:
            found[item.id] = item.depends_on
    return found


def _children(parents: "dict[str, list[str]]") -> "dict[str, list[str]]":
    found: "dict[str, list[str]]" = {name: [] for name in parents}
    for name, above in parents.items():
        for other in above:
            if other in found:
                found[other].append(name)
    return found


def _unblocks(parents: "dict[str, list[str]]", state: "dict[str, str]") -> "dict[str, int]":
    """How many items that are not done wait for each, through others too.

    A set of descendants is one integer, a bit per item; in very large plans only direct children count.
    """
    children = _children(parents)
    if len(parents) > _EXACT:
        return {name: sum(state[other] != DONE for other in below) for name, below in children.items()}
    waits = {name: len([1 for other in above if other in parents]) for name, above in parents.items()}
    order = [name for name, count in waits.items() if not count]
    for name in order:  # grows while it is read; what is on a cycle never gets in
        for other in children[name]:
            waits[other] -= 1
            if not waits[other]:
                order.append(other)
    bit = {name: 1 << place for place, name in enumerate(reversed(order))}
    sets: "dict[str, int]" = {}
    for name in reversed(order):
        whole = 0
        for other in children[name]:
            if other in sets:
                whole |= sets[other]
                if state[other] != DONE:
                    whole |= bit[other]
        sets[name] = whole
    return {name: bin(whole).count("1") for name, whole in sets.items()}


def _loops(parents: "dict[str, list[str]]") -> "list[list[str]]":
    """The knots: ids that depend on each other, and ids that depend on themselves; each in plan order
    (Tarjan)."""
    index: "dict[str, int]" = {}
    low: "dict[str, int]" = {}
    path: "list[str]" = []
    on_path: "set[str]" = set()
    found: "list[list[str]]" = []
    place = {name: n for n, name in enumerate(parents)}
    for root in parents:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        work = [(root, iter(parents[root]))]
        while work:
            name, above = work[-1]
            for other in above:
                if other not in parents:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    path.append(other)
                    on_path.add(other)
                    work.append((other, iter(parents[other])))
                    break
                if other in on_path:
                    low[name] = min(low[name], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    start = len(path) - 1
                    while path[start] != name:
                        start -= 1
                    knot = path[start:]
                    del path[start:]
                    on_path.difference_update(knot)
                    if len(knot) > 1 or name in parents[name]:
                        found.append(sorted(knot, key=place.__getitem__))
    return sorted(found, key=lambda knot: place[knot[0]])


def _shortest(parents: "dict[str, list[str]]", knot: "list[str]") -> "list[str]":
    """The shortest way from the first id of a knot along its parents back to it."""
    first = knot[0]
    members = set(knot)
    came: "dict[str, str]" = {}
    order = [first]
    for name in order:
        for other in parents[name]:
            if other == first and name != first:
                way = [name]
                while way[-1] != first:
                    way.append(came[way[-1]])
                return way[::-1]
            if other in members and other not in came and other != first:
                came[other] = name
                order.append(other)
    return knot
