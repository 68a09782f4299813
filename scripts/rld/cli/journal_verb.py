"""rld journal: read a journal."""

from __future__ import annotations

import click

from rld import errors, frontmatter, journal, runs, textfile
from rld.cli import base
from rld.errors import Problem, Refused


@click.group(epilog="Example: rld journal show")
def command() -> None:
    """Read a journal: its entries and what is wrong with them."""


def _load(here: base.Here, file: str | None) -> tuple[str, journal.Journal]:
    if file is None:
        run = runs.find(here.project, here.settings.worklog)
        if run is None:
            raise Refused("no run is open: name the journal, `rld journal show FILE`")
        file = run.journal
    path = here.path(file)
    if not path.is_file():
        raise Refused(Problem("there is no such journal", file=file))
    return here.shown(path), journal.parse(textfile.read(path))


@command.command(epilog="Example: rld journal show docs/worklog/2026-07-08-store.md")
@click.argument("file", metavar="[FILE]", required=False)
@base.as_json
@base.verb
def show(here: base.Here, file: str | None, as_json: bool) -> None:
    """Print the entries of a journal. Without FILE: the open run's."""
    path, book = _load(here, file)
    if as_json:
        base.print_json({"file": path, "meta": book.meta, **_entries(book)})
        return
    click.secho(path, bold=True)
    for entry in book.entries:
        click.secho("Item %s: %s" % (entry.item, entry.title.encode("utf-8", "replace").decode()), bold=True)
        for key in journal.FIELDS:
            if entry.fields.get(key):
                base.say("  %s: %s" % (journal.LABELS[key], entry.fields[key].replace("\n", "\n    ")))
    if not book.entries:
        base.say("No entries yet.")


@command.command(epilog="Example: rld journal check docs/worklog/2026-07-08-store.md --json")
@click.argument("file", metavar="[FILE]", required=False)
@base.as_json
@base.verb
def check(here: base.Here, file: str | None, as_json: bool) -> None:
    """Name what is wrong with a journal: missing fields, placeholders, a torn entry. Exit status 1 when something is."""
    path, book = _load(here, file)
    broken = frontmatter.problem(textfile.read(here.path(path)))
    problems = errors.from_tuples(path, ([broken] if broken else []) + journal.check(book))
    if as_json:
        found = [{"line": p.line, "code": p.code, "message": p.message} for p in problems]
        base.print_json({**_entries(book), "problems": found})
    else:
        base.report(problems)
        base.say("%s: %d entries, %d problems." % (path, len(book.entries), len(problems)))
    if problems:
        raise click.exceptions.Exit(1)


def _entries(book: journal.Journal) -> dict[str, object]:
    return {
        "entries": [
            {
                "item": e.item,
                "title": e.title,
                "line": e.line,
                "fields": {key: e.fields.get(key, "") for key in journal.FIELDS},
            }
            for e in book.entries
        ]
    }
