"""A document cut at its headings.

A line that begins with `#` closes every open paragraph, list and quote; only a fence or an HTML block can hold it. So a
document falls into parts at those lines, and a part that has no fence, no tag and no underline needs no look at its
lines at all: 1 MB is cut in about the time the interpreter takes to start, where `lines.scan` takes seven times that.
"""

from rld import linestart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rld import lines

# What, behind up to three spaces at the start of a line, can make another heading or hide one.
_INDENTED = tuple("\n" + " " * n + mark for n in (1, 2, 3) for mark in ("#", "=", "--", "-\n", "```", "~~~", "<"))


class Part:
    """A heading and what follows up to the next one.

    `line`: where the heading stands, from 1 (of the first part: the first line); `level` 0 is the text before the
    first heading; `body`: the lines below the heading, joined by LF; `body_line`: the number of its first line.
    """

    __slots__ = ("line", "level", "title", "body_line", "_pieces")

    def __init__(self, line: int, level: int, title: str, body: str, body_line: int) -> None:
        self.line = line
        self.level = level
        self.title = title
        self.body_line = body_line
        self._pieces = [body]

    @property
    def body(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["\n".join(self._pieces)]
        return self._pieces[0]

    def grow(self, more: str, line: int) -> None:
        """Text that begins at `line` belongs to this part, too."""
        if line == self.body_line:
            self._pieces = [more]  # there was no body yet
        else:
            self._pieces.append(more)

    @property
    def blocks(self) -> "list[lines.Block]":
        """The blocks of the body; their lines count from the body's first line."""
        from rld import lines

        return lines.scan(lines.split(self.body))

    def __repr__(self) -> str:
        return "Part(%d, %d, %r)" % (self.line, self.level, self.title)


def cut(text: str) -> "list[Part]":
    """The parts of a document in order. Headings inside lists and quotes do not cut; setext headings do.

    Line ends must be LF. A front matter block belongs to no part. Never raises; linear.
    """
    first = 0
    if text.startswith(("---\n", "\ufeff---\n")):
        from rld import lines

        rows = lines.split(text)
        first = lines.front_matter(rows)
        text = "\n".join(rows[first:])
    text = "\n" + text
    parts: "list[Part]" = []
    number = first + 1
    start = 0
    size = len(text)
    while start < size:
        end = text.find("\n#", start + 1)
        if end < 0:
            end = size
        piece = text[start:end]
        if _is_odd(piece):
            end = _part_by_part(text, start, end, number, parts)
            number += text.count("\n", start, end)
            start = end
            continue
        head = piece.find("\n", 1)
        if head < 0:
            head = len(piece)
        level, title = linestart.atx(piece[1:head])
        if level:
            parts.append(Part(number, level, title, piece[head + 1 :], number + 1))
        else:
            _append(parts, piece[1:], number)
        number += piece.count("\n")
        start = end
    return parts


def _is_odd(piece: str) -> bool:
    """May there be another heading in the piece, or something that hides one: an underline, a fence, a tag?

    Looking for one character first is five times faster than looking for it behind a line end.
    """
    if "```" in piece or "~~~" in piece or ("<" in piece and "\n<" in piece) or ("=" in piece and "\n=" in piece):
        return True
    # A rule between blank lines is the common case of a line of hyphens, and no underline.
    if "--" in piece and piece.count("\n--") != piece.count("\n\n---"):
        return True
    if "\n-\n" in piece:
        return True
    if "\n " in piece:
        for mark in _INDENTED:
            if mark in piece:
                return True
    return False


def _append(parts: "list[Part]", body: str, number: int) -> None:
    """Text under no heading of its own goes to the part before it."""
    if not parts:
        parts.append(Part(number, 0, "", body, number))
    else:
        parts[-1].grow(body, number)


def _part_by_part(text: str, start: int, end: int, number: int, parts: "list[Part]") -> int:
    """Scan a piece that has fences, tags or underlines in it; where the pieces after it begin.

    While a fence or a tag is still open at the end of the piece, the next one belongs to it: its size is doubled so
    that the work stays linear.
    """
    from rld import lines  # most documents in canonical form never come here

    size = len(text)
    while True:
        rows = lines.split(text[start + 1 : end])
        blocks = lines.scan([*rows, "# end"] if end < size else rows)
        if end >= size or blocks[-1].start == len(rows) + 1 and blocks[-1].kind is lines.HEADING:
            break
        wider = text.find("\n#", min(size, end + (end - start)))
        end = size if wider < 0 else wider
    heads = [b for b in blocks if b.kind is lines.HEADING and not b.quoted and not b.depth and b.start <= len(rows)]
    at = 0
    for place, head in enumerate(heads):
        if not place and head.start > 1:
            _append(parts, "\n".join(rows[: head.start - 1]), number)
        at = heads[place + 1].start - 1 if place + 1 < len(heads) else len(rows)
        parts.append(
            Part(number + head.start - 1, head.level, head.text, "\n".join(rows[head.end : at]), number + head.end)
        )
    if not heads:
        _append(parts, "\n".join(rows), number)
    return end
