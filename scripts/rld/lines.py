"""The block structure of Markdown: the only place that knows what is a heading, a list item, a table row or code.

It follows CommonMark 0.31 for block structure and GFM for tables, with two differences: a line ends at LF or CRLF
only, and containers nest at most `DEEPEST` deep (what is deeper is text). Hooks use it, so it imports nothing of the
standard library and stays linear: every line is looked at once, from left to right.
"""

from rld.block import CODE, FENCE, HEADING, HTML, ITEM, PARA, QUOTE, ROW, RULE, Block
from rld.blockscan import DEEPEST, Scan
from rld.frontfence import front_matter
from rld.linestart import cells

__all__ = [
    "CODE", "DEEPEST", "FENCE", "HEADING", "HTML", "ITEM", "PARA", "QUOTE", "ROW", "RULE", "Block",
    "cells", "front_matter", "scan", "split",
]  # fmt: skip


def split(text: str) -> "list[str]":
    """The lines of a text, without their ends. Only LF and CRLF end a line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return text.split("\n")


def scan(lines: "list[str]", first: int = 0) -> "list[Block]":
    """The blocks of a document in the order of their first lines; never raises.

    `first`: how many lines to leave out at the start (front matter).
    """
    return Scan().run(lines, first)
