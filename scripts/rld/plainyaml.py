"""The few shapes of YAML that `.rld.yml` takes, for hooks.

It reads `key: value`, quoted values, `[a, b]`, `{max_chars: 6000}`, and block lists and maps one level deep. Whatever
else the file holds is "cannot be read" here, and `rld doctor` says why: what this reader accepts, PyYAML reads the
same way (tested).
"""

_TEXTS = ("post_mortem", "worklog")
_LISTS = ("verify", "entry_points")
# What YAML 1.1 reads as false, and other words that are no text to it.
_FALSE = ("off", "Off", "OFF", "no", "No", "NO", "false", "False", "FALSE")
_WORDS = ("yes", "no", "true", "false", "on", "off", "null", "y", "n", ".nan", ".inf")
_CHOICES = {
    "stop": ("warn", "block-once", "off"),
    "protect": ("deny", "ask", "off"),
    "approval": ("each-item", "batch"),
}


def read(text: str) -> "dict[str, object] | None":
    """The values of a settings file, None when this reader cannot tell. Keys without a value are left out."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n")
    # YAML ends lines at some of the others, and refuses files with the rest.
    if not text.replace("\n", "").replace("\t", "").replace("\xa0", "").isprintable():
        return None
    found: "dict[str, object]" = {}
    key = ""  # what may have values below it
    indent = -1  # of those values
    begun = False
    for line in text.split("\n"):
        bare = line.strip(" ")
        if not bare or bare[0] == "#":
            continue
        if line == "---" and not begun:
            begun = True
            continue
        begun = True
        if line[0] == " " or bare.startswith("- "):
            here = len(line) - len(line.lstrip(" "))
            value = _below(key, found.get(key), bare) if indent in (-1, here) else None
            if value is None:
                return None
            found[key] = value
            indent = here
            continue
        name, colon, rest = line.partition(":")
        if not colon or (rest and rest[0] != " ") or name in found:
            return None
        rest = rest.strip(" ")
        indent = -1
        if not rest or rest[0] == "#":
            key = name
            found[key] = None
        else:
            key = ""
            found[name] = _beside(name, rest)
            if found[name] is None:
                return None
    if not all(_fits(name, value) for name, value in found.items()):
        return None
    return {name: value for name, value in found.items() if value is not None}


def _below(key: str, above: object, bare: str) -> object:
    """The value of `key` with one more line of the block below it; `above` is what stood there so far."""
    if key == "digest" and above is None:
        return _digest(bare)
    if key in _LISTS and bare.startswith("- ") and (above is None or isinstance(above, list)):
        item = _scalar(bare[2:].strip(" "))
        return None if item is None else [*(above or []), item]
    return None


def _beside(key: str, value: str) -> object:
    """The value that stands on the line of its key."""
    bare = value.partition(" #")[0].rstrip(" ")
    if key in _CHOICES and bare in _FALSE:
        return "off"
    if key == "digest":
        return _digest(bare[1:-1].strip(" ")) if bare[0] == "{" and bare[-1] == "}" else None
    if key in _LISTS and value[0] == "[":
        return _flow(bare)
    return _scalar(value)


def _fits(key: str, value: object) -> bool:
    if key in _CHOICES:
        return value is None or value in _CHOICES[key]
    if key in _TEXTS:
        return value is None or (isinstance(value, str) and _is_inside(value))
    return key in _LISTS or key == "digest"


def _digest(pair: str) -> "dict[str, int] | None":
    name, _, size = pair.partition(" #")[0].partition(": ")
    size = size.strip(" ")
    if name.rstrip(" ") != "max_chars" or not (size.isdigit() and size.isascii() and len(size) < 5) or size[0] == "0":
        return None
    return {"max_chars": int(size)} if 500 <= int(size) <= 9000 else None


def _flow(value: str) -> "list[str] | None":
    if "\\" in value or value[-1] != "]":
        return None
    inner = value[1:-1].strip(" ")
    items = []
    for part in inner.split(",") if inner else []:
        item = _scalar(part.strip(" "))
        if item is None or any(c in item for c in "[]{}?"):
            return None
        items.append(item)
    return items


def _scalar(value: str) -> "str | None":
    """A plain or quoted text on one line; None for what YAML might read as something else, and for a blank one."""
    if not value or "\t" in value:
        return None
    if value[0] in "\"'":
        quote = value[0]
        end = value.find(quote, 1)
        rest = value[end + 1 :].strip(" ")
        if end < 0 or (rest and not (rest[0] == "#" and value[end + 1] == " ")) or (quote == '"' and "\\" in value):
            return None
        return value[1:end] if value[1:end].strip() else None
    value = value.partition(" #")[0].rstrip(" ")
    if not (value[0].isalpha() or (value[0] in "./" and not value[1:2].isdigit())) or not value.isprintable():
        return None
    if ": " in value or value[-1] == ":" or value.lower() in _WORDS:
        return None
    return value


def _is_inside(path: str) -> bool:
    """Does a path stay in the project? One outside would let a clone have any file read out to a model."""
    parts = path.replace("\\", "/").split("/")
    return not (path[:1] in ("/", "\\") or path[1:2] == ":" or ".." in parts)
