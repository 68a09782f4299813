"""Everything that can be wrong with a project's files, for CI and pre-commit."""

from __future__ import annotations

from pathlib import Path

from rld import (
    dangling,
    desk,
    entrypoints,
    frontmatter,
    journal,
    lint,
    postmortem,
    secrets,
    textfile,
    wording,
)
from rld import settings as settings_module
from rld.errors import Problem, Refused, from_tuples
from rld.postmortem import PostMortem
from rld.project import SETTINGS, Project
from rld.record import ACTIVE
from rld.settings import Settings


class Checked:
    """`problems` in the order in which they were found; `looked`: what was looked at, in words; `notes`: what is no
    problem but good to know."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.looked: list[str] = []
        self.notes: list[str] = []

    @property
    def errors(self) -> int:
        return sum(1 for problem in self.problems if problem.severity == "error")


def check(project: Project, base: str = "") -> Checked:
    """Check a project. `base`: a git revision; citations are then only looked for in what changed since.

    Raises Refused when there is no such revision; whatever is wrong with the project itself is in the answer.
    """
    checked = Checked()
    settings = _settings(project, checked)
    found = _post_mortem(project, settings, checked)
    _proposals(project, settings, checked)
    _journals(project, settings, checked)
    for name in settings.entry_points:
        _entry_point(project, name, settings, checked)
    scope = dangling.Scope(project, settings, base)
    if found is not None:
        checked.problems += dangling.find(scope, found)
    checked.looked.append("citations in %s" % wording.counted(len(scope.changed), "file"))
    return checked


def _settings(project: Project, checked: Checked) -> Settings:
    if Path(project.root, SETTINGS).exists():
        checked.looked.append(SETTINGS)
    try:
        return settings_module.load(project)
    except Refused as error:
        checked.problems += error.problems
        return Settings({})


def _read(project: Project, name: str, checked: Checked) -> str | None:
    """A file's text, None when it is not there; one that cannot be read is a problem."""
    try:
        return textfile.read_or_none(project.path(name))
    except Refused as error:
        checked.problems += [Problem(p.message, file=name, code="unreadable") for p in error.problems]
        return None


def _post_mortem(project: Project, settings: Settings, checked: Checked) -> PostMortem | None:
    name = settings.post_mortem
    text = _read(project, name, checked)
    if text is None:
        if not Path(project.path(name)).exists():
            what = "is not there: `rld init` makes it"
            checked.problems.append(Problem(what, file=name, code="no-post-mortem", severity="warning"))
        return None
    found = postmortem.parse(text)
    checked.problems += from_tuples(name, lint.problems(found))
    checked.problems += _secrets(name, text)
    active = found.active()
    checked.looked.append("%s (%s)" % (name, wording.counted(len(active), "record in force", "records in force")))
    foreign = sum(1 for r in found.records if r.status == ACTIVE and (not r.labelled or r.number is None or r.session))
    if foreign:
        what = "%s: %s in a form that is read but not written; `rld adopt` shows them in the canonical one"
        checked.notes.append(what % (name, "1 record is" if foreign == 1 else "%d records are" % foreign))
    return found


def _secrets(name: str, text: str) -> list[Problem]:
    what = "what looks like a credential: take it out, and change it, since git has kept it"
    return [Problem(what, file=name, line=line, code="secret") for line in secrets.lines(text)]


def _proposals(project: Project, settings: Settings, checked: Checked) -> None:
    names = desk.waiting(project, settings)
    for name in names:
        try:
            checked.problems += desk.open_stored(project, settings, name, "").findings.refusals
        except Refused as error:
            checked.problems += [Problem(str(p), file=name, code=p.code) for p in error.problems]
    if names:
        checked.looked.append(wording.counted(len(names), "proposal"))


def _journals(project: Project, settings: Settings, checked: Checked) -> None:
    """The open journals: nobody mends what is archived."""
    folder = Path(project.path(settings.worklog))
    names = sorted(path.name for path in folder.glob("*.md") if not path.name.endswith(".proposal.md"))
    for name in names:
        file = "%s/%s" % (settings.worklog, name)
        text = _read(project, file, checked)
        if text is not None:
            broken = frontmatter.problem(text)
            checked.problems += from_tuples(file, ([broken] if broken else []) + journal.check(journal.parse(text)))
            checked.problems += _secrets(file, text)
    if names:
        checked.looked.append(wording.counted(len(names), "journal"))


def _entry_point(project: Project, name: str, settings: Settings, checked: Checked) -> None:
    try:
        point = entrypoints.look(project, settings, name)
    except Refused as error:
        checked.problems += [Problem(p.message, file=name, code="unreadable") for p in error.problems]
        return
    checked.problems += point.problems
    checked.looked.append(point.file)
