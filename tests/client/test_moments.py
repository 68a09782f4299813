"""Compaction and subagents in the real client: what the summariser and a subagent are told."""

from __future__ import annotations

import json

from loopback import agent, bash, edit, read, say, write
from session import Client
from terminal import Tui, needs_tmux

POST_MORTEM = """\
# Post-mortem

## Production guardrails

### Guardrail 7: Seats are held on the server

A hold MUST be decided by the server.

- **Why:** two tabs sold one seat.
"""
FILES = {
    "POST_MORTEM.md": POST_MORTEM,
    "verify.sh": "test ! -e broken || { echo 'hold table is locked by a dead tab'; exit 1; }\n",
    "seats.py": "hold = 1\n",
    "broken": "",
    ".claude/settings.json": json.dumps({"permissions": {"allow": ["Bash", "Edit"]}}),
}


@needs_tmux
def test_a_manual_compact_is_held_once_and_then_keeps_the_lessons(client: Client) -> None:
    cwd = client.project(FILES)
    client.trust(cwd)
    script = [
        bash("sh verify.sh"),
        read(str(cwd / "seats.py")),
        edit(str(cwd / "seats.py"), "hold = 1", "hold = 2"),
        bash("rm broken"),
        bash("sh verify.sh"),
        say("Mended it all."),
    ]
    with Tui(client, script, cwd=cwd) as tui:
        tui.type("mend it")
        tui.wait_for("Mended it all")
        tui.type("/compact")
        tui.wait_for("Compaction blocked by PreCompact hook")
        before = len(client.model.requests)
        tui.type("/compact")
        tui.wait_for("Compacted")
        told = "".join(request.text() for request in client.model.requests[before:])
    assert "`sh verify.sh` failed, and what made it pass" in told


def test_a_subagent_is_told_the_guardrails_only(client: Client) -> None:
    cwd = client.project(FILES)
    script = [agent("look at the seats", "general-purpose"), say("ok")]
    result = client.run("go", script, cwd=cwd, subagents=[say("looked")], extra_args=("--dangerously-skip-permissions",))
    told = "".join(request.text() for request in result.subagent_requests)
    assert "Guardrail 7: Seats are held on the server. A hold MUST be decided by the server." in told
    assert "Open run" not in told


def test_a_known_failure_brings_its_repair_guide_once(client: Client) -> None:
    guide = (
        "\n## Pitfalls and repair guides\n\n### Pitfall 3: A dead tab holds the table\n\n- **Symptom:** `hold table is locked by a dead tab`\n"
        "- **Root cause:** the tab never released it.\n- **Diagnose:** `seats --holds`\n- **Fix:** run the sweeper.\n"
    )
    cwd = client.project({**FILES, "POST_MORTEM.md": POST_MORTEM + guide})
    script = [bash("sh verify.sh"), bash("sh ./verify.sh"), say("ok")]
    result = client.run("go", script, cwd=cwd, extra_args=("--dangerously-skip-permissions",))
    told = [request.context().count("Root cause: the tab never released it.\nDiagnose: `seats --holds`") for request in result.requests]
    assert told == [0, 1, 1], "in the very next request, and only once in the conversation"


def test_a_scoped_record_comes_when_its_file_is_opened_and_once(client: Client) -> None:
    scoped = POST_MORTEM.replace("- **Why:**", "- **Scope:** `seats.py`, `web/**`\n- **Why:**")
    cwd = client.project({**FILES, "POST_MORTEM.md": scoped, "other.py": "x = 1\n"})
    script = [
        read(str(cwd / "other.py")),
        read(str(cwd / "seats.py")),
        write(str(cwd / "web" / "page.py"), "y = 1"),
        read("/etc/hostname"),
        say("ok"),
    ]
    result = client.run("go", script, cwd=cwd, extra_args=("--dangerously-skip-permissions",))
    record = "Guardrail 7: Seats are held on the server. A hold MUST be decided by the server. Why: two tabs sold one seat."
    assert [record in request.context() for request in result.requests] == [False, False, True, True, True]
    assert result.requests[-1].context().count(record) == 1
    assert "Records of this repository for seats.py, from POST_MORTEM.md" in result.requests[2].context()


def test_a_file_named_in_the_prompt_brings_its_records(client: Client) -> None:
    scoped = POST_MORTEM.replace("- **Why:**", "- **Scope:** `seats.py`\n- **Why:**")
    cwd = client.project({**FILES, "POST_MORTEM.md": scoped})
    result = client.run("please look at `seats.py`.", [say("ok")], cwd=cwd)
    assert "Records of this repository for seats.py" in result.requests[0].context()
