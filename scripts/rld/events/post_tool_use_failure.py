"""PostToolUseFailure: a failing command may be the beginning of a lesson, or the return of a known one."""

from rld import evidence, hookio, invisible, redact, repair
from rld.project import Project

TAIL = 1500
OWN, OWN_VERIFY = "rld ", "rld verify"


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    """Notes the command and the tail of its error; the repair guide of a failure that the project knows."""
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str) or event.get("is_interrupt") is True:
        return None
    # A refusal of ours is no lesson of the project.
    if command.lstrip().startswith(OWN) and not command.lstrip().startswith(OWN_VERIFY):
        return None
    error = hookio.text(event, "error")
    session = hookio.text(event, "session_id")
    evidence.note(
        project,
        session,
        "fail",
        cmd=evidence.command_key(command),
        error=redact.redact(invisible.visible(error[-TAIL:])),
    )
    guides = repair.guides(project, session, error, hookio.text(event, "agent_id"))
    return hookio.context("PostToolUseFailure", guides) if guides else None
