"""What a starting session is told besides the records: the open run, and sessions that nobody distilled."""

import time

from rld import ledger, wording
from rld.runstate import RunState

MOST_SESSIONS = 3


def tail(state: "RunState | None", waiting: "list[ledger.Session]") -> str:
    """The end of the digest, "" when nothing is open."""
    text = ""
    if state is not None:
        text = "Open run: %s, %d of %d items logged" % (state.plan, state.done, state.total)
        if state.ready:
            text += "; unblocked next: " + ", ".join(state.named())
        text += ". Journal: %s." % state.journal
        if state.verify:
            text += " Verify command: `%s`." % state.verify
        text = wording.safe(text)[:1200] + "\n"
    if waiting:
        lines = [waiting_line(session) for session in waiting[:MOST_SESSIONS]]
        if len(waiting) > MOST_SESSIONS:
            lines.append("- and %d more (`rld status` lists them)" % (len(waiting) - MOST_SESSIONS))
        text += "Sessions that were not distilled:\n" + "\n".join(lines) + "\n"
    return text


def waiting_line(session: ledger.Session) -> str:
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
