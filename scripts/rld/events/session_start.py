"""SessionStart: what the repository has learned, and what waits to be done."""

import time

from rld import digest, evidence, hookio, hooksettings, postmortem, rawfile, review, runs, runstate
from rld.project import Project


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    """The digest on startup, clear and compact; on resume nothing, since the context still holds it."""
    session = hookio.text(event, "session_id")
    source = hookio.text(event, "source") or "startup"
    settings = hooksettings.load(project)
    if source == "resume":
        return None  # the conversation still holds what it was told (thedotmack/claude-mem#4061)
    evidence.note(project, session, "start", source=source)
    waiting = evidence.undistilled(project, session)
    run = runs.find(project, settings.worklog)
    text = rawfile.read_text(project.path(settings.post_mortem)) or ""
    found = postmortem.parse(text)
    withheld = review.withhold(project, settings.post_mortem, found)
    state = runstate.read(project, run) if run is not None else None
    words = digest.build(
        found, settings.post_mortem, settings.max_chars, state, [_waiting_line(s) for s in waiting], withheld
    )  # fmt: skip
    human = _human_line(found, settings, withheld, waiting, state)
    return hookio.context("SessionStart", words, human) if words or human else None


def _waiting_line(session: evidence.Session) -> str:
    return "- session %s, %s: %s changed, %s made to pass; `/distill %s` turns it into records" % (
        session.id[:8],
        _day(session.ended),
        digest.counted(len(session.files), "file"),
        digest.counted(session.fixed, "failing command"),
        session.id[:8],
    )


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds)) if seconds else "undated"


def _human_line(
    found: postmortem.PostMortem,
    settings: hooksettings.HookSettings,
    withheld: int,
    waiting: "list[evidence.Session]",
    state: "digest.RunState | None",
) -> str:
    parts = []
    in_force = digest.counts(found.active())
    if in_force:
        parts.append("%s from %s in this session" % (in_force, settings.post_mortem))
    if withheld:
        parts.append("%s withheld, changed but neither committed nor reviewed (`rld trust` says they are fine)" % digest.counted(withheld, "record"))
    stops = [problem for problem in found.problems if problem[1] == "conflict-marker"]
    if stops:
        parts.append("%s has an unresolved merge at line %d" % (settings.post_mortem, stops[0][0]))
    if settings.problem:
        parts.append(settings.problem)
    if state is not None:
        parts.append("run %s: %d of %d items logged" % (state.plan, state.done, state.total))
    if waiting:
        first = waiting[0].id[:8]
        parts.append(
            "%s not distilled: /distill %s" % (digest.counted(len(waiting), "earlier session"), first)
        )
    return "rld: " + "; ".join(parts) if parts else ""
