"""rld propose: check candidates and store them for a human."""

from __future__ import annotations

import os

import click

from rld import applying, proposal, textfile, wording
from rld.cli import base, table
from rld.desk import Desk
from rld.errors import Refused


@click.command(epilog="Example: rld propose <<'EOF' … EOF")
@click.argument("file", required=False)
@click.option("--again", is_flag=True, help="Propose what was rejected before once more.")
@base.verb
def command(here: base.Here, file: str | None, again: bool) -> None:
    """Check candidate changes to the post-mortem, from FILE or standard input, and store them as a proposal.

    `rld brief` shows the form. Nothing is in force before a human says yes to it.
    """
    project, settings = here.project, here.settings
    table.say_recovered(applying.recover(project, settings))
    text, name = (base.read_stdin(), "<stdin>") if file in (None, "-") else (_read(here, str(file)), str(file))
    desk = Desk(project, settings, proposal.parse(text), name, base.session(), again)
    if desk.findings.refusals:
        raise Refused(*desk.findings.refusals)
    desk.edit(desk.proposal.candidates)  # what cannot be applied is refused now, not after the human's yes
    desk.rank()
    path = desk.source.proposal_path(settings)
    if here.path(path).exists() and os.path.abspath(str(file)) != str(here.path(path)):
        old = proposal.parse(textfile.read(here.path(path)))
        base.say("This replaces an earlier proposal of %s." % wording.counted(len(old.candidates), "candidate"))
    desk.store(path)
    count = wording.counted(len(desk.proposal.candidates), "candidate")
    base.say("Stored in %s: %s for %s, most important first." % (path, count, settings.post_mortem))
    table.show(desk)
    base.say("Nothing is in force yet: a human decides on each. Next: `rld review` for the diffs, then, in the human's")
    base.say("own words, `%s`." % table.DECIDE)


def _read(here: base.Here, file: str) -> str:
    return textfile.read(file if os.path.exists(file) else here.path(file))
