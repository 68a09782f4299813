"""rld pointer: the first line of the entry points, and journal entries that leaked into them."""

from __future__ import annotations

import sys

import click

from rld import diffs, entrypoints, locking, scaffold
from rld.cli import base
from rld.entrypoints import EntryPoint
from rld.errors import Refused


@click.command(epilog="Example: rld pointer --fix")
@click.option("--fix", is_flag=True, help="Put the pointer on the first line, or move it there.")
@click.option("--clean", is_flag=True, help="Take out journal entries, and nothing else.")
@base.as_json
@base.verb
def command(here: base.Here, fix: bool, clean: bool, as_json: bool) -> None:
    """Say where the pointer to the post-mortem stands in each entry point. Exit status 1 when something is wrong.

    Every change is shown as a diff. On a terminal --clean asks before it takes anything out, and keeps a copy.
    """
    if fix or clean:
        _change(here, fix, clean, as_json)
    points = [entrypoints.look(here.project, here.settings, name) for name in here.settings.entry_points]
    if as_json:
        base.print_json({"entry_points": [_values(point) for point in points]})
    else:
        for point in points:
            _say(point)
    if any(point.problems for point in points):
        raise click.exceptions.Exit(1)


def _change(here: base.Here, fix: bool, clean: bool, quiet: bool) -> None:
    # Worked out once before anything is touched: not even a lock is made where something is refused.
    if not entrypoints.plan(here.project, here.settings, fix, clean).changes:
        return
    with locking.hold(here.project, "init"):
        found = entrypoints.plan(here.project, here.settings, fix, clean)
        if not quiet:
            _show(found)
        ask = clean and sys.stdin.isatty() and sys.stdout.isatty() and not quiet
        if ask and not click.confirm("Write this?"):
            raise Refused("nothing was written")
        copies = [entrypoints.keep_copy(here.project, change) for change in found.changes if clean]
        found.write()
    for copy in copies:
        (base.warn if quiet else base.say)("The file as it was: %s" % copy)


def _show(found: scaffold.Scaffold) -> None:
    for change in found.changes:
        base.say_diff(diffs.unified(change.name, change.before, change.after))
    for note in found.notes:
        base.say(note)


def _values(point: EntryPoint) -> dict[str, object]:
    return {
        "file": point.file, "line": point.line, "first": point.is_first, "leaked": [list(lines) for lines in point.leaked],
        "problems": [problem.as_dict() for problem in point.problems],
    }  # fmt: skip


def _say(point: EntryPoint) -> None:
    if point.is_first:
        base.say("%s:%d: the pointer is the first line" % (point.file, point.line))
    for problem in point.problems:
        way_out = "" if problem.code != "journal-in-entry-point" else ". `rld pointer --clean` shows and takes them out"
        base.say("%s%s" % (problem, way_out))
