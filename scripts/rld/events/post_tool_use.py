"""PostToolUse: edits are noted, verifies are judged, and a passing one without an entry gets the nudge."""

from rld import evidence, hookio, hooksettings, journal, jsontext, nudge, rawfile, redact, runs, verdict
from rld.project import Project


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    given = event.get("tool_input")
    if not isinstance(given, dict):
        return None
    if hookio.text(event, "tool_name") == "Bash":
        command = given.get("command")
        return _bash(event, project, command) if isinstance(command, str) else None
    path = given.get("file_path") or given.get("notebook_path")
    if isinstance(path, str):
        _edited(project, hookio.text(event, "session_id"), path)
    return None


def _edited(project: Project, session: str, path: str) -> None:
    relative = project.relative(path)
    if not relative or relative.startswith(".git/"):
        return
    # Once per file and session is enough, unless the session was distilled in between.
    data = evidence.raw(project, session)
    mark = b'"k": "edit", "path": %s}' % jsontext.dumps(relative).encode("ascii")
    if data.rfind(mark) <= data.rfind(b'"k": "distilled"'):
        evidence.note(project, session, "edit", path=relative)


def _bash(event: "dict[str, object]", project: Project, command: str) -> "dict[str, object] | None":
    session = hookio.text(event, "session_id")
    run = runs.current(project)
    wanted = [run.verify] if run is not None and run.verify else hooksettings.load(project).verify
    if wanted:
        judged = verdict.judge_payload(event, wanted)
        if judged.answer == verdict.PASSED:
            return _passed(event, project, session, command, run)
    _fixed(project, session, command)
    return None


def _fixed(project: Project, session: str, command: str) -> None:
    """A command that failed before in this session and passes now is a lesson."""
    data = evidence.raw(project, session)
    name = jsontext.dumps(evidence.command_key(command)).encode("ascii")
    if data.rfind(b'"k": "fail", "cmd": ' + name) > data.rfind(b'"k": "fixed", "cmd": ' + name):
        evidence.note(project, session, "fixed", cmd=evidence.command_key(command))


def _passed(
    event: "dict[str, object]", project: Project, session: str, command: str, run: "runs.Run | None"
) -> "dict[str, object] | None":
    _fixed(project, session, command)
    entries = -1
    if run is not None:
        entries = len(journal.parse(rawfile.read_text(project.path(run.journal)) or "").entries)
    before = evidence.raw(project, session)
    evidence.note(
        project, session, "pass", cmd=redact.redact(command[:300]), grade="observed", entries=entries, journal=run.journal if run else ""
    )  # fmt: skip
    if run is None or "agent_id" in event or not evidence.has(before, "bind"):
        return None
    return hookio.context("PostToolUse", nudge.after_verify(project, run, before, entries))
