"""What a proposal was distilled from: the journal of a run, or a session."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rld import evidence, journal, ledger, naming, runs, textfile, transcriptfile
from rld.entries import Entry
from rld.errors import Problem, Refused
from rld.project import Project
from rld.settings import Settings


class Source:
    """`journal` is a path relative to the root, `session` an id; at least one of them is "". `archive` is where the
    journal goes when everything is decided. `date` is YYYY-MM-DD."""

    def __init__(self, journal: str = "", session: str = "") -> None:
        self.journal = journal
        self.session = session
        self.archive = ""
        self.date = time.strftime("%Y-%m-%d")
        self.tag = ""
        self.title = ""
        self.entries: list[Entry] = []

    def proposal_path(self, settings: Settings) -> str:
        """Where its proposal is kept."""
        if self.journal:
            return "%s/%s.proposal.md" % (settings.worklog, Path(self.journal).stem)
        name = "%s-session" % self.date + ("-" + evidence.safe(self.session)[:8] if self.session else "")
        return "%s/%s.proposal.md" % (settings.worklog, name)


def find(project: Project, settings: Settings, meta: dict[str, str], session: str) -> Source:
    """The source that front matter names, else the journal of the open run, else the present `session`.

    `session: none` names the present one too, as the brief does where no session has an id.
    Raises Refused when the journal that is named is not there.
    """
    if meta.get("journal", "none") != "none":
        source = of_journal(project, settings, meta["journal"])
    elif meta.get("session"):
        source = of_session(project, session if meta["session"] == "none" else meta["session"])
    else:
        run = runs.find(project, settings.worklog)
        source = of_journal(project, settings, run.journal) if run is not None else of_session(project, session)
    source.date = meta.get("date", "") or source.date
    source.tag = meta.get("tag", "").strip("[] ").lower() or source.tag
    source.title = meta.get("title", "") or source.title
    return source


def of_journal(project: Project, settings: Settings, given: str) -> Source:
    """The source behind a journal, named by its path or by its file name alone. Raises Refused when it is not there."""
    path, book = read(project, settings, given)
    source = Source(journal=path)
    source.entries = book.entries
    stem = Path(path).stem
    source.date = naming.session_date(stem) or naming.session_date(book.meta.get("started", "")) or source.date
    source.tag = book.meta.get("tag", "")
    source.title = book.title or stem.replace(source.date, "").strip("-").replace("-", " ")
    source.archive = path if path.startswith(settings.archive + "/") else _free(project, settings, Path(path).name)
    return source


def read(project: Project, settings: Settings, given: str) -> tuple[str, journal.Journal]:
    """A journal and its path relative to the root, wherever it is by now. Raises Refused when it is not there."""
    relative = project.relative(given)
    if not relative:
        raise Refused(Problem("is outside the project, and no journal of it", file=given, code="dangling-path"))
    names = (relative, "%s/%s" % (settings.worklog, relative), "%s/%s" % (settings.archive, Path(relative).name))
    path = next((name for name in names if os.path.isfile(project.path(name))), "")
    if not path:
        what = "there is no such journal: `ls %s` shows them" % settings.worklog
        raise Refused(Problem(what, file=given, code="dangling-path"))
    book = journal.parse(textfile.read(project.path(path)))
    if not book.canonical and not book.entries:
        what = "is no journal: it has neither front matter nor an entry, such as `### Item 7: title`"
        raise Refused(Problem(what, file=path, code="dangling-path"))
    return path, book


def _free(project: Project, settings: Settings, name: str) -> str:
    """A name in the archive that no other journal has."""
    path = "%s/%s" % (settings.archive, name)
    count = 1
    while Path(project.path(path)).exists():
        count += 1
        path = "%s/%s-%d.md" % (settings.archive, Path(name).stem, count)
    return path


def of_session(project: Project, session: str) -> Source:
    """The source behind a session; a part of its id is enough when it is the beginning of only one."""
    source = Source(session=_whole_id(project, session))
    if source.session:
        found = ledger.read(project, source.session)
        if found.started:
            source.date = time.strftime("%Y-%m-%d", time.localtime(found.started))
        source.title = "session %s" % source.session[:8]
    else:
        source.title = "session"
    return source


def _whole_id(project: Project, session: str) -> str:
    if not session or evidence.raw(project, session):
        return session
    folder = Path(project.state + evidence.FOLDER)
    known = [path.name[: -len(evidence.SUFFIX)] for path in folder.glob("*" + evidence.SUFFIX)]
    alike = [id for id in known if id.startswith(evidence.safe(session))]
    if not alike:
        return transcriptfile.whole_id(project, session) or session
    return alike[0] if len(alike) == 1 else session
