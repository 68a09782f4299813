"""One item, one approval: did the human say anything since the last entry?"""

from __future__ import annotations

from rld import ledger
from rld.project import Project


def missing(project: Project, session: str) -> str:
    """Why a new item may not be logged yet in this session of the client, "" when it may.

    Outside the client there is no session: the human types the command.
    """
    last = ""
    for event in ledger.read(project, session).events if session else []:
        if event.get("k") == "prompt":
            last = ""
        elif event.get("k") == "logged":
            last = str(event.get("item"))
    return "item %s was logged and the human has not said a word since" % last if last else ""
