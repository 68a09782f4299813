"""SessionStart: what the repository has learned, and what waits to be done."""

from rld import evidence, hookio, hooksettings, rawfile, runs, stamp
from rld.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rld.digest import Digest
    from rld.ledger import Session
    from rld.runstate import RunState

EDITION = "3"  # of the texts of a digest: an answer that is kept from another edition is not given again


class Start:
    """What a session that starts now is told about: settings, the open run, sessions that nobody distilled."""

    __slots__ = ("project", "settings", "run", "waiting", "file", "tail")

    def __init__(self, project: Project, session: str) -> None:
        self.project = project
        self.settings = hooksettings.load(project)
        self.waiting = _waiting(project, session)
        self.run = _open_run(project, self.settings)
        self.file = project.path(self.settings.post_mortem)
        self.tail = _tail(project, self.run, self.waiting)

    @property
    def key(self) -> str:
        """What the digest is made of: the same key makes the same digest. It is kept, since reading 1 MB takes longer than
        all the rest of this hook."""
        settings = self.settings
        state = (settings.post_mortem, str(settings.max_chars), settings.problem, self.tail)
        return "\n".join((EDITION, stamp.of(self.file), *state))

    def digest(self) -> "tuple[str, str, str]":
        """The words for the model, the line for the human, and what is kept of the records for a resumed session."""
        # Only what was reviewed as a whole has a stamp.
        kept = _kept(self.project, self.key) if stamp.is_kept(self.project, self.file) else None
        return kept if kept is not None else self.build()[1]

    def build(self) -> "tuple[Digest, tuple[str, str, str]]":
        """The digest made anew, and kept for the sessions that follow."""
        from rld import opening

        made, answer = opening.build(self.project, self.settings, self.tail)
        if stamp.is_kept(self.project, self.file):
            _keep(self.project, self.key, made.by_branch, answer)
        return made, answer


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    """The digest on startup, clear and compact; on resume what changed since, as the conversation still holds the rest
    (thedotmack/claude-mem#4061)."""
    session = hookio.text(event, "session_id")
    source = hookio.text(event, "source") or "startup"
    if source == "resume":
        return _resumed(project, session)
    start = Start(project, session)
    words, human, had = start.digest()
    _note(project, session, "start", start.run, start.file, had, source=source)
    if start.run is not None:
        human += "; run %s: %d of %d items logged" % (start.run.plan, start.run.done, start.run.total)
    if start.waiting:
        from rld import wording

        human += "; %s not distilled: /distill %s" % (
            wording.counted(len(start.waiting), "earlier session"),
            start.waiting[0].id[:8],
        )
    human = human.lstrip("; ")
    return hookio.context("SessionStart", words, "rld: " + human if human else "") if words or human else None


def _waiting(project: Project, session: str) -> "list[Session]":
    waiting = evidence.waiting(project, session)
    if not waiting:
        return []
    from rld import ledger

    return ledger.worth_distilling(waiting)


def _open_run(project: Project, settings: hooksettings.HookSettings) -> "RunState | None":
    run = runs.find(project, settings.worklog)
    if run is None:
        return None
    from rld import runstate

    return runstate.read(project, run)


def _tail(project: Project, run: "RunState | None", waiting: "list[Session]") -> str:
    if run is None and not waiting:
        return ""
    from rld import startnotes

    return startnotes.tail(project, run, waiting)


def _resumed(project: Project, session: str) -> "dict[str, object] | None":
    """What changed since this session was told last; silent when nothing did, or when nothing is known of it."""
    last = evidence.last_with(evidence.raw(project, session), "had")
    if last is None or project.muted:
        return None
    settings = hooksettings.load(project)
    file = project.path(settings.post_mortem)
    run = _open_run(project, settings)
    words = human = ""
    had = str(last.get("had"))
    if stamp.of(file) != last.get("stamp"):
        from rld import changes

        words, human, had = changes.since(project, settings, had)
    if _progress(run) != last.get("run"):
        words += _tail(project, run, []) or "The run that was open is not any more: %s\n" % last.get("run")
    if not words and not human:
        return None
    _note(project, session, "resumed", run, file, had)
    return hookio.context("SessionStart", words, "rld: " + human if human else "")


def _progress(run: "RunState | None") -> str:
    return "%s %d/%d" % (run.plan, run.done, run.total) if run is not None else ""


def _note(
    project: Project, session: str, kind: str, run: "RunState | None", file: str, had: str, **more: object
) -> None:
    # A session that starts muted is told nothing: when it is resumed, all is new to it.
    told = ("", "", "") if project.muted else (had, stamp.of(file), _progress(run))
    evidence.note(project, session, kind, **more, had=told[0], stamp=told[1], run=told[2])


def _kept(project: Project, key: str) -> "tuple[str, str, str] | None":
    text = rawfile.read_text(_file(project))
    if text is None or not text.startswith(key + "\0"):
        return None
    parts = text[len(key) + 1 :].split("\0")
    # Where all records have room, it does not matter where the branch stands (Decision 7).
    if len(parts) != 4 or (parts[0] and parts[0] != _head(project)):
        return None
    return (parts[1], parts[2], parts[3])


def _keep(project: Project, key: str, by_branch: bool, kept: "tuple[str, str, str]") -> None:
    head = _head(project) if by_branch else ""
    rawfile.replace(_file(project), "\0".join((key, head, *kept)).encode("utf-8", "surrogateescape"))


def _head(project: Project) -> str:
    from rld import branch

    return branch.head(project)


def _file(project: Project) -> str:
    return "%s/digest-%s" % (project.state, project.key)
