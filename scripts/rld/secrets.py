"""Credentials in a text, by line. What one looks like is known elsewhere; this is where others can be asked too."""

from __future__ import annotations

import re

from rld import redact

# A credential given to a command as an argument, where no name says that it is one. `$NAME` and `<name>` are no values.
_ARGUMENT = re.compile(
    r"(?:--(?:password|pass|token|api-key|secret)\s+"
    r"|\b(?:curl|wget|http)\b[^|;&\n]*?\s(?:-u|--user)\s+['\"]?[\w.@-]+:"
    r"|\b(?:mysql|mysqldump)\b[^|;&\n]*?\s-p"
    r"|\b(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH)=)"
    r"['\"]?(?![\s$<{%*'\"-])[^\s'\"`]{3,}"
)


def lines(text: str) -> list[int]:
    """The lines, from 1, in which a credential begins."""
    redacted = redact.redact(text)
    if redacted == text:
        return []
    rows = text.split("\n")
    found = [line for line, row in enumerate(rows, 1) if redact.redact(row) != row]
    if not found:  # one that spans lines
        found = [next((n for n, (old, new) in enumerate(zip(rows, redacted.split("\n")), 1) if old != new), 1)]
    return found


def in_command(row: str) -> bool:
    """Does a line give a command a credential in plain text?"""
    return redact.redact(row) != row or _ARGUMENT.search(row) is not None
