"""What happened in a session: from its evidence, and from the client's transcript while that is there.

Failures and their fixes are the evidence's, so that they are the same when the transcript is gone; the transcript adds what
was edited or run in between, words of the human that no hook hears, and what the model claimed. A session that ran without
hooks is told from the transcript alone.
"""

from __future__ import annotations

import bisect
import contextlib
import time

from rld import asks, claims, evidence, hindsight, ledger, receipts, reenacted, runs, sources, transcriptfile, verdict
from rld.asks import Ask
from rld.errors import Refused
from rld.hindsight import Failure, time_of
from rld.journal import Journal
from rld.project import Project
from rld.settings import Settings
from rld.transcript import Call, Transcript

_SUBSTANCE = (*asks.WORK, "prompt", "logged")
_EDITS = 2  # whose lines are shown
_COMMANDS = 3  # that are named where nothing was edited
_CALLS = 200  # before a pass that are looked at
_JOURNALS = 20  # of one session that are read
# What only looks at things makes nothing pass.
_LOOKS = ("cat ", "ls", "grep ", "rg ", "head ", "tail ", "find ", "sed -n", "wc ", "git diff", "git status", "git log", "rld ")  # fmt: skip


class Account:
    """`recorded`: did hooks note anything of it? `has_transcript`: is the client's record of it still there? `is_cut`: was it so
    large that only its end was read?

    `between` has for a failure, by its place in `failures`, what the transcript shows between it and its pass. `changed_since`
    are files that were edited after the last pass of a verify, `has_passed` whether there was one. `unproven` are claims of the
    model, `claimed` items that were logged without proof.
    """

    def __init__(self) -> None:
        self.recorded = False
        self.has_transcript = self.is_cut = False
        self.started = 0.0
        self.asks: list[Ask] = []
        self.failures: list[Failure] = []
        self.between: list[list[str]] = []
        self.files: list[str] = []
        self.has_passed = False
        self.changed_since: list[str] = []
        self.unproven: list[str] = []
        self.claimed: list[str] = []

    @property
    def date(self) -> str:
        """The day it began, YYYY-MM-DD; "" when that is not known."""
        return time.strftime("%Y-%m-%d", time.localtime(self.started)) if self.started else ""

    def __bool__(self) -> bool:
        return self.recorded or self.has_transcript


def of(project: Project, settings: Settings, session: str) -> Account:
    """The account of a session, from what is there of it."""
    data = evidence.raw(project, session)
    events = evidence.events(data)
    noted = (evidence.last_with(data, "transcript") or {}).get("transcript")
    known = transcriptfile.read(project, session, noted if isinstance(noted, str) else "") if session else None
    journals = _journals(project, settings, events)
    current = runs.current(project)
    verifies = [
        *settings.verify,
        *(book.meta.get("verify", "") for book in journals.values()),
        current.verify if current else "",
    ]
    found = tell(project, events, known, list(filter(None, verifies)))
    found.claimed = _claimed(events, journals)
    return found


def tell(project: Project, events: list[dict[str, object]], known: Transcript | None, verifies: list[str]) -> Account:
    """The account that some evidence and a transcript give."""
    found = Account()
    found.recorded = any(event.get("k") in _SUBSTANCE for event in events)
    found.has_transcript = known is not None
    found.is_cut = known is not None and known.is_cut
    if known is not None and not found.recorded:
        events = reenacted.events(project, known, verifies)
        found.started = known.started
    else:
        found.started = next((time_of(event) for event in events if time_of(event)), 0.0)
    found.asks = asks.of(events, known)
    found.failures = hindsight.failures(events, verifies)
    times = [call.when for call in known.calls] if known else []
    found.between = [_between(project, failure, known.calls, times) if known else [] for failure in found.failures]
    found.files = ledger.Session("", events).files
    passes = _passes(events)
    edits = [(time_of(event), str(event.get("path") or "")) for event in events if event.get("k") == "edit"]
    if known is not None:
        # A file that is edited again is not noted each time; the transcript has every edit.
        edits += [(call.when, project.relative(call.path)) for call in known.calls if call.diff]
        found.unproven = _unproven(known, passes, [when for when, path in edits if path])
    found.has_passed = bool(passes)
    found.changed_since = list(dict.fromkeys(path for when, path in edits if path and when > max(passes, default=0.0)))
    return found


def _journals(project: Project, settings: Settings, events: list[dict[str, object]]) -> dict[str, Journal]:
    """The journals that a session noted, by what it noted."""
    found: dict[str, Journal] = {}
    noted = [event.get("journal") for event in events]
    for given in dict.fromkeys(name for name in noted if isinstance(name, str) and name):
        if len(found) < _JOURNALS:
            with contextlib.suppress(Refused, OSError):
                found[given] = sources.read(project, settings, given)[1]
    return found


def _claimed(events: list[dict[str, object]], journals: dict[str, Journal]) -> list[str]:
    """The items that this session logged with somebody's word as their only proof."""
    rows = []
    for event in events:
        book = journals.get(str(event.get("journal"))) if event.get("k") == "logged" else None
        for entry in book.entries if book else []:
            _, mark, why = entry.fields.get("facts", "").partition("(%s: " % receipts.CLAIMED)
            if mark and entry.item == event.get("item"):
                rows.append("Item %s was logged as claimed: %s" % (entry.item, why.partition(")")[0]))
    return list(dict.fromkeys(rows))


def _between(project: Project, failure: Failure, calls: list[Call], times: list[float]) -> list[str]:
    """What the transcript shows between a failure and its pass: the lines of the last edits, else the commands that were run."""
    if not failure.passed:
        return []
    within = calls[bisect.bisect(times, failure.when) : bisect.bisect(times, failure.until)]
    calls = [call for call in within[-_CALLS:] if call.outcome == "ok"]
    last: dict[str, Call] = {}
    for call in calls:
        name = project.relative(call.path) if call.diff else ""
        if name:
            last.pop(name, None)
            last[name] = call
    rows: list[str] = []
    for name, call in list(last.items())[-_EDITS:]:
        rows += ["last edit of %s:" % name, *("    " + row for row in call.diff)]
    if not rows:
        keys = [evidence.command_key(call.command) for call in calls if call.command]
        ran = [key for key in keys if key != failure.command and not key.startswith(_LOOKS)]
        rows += ["then ran: `%s`" % key for key in dict.fromkeys(ran[-_COMMANDS:])]
    return rows


def _passes(events: list[dict[str, object]]) -> list[float]:
    """When a verify passed, or a test runner that had failed."""
    found = []
    for event in events:
        if event.get("k") in ("pass", "verified"):
            found.append(time_of(event))
        elif event.get("k") == "fixed" and verdict.known_runner(str(event.get("cmd", ""))):
            found.append(time_of(event))
    return found


def _unproven(known: Transcript, passes: list[float], edits: list[float]) -> list[str]:
    """Claims of the model that no pass came after, and no pass since the last edit before."""
    passes, edits = sorted(passes), sorted(edits)
    rows = []
    for said in known.claims:
        passed, edited = bisect.bisect(passes, said.when), bisect.bisect(edits, said.when)
        is_proven = passed > 0 and (edited == 0 or edits[edited - 1] <= passes[passed - 1])
        if not is_proven and passed == len(passes):
            rows += claims.of(said.text)
    return list(dict.fromkeys(rows))
