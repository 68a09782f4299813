"""Writing down what a human decided, so that a crash at any step loses nothing and doubles nothing.

What is going to be done is recorded first, whole; every step can be done twice. Whoever comes next finds the record and
completes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

from rld import evidence, journal, locking, proposal, rejections, reviewing, runs, textfile
from rld.desk import Desk, open_stored
from rld.errors import Problem, Refused
from rld.project import Project
from rld.proposal import Candidate, Proposal
from rld.settings import Settings

LOCK = "apply"
_UNWRITTEN = "what was decided could not be kept here: is the disk full? Run it again when there is room"


class Intent:
    """What is going to be done; JSON in the state folder while it is."""

    def __init__(self) -> None:
        self.id = "%s-%d" % (time.strftime("%Y%m%d%H%M%S"), os.getpid())
        self.post_mortem = ""
        self.before = ""  # checksum of the post-mortem, "" when there was none
        self.after: str | None = None  # its new text, None when nothing was accepted
        self.waiting: list[str] = []  # ids of records beside it that nobody has reviewed, and that stay so
        self.marks: list[str] = []  # lines that only the new text has
        self.lines: list[str] = []  # what was done, for people, most important first
        self.proposal = ""
        self.rest: str | None = None  # the proposal that stays, None when everything is decided
        self.left: list[int] = []  # the numbers of what stays
        self.decided: list[int] = []
        self.journal = ""
        self.archive = ""
        self.sessions: list[str] = []
        self.rejected: list[dict[str, object]] = []


def decide(
    project: Project, settings: Settings, path: str, accept: list[int], reject: dict[int, str], session: str
) -> Intent:
    """Apply the accepted candidates of a stored proposal, remember the rejected ones; what was done.

    Raises Refused, and then nothing was written, when a candidate is not there or no longer passes the checks, or when
    the post-mortem cannot be written.
    """
    with locking.hold(project, LOCK):
        _complete_pending(project, settings)
        desk = open_stored(project, settings, path, session)
        accepted = [c for c in desk.proposal.candidates if c.number in accept]
        _refuse_unknown(desk, [*accept, *reject])
        _refuse_flawed(desk, accepted)
        intent = _intend(desk, path, accepted, reject, session)
        textfile.target(project.path(intent.post_mortem), project.root)  # a link that leads nowhere is told now
        textfile.write(_intent_path(project), json.dumps(intent.__dict__), project.state)
        _carry_out(project, settings, intent)
        return intent


def recover(project: Project, settings: Settings) -> Intent | None:
    """Complete an apply that was cut short; what it did, None when there was none.

    What killed processes left half written goes too. Costs a look at the folders when there is nothing to do.
    """
    _sweep(project, settings)
    if not os.path.exists(_intent_path(project)):
        return None
    with locking.hold(project, LOCK):
        return _complete_pending(project, settings)


def _intent_path(project: Project) -> str:
    return "%s/apply/%s.json" % (project.state, project.key)


def _refuse_unknown(desk: Desk, numbers: list[int]) -> None:
    there = [c.number for c in desk.proposal.candidates]
    unknown = [str(n) for n in numbers if n not in there]
    if unknown:
        has = ", ".join(map(str, there)) or "none"
        unread = [p for p in desk.findings.general if p.severity == "error"]
        what = "there is no candidate %s; it has %s" % (", ".join(unknown), has)
        raise Refused(*unread, Problem(what, file=desk.file))


def _refuse_flawed(desk: Desk, accepted: list[Candidate]) -> None:
    """The proposal is a file: people edit it, and the post-mortem may have changed since."""
    wrong = [p for p in desk.findings.general if p.severity == "error"]
    wrong += [p for c in accepted for p in desk.findings.of.get(id(c), []) if p.severity == "error"]
    if wrong:
        raise Refused(*wrong)


def _intend(desk: Desk, path: str, accepted: list[Candidate], reject: dict[int, str], session: str) -> Intent:
    intent = Intent()
    intent.post_mortem = desk.settings.post_mortem
    intent.proposal = path
    intent.decided = sorted([*(c.number for c in accepted), *reject])
    if accepted:
        edited = desk.edit(accepted)
        old = set(desk.text.split("\n"))
        intent.before = _checksum(desk.text) if os.path.exists(desk.project.path(desk.settings.post_mortem)) else ""
        intent.after = edited.text
        waiting = {record.id for record in reviewing.waiting(desk.project, desk.settings.post_mortem, desk.text)}
        intent.waiting = sorted(waiting - {target for c in accepted for target in c.targets})
        intent.marks = [row.rstrip("\r") for row in edited.text.split("\n") if row not in old and row.strip()]
        intent.lines = edited.lines
    for candidate in desk.proposal.candidates:
        if candidate.number in reject:
            id = "%s-%d" % (intent.id, candidate.number)
            intent.rejected.append(rejections.values_of(candidate, reject[candidate.number], id))
    rest = Proposal()
    rest.meta = desk.proposal.meta
    rest.candidates = [c for c in desk.proposal.candidates if c.number not in intent.decided]
    intent.left = [c.number for c in rest.candidates]
    if rest.candidates:
        intent.rest = proposal.render(rest)
        return intent
    source = desk.source
    if source.journal != source.archive and desk.project.relative(source.journal):  # others' files stay where they are
        intent.journal, intent.archive = source.journal, source.archive
    intent.sessions = [id for id in dict.fromkeys((source.session, session)) if id]
    return intent


def _complete_pending(project: Project, settings: Settings) -> Intent | None:
    path = _intent_path(project)
    if not os.path.exists(path):
        return None
    intent = _read_intent(path)
    if intent.after is not None and not _is_written(project, intent):
        if _checksum_of(project, intent) != intent.before:
            # Nothing was written before the crash, and the file is another one now: the human decides again.
            _done(project)
            return None
    _carry_out(project, settings, intent)
    return intent


def _read_intent(path: str) -> Intent:
    intent = Intent()
    known = intent.__dict__
    try:
        values = json.loads(textfile.read(path))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or {k: _shape(v) for k, v in values.items()} != {
        k: _shape(v) for k, v in known.items()
    }:
        # It is replaced whole, so this is no half of it; another version of rld may have written it.
        raise Refused(
            Problem("is no record of an apply that this version of rld can read: look at it, then delete it", file=path)
        )
    known.update(values)
    return intent


def _shape(value: object) -> type:
    """The type of a value in the record; a text that may be missing has one shape."""
    return str if value is None else type(value)


def _is_written(project: Project, intent: Intent) -> bool:
    """Does the post-mortem hold what was meant, perhaps with more changes since?"""
    rows = {row.rstrip("\r") for row in (textfile.read_or_none(project.path(intent.post_mortem)) or "").split("\n")}
    return all(mark in rows for mark in intent.marks)


def _carry_out(project: Project, settings: Settings, intent: Intent) -> None:
    """Do what is left of it. Every step may have been done before."""
    post_mortem = project.path(intent.post_mortem)
    if intent.after is not None and not _is_written(project, intent):
        textfile.write(post_mortem, intent.after, project.root)
    if intent.after is not None and textfile.read(post_mortem) == intent.after:
        reviewing.keep(project, intent.after, intent.waiting)
    for values in intent.rejected:
        rejections.remember(project, values)
    _prove_remembered(project, intent)
    if intent.rest is not None:
        textfile.write(project.path(intent.proposal), intent.rest, project.root)
    else:
        _archive(project, intent)
        for session in intent.sessions:
            evidence.note(project, session, "distilled")
        textfile.remove(project.path(intent.proposal))
    _done(project)


def _prove_remembered(project: Project, intent: Intent) -> None:
    kept = {rejection.id for rejection in rejections.all_of(project)} if intent.rejected else set()
    if not kept.issuperset(str(values["id"]) for values in intent.rejected):
        raise Refused(Problem(_UNWRITTEN, file=project.state))


def _archive(project: Project, intent: Intent) -> None:
    """Move the journal to the archive, as it is now: an entry added in the meantime goes with it."""
    if not intent.journal:
        return
    run = runs.current(project)
    if run is not None and run.journal == intent.journal:
        runs.forget(project)
    source = project.path(intent.journal)
    with locking.hold(project, "journal"):
        if os.path.exists(source):
            text = journal.set_status(textfile.read(source), "distilled")
            textfile.write(project.path(intent.archive), text, project.root)
            textfile.remove(source)
            textfile.sync_folder(Path(source).parent)


def _done(project: Project) -> None:
    textfile.remove(_intent_path(project))


def _sweep(project: Project, settings: Settings) -> None:
    """Remove what a killed process left beside the files that it was to write."""
    textfile.sweep(project.state, "**/*.tmp")
    post_mortem = os.path.realpath(project.path(settings.post_mortem))
    for folder in (os.path.dirname(post_mortem), project.path(settings.worklog), project.path(settings.archive)):
        textfile.sweep(folder)


def _checksum_of(project: Project, intent: Intent) -> str:
    text = textfile.read_or_none(project.path(intent.post_mortem))
    return "" if text is None else _checksum(text)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
