"""rld list: the records."""

from __future__ import annotations

from pathlib import Path

import click

from rld import lint, match, naming, postmortem, redact, textfile, wording
from rld.cli import base
from rld.cli.show_verb import values
from rld.errors import Problem, Refused
from rld.record import ACTIVE, Record


@click.command(epilog="Example: rld list --for src/app/page.tsx")
@click.option("--kind", type=click.Choice(naming.KINDS), help="Only this kind.")
@click.option("--for", "path", metavar="PATH", help="Only records whose scope takes in this path.")
@click.option("--all", "everything", is_flag=True, help="Closed and repealed ones too.")
@base.as_json
@base.verb
def command(here: base.Here, kind: str | None, path: str | None, everything: bool, as_json: bool) -> None:
    """List the records of the post-mortem: kind, number, title and scope."""
    found = postmortem.parse(textfile.read_or_none(here.post_mortem) or "")
    records = [record for record in found.records if not kind or record.kind == kind]
    inside = "" if path is None else _inside(here, path)
    if inside:
        records = [record for record in records if match.matches(record.scope, inside)]
    if as_json:
        problems = [{"line": line, "code": code, "message": message} for line, code, message in lint.problems(found)]
        base.print_json(
            {"file": here.settings.post_mortem, "records": [values(r) for r in records], "problems": problems}
        )
        return
    shown = [record for record in records if everything or record.status == ACTIVE]
    if not shown and inside:
        base.say("No record in %s has a scope that takes in %s." % (here.settings.post_mortem, inside))
    elif not shown:
        base.say("No records in %s yet." % here.settings.post_mortem)
    width = max([len(record.number or "–") for record in shown], default=0)
    for name in naming.KINDS:
        _show(name, [record for record in shown if record.kind == name], width)
    if inside:
        rest = sum(1 for record in found.active(kind or "") if not record.scope)
        if rest:
            holds = "holds" if rest == 1 else "hold"
            base.say("%s without a scope %s everywhere: `rld list`" % (wording.counted(rest, "more record"), holds))


def _inside(here: base.Here, given: str) -> str:
    """A path from the folder that the human is in, or else from the root, relative to the root."""
    given = given.replace("\\", "/")
    near = Path(click.get_current_context().params["folder"], given).absolute()
    path = near if near.exists() else Path(here.project.path(given))
    inside = here.project.relative(str(path))
    if not inside:
        raise Refused(Problem("is not inside the project %s: name a path below it" % here.project.root, file=given))
    return inside + "/" if path.is_dir() else inside


def _show(kind: str, records: list[Record], width: int) -> None:
    if records:
        click.secho("Tech debt" if kind == naming.DEBT else kind.capitalize() + "s", bold=True)
    for record in records:
        status = "" if record.status == ACTIVE else "  [%s]" % record.status
        # A title comes with a branch, and must not steer the terminal of who looks at it.
        base.say("  %*s  %s%s" % (width, record.number or "–", redact.visible(record.title), status))
        if record.scope:
            base.say(" " * (width + 4) + click.style(redact.visible(", ".join(record.scope)), dim=True))
