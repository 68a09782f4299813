"""A journal's front matter, read and edited line by line: a dump of the whole would reorder and reformat it.

Values are text as people write them: an unquoted colon is part of the value, which YAML would refuse
(eyeseast/python-frontmatter#70).
"""

from rld import lines as md

_NOT_TEXT = frozenset(("", "~", "=", "<<", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan"))
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_WIDTHS = {"x": 2, "u": 4, "U": 8}
_HEX = "0123456789abcdefABCDEF"


def read(rows: "list[str]") -> "tuple[dict[str, str], int]":
    """The values at the top of a document, and how many lines they take, fences included; ({}, 0) if none.

    A value on several lines is joined as YAML joins it; of a key that stands twice the last counts.
    """
    size = md.front_matter(rows)
    found: "dict[str, list[str]]" = {}
    value: "list[str]" = []
    for row in rows[1 : max(size - 1, 1)]:
        bare = row.strip()
        if row[:1] in (" ", "\t"):
            value.append(bare)
            continue
        name, colon, rest = bare.partition(":")
        if colon and not bare.startswith(("#", "- ")):
            value = found[name.strip()] = [rest.strip()]
    return {name: _join(value) for name, value in found.items()}, size


def _join(value: "list[str]") -> str:
    first = _without_comment(value[0])
    if first[:1] in ("|", ">") and not first[1:].strip("+-123456789"):
        return ("\n" if first[0] == "|" else " ").join(value[1:]).strip()
    return _plain(" ".join(value).strip())


def _without_comment(value: str) -> str:
    if value.startswith("#"):
        return ""
    return value.partition(" #")[0].rstrip()


def _plain(value: str) -> str:
    """A value without quotes and comment; words behind the closing quote make the quotes part of it."""
    text, end = value, 0
    if value.startswith("'"):
        inner, quote, rest = value[1:].replace("''", "\0").partition("'")
        text, end = inner.replace("\0", "'"), len(value) - len(rest.replace("\0", "''")) if quote else 0
    elif value.startswith('"'):
        text, end = _unescape(value)
    if end and not _without_comment(value[end:].strip()):
        return text
    return _without_comment(value)


def _unescape(value: str) -> "tuple[str, int]":
    """The text of a double-quoted value, and where it ends; 0 when the closing quote is missing."""
    made: "list[str]" = []
    at = 1
    size = len(value)
    while at < size and value[at] != '"':
        char = value[at]
        at += 1
        if char == "\\" and at < size:
            char = value[at]
            at += 1
            width = _WIDTHS.get(char, 0)
            digits = value[at : at + width]
            if width and len(digits) == width and not digits.strip(_HEX) and int(digits, 16) < 0x110000:
                char = chr(int(digits, 16))
                at += width
            else:
                char = _ESCAPES.get(char, char)
        made.append(char)
    return "".join(made), at + 1 if at < size else 0


def scalar(value: str) -> str:
    """A value as YAML wants it: quoted only when it would be read as something else."""
    if not value.isprintable():
        return '"%s"' % "".join(_escape(char) for char in value)
    if _needs_quotes(value):
        return "'%s'" % value.replace("'", "''")
    return value


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    return "\\x%02x" % code if code < 0x100 else "\\u%04x" % code if code < 0x10000 else "\\U%08x" % code


def _needs_quotes(value: str) -> bool:
    if value.lower() in _NOT_TEXT or value != value.strip() or value[0] in "#&*!|>'\"%@`,[]{}":
        return True
    if value[0] in "-?:" and value[1:2] in ("", " "):
        return True
    if ": " in value or " #" in value or value.endswith(":"):
        return True
    number = value.lower().lstrip("+-")
    if number[:1] not in tuple("0123456789."):
        return False
    is_date = len(value) == 10 and value[4] == value[7] == "-"
    return number.startswith(("0x", "0o", "0b")) or not (is_date or number.strip("0123456789._:e+-"))


def with_value(text: str, name: str, value: str) -> str:
    """The text with one value set in its front matter; all else stays, also a comment behind the value.

    The line is added when it is missing, and front matter when there is none.
    """
    rows = text.split("\n")
    size = md.front_matter(rows)
    if not size:
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        return "%s---%s%s: %s%s---%s%s" % (bom, end, name, scalar(value), end, end, text[len(bom) :])
    place = 0
    for n in range(1, size - 1):
        if rows[n].partition(":")[0].rstrip() == name:
            place = n
    if place:
        rows[place] = _set(rows[place], scalar(value))
        while place + 1 < size - 1 and rows[place + 1][:1] in (" ", "\t"):
            del rows[place + 1]  # the rest of the old value
            size -= 1
    else:
        rows.insert(size - 1, "%s: %s%s" % (name, scalar(value), "\r" if rows[0].endswith("\r") else ""))
    return "\n".join(rows)


def _set(row: str, value: str) -> str:
    colon = row.index(":") + 1
    rest = row[colon:]
    old = rest.partition(" #")[0].rstrip()
    space = old[: len(old) - len(old.lstrip())] or " "
    return row[:colon] + space + value + rest[len(old) :]
