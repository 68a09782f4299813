"""Characters that a reader cannot see or a terminal would carry out, and text without them.

Joiners, direction marks and variation selectors are kept where a script or an emoji needs them: only their
misuse hides.
"""

_ESC, _BEL = "\x1b", "\x07"
_CSI, _STRING_OPENERS, _STRING_END = "\x9b", "\x90\x98\x9d\x9e\x9f", "\x9c"
_WHITE_CONTROLS = "\t\n\r\x0b\x0c\x85"

_ZERO_WIDTH_JOINERS = "\u200c\u200d"
_DIRECTION_MARKS = "\u061c\u200e\u200f"

_HIDDEN = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x202A, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0x3164, 0x3164),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE007F),
)
_SELECTORS = ((0x180B, 0x180D), (0x180F, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
_PRINTABLE_YET_UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    "\ufe00\ufe01\ufe02\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f"
)
_JOINING_SCRIPTS = ((0x0600, 0x08FF), (0x0900, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x18AF), (0xFB50, 0xFDFF))
_RIGHT_TO_LEFT = ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC))
_EMOJI = ((0x2190, 0x2BFF), (0x3030, 0x303D), (0x3297, 0x3299), (0x1F000, 0x1FAFF))
_EMOJI_SINGLE = "#*0123456789©®‼⁉™ℹ"
_IDEOGRAPHS = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_MONGOLIAN = ((0x1820, 0x18AA),)
_MATHEMATICAL = ((0x2200, 0x22FF),)


def visible(text: str) -> str:
    """The text without terminal sequences, controls (but tab and line end) and hidden characters."""
    if _is_plain(text.replace("\n", "")):
        return text
    lines = text.split("\n")
    return "\n".join(line if _is_plain(line) else _clean(_without_sequences(line)) for line in lines)


def hidden_at(line: str) -> "list[str]":
    """Names such as "U+202E" of the hidden characters in a line, each once, in order; [] when it is clean.

    White space controls (form feed, a carriage return before the line end) hide nothing.
    """
    if _is_plain(line):
        return []
    found = [char for at, char in enumerate(line) if char not in _WHITE_CONTROLS and _is_hidden(line, at)]
    return ["U+%04X" % ord(char) for char in dict.fromkeys(found)]


def _is_plain(line: str) -> bool:
    """A fast yes for most lines; a no is not yet a finding."""
    if not line.replace("\t", "").isprintable():
        return False
    return line.isascii() or not (max(line) >= "\U000e0100" or any(char in line for char in _PRINTABLE_YET_UNSEEN))


def _clean(line: str) -> str:
    return "".join(char for at, char in enumerate(line) if not _is_hidden(line, at))


def _is_hidden(line: str, at: int) -> bool:
    char = line[at]
    code = ord(char)
    if code < 0xA0:
        return (code < 0x20 and char != "\t") or code >= 0x7F
    if char in _ZERO_WIDTH_JOINERS:
        return not _is_needed_joiner(line, at)
    if char in _DIRECTION_MARKS:
        return not any(_is_seen(other, _RIGHT_TO_LEFT) for other in (line[at - 1 : at], line[at + 1 : at + 2]))
    if _in(char, _SELECTORS):
        return not _is_needed_selector(line[at - 1] if at else "", code)
    return _in(char, _HIDDEN)


def _in(char: str, ranges: "tuple[tuple[int, int], ...]") -> bool:
    return bool(char) and any(low <= ord(char) <= high for low, high in ranges)


def _is_seen(char: str, ranges: "tuple[tuple[int, int], ...]") -> bool:
    """Whether it is a character of those ranges that shows itself."""
    return _in(char, ranges) and not (char in _DIRECTION_MARKS or _in(char, _HIDDEN) or _in(char, _SELECTORS))


def _is_needed_joiner(line: str, at: int) -> bool:
    before = line[at - 1] if at else ""
    after = line[at + 1 : at + 2]
    if _is_seen(before, _JOINING_SCRIPTS) and _is_seen(after, _JOINING_SCRIPTS):
        return True
    if before == "\ufe0f":
        before = line[at - 2] if at > 1 else ""
    return line[at] == "\u200d" and _in(before, _EMOJI) and _in(after, _EMOJI)


def _is_needed_selector(before: str, code: int) -> bool:
    if code in (0xFE0E, 0xFE0F):
        return _in(before, _EMOJI) or bool(before) and before in _EMOJI_SINGLE
    if 0x180B <= code <= 0x180F:
        return _in(before, _MONGOLIAN)
    return _in(before, _IDEOGRAPHS) or (code == 0xFE00 and _in(before, _MATHEMATICAL))


def _without_sequences(line: str) -> str:
    """The line without terminal sequences. One that does not end on its line loses only its introducer."""
    if _ESC not in line and not any(char in line for char in _CSI + _STRING_OPENERS):
        return line
    out, at = [], 0
    no_string_end = False  # remembered, so that the search for it is made once
    while at < len(line):
        char = line[at]
        at += 1
        if char == _ESC and at < len(line):
            char = chr(ord(line[at]) + 0x40) if "@" <= line[at] <= "_" else _ESC
            at += char != _ESC
        if char == _CSI:
            end = at
            while end < len(line) and " " <= line[end] <= "?":
                end += 1
            at = end + 1 if "@" <= line[end : end + 1] <= "~" else at
        elif char and char in _STRING_OPENERS:
            end = -1 if no_string_end else _string_end(line, at)
            no_string_end = end < 0
            at = max(at, end)
        elif char == _ESC:
            while at < len(line) and " " <= line[at] <= "/":
                at += 1
            at += at < len(line) and "0" <= line[at] <= "~"
        elif not "\x80" <= char <= "\x9f":
            out.append(char)
    return "".join(out)


def _string_end(line: str, at: int) -> int:
    """Just after the end of a terminal string, or -1."""
    for end in range(at, len(line)):
        if line[end] in (_BEL, _STRING_END):
            return end + 1
        if line[end] == _ESC and line[end + 1 : end + 2] == "\\":
            return end + 2
    return -1
