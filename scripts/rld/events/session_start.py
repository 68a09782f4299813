"""SessionStart: what the repository has learned, and what waits to be done."""

from rld import evidence, hookio, hooksettings, rawfile, runs, startnotes, trust, wording
from rld.project import Project

EDITION = "1"  # of the texts below: an answer that is kept from another edition is not given again


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    """The digest on startup, clear and compact; on resume nothing, since the conversation still holds it
    (thedotmack/claude-mem#4061)."""
    session = hookio.text(event, "session_id")
    source = hookio.text(event, "source") or "startup"
    if source == "resume":
        return None
    evidence.note(project, session, "start", source=source)
    settings = hooksettings.load(project)
    waiting = evidence.undistilled(project, session)
    run = runs.find(project, settings.worklog)
    state = None
    if run is not None:
        from rld import runstate

        state = runstate.read(project, run)
    tail = startnotes.tail(state, waiting)
    file = project.path(settings.post_mortem)
    # The same file and the same notes make the same digest: it is kept, since reading 1 MB takes longer than all the
    # rest of this hook. Only what was reviewed as a whole has a stamp.
    key = "\n".join((EDITION, trust.stamp(file), settings.post_mortem, str(settings.max_chars), settings.problem, tail))
    kept = _kept(project, key) if trust.is_stamped(project, file) else None
    if kept is None:
        kept = _build(project, settings, tail, file)
        if trust.is_stamped(project, file):
            _keep(project, key, kept)
    words, human = kept
    if state is not None:
        human += "; run %s: %d of %d items logged" % (state.plan, state.done, state.total)
    if waiting:
        human += "; %s not distilled: /distill %s" % (
            wording.counted(len(waiting), "earlier session"),
            waiting[0].id[:8],
        )
    human = human.lstrip("; ")
    return hookio.context("SessionStart", words, "rld: " + human if human else "") if words or human else None


def _build(project: Project, settings: hooksettings.HookSettings, tail: str, file: str) -> "tuple[str, str]":
    """The words for the model and the line for the human."""
    from rld import digest, postmortem, review

    found = postmortem.parse(rawfile.read_text(file) or "")
    withheld = review.withhold(project, settings.post_mortem, found)
    words = digest.build(found, settings.post_mortem, settings.max_chars, tail, withheld)
    parts = []
    in_force = digest.counts(found.active())
    if in_force:
        parts.append("%s from %s in this session" % (in_force, settings.post_mortem))
    if withheld:
        parts.append(
            "%s withheld, changed but neither committed nor reviewed (`rld trust` says they are fine)"
            % wording.counted(withheld, "record")
        )
    merges = [line for line, code, _ in found.problems if code == "conflict-marker"]
    if merges:
        parts.append("%s has an unresolved merge at line %d" % (settings.post_mortem, merges[0]))
    if settings.problem:
        parts.append(settings.problem)
    return words, "; ".join(parts)


def _kept(project: Project, key: str) -> "tuple[str, str] | None":
    text = rawfile.read_text(_file(project))
    if text is None or not text.startswith(key + "\0"):
        return None
    parts = text[len(key) + 1 :].split("\0")
    return (parts[0], parts[1]) if len(parts) == 2 else None


def _keep(project: Project, key: str, kept: "tuple[str, str]") -> None:
    rawfile.replace(_file(project), "\0".join((key, *kept)).encode("utf-8", "surrogateescape"))


def _file(project: Project) -> str:
    return "%s/digest-%s" % (project.state, project.key)
