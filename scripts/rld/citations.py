"""Citations of records in texts and code: "Guardrail 4", "pitfall 3.18", "tech-debt #9", "guardrails 2 and 7"."""

from __future__ import annotations

import re
from collections import defaultdict

from rld import gittree, naming, tree
from rld.project import Project

PATTERN = r"(guardrail|pitfall|decision|debt)s?[ -]*#?[0-9]+(\.[0-9]+)*"
_ONE = r"#?\d+(?:\.\d+)*"
_CITE = re.compile(
    r"\b(?P<tech>tech(?:nical)?[ -])?(?P<kind>guardrail|pitfall|decision|debt)"
    + r"(?:s[ -]{0,2}(?P<several>%s(?:\s*(?:,|and|&)\s*%s)*)" % (_ONE, _ONE)
    + r"|(?P<sign>[ #-]{1,3})(?P<one>\d+(?:\.\d+)*))(?!\w|\.\d|-\d)",
    re.I,
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LONGEST = 1 << 20  # bytes of a file that is looked into where git is missing


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


def in_tree(project: Project, leave_out: str = "*.proposal.md") -> dict[str, set[str]]:
    """Per kind the numbers that anything in the project cites, ignored files and proposals left out."""
    cited: dict[str, set[str]] = defaultdict(set)
    for _, kind, number in find("\n".join(_matches(project, leave_out))):
        cited[kind].add(number)
    assert set(cited) <= set(naming.KINDS)
    return cited


def _matches(project: Project, leave_out: str) -> list[str]:
    if project.top:
        pattern = PATTERN + r"([, and&#0-9.]*[0-9])?"
        out = gittree.run(project, "grep", "-IhoiE", "--untracked", "-e", pattern, "--", ".", ":(exclude)" + leave_out)
        return (out or "").split("\n")
    return [_text(project.path(name)) for name in tree.files(project) if not name.endswith(leave_out.lstrip("*"))]


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(_LONGEST)
    except OSError:
        return ""
    return "" if b"\0" in data else data.decode("utf-8", "replace")
