"""How candidates look on a terminal and in an answer."""

from __future__ import annotations

import click

from rld import redact, wording
from rld.applying import Intent
from rld.cli import base
from rld.desk import Desk
from rld.proposal import Candidate

DECIDE = 'rld apply --accept 1,3 --reject 2:"reason"'


def say(text: str) -> None:
    """Print a candidate's text: a proposal comes with a branch, and must not steer the terminal of who looks at it."""
    base.say(redact.visible(text))


def headline(text: str) -> None:
    """The same, in bold on a terminal."""
    base.say(click.style(redact.visible(text), bold=True))


def show(desk: Desk) -> None:
    """The ranked table: number, what, evidence, warnings."""
    for candidate in desk.proposal.candidates:
        say("%3d  %s" % (candidate.number, candidate.heading))
        for line in notes(desk, candidate):
            say("     " + line)
    for problem in desk.findings.general:
        base.say("%s%s" % ("warning: " if problem.severity == "warning" else "refused: ", problem.message))


def notes(desk: Desk, candidate: Candidate) -> list[str]:
    """Evidence, refusals and warnings of a candidate, as lines."""
    made = []
    if candidate.evidence:
        made.append("evidence: " + " ".join(candidate.evidence.split()))
    for problem in desk.findings.of.get(id(candidate), []):
        word = "warning" if problem.severity == "warning" else "refused"
        made += ("%s: %s" % (word, problem.message)).split("\n")
    return [wording.safe(line) for line in made]


def say_recovered(done: Intent | None) -> None:
    """Tell that an apply which was cut short has been completed."""
    if done is not None:
        what = "; ".join(done.lines) or "nothing was accepted"
        base.say("An apply that was cut short is completed now: %s." % what)
