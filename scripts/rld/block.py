"""One block of a Markdown document."""

HEADING = "heading"
ITEM = "item"
ROW = "row"
FENCE = "fence"
CODE = "code"
HTML = "html"
QUOTE = "quote"
PARA = "para"
RULE = "rule"


class Block:
    """One block. Lines count from 1, `end` is the last line.

    `level`: of a heading 1 to 6; of an item the column of its content; of a row its place in the table (0 = header).
    `text`: a heading's text, an item's first line, a fence's info string, otherwise "". `number`: an ordered item's digits as written.
    `cells`: a row's cells. `depth`: how many list items are around it. `quoted`: it stands in a block quote.
    """

    __slots__ = ("kind", "start", "end", "level", "text", "number", "cells", "depth", "quoted")

    def __init__(self, kind: str, start: int, depth: int = 0, quoted: bool = False) -> None:
        self.kind = kind
        self.start = start
        self.end = start
        self.level = 0
        self.text = ""
        self.number = ""
        self.cells: "list[str]" = []
        self.depth = depth
        self.quoted = quoted

    def __repr__(self) -> str:
        return "%s %d-%d %r" % (self.kind, self.start, self.end, self.text)
