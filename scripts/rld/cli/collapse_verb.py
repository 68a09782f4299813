"""rld collapse: old session sections in one line each."""

from __future__ import annotations

import click

from rld import applying, collapse, diffs, locking, reviewing, textfile, wording
from rld.cli import base, table
from rld.errors import Problem, Refused


@click.command(epilog="Example: rld collapse --keep 10")
@click.option(
    "--keep", type=click.IntRange(min=0), default=collapse.KEEP, show_default=True, help="Leave the latest N."
)
@click.option("--write/--dry-run", default=False, help="Write it, or only show the diff (the default).")
@base.verb
def command(here: base.Here, keep: int, write: bool) -> None:
    """Leave of each old session in the post-mortem one line: the records it led to, and a link to its journal.

    No record changes. Without --write only the diff is shown.
    """
    if write:
        table.say_recovered(applying.recover(here.project, here.settings))
        with locking.hold(here.project, applying.LOCK):
            _collapse(here, keep, True)
    else:
        _collapse(here, keep, False)


def _collapse(here: base.Here, keep: int, write: bool) -> None:
    file = here.settings.post_mortem
    text = textfile.read_or_none(here.post_mortem)
    if text is None:
        raise Refused(Problem("is not there, so there is nothing to collapse", file=file))
    archive = here.path(here.settings.archive)
    journals = ["%s/%s" % (here.settings.archive, path.name) for path in sorted(archive.glob("*.md"))]
    done = collapse.collapse(text, keep, journals, file)
    if not done.sessions:
        base.say("%s has no session section to collapse besides the latest %d." % (file, keep))
        return
    base.say_diff(diffs.unified(file, text, done.text))
    count = wording.counted(len(done.sessions), "session")
    if not write:
        base.say("%s to collapse. Nothing was written: `rld collapse --write` does it." % count)
        return
    waiting = [record.id for record in reviewing.waiting(here.project, file, text)]
    textfile.write(here.post_mortem, done.text, here.project.top or here.project.root)
    reviewing.keep(here.project, done.text, waiting)
    base.say("%s collapsed in %s." % (count, file))
