"""Which records come first when there is no room for all: each with the reason for its place."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rld.record import Record

MOST_PATHS = 100  # changed files that scopes are compared with
_WILD = "*?[{\\"


def as_written(records: "list[Record]") -> "list[tuple[Record, str]]":
    """The records in the order of the file, pinned ones first, for when there is room for all."""
    placed = [(entry, "pinned" if _has_field(entry.body, "Pinned") else "as in the file") for entry in records]
    return sorted(placed, key=lambda each: each[1] != "pinned")


def rank(records: "list[Record]", changed: "list[str]") -> "list[tuple[Record, str]]":
    """The records, most important first, each with its reason in plain words.

    Pinned ones, then those whose scope takes in a file of `changed` (what the branch changed, relative to the root);
    among equals those that name their evidence, and of these the newest: by the session's date, then by number.
    """
    paths = changed[:MOST_PATHS]
    matched: "dict[str, str]" = {}
    placed = []
    for entry in records:
        pinned = _has_field(entry.body, "Pinned")
        path = _changed_in(entry.scope, paths, matched) if paths else ""
        proven = _has_field(entry.body, "Evidence")
        placed.append(((pinned, bool(path), proven, entry.session, _order(entry.number)), entry, path))
    placed.sort(key=lambda each: each[0], reverse=True)
    return [(entry, _reason(entry, key[0], path, key[2])) for key, entry, path in placed]


def _reason(entry: "Record", pinned: bool, path: str, proven: bool) -> str:
    parts = []
    if pinned:
        parts.append("pinned")
    if path:
        parts.append("its scope takes in %s, which the branch changed" % path)
    if proven:
        parts.append("names its evidence")
    if not parts:
        parts.append(
            "by age: of %s" % entry.session if entry.session else "by number" if entry.number else "without a number"
        )
    return ", ".join(parts)


def _has_field(body: str, label: str) -> bool:
    """Does a line begin with the label? Reading all fields of 2,000 records would take longer than the rest of a hook."""
    at = body.find(label)
    while at >= 0:
        before = body[body.rfind("\n", 0, at) + 1 : at]
        if not before.strip(" \t-*+_") and body[at + len(label) : at + len(label) + 1] in (":", "*", "_"):
            return True
        at = body.find(label, at + 1)
    return False


def _order(number: "str | None") -> "list[int]":
    """A number as it sorts: "2.1" behind "2" and before "10"."""
    parts = (number or "").split(".")
    return [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 10]


def _changed_in(scope: "list[str]", paths: "list[str]", matched: "dict[str, str]") -> str:
    """The first of the paths in a scope, "" when there is none. `matched` remembers the answers."""
    if not any(_may_take_in(glob, paths) for glob in scope):
        return ""
    key = "\n".join(scope)
    if key not in matched:
        from rld import match  # most starts ask for no file

        matched[key] = next((path for path in paths if match.matches(scope, path)), "")
    return matched[key]


def _may_take_in(glob: str, paths: "list[str]") -> bool:
    """A look at how a glob begins: most scopes name a folder that no changed file is in, and 2,000 scopes times 100
    paths would take seconds."""
    begin = glob[2:] if glob.startswith("./") else glob.lstrip("/")
    for sign in _WILD:
        begin = begin.partition(sign)[0]
    if "/" not in begin:
        return True
    return any(path.startswith(begin.rstrip("/")) for path in paths)
