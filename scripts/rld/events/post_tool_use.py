"""PostToolUse: edits are noted, verifies are judged, and a passing one without an entry gets the nudge.

It runs after every tool call, so each step imports what it needs when it needs it: an irrelevant call loads none of
the modules that judge, read journals or write texts.
"""

from rld import evidence, hookio, jsontext, runs
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
    # Once per file is enough, unless the session was distilled or an entry logged in between.
    data = evidence.raw(project, session)
    mark = b'"k": "edit", "path": %s}' % jsontext.dumps(relative).encode("ascii")
    if data.rfind(mark) <= max(data.rfind(b'"k": "distilled"'), data.rfind(b'"k": "logged"')):
        evidence.note(project, session, "edit", path=relative)


def _bash(event: "dict[str, object]", project: Project, command: str) -> "dict[str, object] | None":
    session = hookio.text(event, "session_id")
    run = runs.current(project)
    passed = any(_may_be(verify, command) for verify in _wanted(project, run)) and _judge(event, _wanted(project, run))
    data = evidence.raw(project, session)
    if b'"k": "fail"' in data:
        _fixed(project, session, command, data)
    return _passed(event, project, session, command, run, data) if passed else None


def _wanted(project: Project, run: "runs.Run | None") -> "list[str]":
    if run is not None and run.verify:
        return [run.verify]
    from rld import hooksettings

    return hooksettings.load(project).verify


def _may_be(verify: str, command: str) -> bool:
    """Does the command hold the first plain word of the verify command? Without it, it cannot run it."""
    word = ""
    for char in verify.lstrip() + " ":
        if char.isalnum() or char in "_-./":
            word += char
        elif word:
            break
    return word in command


def _judge(event: "dict[str, object]", wanted: "list[str]") -> bool:
    from rld import verdict

    return verdict.judge_payload(event, wanted).answer == verdict.PASSED


def _fixed(project: Project, session: str, command: str, data: bytes) -> None:
    """A command that failed before in this session and passes now is a lesson."""
    key = evidence.command_key(command)
    name = jsontext.dumps(key).encode("ascii")
    if data.rfind(b'"k": "fail", "cmd": ' + name) > data.rfind(b'"k": "fixed", "cmd": ' + name):
        evidence.note(project, session, "fixed", cmd=key)


def _passed(
    event: "dict[str, object]", project: Project, session: str, command: str, run: "runs.Run | None", before: bytes
) -> "dict[str, object] | None":
    """Note the pass; the nudge, when this session drives a run."""
    state = None
    if run is not None and "agent_id" not in event and evidence.has(before, "bind"):
        from rld import runstate

        state = runstate.read(project, run)
    evidence.note(
        project,
        session,
        "pass",
        cmd=evidence.command_key(command),
        grade="observed",
        entries=state.entries if state is not None else -1,
        journal=run.journal if run is not None else "",
    )
    if state is None:
        return None
    from rld import nudge

    return hookio.context("PostToolUse", nudge.after_verify(state, before))
