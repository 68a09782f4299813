"""SubagentStart: a subagent starts without the session's digest, so it gets a short one: guardrails only."""

from rld import digest, hooksettings, postmortem, rawfile, review
from rld.digest import Digest
from rld.project import Project

MOST = 2500  # units


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    words = build(project).text
    if not words:
        return None
    return {"hookSpecificOutput": {"hookEventName": "SubagentStart", "additionalContext": words}}


def build(project: Project) -> Digest:
    settings = hooksettings.load(project)
    found = postmortem.parse(rawfile.read_text(project.path(settings.post_mortem)) or "")
    review.withhold(project, settings.post_mortem, found)
    return digest.lay_out_short(found, settings.post_mortem, min(MOST, settings.max_chars))
