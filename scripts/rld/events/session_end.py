"""SessionEnd: all hooks of a plugin share 1.5 s here, and one line is all it takes."""

from rld import evidence, hookio
from rld.project import Project


def answer(event: "dict[str, object]", project: Project) -> None:
    """Notes the end of a session that has evidence; says nothing."""
    session = hookio.text(event, "session_id")
    if evidence.raw(project, session):
        evidence.note(project, session, "end", reason=hookio.text(event, "reason"))
