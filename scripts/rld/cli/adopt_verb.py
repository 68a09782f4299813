"""rld adopt: a foreign post-mortem into the canonical form."""

from __future__ import annotations

import click

from rld import adopt, applying, diffs, lint, locking, postmortem, redact, reviewing, taken, textfile, wording
from rld.cli import base, table
from rld.errors import Problem, Refused


@click.command(epilog="Example: rld adopt --dry-run")
@click.option("--write/--dry-run", default=False, help="Write it, or only show the diff (the default).")
@base.verb
def command(here: base.Here, write: bool) -> None:
    """Bring a post-mortem of another form into the canonical one.

    Every number that stands for one record stays, and so does every word of the records. Without --write only the diff
    is shown. Nothing needs it: every form is read as it is.
    """
    if write:
        table.say_recovered(applying.recover(here.project, here.settings))
        with locking.hold(here.project, applying.LOCK):
            _adopt(here, True)
    else:
        _adopt(here, False)


def _adopt(here: base.Here, write: bool) -> None:
    file = here.settings.post_mortem
    text = textfile.read_or_none(here.post_mortem)
    if text is None:
        raise Refused(Problem("is not there, so there is nothing to adopt: `rld init` makes it", file=file))
    done = adopt.adopt(text, taken.in_tree(here.project), file)
    if done.text == text:
        has = "is in the canonical form" if postmortem.parse(text).records else "has no records that could be read"
        base.say("%s %s: nothing to do." % (file, has))
        return
    waiting = reviewing.waiting(here.project, file, text) if write else []
    if waiting:
        what = "has %s that nobody has reviewed, and adopting would hide which: `rld trust` or a commit comes first"
        problem = Problem(what % wording.counted(len(waiting), "record"), file=file, line=waiting[0].line)
        raise Refused(problem)
    base.say_diff(diffs.unified(file, text, done.text))
    _say_numbers(done)
    missing = sum(1 for _, code, _ in lint.problems(postmortem.parse(done.text)) if code == "missing-field")
    if missing:
        base.say("%s missing by the canonical form: `rld check` names them." % _are(missing))
    if write:
        textfile.write(here.post_mortem, done.text, here.project.top or here.project.root)
        reviewing.remember(here.project, done.text)
        base.say("Written to %s." % file)
    else:
        base.say("Nothing was written: `rld adopt --write` does it.")


def _say_numbers(done: adopt.Adopted) -> None:
    base.say("%s %s the number." % (wording.counted(done.kept, "record"), "keeps" if done.kept == 1 else "keep"))
    for old, new in done.given:
        base.say(redact.visible("  %s is now %s" % (old, new)))


def _are(count: int) -> str:
    return "1 field is" if count == 1 else "%d fields are" % count
