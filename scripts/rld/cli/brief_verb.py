"""rld brief: what a distillation needs."""

from __future__ import annotations

import click

from rld import (
    account,
    briefing,
    evidence,
    ledger,
    postmortem,
    rejections,
    runs,
    sources,
    taken,
    textfile,
    transcriptfile,
)
from rld.cli import base
from rld.errors import Refused
from rld.sources import Source


@click.command(epilog="Example: rld brief --last")
@click.option("--session", metavar="ID", help="The session to distill; the beginning of its id is enough.")
@click.option("--last", is_flag=True, help="The last session that was not distilled.")
@click.option("--journal", metavar="FILE", help="The journal to distill.")
@base.verb
def command(here: base.Here, session: str | None, last: bool, journal: str | None) -> None:
    """Print everything a distillation needs.

    That is the journal, or what a session's evidence and the client's transcript tell of it; the records that overlap, the
    free numbers, what was rejected before, and the form of candidates. At most 20,000 characters. Without options: the
    open run's journal, else the present session.
    """
    if sum((session is not None, last, journal is not None)) > 1:
        raise click.UsageError("one of --session, --last and --journal")
    try:
        base.say(_brief(here, _source(here, session, last, journal)))
    except Refused as refused:
        if session or journal:
            raise
        # Slash commands inline this: a status other than 0 would make the whole command vanish.
        base.say("There is no brief:\n%s" % "\n".join("- %s" % problem for problem in refused.problems))


def _brief(here: base.Here, source: Source) -> str:
    project = here.project
    seen = None if source.journal else account.of(project, here.settings, source.session)
    if seen is not None and not seen.recorded:
        source.date = seen.date or source.date
    found = postmortem.parse(textfile.read_or_none(here.post_mortem) or "")
    cited, rejected = taken.in_tree(project), rejections.all_of(project)
    return briefing.build(found, here.settings.post_mortem, source, seen, cited, rejected)


def _source(here: base.Here, session: str | None, last: bool, journal: str | None) -> Source:
    project, settings = here.project, here.settings
    if journal is not None:
        return sources.of_journal(project, settings, journal)
    if session is not None:
        source = sources.of_session(project, session)
        if not evidence.raw(project, source.session) and not transcriptfile.find(project, source.session):
            known = ", ".join(other.id[:8] for other in ledger.others(project, "", 10)) or "none"
            what = "nothing was recorded of session %s, and the client has no transcript of it for this project; known are: %s"
            raise Refused(what % (session, known))
        return source
    if last:
        waiting = ledger.undistilled(project, base.session()) or ledger.others(project, base.session(), 1)
        return sources.of_session(project, waiting[0].id if waiting else "")
    run = runs.find(project, settings.worklog)
    if run is not None:
        return sources.of_journal(project, settings, run.journal)
    return sources.of_session(project, base.session())
