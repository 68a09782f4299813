"""rld log: append the entry of one item to the journal."""

from __future__ import annotations

from typing import BinaryIO

import click

from rld import (
    approval,
    evidence,
    gittree,
    header,
    hindsight,
    invisible,
    journal,
    ledger,
    locking,
    logbook,
    nudge,
    progress,
    receipts,
    runs,
    runstate,
    secrets,
    textfile,
    wording,
)  # fmt: skip
from rld.cli import base
from rld.cli.run_verb import open_run
from rld.entries import Entry
from rld.errors import Problem, Refused


@click.command(epilog="Example: rld log --item 7 <<'EOF' … EOF")
@click.option("--item", required=True, metavar="N", help="The item of the plan, as the plan numbers it.")
@click.option("--title", default="", help="The item's title; the plan's, if not given.")
@click.option("--claimed", metavar="WHY", help="Log without a fitting receipt, and say why.")
@click.option("--approved", metavar="WORDS", help="What the human said that approves this further item.")
@click.option("--file", "source", type=click.File("rb"), help="Read the entry from a file instead of standard input.")
@base.verb
def command(
    here: base.Here, item: str, title: str, claimed: str | None, approved: str | None, source: BinaryIO | None
) -> None:
    """Append the entry of one item: five fields, [Verified Facts] to [What's Next], read from standard input.

    It needs a receipt for the tree as it is (`rld verify`, or a passing verify that a hook saw).
    """
    claimed, approved = (" ".join((words or "").split()) for words in (claimed, approved))
    run = open_run(here)
    text = source.read().decode("utf-8", "surrogateescape") if source is not None else base.read_stdin()
    text = text[text.startswith("\ufeff") :]
    title, fields = logbook.read_fields(text, title)
    _refuse_secrets(text)
    item = _bare(item)
    with locking.hold(here.project, "journal"):
        logbook.sweep(here.project, here.path(run.journal))
        state = progress.Progress(here.project, run)
        session = base.session()
        there = next((e for e in state.book.entries if e.item == item and item in state.done), None)
        if there is not None and not logbook.is_cut_short(here.path(run.journal), there, fields):
            _refuse_another(run, there, fields)
            base.say("Item %s is in %s already, line %d; nothing was added." % (item, run.journal, there.line))
            _note(here, run, item)
            runstate.read(here.project, run)
            if not state.missing and run.status == "open":
                _finish(here, run)
            return
        why = approval.missing(here.project, session)
        if why and not approved and here.settings.approval == "each-item":
            raise Refused(
                Problem(
                    "%s: report what was done and wait; when they have answered, log again, or quote their words with --approved"
                    % why,
                    file=run.journal,
                    code="unapproved-item",
                )
            )
        receipt = _receipt(here, run, session, claimed)
        data = evidence.raw(here.project, session)
        changed = nudge.edited_since_entry(data) or _changed(here)
        fields["facts"] = logbook.complete_facts(fields["facts"], item, receipt.words(), changed)
        if approved:
            fields["facts"] += " Approved: “%s”." % approved
        entry = journal.render_entry(item, title or state.titles.get(item, ""), fields)
        aside = logbook.append(here.project, here.path(run.journal), entry)
        _note(here, run, item)
    if aside:
        base.warn("rld: an entry that a crash had cut short was moved to %s" % aside)
    _report(here, run, item)
    learned = hindsight.lessons(data, run.verify, receipt.grade != receipts.CLAIMED)
    for line in hindsight.told(hindsight.unsaid(learned, text)):
        base.say(line)


def _bare(item: str) -> str:
    words = item.split()
    return words[-1] if len(words) == 2 and words[0].lower() in ("item", "task", "step", "unit") else item.strip()


def _refuse_secrets(text: str) -> None:
    problems = []
    found = secrets.lines(text)
    for number, line in enumerate(text.split("\n"), 1):
        if number in found:
            problems.append(
                Problem("looks like a credential: name it, do not quote it", file="<stdin>", line=number, code="secret")
            )
        if invisible.hidden_at(line):
            problems.append(
                Problem(
                    "has characters nobody can see: %s" % ", ".join(invisible.hidden_at(line)),
                    file="<stdin>",
                    line=number,
                    code="hidden-unicode",
                )
            )
    if problems:
        raise Refused(*problems)


def _refuse_another(run: runs.Run, there: Entry, fields: dict[str, str]) -> None:
    """The same entry once more is what a rerun after a crash looks like; another one is a mistake."""
    if any(there.fields.get(key, "") != fields[key] for key in journal.FIELDS if key != "facts"):
        what = "item %s has an entry: log follow-up work under a number of its own" % there.item
        raise Refused(Problem(what, file=run.journal, line=there.line))


def _note(here: base.Here, run: runs.Run, item: str) -> None:
    """Tell the session's evidence, once: a crash may have come in between."""
    session = base.session()
    for event in ledger.read(here.project, session).events if session else []:
        if event.get("k") == "logged" and (event.get("item"), event.get("journal")) == (item, run.journal):
            return
    evidence.note(here.project, session, "logged", item=item, journal=run.journal)


def _finish(here: base.Here, run: runs.Run) -> None:
    """Every item is logged: the run is complete."""
    with locking.hold(here.project, "run"):
        path = here.path(run.journal)
        textfile.write(path, header.with_value(textfile.read(path), "status", "complete"), here.project.root)
        run.status = "complete"
        runs.remember(here.project, run)


def _receipt(here: base.Here, run: runs.Run, session: str, claimed: str) -> receipts.Receipt:
    receipt, why = receipts.fitting(here.project, here.settings, run, session)
    if receipt is not None:
        return receipt
    if claimed:
        return receipts.claimed(run, claimed)
    raise Refused(
        Problem(
            '%s: run `rld verify`, or say why there is no proof with --claimed "why"' % why,
            file=run.journal,
            code="no-receipt",
        )
    )


def _changed(here: base.Here) -> list[str]:
    """The files that differ from the last commit, relative to the root, without our own."""
    if not here.project.top:
        return []
    names = [here.project.relative("%s/%s" % (here.project.top, name)) for name in gittree.changed_files(here.project)]
    return [name for name in names if name and not receipts.is_own(here.settings, name)]


def _report(here: base.Here, run: runs.Run, item: str) -> None:
    runstate.read(here.project, run)  # so that the next hook finds it ready
    state = progress.Progress(here.project, run)
    base.say("Item %s is logged in %s: %s, %d of %d items done." % (
        item, run.journal, wording.counted(len(state.book.entries), "entry", "entries"), state.count, state.total
    ))  # fmt: skip
    if item not in state.titles and state.titles:
        base.say("Item %s is not in the plan; it counts as added on the way." % item)
    if state.missing:
        for id in state.ready[:3]:
            base.say("  ready: %s" % state.named(id))
        base.say("The next item waits for the human's word.")
    else:
        _finish(here, run)
        base.say("Every item is logged. /rld:compact turns the journal into records.")
