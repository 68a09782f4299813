"""Unresolved merges: git's marker lines in a text."""

from rld import lines as md


def blank_markers(rows: "list[str]") -> "list[int]":
    """Blank the marker lines of unresolved merges in place; the lines where such merges begin, from 1.

    Both sides stay and are read: a row of equals signs would turn the paragraph above it into a heading.
    Markers in a code fence are somebody's example.
    """
    fences = [block for block in md.scan(rows) if block.kind is md.FENCE]
    fenced = {n for fence in fences for n in range(fence.start - 1, fence.end)}
    begins: "list[int]" = []
    pending: "list[int]" = []
    for n, row in enumerate(rows):
        if n in fenced:
            continue
        if row.startswith("<<<<<<< "):
            begins += [pending[0] + 1] if pending else []
            pending = [n]
        elif pending and (row == "=======" or row.startswith("||||||| ")):
            pending.append(n)
        elif pending and row.startswith(">>>>>>> "):
            begins.append(pending[0] + 1)
            for marker in (*pending, n):
                rows[marker] = ""
            pending = []
    if pending:  # somebody deleted only some of the markers
        begins.append(pending[0] + 1)
        for marker in pending:
            rows[marker] = ""
    return begins
