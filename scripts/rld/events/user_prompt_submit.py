"""UserPromptSubmit: the human spoke."""

from rld import evidence, hookio, redact
from rld.project import Project

STARTS_A_RUN = ("/run-plan", "/rld:run-plan", "/rld run-plan")
LONGEST = 2000


def answer(event: "dict[str, object]", project: Project) -> None:
    """Notes the prompt; a prompt that starts a run binds the session to it. Says nothing."""
    session = hookio.text(event, "session_id")
    prompt = hookio.text(event, "prompt")
    evidence.note(project, session, "prompt", text=redact.redact(prompt[:LONGEST]) if prompt else "")
    if prompt.lstrip().startswith(STARTS_A_RUN):
        evidence.note(project, session, "bind")
