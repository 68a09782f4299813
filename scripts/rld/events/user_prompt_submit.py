"""UserPromptSubmit: the human spoke."""

from rld import evidence, hookio, redact
from rld.project import Project

STARTS_A_RUN = ("/run-plan", "/rld:run-plan")
# Prompts that the client writes itself, when a background task or another agent has news: they are nobody's approval.
FROM_A_MACHINE = ("<task-notification>", "<agent-message", "<teammate-message", "<cross-session-message")
LONGEST = 2000


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    """Notes what the human said; a prompt that starts a run binds the session to it. Records of the files it names."""
    session = hookio.text(event, "session_id")
    prompt = hookio.text(event, "prompt")
    if prompt.lstrip().startswith(FROM_A_MACHINE):
        return None
    evidence.note(project, session, "prompt", text=redact.redact(prompt[:LONGEST]) if prompt else "")
    # The whole word: another plugin's `/run-plan-review` starts no run.
    if "".join(prompt.split(None, 1)[:1]) in STARTS_A_RUN:
        evidence.note(project, session, "bind")
    if "/" not in prompt and "." not in prompt:
        return None
    from rld import moment

    paths = moment.paths_in(project, prompt[:LONGEST])
    words = moment.records_for(project, session, paths) if paths else ""
    return hookio.context("UserPromptSubmit", words) if words else None
