"""What a starting session is told besides the records: the open run, and sessions that nobody distilled."""

import time

from rld import receiptfile, wording
from rld.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rld.ledger import Session
    from rld.runstate import RunState

MOST_SESSIONS = 3


def tail(project: Project, state: "RunState | None", waiting: "list[Session]") -> str:
    """The end of the digest, "" when nothing is open."""
    text = ""
    if state is not None:
        text = "Open run: %s, %d of %d items logged" % (state.plan, state.done, state.total)
        if state.ready:
            text += "; unblocked next: " + ", ".join(state.named())
        text += ". Journal: %s." % state.journal
        if state.verify:
            text += " Verify command: `%s`.%s" % (state.verify, last_receipt(project, state.verify))
        text = wording.safe(text)[:1200] + "\n"
    if waiting:
        lines = [waiting_line(session) for session in waiting[:MOST_SESSIONS]]
        if len(waiting) > MOST_SESSIONS:
            lines.append("- and %d more (`rld status` lists them)" % (len(waiting) - MOST_SESSIONS))
        text += "Sessions that were not distilled:\n" + "\n".join(lines) + "\n"
    return text


def last_receipt(project: Project, command: str) -> str:
    """What the newest receipt of the verify command says, "" when there is none; `receipts` knows whether it still fits."""
    found = receiptfile.newest(project, command)
    if not found:
        return ""
    when, tree = found.get("when"), str(found.get("tree"))[:7]
    told = "exit %s (verified%s)" % (found.get("status"), tree and ", tree " + tree)
    day = time.strftime(" of %Y-%m-%d %H:%M", time.localtime(when)) if isinstance(when, (int, float)) else ""
    return " Last receipt%s: %s." % (day, "no proof, %s" % found["why"] if found.get("why") else told)


def waiting_line(session: "Session") -> str:
    name = session.id[:8]
    when = time.strftime("%Y-%m-%d", time.localtime(session.ended)) if session.ended else "undated"
    learned = "%s changed" % wording.counted(len(session.files), "file")
    if session.fixed or not session.corrections:
        learned += ", %s made to pass" % wording.counted(session.fixed, "failing command")
    if session.corrections:
        learned += ", %s that may correct it" % wording.counted(session.corrections, "prompt")
    if not session.over:
        learned += " (no end was noted, so it may still be running)"
    return "- session %s, %s: %s; `/distill %s` turns it into records" % (name, when, learned, name)
