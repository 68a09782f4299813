"""rld show: records, whole."""

from __future__ import annotations

import click

from rld import postmortem, proposal, textfile
from rld.cli import base
from rld.errors import Problem, Refused
from rld.postmortem import PostMortem
from rld.record import ACTIVE, Record


@click.command(epilog="Example: rld show guardrail-4")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@base.as_json
@base.verb
def command(here: base.Here, ids: tuple[str, ...], as_json: bool) -> None:
    """Print records whole: `guardrail-4`, `Guardrail 4`, or `4` when only one kind has that number."""
    file = here.settings.post_mortem
    found = postmortem.parse(textfile.read_or_none(here.post_mortem) or "")
    wanted = proposal.ids(" ".join(ids))
    if not wanted:
        raise Refused("%s names no record: `rld list` shows what there is" % " ".join(ids))
    records = [_one(found, id, file) for id in wanted]
    if as_json:
        base.print_json({"file": file, "records": [values(r) for r in records]})
        return
    for place, record in enumerate(records):
        status = "" if record.status == ACTIVE else ", %s" % record.status
        base.say("%s%s: %s  (%s:%d%s)" % ("\n" if place else "", record.cite, record.title, file, record.line, status))
        if record.text:
            base.say("\n" + record.text)


def values(r: Record) -> dict[str, object]:
    """A record as JSON shows it."""
    return {
        "id": r.id, "kind": r.kind, "number": r.number, "title": r.title, "text": r.text, "status": r.status,
        "line": r.line, "scope": r.scope, "fields": r.fields,
    }  # fmt: skip


def _one(found: PostMortem, id: str, file: str) -> Record:
    record = found.find(id)
    if record is not None:
        return record
    alike = [r for r in found.records if r.number == id.rpartition("-")[2].partition("@")[0]]
    if "-" not in id and "~" not in id and len(alike) == 1:
        return alike[0]
    instead = "did you mean %s?" % ", ".join(r.id for r in alike) if alike else "`rld list --all` shows what there is"
    raise Refused(Problem("has no record %s: %s" % (id, instead), file=file, code="unknown-record"))
