"""A transcript as evidence: what the hooks would have noted of a session, had they run."""

from __future__ import annotations

from rld import evidence, verdict
from rld.project import Project
from rld.transcript import Call, Transcript


def events(project: Project, known: Transcript, verifies: list[str]) -> list[dict[str, object]]:
    """The events of a session in order. `verifies`: its verify commands; without them well-known test runners count."""
    rows: list[tuple[float, dict[str, object]]] = []
    for said in known.said:
        if said.kind in ("prompt", "command"):
            rows.append((said.when, {"k": "prompt", "text": said.text}))
    failed: set[str] = set()
    for call in known.calls:
        relative = project.relative(call.path) if call.path and call.outcome == "ok" else ""
        if relative and not relative.startswith(".git/"):
            rows.append((call.when, {"k": "edit", "path": relative}))
        if not call.command:
            continue
        key = evidence.command_key(call.command)
        if call.outcome == "failed":
            failed.add(key)
            rows.append((call.when, {"k": "fail", "cmd": key, "error": call.output[-1500:]}))
        elif call.outcome == "ok":
            if key in failed:
                failed.discard(key)
                rows.append((call.when, {"k": "fixed", "cmd": key}))
            if _proves(call, verifies):
                rows.append((call.when, {"k": "pass", "cmd": key}))
    rows.sort(key=lambda row: row[0])
    return [{"t": when, **event} for when, event in rows]


def _proves(call: Call, verifies: list[str]) -> bool:
    wanted = verifies or [runner for runner in [verdict.known_runner(call.command)] if runner]
    event: dict[str, object] = {
        "hook_event_name": "PostToolUse",
        "tool_input": call.given,
        "tool_response": call.response,
    }
    return bool(wanted) and verdict.judge_payload(event, wanted).answer == verdict.PASSED
