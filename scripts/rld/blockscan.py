"""The one pass over a Markdown document that finds its blocks; `lines` is the way in."""

from rld import htmlblock, linestart
from rld.block import CODE, FENCE, HEADING, HTML, ITEM, PARA, QUOTE, ROW, RULE, Block

DEEPEST = 24

# A line that starts with another character is text, whatever follows.
_MARKS = frozenset(" \t#>-+*_=`~<|:0123456789")


class Scan:
    """One pass over a document: the blocks found so far and the blocks still open."""

    def __init__(self) -> None:
        self.blocks: "list[Block]" = []
        self.stack: "list[Block]" = []  # open quotes and items, outermost first; an item's level is its width
        self.para: "Block | None" = None  # open paragraph
        self.table: "Block | None" = None  # last row of an open table
        self.leaf: "Block | None" = None  # open fence, HTML block or indented code
        self.leaf_depth = 0  # how many containers were open around the leaf
        self.ends: "tuple[str, ...]" = ()  # what ends an HTML leaf
        self.fence = ""  # the run of marks that opened a fence
        self.last_text = ""  # the paragraph's last line: a table's header, if a delimiter row follows

    def run(self, lines: "list[str]", first: int) -> "list[Block]":
        marks = _MARKS
        for n in range(first, len(lines)):
            line = lines[n]
            if not self.stack and self.leaf is None:
                if not line:
                    self.para = self.table = None
                    continue
                if line[0] not in marks and self.table is None:
                    para = self.para
                    if para is None:
                        self.para = para = Block(PARA, n + 1)
                        self.blocks.append(para)
                    else:
                        para.end = n + 1
                    self.last_text = line
                    continue
            elif self.leaf is not None and self.leaf_depth == 0 and self.fence and self.fence not in line:
                self.leaf.end = n + 1
                continue
            if "\t" in line:
                line = line.expandtabs(4)
            self._line(line if line.strip(" ") else "", n + 1)
        return self.blocks

    def _line(self, line: str, n: int) -> None:
        pos, start, matched = self._containers(line, n)
        leaf = self.leaf
        if leaf is not None:
            if matched >= self.leaf_depth:
                if self._continue_leaf(leaf, line, pos, start, n):
                    return
            else:
                self.leaf = None
                self.fence = ""
        if start >= len(line):
            self._blank(matched, n)
            return
        self._open(line, pos, start, matched, n)

    def _containers(self, line: str, n: int) -> "tuple[int, int, int]":
        """Walk the open containers: (where their content starts, its first visible column, how many go on)."""
        pos = 0
        start = len(line) - len(line.lstrip(" "))
        size = len(line)
        matched = 0
        for block in self.stack:
            if block.kind is QUOTE:
                if start >= size or start - pos > 3 or line[start] != ">":
                    break
                pos = start + 1
                if line[pos : pos + 1] == " ":
                    pos += 1
                start = linestart.visible(line, pos)
            elif start >= size:
                # An item may begin with one blank line, not with two.
                if not block.text and block.end == block.start and n > block.start:
                    break
            elif start - pos >= block.level:
                pos += block.level
            else:
                break
            matched += 1
        return pos, start, matched

    def _continue_leaf(self, leaf: Block, line: str, pos: int, start: int, n: int) -> bool:
        """Take the line into the open leaf; False when the leaf is over and the line is somebody else's."""
        blank = start >= len(line)
        if leaf.kind is FENCE:
            self._grow(n)
            leaf.end = n
            if not blank and start - pos <= 3 and line.startswith(self.fence, start):
                if not line[start:].strip(" ").strip(self.fence[0]):
                    self.leaf = None
                    self.fence = ""
            return True
        if leaf.kind is CODE:
            if blank:
                return True
            if start - pos >= 4:
                self._grow(n)
                leaf.end = n
                return True
            self.leaf = None
            return False
        if blank and self.ends == (htmlblock.BLANK,):
            self.leaf = None
            return False
        self._grow(n)
        leaf.end = n
        if self.ends != (htmlblock.BLANK,) and linestart.holds(line[pos:], self.ends):
            self.leaf = None
        return True

    def _blank(self, matched: int, n: int) -> None:
        self.para = self.table = None
        # A quote is over at a line without its mark; an item waits for what the next line says.
        del self.stack[matched:]

    def _open(self, line: str, pos: int, start: int, matched: int, n: int) -> None:
        """Open whatever the rest of the line starts, or go on with the paragraph."""
        whole = matched == len(self.stack)
        size = len(line)
        while start < size:
            first = line[start]
            if start - pos >= 4:
                if self.para is not None:
                    break
                if self.table is not None and whole:
                    self.table = None
                self._close(matched)
                self._leaf(CODE, n)
                return
            here = self.para is not None and whole  # a paragraph of this very container is open
            if first == ">":
                self._close(matched)
                if len(self.stack) >= DEEPEST:
                    break
                quote = self._add(QUOTE, n)
                self.stack.append(quote)
                pos = start + 1
                if line[pos : pos + 1] == " ":
                    pos += 1
            elif first == "#" and self._heading(line, start, matched, n):
                return
            elif first in "`~" and self._fence(line, pos, start, matched, n):
                return
            elif first == "<" and self._html(line, start, matched, n):
                return
            elif first in "=-:|" and here and self._under(line, start, n):
                return
            elif first in "-*_" and linestart.is_rule(line, start):
                self._close(matched)
                self._add(RULE, n)
                return
            else:
                marker = linestart.marker(line, start)
                if not marker or (here and not linestart.interrupts(line, start, marker)):
                    break
                self._close(matched)
                if len(self.stack) >= DEEPEST:
                    break
                pos = self._item(line, pos, start, marker, n)
            matched = len(self.stack)
            whole = True
            start = linestart.visible(line, pos)
        else:
            self._grow(n)
            return
        self._text(line, start, matched, whole, n)

    def _text(self, line: str, start: int, matched: int, whole: bool, n: int) -> None:
        if self.para is not None:  # also a lazy line: its containers stay open
            self.para.end = n
            self._grow(n)
        elif self.table is not None and whole:
            self._row(line[start:], self.table.level + 1, n)
            return
        else:
            self._close(matched)
            whole = True
            self.para = self._add(PARA, n)
        self.last_text = line[start:] if whole else ""  # a lazy line is no table's header

    def _close(self, matched: int) -> None:
        """Close the paragraph, the table and every container that the line did not continue."""
        self.para = self.table = None
        del self.stack[matched:]

    def _add(self, kind: str, n: int) -> Block:
        stack = self.stack
        block = Block(kind, n)
        if stack:
            above = stack[-1]
            block.depth = above.depth + (1 if above.kind is ITEM else 0)
            block.quoted = above.quoted or above.kind is QUOTE
            self._grow(n)
        self.blocks.append(block)
        return block

    def _grow(self, n: int) -> None:
        for block in self.stack:
            block.end = n

    def _leaf(self, kind: str, n: int) -> Block:
        self.leaf = self._add(kind, n)
        self.leaf_depth = len(self.stack)
        return self.leaf

    def _heading(self, line: str, start: int, matched: int, n: int) -> bool:
        level, text = linestart.atx(line[start:])
        if not level:
            return False
        self._close(matched)
        heading = self._add(HEADING, n)
        heading.level = level
        heading.text = text
        return True

    def _fence(self, line: str, pos: int, start: int, matched: int, n: int) -> bool:
        mark = line[start]
        rest = line[start:].lstrip(mark)
        length = len(line) - start - len(rest)
        if length < 3 or (mark == "`" and "`" in rest):
            return False
        self._close(matched)
        self._leaf(FENCE, n).text = rest.strip(" ")
        self.fence = mark * length
        return True

    def _html(self, line: str, start: int, matched: int, n: int) -> bool:
        ends = htmlblock.ending(line[start:], self.para is not None)
        if ends is None:
            return False
        self._close(matched)
        self._leaf(HTML, n)
        self.ends = ends
        if ends != (htmlblock.BLANK,) and linestart.holds(line[start:], ends):
            self.leaf = None
        return True

    def _under(self, line: str, start: int, n: int) -> bool:
        """A line under a paragraph that makes it a heading, or its last line a table's header."""
        text = line[start:].rstrip(" ")
        para = self.para
        assert para is not None
        columns = linestart.delimiter(text)
        if columns and "|" in self.last_text and len(linestart.cells(self.last_text)) == columns:
            if para.start < n - 1:
                para.end = n - 2
            else:
                self.blocks.pop()
            self.para = None
            self._row(self.last_text, 0, n - 1)
            assert self.table is not None
            self.table.end = n
            return True
        if text.strip(text[0]) or text[0] not in "=-":
            return False
        para.kind = HEADING
        para.level = 1 if text[0] == "=" else 2
        para.text = self.last_text.strip(" ")
        para.end = n
        self._grow(n)
        self.para = None
        return True

    def _row(self, text: str, level: int, n: int) -> None:
        row = self._add(ROW, n)
        row.level = level
        row.cells = linestart.cells(text)
        self.table = row

    def _item(self, line: str, pos: int, start: int, marker: int, n: int) -> int:
        """Open a list item; where its content starts."""
        item = self._add(ITEM, n)
        after = start + marker
        text = linestart.visible(line, after)
        if text >= len(line) or text - after > 4:
            text = after + 1
        item.level = text - pos
        item.text = line[text:].strip(" ")
        if marker > 1:
            item.number = line[start : after - 1]
        self.stack.append(item)
        return min(text, len(line))
