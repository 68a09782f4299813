"""rld list: the records."""

from __future__ import annotations

import click

from rld import lint, naming, postmortem, textfile
from rld.cli import base


@click.command(epilog="Example: rld list --kind guardrail")
@click.option("--kind", type=click.Choice(naming.KINDS), help="Only this kind.")
@click.option("--all", "everything", is_flag=True, help="Closed and repealed ones too.")
@base.as_json
@base.verb
def command(here: base.Here, kind: str | None, everything: bool, as_json: bool) -> None:
    """List the records of the post-mortem."""
    text = textfile.read_or_none(here.post_mortem) or ""
    found = postmortem.parse(text)
    if as_json:
        base.print_json(
            {
                "file": here.settings.post_mortem,
                "records": [
                    {
                        "id": r.id, "kind": r.kind, "number": r.number, "title": r.title, "text": r.text, "status": r.status,
                        "line": r.line, "scope": r.scope, "fields": r.fields,
                    }
                    for r in found.records
                    if not kind or r.kind == kind
                ],
                "problems": [{"line": line, "code": code, "message": message} for line, code, message in lint.problems(found)],
            }
        )  # fmt: skip
        return
    shown = [r for r in found.records if (not kind or r.kind == kind) and (everything or r.status == "active")]
    if not shown:
        base.say("No records in %s yet." % here.settings.post_mortem)
    for kind_name in naming.KINDS:
        rows = [r for r in shown if r.kind == kind_name]
        if rows:
            click.secho(kind_name.capitalize() + "s", bold=True)
            for r in rows:
                scope = "  (%s)" % ", ".join(r.scope) if r.scope else ""
                status = "" if r.status == "active" else "  [%s]" % r.status
                base.say("  %-8s %s%s%s" % (r.number or "–", r.title, status, scope))
