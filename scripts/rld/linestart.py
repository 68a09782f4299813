"""What the beginning of a line of Markdown can open: list markers, rules, table rows."""


def atx(line: str) -> "tuple[int, str]":
    """Level and text of a `#` heading line, from its first mark on; level 0 when it is none."""
    text = line.lstrip("#")
    level = len(line) - len(text)
    if not 1 <= level <= 6 or (text and text[0] not in " \t"):
        return 0, ""
    text = text.strip(" \t")
    bare = text.rstrip("#")
    return level, (bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text)


def cells(line: str) -> "list[str]":
    """The cells of a table row, trimmed; a pipe after a backslash is text."""
    text = line.strip(" ")
    if text in ("", "|"):
        return []
    if text.startswith("|"):
        text = text[1:]
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    parts = text.split("|")
    found: "list[str]" = []
    joined = ""
    for part in parts:
        if part.endswith("\\"):
            joined += part[:-1] + "|"
        else:
            found.append((joined + part).strip(" "))
            joined = ""
    if joined:
        found.append(joined.strip(" "))
    return found


def visible(line: str, pos: int) -> int:
    """The column of the first visible character from `pos` on, or the length of the line."""
    if line[pos : pos + 1] != " ":
        return pos
    return len(line) - len(line[pos:].lstrip(" "))


def holds(text: str, ends: "tuple[str, ...]") -> bool:
    lower = text.lower()
    return any(end in lower for end in ends)


def is_rule(line: str, start: int) -> bool:
    mark = line[start]
    text = line[start:]
    return text.count(mark) >= 3 and not text.replace(" ", "").strip(mark)


def marker(line: str, start: int) -> int:
    """How many characters the list marker at `start` has; 0 when there is none."""
    first = line[start]
    if first in "-+*":
        size = 1
    elif "0" <= first <= "9":
        size = 1
        while size < 10 and "0" <= line[start + size : start + size + 1] <= "9":
            size += 1
        if size > 9 or line[start + size : start + size + 1] not in (".", ")"):
            return 0
        size += 1
    else:
        return 0
    after = line[start + size : start + size + 1]
    return size if after in ("", " ") else 0


def interrupts(line: str, start: int, marker: int) -> bool:
    """May this list item interrupt a paragraph? Not when it is empty or counts from anything but 1."""
    if not line[start + marker :].strip(" "):
        return False
    return marker == 1 or int(line[start : start + marker - 1]) == 1


def delimiter(text: str) -> int:
    """How many columns a table's delimiter row has; 0 when it is none."""
    if text.strip("|:- ") or "-" not in text:
        return 0
    if len(text) < 2 or text[:2] == "- ":
        return 0
    columns = cells(text)
    for column in columns:
        if not column.strip(":") or column.strip(":").strip("-") or column.strip("-").strip(":"):
            return 0
    return len(columns)
