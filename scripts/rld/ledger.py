"""What the evidence of a session adds up to, and which sessions wait to be distilled."""

from rld import evidence
from rld.evidence import MANY_FILES, MOST_OTHERS
from rld.project import Project


class Session:
    """What one session's evidence adds up to."""

    __slots__ = (
        "id",
        "started",
        "ended",
        "files",
        "failures",
        "fixed",
        "corrections",
        "bound",
        "distilled",
        "over",
        "events",
    )

    def __init__(self, id: str, events: "list[dict[str, object]]") -> None:
        self.id = id
        self.events = events
        self.started = 0.0
        self.ended = 0.0
        self.files: "list[str]" = []
        self.failures = 0
        self.fixed = 0
        self.corrections = 0
        self.bound = False
        self.distilled = False
        self.over = False
        for event in events:
            self._add(event)

    def _add(self, event: "dict[str, object]") -> None:
        kind = event.get("k")
        when = event.get("t")
        if isinstance(when, (int, float)):
            self.started = self.started or when
            self.ended = when
        self.over = kind == "end"
        if kind == "edit":
            path = event.get("path")
            if isinstance(path, str) and path not in self.files:
                self.files.append(path)
            self.distilled = False
        elif kind == "fail":
            self.failures += 1
        elif kind == "fixed":
            self.fixed += 1
        elif kind == "prompt":
            self.corrections += event.get("fixes") is True
        elif kind == "bind":
            self.bound = True
        elif kind == "distilled":
            self.distilled = True

    @property
    def worth_distilling(self) -> bool:
        """Did it change files, and learn something on the way, that no record holds yet?"""
        learned = self.fixed > 0 or self.corrections > 0 or len(self.files) >= MANY_FILES
        return not self.distilled and bool(self.files) and learned


def read(project: Project, session: str) -> Session:
    return Session(evidence.safe(session), evidence.events(evidence.raw(project, session)))


def others(project: Project, session: str, most: int = MOST_OTHERS) -> "list[Session]":
    """The other sessions of this project, the newest `most`, latest first."""
    return [Session(id, evidence.events(data)) for id, data in evidence.newest(project, session, most)]


def undistilled(project: Project, session: str = "") -> "list[Session]":
    """Other sessions that are worth distilling and were not, latest first."""
    return worth_distilling(evidence.waiting(project, session))


def worth_distilling(waiting: "list[tuple[str, bytes]]") -> "list[Session]":
    """Those of some sessions (id and evidence) that are worth distilling and were not."""
    found = [Session(id, evidence.events(data)) for id, data in waiting]
    return [session for session in found if session.worth_distilling]
