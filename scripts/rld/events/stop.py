"""Stop: fires at every turn, and may hold one up only once."""

from rld import evidence, hookio, hooksettings, runs
from rld.project import Project


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    """Blocks once for the entry of verified work; one line to the human about what is undistilled; else nothing."""
    if event.get("stop_hook_active") or "agent_id" in event:
        return None
    settings = hooksettings.load(project)
    if settings.stop == "off":
        return None
    session = hookio.text(event, "session_id")
    data = evidence.raw(project, session)
    run = runs.current(project)
    if run is not None and evidence.has(data, "bind"):
        return _bound(project, session, data, run)
    return _unbound(project, session, data, settings.stop)


def _bound(project: Project, session: str, data: bytes, run: runs.Run) -> "dict[str, object] | None":
    if not (evidence.has(data, "pass") or evidence.has(data, "verified")) and run.status != "complete":
        return None
    from rld import nudge, runstate

    events = evidence.events(data)
    of_run = [e for e in events if e.get("journal") == run.journal]
    # Passes that ask for no entry, such as a subagent's, say -1.
    passes = [e.get("entries") for e in of_run if e.get("k") in ("pass", "verified") and e.get("entries") != -1]
    if passes:
        entries = passes[-1]
        logged = runstate.read(project, run).entries
        # A pass of the same state of the journal was asked about already: never twice.
        asked = any(e.get("k") == "asked" and e.get("entries") == entries for e in of_run)
        if isinstance(entries, int) and entries >= logged and not asked:
            if evidence.note(project, session, "asked", entries=entries, journal=run.journal):
                return {"decision": "block", "reason": nudge.at_stop(run)}
            return None
    if run.status == "complete" and not evidence.has(data, "told"):
        evidence.note(project, session, "told")
        return {"systemMessage": "rld: every item of %s is logged and not distilled: /rld:compact" % run.plan}
    return None


def _unbound(project: Project, session: str, data: bytes, mode: str) -> "dict[str, object] | None":
    if not evidence.may_wait(data):
        return None
    from rld import ledger

    summary = ledger.Session(session, evidence.events(data))
    if not summary.worth_distilling:
        return None
    size = len(summary.files) + summary.fixed + summary.corrections
    told = [e.get("size") for e in summary.events if e.get("k") == "told"]
    last = told[-1] if told else 0
    if isinstance(last, int) and last and size < 2 * last:
        return None
    if not evidence.note(project, session, "told", size=size):
        return None
    from rld import wording

    done = ["changed " + wording.counted(len(summary.files), "file")]
    if summary.fixed:
        done.append("made %s pass" % wording.counted(summary.fixed, "failing command"))
    if summary.corrections:
        done.append("may have been corrected " + wording.counted(summary.corrections, "time"))
    learned = "this session " + " and ".join(filter(None, (", ".join(done[:-1]), done[-1])))
    if mode == "block-once" and not told:
        return {"decision": "block", "reason": "As the project's settings ask, once: %s, and nothing of it was distilled. "
                "/distill, which the human starts, keeps what it learned." % learned}  # fmt: skip
    return {"systemMessage": "rld: %s; /distill keeps what it learned" % learned}
