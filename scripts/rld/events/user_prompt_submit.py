"""UserPromptSubmit: the human spoke."""

from rld import evidence, hookio, jsontext, redact
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
    said = redact.redact(prompt[:LONGEST]) if prompt else ""
    evidence.note(project, session, "prompt", text=said, **_beside(event, prompt, evidence.raw(project, session)))
    # The whole word: another plugin's `/run-plan-review` starts no run.
    if "".join(prompt.split(None, 1)[:1]) in STARTS_A_RUN:
        evidence.note(project, session, "bind")
    if "/" not in prompt and "." not in prompt:
        return None
    from rld import moment

    paths = moment.paths_in(project, prompt[:LONGEST])
    words = moment.records_for(project, session, paths) if paths else ""
    return hookio.context("UserPromptSubmit", words) if words else None


def _beside(event: "dict[str, object]", prompt: str, data: bytes) -> "dict[str, object]":
    """What is noted beside the words: that they may correct an edit before them, and where the transcript is, once."""
    more: "dict[str, object]" = {}
    if evidence.has(data, "edit"):
        from rld import correction

        if correction.is_likely(prompt):
            more["fixes"] = True
    transcript = hookio.text(event, "transcript_path")
    if 0 < len(transcript) <= LONGEST and jsontext.dumps(transcript).encode("ascii") not in data:
        more["transcript"] = transcript
    return more
