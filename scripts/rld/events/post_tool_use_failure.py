"""PostToolUseFailure: a failing command may be the beginning of a lesson."""

from rld import evidence, hookio, invisible, redact
from rld.project import Project

TAIL = 1500


def answer(event: "dict[str, object]", project: Project) -> None:
    """Notes the command and the tail of its error; says nothing."""
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str) or event.get("is_interrupt") is True:
        return
    error = hookio.text(event, "error")
    evidence.note(
        project,
        hookio.text(event, "session_id"),
        "fail",
        cmd=evidence.command_key(command),
        error=redact.redact(invisible.visible(error[-TAIL:])),
    )
