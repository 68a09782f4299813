"""Unified diffs as people read them."""

from __future__ import annotations

import difflib


def unified(name: str, before: str | None, after: str) -> str:
    """How a file changes, "" when it does not. `before` is None for a file that is new.

    Line ends and BOMs are not shown: they stay as they are.
    """
    if before == after:
        return ""
    old, new = _rows(before or ""), _rows(after)
    top = ["--- %s" % (name if before is not None else "/dev/null"), "+++ " + name]
    return "\n".join(top + list(difflib.unified_diff(old, new, lineterm=""))[2:]) + "\n"


def _rows(text: str) -> list[str]:
    rows = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    if not rows[-1]:
        rows.pop()
    elif text:
        rows[-1] += "\n\\ No newline at end of file"
    return rows
