"""rld repeal: take a record out of force."""

from __future__ import annotations

import time

import click

from rld import amend, applying, diffs, locking, naming, postmortem, proposal, redact, reviewing, secrets, textfile
from rld.cli import base, table
from rld.errors import Problem, Refused
from rld.proposal import Candidate


@click.command(epilog='Example: rld repeal guardrail-7 --reason "over-fitted to one version; see Guardrail 12"')
@click.argument("id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why it no longer holds.")
@base.verb
def command(here: base.Here, id: str, reason: str) -> None:
    """Take a record out of force: its text goes, and a tombstone with its number, the date and the reason stays.

    Its number is never given to another record, so what cites it can be understood.
    """
    _check(reason)
    table.say_recovered(applying.recover(here.project, here.settings))
    file = here.settings.post_mortem
    with locking.hold(here.project, applying.LOCK):
        text = textfile.read_or_none(here.post_mortem)
        if text is None:
            raise Refused(Problem("is not there, so it has no record to repeal", file=file))
        target = _target(text, id, file)
        waiting = [record for record in reviewing.waiting(here.project, file, text) if record.id != target]
        candidate = Candidate(proposal.REPEAL, target.partition("-")[0].partition("~")[0], [target], "")
        candidate.body = "- **Why:** %s" % " ".join(reason.split())
        done = amend.edit(text, [candidate], None, time.strftime("%Y-%m-%d"), {}, file)
        textfile.write(here.post_mortem, done.text, here.project.top or here.project.root)
        reviewing.keep(here.project, done.text, [record.id for record in waiting])
    base.say_diff(diffs.unified(file, text, done.text))
    for line in done.lines:
        base.say(redact.visible(line[:1].upper() + line[1:]) + ".")
    if waiting:
        base.say("Still waiting for a review: %s. `rld trust` shows them." % ", ".join(r.cite for r in waiting))


def _check(reason: str) -> None:
    if not reason.strip():
        raise click.UsageError("--reason is empty: say why the record no longer holds")
    hidden = [name for row in reason.split("\n") for name in redact.hidden_at(row)]
    if hidden:
        raise Refused("the reason has characters that nobody can see (%s): write it without them" % ", ".join(hidden))
    if secrets.lines(reason):
        raise Refused("the reason holds what looks like a credential: write it without")


def _target(text: str, given: str, file: str) -> str:
    """The id of the one record that is meant. Raises Refused when there is none, or none that can be named."""
    found = postmortem.parse(text)
    wanted = proposal.ids(given)
    if len(wanted) != 1:
        raise Refused("%s is no id of a record: say, for example, guardrail-7" % given)
    alike = [r for r in found.records if r.number == wanted[0].rpartition("-")[2].partition("@")[0]]
    same = [r for r in alike if wanted[0] == r.number]
    if len(same) == 1:
        return same[0].id
    if found.find(wanted[0]) is None:
        instead = "did you mean %s?" % ", ".join(r.id for r in alike) if alike else "`rld list` shows what there is"
        raise Refused(Problem("has no record %s: %s" % (wanted[0], instead), file=file, code="unknown-record"))
    assert wanted[0].startswith(naming.KINDS)
    return wanted[0]
