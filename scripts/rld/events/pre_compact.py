"""PreCompact: what the summary must not lose, and a word before an undistilled session is summed up.

What this hook prints goes to the summariser (measured on both clients, undocumented); its refusal goes to the human.
"""

from rld import evidence, hookio, hooksettings, ledger, runs, wording
from rld.project import Project

LONGEST = 3000


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | str | None":
    """Manual and undistilled: stops the first time, with the two ways on. Otherwise the open lessons, as plain text."""
    session = hookio.text(event, "session_id")
    settings = hooksettings.load(project)
    data = evidence.raw(project, session)
    summary = ledger.Session(session, evidence.events(data))
    run = runs.current(project) if summary.bound else None
    if hookio.text(event, "trigger") == "manual" and settings.stop != "off" and summary.worth_distilling:
        if not evidence.has(data, "held"):
            evidence.note(project, session, "held")
            return {
                "decision": "block",
                "reason": "rld: this session is not distilled, and after a summary its details are gone. %s keeps what it learned; "
                "/compact once more sums up without it." % ("/rld:compact" if run is not None else "/distill"),
            }
    return _lessons(project, settings, summary, run)


def _lessons(
    project: Project, settings: hooksettings.HookSettings, summary: ledger.Session, run: "runs.Run | None"
) -> "str | None":
    """What the summary should keep: the open item, failures that were made to pass, where the records are."""
    lines = []
    if run is not None:
        from rld import runstate

        state = runstate.read(project, run)
        lines.append(
            "- the open run: %s, %d of %d items logged in %s" % (state.plan, state.done, state.total, state.journal)
        )
        if state.ready:
            lines.append("- the item in work, unless the conversation says otherwise: %s" % state.named()[0])
    for event in summary.events:
        if event.get("k") == "fixed":
            lines.append("- `%s` failed, and what made it pass" % event.get("cmd"))
    if summary.worth_distilling or run is not None:
        lines.append("- corrections by the human, and rules that came out of them")
    if not lines:
        return None
    head = "The summary keeps, from this repository's own notes (%s, kept with rld):\n" % settings.post_mortem
    return wording.cut(head + "\n".join(wording.safe(line) for line in lines[:30]), LONGEST) + "\n"
