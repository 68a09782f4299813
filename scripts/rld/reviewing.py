"""A human's word on the post-mortem: which records still wait for it, and keeping it."""

from __future__ import annotations

from rld import diffs, gittree, postmortem, review, trust
from rld.errors import Problem, Refused
from rld.project import Project
from rld.record import Record


def waiting(project: Project, file: str, text: str) -> list[Record]:
    """The records that nobody has reviewed, which hooks withhold. `file` is relative to the root, `text` its text."""
    found = postmortem.parse(text)
    review.withhold(project, file, found)
    return [record for record in found.records if record.status == review.WITHHELD]


def difference(project: Project, file: str, text: str) -> str:
    """What changed since a human last had a say, as a diff: since the last commit or the last reviewed text, whichever
    is nearer. "" when nothing did."""
    before = [gittree.committed(project, file)]
    last = trust.last(project)
    if last is not None:
        before.append(last.decode("utf-8", "surrogateescape"))
    olds = [_with_end(old) for old in before if old is not None]
    shown = [diffs.unified(file, old, _with_end(text)) for old in olds] or [diffs.unified(file, None, text)]
    return min(shown, key=len)


def _with_end(text: str) -> str:
    """Git's answer comes without its last line ends."""
    return text.rstrip("\r\n") + "\n"


def remember(project: Project, text: str) -> None:
    """Take a text of the post-mortem as reviewed. Raises Refused when that cannot be kept."""
    data = text.encode("utf-8", "surrogateescape")
    trust.remember(project, data)
    # Hooks use the same writer and never fail, so whether it wrote is looked up.
    if not trust.known(project, data) or trust.last(project) != data:
        raise Refused(Problem("cannot be written, so the review was not kept: is the disk full?", file=project.state))


def keep(project: Project, text: str, waiting: list[str]) -> None:
    """Take a text as reviewed except for the records with these ids, on which nobody had a say: they stay withheld.

    A yes to one record must not be a yes to what a script wrote beside it.
    """
    rows = text.split("\n")
    for record in reversed(postmortem.parse(text).records):
        if record.id in waiting:
            del rows[record.line - 1 : record.end]
    remember(project, "\n".join(rows))
