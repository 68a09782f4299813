"""`.rld.yml` for hooks, which have no YAML library.

It reads the few shapes that the settings can take: `key: value`, quoted values, `[a, b]`, `{max_chars: 6000}`, and
block lists and maps one level deep. Whatever else the file holds is "cannot be read" here, and `rld status` says what
is wrong: what this reader accepts, PyYAML reads the same way (tested).
"""

from rld import rawfile
from rld.project import POST_MORTEM, SETTINGS, Project

_TEXTS = ("post_mortem", "worklog")
_LISTS = ("verify", "entry_points")
_CHOICES = {"stop": ("warn", "block-once", "off"), "protect": ("deny", "ask", "off"), "approval": ("each-item", "batch")}


class HookSettings:
    """The settings a hook needs. `problem` is one line when the file could not be read and these are the defaults."""

    __slots__ = ("verify", "post_mortem", "worklog", "max_chars", "stop", "protect", "problem")

    def __init__(self) -> None:
        self.verify: "list[str]" = []
        self.post_mortem = POST_MORTEM
        self.worklog = "docs/worklog"
        self.max_chars = 6000
        self.stop = "warn"
        self.protect = "deny"
        self.problem = ""


def load(project: Project) -> HookSettings:
    text = rawfile.read_text(project.root + "/" + SETTINGS)
    settings = HookSettings()
    if text is None:
        return settings
    values = read(text)
    if values is None:
        settings.problem = "%s cannot be read, so the defaults hold; `rld status` says what is wrong" % SETTINGS
        return settings
    for key, value in values.items():
        if key == "digest":
            settings.max_chars = value["max_chars"]  # type: ignore[index,call-overload]
        elif key == "verify":
            settings.verify = value if isinstance(value, list) else [str(value)]
        elif key in ("post_mortem", "worklog", "stop", "protect"):
            setattr(settings, key, value)
    return settings


def read(text: str) -> "dict[str, object] | None":
    """The values of a settings file, None when this reader cannot tell."""
    found: "dict[str, object]" = {}
    key = ""
    for line in text.lstrip("\ufeff").replace("\r\n", "\n").split("\n"):
        bare = line.strip(" ")
        if not bare or bare[0] == "#":
            continue
        if line[0] == " " or bare.startswith("- "):
            # One level below `key:`.
            if key == "digest" and found.get(key) is None and bare.startswith("max_chars:"):
                found[key] = _digest("{" + bare + "}")
            elif key in _LISTS and bare.startswith("- "):
                item = _scalar(bare[2:].strip(" "))
                if item is None:
                    return None
                found[key] = [*(found[key] or []), item]  # type: ignore[misc]
            else:
                return None
            continue
        key, colon, rest = line.partition(":")
        if not colon or (rest and rest[0] != " ") or key in found:
            return None
        value = rest.strip(" ")
        if not value or value[0] == "#":
            found[key] = None
        elif key == "digest":
            found[key] = _digest(value)
        elif key in _LISTS and value[0] == "[":
            found[key] = _flow(value)
        else:
            found[key] = _scalar(value)
        if value and value[0] != "#" and found[key] is None:
            return None
    return found if all(_fits(name, value) for name, value in found.items()) else None


def _fits(key: str, value: object) -> bool:
    if key in _CHOICES:
        return value in _CHOICES[key]
    if key in _TEXTS:
        return isinstance(value, str)
    if key in _LISTS:
        return isinstance(value, (str, list))
    return key == "digest" and isinstance(value, dict)


def _digest(value: str) -> "dict[str, int] | None":
    value = value.partition(" #")[0].strip(" ")
    name, colon, size = value[1:-1].partition(":")
    size = size.strip(" ")
    if value[0] == "{" and value[-1] == "}" and colon and name.strip(" ") == "max_chars" and size.isdigit() and size.isascii():
        return {"max_chars": int(size)} if 500 <= int(size) <= 9000 and size[0] != "0" else None
    return None


def _flow(value: str) -> "list[str] | None":
    if "#" in value or "\\" in value or not value.endswith("]"):
        return None
    inner = value[1:-1].strip(" ")
    if not inner:
        return []
    items = [_scalar(item.strip(" ")) for item in inner.split(",")]
    return None if any(item is None or item[:1] in "[]{}" or any(c in item for c in "[]{}") for item in items) else items  # type: ignore[union-attr,return-value]


def _scalar(value: str) -> "str | None":
    """A plain or quoted value on one line; None for what YAML might read as something else than this text."""
    if not value:
        return None
    if value[0] in "\"'":
        quote = value[0]
        end = value.find(quote, 1)
        rest = value[end + 1 :].strip(" ")
        if end < 0 or (rest and not (rest[0] == "#" and value[end + 1] == " ")) or (quote == '"' and "\\" in value):
            return None
        return value[1:end]
    value = value.partition(" #")[0].rstrip(" ")
    if value[0] in "[]{}&*!|>%@`#,?-:\t" or ": " in value or value.endswith(":") or "\t" in value or not value.isprintable():
        return None
    lower = value.lower()
    if lower == "off":
        return "off"
    if lower in ("yes", "no", "true", "false", "on", "null", "~", "y", "n", ".nan", ".inf", "=", "<<") or not value[0].isalpha() and value[0] not in "./":
        return None
    return value
