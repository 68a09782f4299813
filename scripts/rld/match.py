"""Which files a scope is about: globs with the meaning that `.gitignore` gives them, relative to the project's root.

Two things are read more kindly than git does, since scopes are written by people: `{ts,tsx}` stands for either, and
brackets also match themselves, as in `app/[id]/page.tsx`. Case counts. A hook matches every scope of the post-mortem
against one path, so nothing here takes more than the product of the two lengths.
"""

_MOST_ALTERNATIVES = 64


def matches(globs: "list[str]", path: str) -> bool:
    """Is a path (relative to the root, with either kind of slash) in a scope? The last glob that matches decides: one
    with `!` in front takes out. Takes any text; never raises."""
    names = _clean(path.replace("\\", "/")).split("/")
    for glob in reversed(globs):
        out = glob.startswith("!")
        if any(_takes_in(each, names) for each in _alternatives(_forward(glob[1:] if out else glob))):
            return not out
    return False


def _clean(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]
    return path.lstrip("/")


def _forward(glob: str) -> str:
    """A glob with Windows separators, with forward slashes. `\\*` and `\\[` alone are git's way to mean the sign."""
    if "\\" not in glob or "/" in glob:
        return glob
    at = glob.find("\\")
    while at >= 0:
        after = glob[at + 1 : at + 2]
        if after.isalnum() or after in ("_", ".") or glob.startswith("**", at + 1):
            return glob.replace("\\", "/")
        at = glob.find("\\", at + 2)
    return glob


def _alternatives(glob: str) -> "list[str]":
    """The globs that braces stand for; braces without a comma are part of a name."""
    found: "list[str]" = []
    waiting = [glob]
    while waiting and len(waiting) + len(found) <= _MOST_ALTERNATIVES:
        here = waiting.pop()
        end = here.find("}")
        while end >= 0:
            start = here.rfind("{", 0, end)
            if start >= 0 and "," in here[start:end]:
                break
            end = here.find("}", end + 1)
        if end < 0:
            found.append(here)
        else:
            waiting += [here[:start] + one + here[end + 1 :] for one in here[start + 1 : end].split(",")]
    return found + waiting


def _takes_in(glob: str, names: "list[str]") -> bool:
    if not glob or glob.startswith("#"):
        return False
    if _matches(glob, names, True):
        return True
    return "[" in glob and _matches(glob, names, False)


def _matches(glob: str, names: "list[str]", classes: bool) -> bool:
    """Does one glob match the path, or a folder above it? `classes`: brackets hold characters to choose from."""
    while glob.startswith("./"):
        glob = glob[2:]
    inside = glob.endswith("/")
    glob = glob[:-1] if inside else glob
    parts = glob[1:].split("/") if glob.startswith("/") else glob.split("/")
    if parts == [""]:
        return False
    if "/" not in glob and glob != "**":
        parts.insert(0, "**")
    need = 1 if inside else 0  # how many names must follow what was matched
    if parts[-1] == "**":
        need += 1
        while parts and parts[-1] == "**":
            parts.pop()
    patterns = [None if part == "**" else _tokens(part, classes) for part in parts]
    return _walk(patterns, names, len(names) - need)


def _walk(patterns: "list[list[object] | None]", names: "list[str]", end: int) -> bool:
    """Do the patterns match the first names, at most `end` of them? None stands for any number of names.

    A run of patterns behind a None may match wherever it first can: what follows is freer then, not less.
    """
    at = place = 0
    retry = -1  # the pattern behind the last None
    again = 0  # where it is tried next
    while place < len(patterns):
        pattern = patterns[place]
        if pattern is None:
            place += 1
            retry, again = place, at
        elif at < end and _is_like(pattern, names[at]):
            place += 1
            at += 1
        elif retry >= 0 and again < end:
            again += 1
            place, at = retry, again
        else:
            return False
    return at <= end


def _tokens(part: str, classes: bool) -> "list[object]":
    """One name of a glob: a character, `*` as True, `?` as False, a class as (negated, ranges); [None] never matches."""
    found: "list[object]" = []
    at = 0
    while at < len(part):
        char = part[at]
        at += 1
        if char == "\\":
            if at >= len(part):
                return [None]
            found.append(part[at])
            at += 1
        elif char == "*":
            if not found or found[-1] is not True:
                found.append(True)
        elif char == "?":
            found.append(False)
        elif char == "[" and classes:
            chosen, at = _class(part, at)
            if chosen is None:
                return [None]
            found.append(chosen)
        else:
            found.append(char)
    return found


def _class(part: str, at: int) -> "tuple[tuple[bool, list[tuple[str, str]]] | None, int]":
    """The class that begins behind a bracket, and where it ends; (None, at) when it is never closed."""
    negated = part[at : at + 1] in ("!", "^")
    at += negated
    ranges: "list[tuple[str, str]]" = []
    first = at
    while at < len(part) and (part[at] != "]" or at == first):
        at += part[at] == "\\"
        low = part[at : at + 1]
        at += 1
        high = low
        if part[at : at + 1] == "-" and part[at + 1 : at + 2] not in ("", "]"):
            at += 2 if part[at + 1] == "\\" else 1
            high = part[at : at + 1]
            at += 1
        ranges.append((low, high))
    return ((negated, ranges), at + 1) if at < len(part) else (None, at)


def _is_like(pattern: "list[object]", name: str) -> bool:
    at = place = 0
    retry = -1
    again = 0
    while at < len(name) or place < len(pattern):
        token = pattern[place] if place < len(pattern) else None
        if token is True:
            place += 1
            retry, again = place, at
            continue
        if at < len(name) and token is not None and _is_one(token, name[at]):
            place += 1
            at += 1
        elif retry >= 0 and again < len(name):
            again += 1
            place, at = retry, again
        else:
            return False
    return True


def _is_one(token: object, char: str) -> bool:
    if isinstance(token, str):
        return token == char
    if isinstance(token, tuple):
        negated, ranges = token
        return bool(negated) != any(low <= char <= high for low, high in ranges)
    return token is False
