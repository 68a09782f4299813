"""The proof that the canonical form of a post-mortem says what the old form said.

It looks at the texts alone and knows nothing of how the one was made of the other.
"""

from __future__ import annotations

from collections import Counter

from rld import layout, naming, postmortem
from rld import lines as md
from rld.errors import Problem, Refused
from rld.layout import Section
from rld.places import Places
from rld.postmortem import PostMortem
from rld.record import REPEALED, Record

# Words of labels that the canonical form says in another way.
_LABEL_WORDS = frozenset(word for label in naming.LABELS for word in label.split())


def prove(found: PostMortem, laid: list[Section], text: str, numbers: dict[Record, str], file: str) -> None:
    """Raises Refused unless the new text holds every record with its number, and every word of the old one."""
    after = postmortem.parse(text)
    line = _left_open(found.text)
    if line and (after.problems or len(after.records) != len(found.records)):
        what = "a code fence or a comment is opened here and never closed, so nothing can be put behind it: close it"
        raise Refused(Problem(what, file=file, line=line, code="open-fence"))
    if after.problems:
        line, _, message = after.problems[0]
        raise _failure(file, _origin(found, after, line), message)
    there = {(record.kind, record.number): record for record in after.records}
    ends = Places(after)
    rows = after.text.split("\n")
    for record in found.records:
        now = there.pop((record.kind, numbers[record]), None)
        if now is None or now.status != record.status or _bare(now.title) != _bare(record.title):
            raise _failure(file, record.line, "%s does not read back" % record.cite)
        lost = _words(record.body) - _words("\n".join(rows[now.line - 1 : ends.record_end(now)]))
        if record.status != REPEALED and any(word not in _LABEL_WORDS for word in lost):
            raise _failure(file, record.line, "%s would lose words (%s)" % (record.cite, ", ".join(list(lost)[:3])))
    for record in there.values():
        raise _failure(file, _origin(found, after, record.line), "this would be read as %s" % record.cite)
    kept = Counter(row.strip() for row in rows)
    for section in laid:
        for unit in section.units:
            lost_rows = Counter(row.strip() for row in unit.prose if row.strip()) - kept
            if lost_rows:
                raise _failure(file, unit.line, "the text below this heading would be lost: %s" % next(iter(lost_rows)))
    if not layout.is_canonical(layout.sections(after, rows)):
        raise _failure(file, 0, "the result would not be in the canonical form")


def _origin(found: PostMortem, after: PostMortem, line: int) -> int:
    """The line of the old text that a line of the new one comes from; 0 when it is new."""
    wanted = after.text.split("\n")[line - 1].strip("# ")
    return next((n for n, row in enumerate(found.text.split("\n"), 1) if row.strip("# ") == wanted), 0)


def _bare(title: str) -> str:
    return title.strip(" :.)(—–-#")


def _words(text: str) -> Counter[str]:
    return Counter("".join(char if char.isalnum() else " " for char in text.lower()).split())


def _left_open(text: str) -> int:
    """The line of the last block that swallows whatever follows the text, 0 when there is none."""
    blocks = md.scan(md.split(text + "\n\n# end"))
    return 0 if blocks[-1].kind is md.HEADING else blocks[-1].start


def _failure(file: str, line: int, what: str) -> Refused:
    way_out = (
        "nothing was written, since the canonical form would not say the same: %s. Change that place by hand first"
    )
    return Refused(Problem(way_out % what, file=file, line=line, code="unproven"))
