"""One item, one approval: did the human say anything since the last entry?"""

from __future__ import annotations

from rld import evidence
from rld.project import Project


def missing(project: Project, session: str) -> str:
    """Why a new item may not be logged yet, "" when it may.

    Only a session whose hooks are alive can tell: without a single prompt in its evidence nothing is refused, and
    outside the client the human types the command.
    """
    if not session:
        return ""
    prompts = 0
    for event in evidence.read(project, session).events:
        if event.get("k") == "prompt":
            prompts += 1
        elif event.get("k") == "logged":
            logged = event.get("item")
            prompts = 0
            last = logged
    if prompts:
        return ""
    events = evidence.read(project, session).events
    if not any(e.get("k") == "prompt" for e in events) or not any(e.get("k") == "logged" for e in events):
        return ""
    return "item %s was logged and the human has not said a word since" % last
