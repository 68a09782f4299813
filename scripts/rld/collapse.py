"""Old session sections of a post-mortem, each in one line and a link; records stay byte for byte."""

from __future__ import annotations

import re
from collections.abc import Collection

from rld import citations, naming, postmortem, proving
from rld.errors import Refused, from_tuples
from rld.places import Places, Section
from rld.postmortem import PostMortem

KEEP = 5  # the latest sessions, which people still read

_RECORDS = re.compile(r"(?:^|\s)(Records: .*?\.)(?=\s|$)", re.S)


class Collapsed:
    """`text`: the new post-mortem; `sessions`: the headings of those that were collapsed, in the order of the file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sessions: list[str] = []


def collapse(text: str, keep: int, journals: Collection[str], file: str) -> Collapsed:
    """Leave of each session but the latest `keep` its heading, the records it led to, and a link to its journal.

    `journals`: the archived ones, relative to the root; `file`: the post-mortem, likewise. A session that holds records
    or headings of its own is left as it is. Raises Refused, with lines, when the text has problems that stop a write.
    """
    found = postmortem.parse(text)
    if found.problems:
        raise Refused(*from_tuples(file, found.problems))
    rows = text.split("\n")
    done = Collapsed(text)
    for section in reversed(_old(found, keep)):
        told = [row.rstrip("\r") for row in rows[section.line : section.end]]
        line = _line(found, section, "\n".join(told), journals, file)
        if [row for row in told if row.strip()] != [line]:
            end = "\r" if rows[section.line - 1].endswith("\r") else ""
            last = rows[section.end - 1].endswith("\r") or section.end < len(rows)
            rows[section.line : section.end] = [end, line + (end if last else "")]
            done.sessions.insert(0, _title(found, section))
    done.text = "\n".join(rows)
    proving.prove_records(text, done.text, file)
    return done


def _old(found: PostMortem, keep: int) -> list[Section]:
    """The sessions that may be collapsed, in the order of the file."""
    heads = [part.line for part in found.parts if part.level] + [record.line for record in found.records]
    sessions = Places(found).sessions
    latest = sorted(sessions, key=lambda s: (naming.session_date(_title(found, s)), s.line))[len(sessions) - keep :]
    return [
        s
        for s in sessions
        if (not keep or s not in latest) and not any(s.line < line <= s.end for line in heads) and s.end > s.line
    ]


def _title(found: PostMortem, section: Section) -> str:
    return next(part.title for part in found.parts if part.line == section.line)


def _line(found: PostMortem, section: Section, told: str, journals: Collection[str], file: str) -> str:
    named = [" ".join(match.split()) for match in _RECORDS.findall(told)]
    if not named:
        cites = ["%s %s" % (kind.capitalize(), number) for _, kind, number in citations.find(told)]
        named = ["Records: %s." % ", ".join(dict.fromkeys(cites))] if cites else []
    journal = _journal(_title(found, section), told, journals)
    if journal:
        up = "../" * file.count("/")
        named.append("[Journal](%s%s)" % (up, journal.replace(" ", "%20")))
    else:
        named.append("The text of this session is in the history of this file.")
    return " ".join(named)


def _journal(title: str, told: str, journals: Collection[str]) -> str:
    """The archived journal of a session: the one that its text names, else the only one of its date and title."""
    for path in journals:
        if path in told or path.rpartition("/")[2] in told:
            return path
    date = naming.session_date(title)
    of_day = [path for path in journals if date and path.rpartition("/")[2].startswith(date)]
    if len(of_day) > 1:
        slug = naming.slug(re.sub(r"\[[^]]*\]", "", title.replace(date, "")))
        of_day = [path for path in of_day if slug and slug in path]
    return of_day[0] if len(of_day) == 1 else ""
