"""rld review: look at a proposal, and on a terminal decide."""

from __future__ import annotations

import sys

import click

from rld import applying, canon, diffs, proposal, wording
from rld.cli import base, table
from rld.cli.apply_verb import report as report_applied
from rld.desk import Desk, choose, open_stored
from rld.errors import Refused
from rld.proposal import Candidate

_QUESTION = "Into the post-mortem? [y]es, [n]o, [e]dit, narrow the [s]cope, [l]ater, [q]uit"


@click.command(epilog="Example: rld review")
@click.argument("file", required=False)
@base.as_json
@base.verb
def command(here: base.Here, file: str | None, as_json: bool) -> None:
    """Show a proposal: the candidates ranked, each with its evidence, its warnings and what it would change.

    On a terminal each is decided at once; elsewhere `rld apply` takes the decisions.
    """
    table.say_recovered(applying.recover(here.project, here.settings))
    path = choose(here.project, here.settings, file)
    desk = open_stored(here.project, here.settings, path, base.session())
    if as_json:
        base.print_json({"file": path, "candidates": [_values(desk, c) for c in desk.proposal.candidates]})
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _walk(here, desk, path)
    else:
        base.say("%s: %s" % (path, wording.counted(len(desk.proposal.candidates), "candidate")))
        table.show(desk)
        for candidate in desk.proposal.candidates:
            table.headline("\n%d. %s" % (candidate.number, candidate.heading))
            base.say_diff(difference(desk, candidate))
        base.say("\nNew records get their numbers when they are applied. A human decides on each: `%s`." % table.DECIDE)


def difference(desk: Desk, candidate: Candidate) -> str:
    """What one candidate would change, as a diff, or why it cannot be applied."""
    try:
        after = desk.edit([candidate], with_session=False).text
    except Refused as refused:
        return "\n".join("refused: %s" % problem for problem in refused.problems)
    return diffs.unified(desk.settings.post_mortem, desk.text or None, after).rstrip("\n")


def _values(desk: Desk, candidate: Candidate) -> dict[str, object]:
    return {
        "number": candidate.number, "verb": candidate.verb, "kind": candidate.kind, "targets": candidate.targets,
        "title": candidate.title, "text": candidate.body, "evidence": candidate.evidence,
        "problems": [p.as_dict() for p in desk.findings.of.get(id(candidate), [])],
        "diff": difference(desk, candidate),
    }  # fmt: skip


def _walk(here: base.Here, desk: Desk, path: str) -> None:
    """Ask for each candidate, then write down what was decided."""
    accept: list[int] = []
    reject: dict[int, str] = {}
    count = len(desk.proposal.candidates)
    for place in range(count):
        answer = _decide(desk, place, path)
        number = desk.proposal.candidates[place].number
        if answer == "y":
            accept.append(number)
        elif answer == "n":
            reject[number] = click.prompt("Why not? It will not be proposed again", value_proc=_reason)
        elif answer == "q":
            break
    if not accept and not reject:
        base.say("Nothing was decided; the proposal stays.")
        return
    base.say("Accepted: %s. Rejected: %s." % (_listed(accept), _listed(list(reject))))
    if click.confirm("Write this?", default=True):
        report_applied(here, applying.decide(here.project, here.settings, path, accept, reject, base.session()))


def _decide(desk: Desk, place: int, path: str) -> str:
    """Show one candidate and ask until there is an answer: y, n, l or q."""
    while True:
        candidate = desk.proposal.candidates[place]
        table.headline("\n%d of %d: %s" % (place + 1, len(desk.proposal.candidates), candidate.heading))
        for line in table.notes(desk, candidate):
            table.say("  " + line)
        base.say_diff(difference(desk, candidate))
        answer = str(click.prompt(_QUESTION, type=click.Choice(list("yneslq")), show_choices=False))
        if answer == "e":
            changed = _edited(candidate)
        elif answer == "s":
            globs = click.prompt("Files it is about, as globs", default=", ".join(candidate.record.scope) or None)
            changed = Candidate(candidate.verb, candidate.kind, candidate.targets, candidate.title)
            changed.body = canon.with_field(candidate.body, "scope", globs)
        elif answer == "y" and any(p.severity == "error" for p in desk.findings.of.get(id(candidate), [])):
            base.say("It cannot be applied as it is: edit it, or say no.")
            continue
        else:
            return answer
        if changed is not None:
            changed.number = candidate.number
            desk.proposal.candidates[place] = changed
            desk.screen()
            desk.store(path)


def _edited(candidate: Candidate) -> Candidate | None:
    """The candidate as it comes back from the human's editor; None when it did not change."""
    text = click.edit("## %s\n\n%s\n" % (candidate.heading, candidate.body), extension=".md")
    if text is None:
        return None
    found = proposal.parse(text)
    if len(found.candidates) == 1:
        return found.candidates[0]
    for line, _, message in found.problems or [(1, "", "it must stay one candidate")]:
        base.say("line %d: %s" % (line, message))
    return None


def _reason(text: str) -> str:
    if not text.strip():
        raise click.UsageError("say why")
    return text.strip()


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
