"""Citations of records in texts and code: "Guardrail 4", "pitfall 3.18", "tech-debt #9", "guardrails 2 and 7"."""

from __future__ import annotations

import re

from rld import naming

PATTERN = r"(guardrail|pitfall|decision|debt)s?[ -]*#?[0-9]+(\.[0-9]+)*"
_ONE = r"#?\d+(?:\.\d+)*"
_CITE = re.compile(
    r"\b(?P<tech>tech(?:nical)?[ -])?(?P<kind>guardrail|pitfall|decision|debt)"
    + r"(?:s[ -]{0,2}(?P<several>%s(?:\s*(?:,|and|&)\s*%s)*)" % (_ONE, _ONE)
    + r"|(?P<sign>[ #-]{1,3})(?P<one>\d+(?:\.\d+)*))(?!\w|\.\d|-\d)",
    re.I,
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def find(text: str) -> list[tuple[int, str, str]]:
    """The records that a text cites, as (line, kind, number) in the order of the text."""
    found = []
    for line, row in enumerate(text.split("\n"), 1):
        for match in _CITE.finditer(row):
            kind = match["kind"].lower()
            if kind in (naming.DECISION, naming.DEBT) and match["kind"].islower():
                # "the decision 3 weeks ago" cites nothing; "decision-3" and "tech debt #9" do.
                if not (match["tech"] or (match["sign"] or "").strip()):
                    continue
            found += [(line, kind, number) for number in _NUMBER.findall(match["several"] or match["one"])]
    return found
