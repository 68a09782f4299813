"""Task files that keep their own state: Taskmaster's tasks.json and the issues.jsonl of beads."""

from rld import jsontext
from rld.plan import Item, Plan, assemble

_DONE = frozenset(("done", "completed", "complete", "closed", "cancelled", "canceled"))
_GONE = "tombstone"
_BLOCKING = frozenset(("", "blocks", "conditional-blocks", "waits-for"))


def parse(text: str) -> "Plan | None":
    """The plan in a task file; None when the text is no JSON. Never raises."""
    value = _load(text)
    if isinstance(value, (dict, list)):
        tasks = _taskmaster(value)
        if tasks:
            return _plan(tasks, _lines_of(text, tasks), [])
    return _beads(text)


def _load(text: str) -> object:
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError):
        return None


def _taskmaster(value: object) -> "list[dict[str, object]]":
    """The tasks of a flat file, or of one context of a tagged one: `master`, else the first that has
    tasks."""
    if isinstance(value, list):
        tasks: object = value
    else:
        assert isinstance(value, dict)
        tasks = value.get("tasks")
        if not isinstance(tasks, list):
            contexts = [value.get("master"), *value.values()]
            lists = [one.get("tasks") for one in contexts if isinstance(one, dict)]
            tasks = next((one for one in lists if isinstance(one, list) and one), [])
    assert isinstance(tasks, list)
    return [task for task in tasks if isinstance(task, dict) and _name(task.get("id"))]


def _name(value: object) -> str:
    """An id as text: ids are numbers in some files and texts in others."""
    return str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""


def _lines_of(text: str, tasks: "list[dict[str, object]]") -> "list[int]":
    """The line of every task's title. JSON values have no lines, so the titles are looked for in the text, in
    order; behind one that cannot be found all stand on its line."""
    found: "list[int]" = []
    at = 0
    line = 1
    lost = False
    for task in tasks:
        title = task.get("title")
        if isinstance(title, str) and not lost:
            place = max(text.find(jsontext.dumps(title), at), text.find('"%s"' % title, at))
            lost = place < 0
            if not lost:
                line += text.count("\n", at, place)
                at = place + 1
        found.append(line)
    return found


def _beads(text: str) -> "Plan | None":
    """One issue a line. A line that is no JSON, a conflict marker say, is a problem and no reason to lose the
    rest."""
    issues: "list[dict[str, object]]" = []
    places: "list[int]" = []
    problems: "list[tuple[int, str, str]]" = []
    for n, row in enumerate(text.split("\n")):
        if not row.strip():
            continue
        value = _load(row) if row.lstrip()[0] == "{" else None
        if not isinstance(value, dict):
            if not issues:
                return None
            problems.append((n + 1, "unreadable-line", "this line is no JSON object: the issue in it is left out"))
        elif _name(value.get("id")) and value.get("status") != _GONE:
            issues.append(value)
            places.append(n + 1)
    return _plan(issues, places, problems) if issues else None


def _plan(tasks: "list[dict[str, object]]", places: "list[int]", problems: "list[tuple[int, str, str]]") -> Plan:
    items: "list[Item]" = []
    parents: "list[dict[str, int]]" = []
    known = {_name(task.get("id")) for task in tasks}
    for task, line in zip(tasks, places):
        item = Item(_name(task["id"]), str(task.get("title") or ""), line)
        item.done = str(task.get("status")).lower() in _DONE
        labels = task.get("labels")
        item.quick_win = isinstance(labels, list) and ("quick-win" in labels or "quick win" in labels)
        items.append(item)
        parents.append(dict.fromkeys(_parents(task.get("dependencies"), known), line))
    return assemble(items, parents, problems)


def _parents(value: object, known: "set[str]") -> "list[str]":
    """Ids of what a task waits for. A subtask ("5.2") is a step of its task; "parent-child" links wait for
    nothing."""
    found: "list[str]" = []
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            one = one.get("depends_on_id") if str(one.get("type") or "") in _BLOCKING else None
        name = _name(one) if not isinstance(one, float) else str(one)
        task = name.partition(".")[0]
        if name and name not in known and task in known:
            name = task
        if name:
            found.append(name)
    return found
