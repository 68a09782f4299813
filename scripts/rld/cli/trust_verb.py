"""rld trust: a human's word that the post-mortem as it stands is reviewed."""

from __future__ import annotations

import sys

import click

from rld import applying, lint, locking, postmortem, redact, reviewing, textfile, trust, wording
from rld.cli import base
from rld.errors import Problem, Refused, from_tuples

_UNREADABLE = ("conflict-marker", "hidden-unicode")  # what nobody can have reviewed


@click.command(epilog="Example: rld trust")
@base.verb
def command(here: base.Here) -> None:
    """Give a human's word that the post-mortem as it stands is reviewed, hand edits included.

    Shows what changed since the last commit or the last review. On a terminal it asks; elsewhere the question was the
    client's, before it ran this command. A commit does the same.
    """
    file = here.settings.post_mortem
    text = textfile.read_or_none(here.post_mortem)
    if text is None:
        raise Refused(Problem("is not there, so there is nothing to trust: `rld init` makes it", file=file))
    problems = lint.problems(postmortem.parse(text))
    unreadable = [problem for problem in problems if problem[1] in _UNREADABLE]
    if unreadable:
        raise Refused(*from_tuples(file, unreadable))
    base.report(from_tuples(file, problems, "warning"))
    waiting = reviewing.waiting(here.project, file, text)
    difference = reviewing.difference(here.project, file, text)
    if not difference and trust.known(here.project, text.encode("utf-8", "surrogateescape")):
        base.say("%s is reviewed as it stands: nothing to do." % file)
        return
    if difference:
        base.say_diff(difference)
    else:
        base.say("%s is what the last commit holds." % file)
    for record in waiting:
        base.say("Withheld from sessions until now: %s: %s" % (record.cite, redact.visible(record.title)))
    if sys.stdin.isatty() and sys.stdout.isatty() and not click.confirm("Reviewed, and in force from now on?"):
        base.say("Nothing was changed.")
        return
    with locking.hold(here.project, applying.LOCK):
        if textfile.read_or_none(here.post_mortem) != text:
            raise Refused(Problem("changed while you looked at it: run `rld trust` again", file=file))
        reviewing.remember(here.project, text)
    told = ": %s now in force" % wording.counted(len(waiting), "record") if waiting else ""
    base.say("%s is reviewed as it stands%s." % (file, told))
