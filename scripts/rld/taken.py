"""The numbers of records that anything in a project cites: they are taken, also when no record has them any more."""

from __future__ import annotations

from collections import defaultdict

from rld import citations, gittree, naming, tree
from rld.project import Project

_LONGEST = 1 << 20  # bytes of a file that is looked into where git is missing


def in_tree(project: Project, leave_out: str = "*.proposal.md") -> dict[str, set[str]]:
    """Per kind the numbers that anything in the project cites, ignored files and proposals left out."""
    cited: dict[str, set[str]] = defaultdict(set)
    for _, kind, number in citations.find("\n".join(_matches(project, leave_out))):
        cited[kind].add(number)
    assert set(cited) <= set(naming.KINDS)
    return cited


def _matches(project: Project, leave_out: str) -> list[str]:
    if project.top:
        pattern = citations.PATTERN + r"([, and&#0-9.]*[0-9])?"
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
