"""rld status: where things stand."""

from __future__ import annotations

import time

import click

from rld import (
    applying,
    digest,
    ledger,
    lint,
    mute,
    naming,
    postmortem,
    progress,
    receipts,
    runs,
    settings,
    textfile,
    wording,
)
from rld.cli import base, mute_verb
from rld.errors import Problem, Refused


@click.command(epilog="Example: rld status")
@click.option("--brief", is_flag=True, help="Three lines at most.")
@base.as_json
@base.verb
def command(here: base.Here, brief: bool, as_json: bool) -> None:
    """Say where things stand: run, journal, receipt, undistilled sessions, records in force.

    The exit status is 0 also when something is wrong: `rld check` is the judge.
    """
    problems: list[Problem] = []
    try:
        here.settings  # noqa: B018
    except Refused as error:
        problems += error.problems
        here.__dict__["settings"] = settings.Settings({})
    try:
        applying.recover(here.project, here.settings)  # what a killed `apply` left half done
    except Refused as error:
        problems += error.problems
    found = postmortem.parse(textfile.read_or_none(here.post_mortem) or "")
    for line, code, message in lint.problems(found):
        problems.append(Problem(message, file=here.settings.post_mortem, line=line, code=code))
    run = runs.find(here.project, here.settings.worklog)
    state = progress.Progress(here.project, run) if run is not None else None
    if run is not None and state is not None and state.plan_missing:
        problems.append(Problem("the plan of the open run is not there", file=run.plan, code="no-items"))
    waiting = ledger.undistilled(here.project, base.session())
    muted = mute.until(here.project)
    muted = muted if muted > time.time() else 0.0
    counts = {kind: len(found.active(kind)) for kind in naming.KINDS}
    if as_json:
        base.print_json(
            {
                "run": None if run is None or state is None else {
                    "plan": run.plan, "journal": run.journal, "verify": run.verify, "status": run.status,
                    "done": state.count, "total": state.total, "ready": state.ready,
                },
                "records": counts,
                "undistilled": [
                    {"session": s.id, "ended": _iso(s.ended), "files": len(s.files), "failures": s.failures} for s in waiting
                ],
                "muted": _iso(muted) or None,
                "problems": [p.as_dict() for p in problems],
            }
        )  # fmt: skip
        return
    if run is not None and state is not None:
        base.say("Run      %s: %d of %d items logged, journal %s" % (run.plan, state.count, state.total, run.journal))
        if not brief:
            for id in state.ready:
                base.say("         ready: %s" % state.named(id))
            _say_receipt(here, run)
        if not state.missing:
            base.say("         every item is logged: /rld:compact turns the journal into records")
    else:
        base.say("Run      none open")
    base.say("Records  %s" % (digest.counts(found.active()) or "none yet in %s" % here.settings.post_mortem))
    for session in waiting[: 1 if brief else 10]:
        base.say(
            "Session  %s of %s is not distilled (%s, %s): /distill %s"
            % (
                session.id[:8], _iso(session.ended)[:10], wording.counted(len(session.files), "file"),
                wording.counted(session.failures, "failure"), session.id[:8],
            )
        )  # fmt: skip
    if muted:
        base.say("Muted    hooks are silent until %s (`rld mute off`)" % mute_verb.when(muted))
    if problems and brief:
        base.say("Problems %d (`rld status` names them)" % len(problems))
    elif problems:
        base.say("Problems")
        for problem in problems:
            base.say("  %s" % problem)


def _say_receipt(here: base.Here, run: runs.Run) -> None:
    receipt, why = receipts.fitting(here.project, here.settings, run, base.session())
    base.say("         receipt: %s" % (receipt.words() if receipt is not None else "none that fits, " + why))


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(seconds)) if seconds else ""
