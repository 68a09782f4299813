"""PostToolUse: edits are noted, verifies are judged, and a passing one without an entry gets the nudge.

It runs after every tool call, so each step imports what it needs when it needs it: an irrelevant call loads none of
the modules that judge, read journals or write texts.
"""

from rld import evidence, hookio, jsontext, runs
from rld.project import Project

OWN = ["rld verify"]
TROUBLE = ("error", "fail", "exception", "panic", "fatal", "warn")  # without one of them an output shows no symptom
GRADES = {"pass": "observed", "verified": "verified"}


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    given = event.get("tool_input")
    if not isinstance(given, dict):
        return None
    if hookio.text(event, "tool_name") == "Bash":
        command = given.get("command")
        return _bash(event, project, command) if isinstance(command, str) else None
    path = given.get("file_path") or given.get("notebook_path")
    relative = project.relative(path) if isinstance(path, str) else ""
    if not relative or relative.startswith(".git/"):
        return None
    session = hookio.text(event, "session_id")
    if hookio.text(event, "tool_name") != "Read":
        _edited(project, session, relative)
    from rld import moment

    words = moment.records_for(project, session, [relative], hookio.text(event, "agent_id"))
    return hookio.context("PostToolUse", words) if words else None


def _edited(project: Project, session: str, relative: str) -> None:
    # Once per file is enough, until something happened that asks what was edited before or after it.
    data = evidence.raw(project, session)
    mark = b'"k": "edit", "path": %s}' % jsontext.dumps(relative).encode("ascii")
    kinds = (b"distilled", b"logged", b"fail", b"pass", b"verified")
    if data.rfind(mark) <= max([data.rfind(b'"k": "%s"' % kind) for kind in kinds]):
        evidence.note(project, session, "edit", path=relative)


def _bash(event: "dict[str, object]", project: Project, command: str) -> "dict[str, object] | None":
    session = hookio.text(event, "session_id")
    run = runs.current(project)
    kind = _proves(event, command, _wanted(project, run), run is not None)
    data = evidence.raw(project, session)
    if evidence.has(data, "fail") and _succeeded(event):
        _fixed(project, session, command, data)
    if kind:
        return _passed(event, project, session, command, run, data, kind)
    return _known(event, project, session, command)


def _known(event: "dict[str, object]", project: Project, session: str, command: str) -> "dict[str, object] | None":
    """The repair guide when what a passing command printed, such as a log, shows the symptom of a pitfall."""
    response = event.get("tool_response")
    said = (
        hookio.text(response, "stdout") + "\n" + hookio.text(response, "stderr") if isinstance(response, dict) else ""
    )
    lower = said.lower()
    if not any(word in lower for word in TROUBLE):
        return None
    from rld import repair

    guides = repair.guides_after_pass(project, session, command, said, hookio.text(event, "agent_id"))
    return hookio.context("PostToolUse", guides) if guides else None


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


def _proves(event: "dict[str, object]", command: str, wanted: "list[str]", in_run: bool) -> str:
    """What the line is as evidence: `pass` for the verify command itself, `verified` for our own verb, else "".

    The two are kept apart, since the verb has left a receipt, which is bound to the tree.
    """
    for kind, verify in (("pass", wanted), ("verified", OWN if in_run else [])):
        if any(_may_be(each, command) for each in verify):
            from rld import verdict

            if verdict.judge_payload(event, verify).answer == verdict.PASSED:
                return kind
    return ""


def _succeeded(event: "dict[str, object]") -> bool:
    """Did the line end, and with status 0?"""
    response = event.get("tool_response")
    return isinstance(response, dict) and not any(
        response.get(key)
        for key in ("interrupted", "returnCodeInterpretation", "backgroundTaskId", "backgroundedByUser")
    )


def _fixed(project: Project, session: str, command: str, data: bytes) -> None:
    """A command that failed before in this session and passes now is a lesson."""
    key = evidence.command_key(command)
    name = jsontext.dumps(key).encode("ascii")
    if data.rfind(b'"k": "fail", "cmd": ' + name) > data.rfind(b'"k": "fixed", "cmd": ' + name):
        evidence.note(project, session, "fixed", cmd=key)


def _passed(
    event: "dict[str, object]",
    project: Project,
    session: str,
    command: str,
    run: "runs.Run | None",
    before: bytes,
    kind: str,
) -> "dict[str, object] | None":
    """Note the pass; the nudge, when this session drives a run."""
    state = None
    # A line that goes on with `rld log` has written the entry by now.
    if run is not None and "agent_id" not in event and evidence.has(before, "bind") and "rld log" not in command:
        from rld import runstate

        state = runstate.read(project, run)
    evidence.note(
        project,
        session,
        kind,
        cmd=evidence.command_key(command),
        grade=GRADES[kind],
        entries=state.entries if state is not None else -1,
        journal=run.journal if run is not None else "",
    )
    if state is None:
        return None
    from rld import nudge, receiptfile

    tree = receiptfile.tree(project, state.verify) if kind == "verified" else ""
    return hookio.context("PostToolUse", nudge.after_verify(state, before, GRADES[kind], tree))
