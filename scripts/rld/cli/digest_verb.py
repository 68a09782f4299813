"""rld digest: what a session is told when it starts."""

from __future__ import annotations

import click

from rld import redact
from rld.cli import base
from rld.digest import Digest
from rld.events import session_start, subagent_start


@click.command(epilog="Example: rld digest --explain")
@click.option("--explain", is_flag=True, help="Each record's rank and why, the room it took, what was left out.")
@click.option("--for-subagent", is_flag=True, help="The short one that subagents get.")
@base.verb
def command(here: base.Here, explain: bool, for_subagent: bool) -> None:
    """Print the digest of the records exactly as a starting session gets it.

    Records that were changed but neither committed nor reviewed are not in it.
    """
    if for_subagent:
        made = subagent_start.build(here.project)
    else:
        made, _ = session_start.Start(here.project, base.session()).build()
    if made.text:
        base.say(made.text.rstrip("\n"))
    elif not explain:
        base.say("A session that starts now is told nothing: there are no records, no open run, nothing to distill.")
    if explain:
        _explain(made)


def _explain(made: Digest) -> None:
    base.say("\n%d of %d units" % (made.units, made.limit))
    shown, whole = {id(entry) for entry in made.shown}, {id(entry) for entry in made.whole}
    for place, (entry, reason) in enumerate(made.ranked, 1):
        told = "whole" if id(entry) in whole else "title" if id(entry) in shown else "left out"
        if told == "left out" and entry.scope:
            told = "when its files are opened"
        base.say("%4d  %s: %s (%s)" % (place, redact.visible(entry.cite), told, redact.visible(reason)))
