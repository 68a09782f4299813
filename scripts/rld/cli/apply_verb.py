"""rld apply: write down what a human decided."""

from __future__ import annotations

import click

from rld import applying, desk, pointer, postmortem, structure, textfile
from rld.applying import Intent
from rld.cli import base, table


@click.command(epilog='Example: rld apply --accept 1,3 --reject 2:"a one-off of that library version"')
@click.argument("file", required=False)
@click.option("--accept", multiple=True, metavar="N,N", help="The candidates that go into the post-mortem.")
@click.option("--reject", multiple=True, metavar="N:REASON", help="One that does not, and why. Repeat it for more.")
@base.verb
def command(here: base.Here, file: str | None, accept: tuple[str, ...], reject: tuple[str, ...]) -> None:
    """Write a human's decisions down.

    Accepted candidates go into the post-mortem; rejected ones are remembered with their reason, and not proposed again.
    What is not named stays in the proposal; when nothing does, the journal is archived.
    """
    yes = _numbers(",".join(accept), "--accept takes numbers, as in --accept 1,3")
    no = dict(pair for given in reject for pair in _rejection(given))
    both = sorted(set(yes) & set(no))
    if both:
        raise click.UsageError("%s is both accepted and rejected" % ", ".join(map(str, both)))
    done = applying.recover(here.project, here.settings)
    if done is not None and {*yes, *no} <= set(done.decided):
        base.say("This was cut short before, and is completed now.")
        report(here, done)
        return
    table.say_recovered(done)
    path = desk.choose(here.project, here.settings, file)
    if not yes and not no:
        raise click.UsageError("say what the human decided on %s: `%s`; `rld review` shows it" % (path, table.DECIDE))
    report(here, applying.decide(here.project, here.settings, path, yes, no, base.session()))


def _numbers(text: str, form: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(" ", ",").split(",") if part]
    except ValueError:
        raise click.UsageError("%s, not %s" % (form, text)) from None


def _rejection(given: str) -> list[tuple[int, str]]:
    form = '--reject takes a number and the reason, as in --reject 2:"reason"'
    numbers, _, reason = given.partition(":")
    if not numbers.strip() or not reason.strip():
        raise click.UsageError("%s, not %s" % (form, given))
    return [(number, reason.strip().strip('"')) for number in _numbers(numbers, form)]


def report(here: base.Here, intent: Intent) -> None:
    """Say what was done, what the file looks like now, and what is left."""
    if intent.lines:
        base.say("Committed to memory in %s, most important first:" % intent.post_mortem)
        for place, line in enumerate(intent.lines, 1):
            base.say("%3d. %s" % (place, line))
    for values in intent.rejected:
        base.say("Rejected, and remembered: “%s”: %s" % (values["heading"], values["reason"]))
    if intent.lines:
        base.say("%s now:" % intent.post_mortem)
        for line in structure.lines(postmortem.parse(textfile.read(here.path(intent.post_mortem)))):
            base.say("  " + line)
    if intent.left:
        base.say("Still undecided in %s: %s." % (intent.proposal, ", ".join(map(str, intent.left))))
    elif intent.journal:
        base.say("Everything is decided; the journal is archived as %s." % intent.archive)
    else:
        base.say("Everything is decided; the proposal is gone.")
    for name in here.settings.entry_points:
        text = textfile.read_or_none(here.path(name)) or ""
        if any(code == "pointer-missing" for _, code, _ in pointer.check(text, here.settings.post_mortem)):
            base.say("%s does not point to %s yet: `rld init` adds the line." % (name, here.settings.post_mortem))
