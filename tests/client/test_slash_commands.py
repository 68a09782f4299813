"""The slash commands in the real client: they reach the model whole, and may do what they say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from loopback import bash, say
from session import REPOSITORY, Client

STUB = """#!/bin/sh
echo "STUB $* session=${CLAUDE_CODE_SESSION_ID:-none}"
case $1 in log | propose) cat ;; esac
[ ! -e "$(dirname "$0")/broken" ] || { echo "rld: broken" >&2; exit 3; }
"""
TYPED = {
    "/run-plan": "Run a plan, one item at a time",
    "/rld:run-plan": "Run a plan, one item at a time",
    "/rld:compact": "Compact a run's journal into records",
    "/distill": "Distill a session into records",
    "/rld:distill last": "Distill a session into records",
    "/rld-status": "Tell the human in at most six lines",
}
INLINE = {
    "/rld:compact": "brief", "/distill": "brief", "/rld:distill last": "brief", "/rld-status": "status",
}  # fmt: skip


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """The commands and skills with a stand-in for rld, so that only the client and the texts are on trial."""
    root = tmp_path / "the plugin"
    for name in ("commands", "skills", ".claude-plugin"):
        shutil.copytree(REPOSITORY / name, root / name)
    (root / "bin").mkdir()
    (root / "bin" / "rld").write_text(STUB, encoding="utf-8")
    (root / "bin" / "rld").chmod(0o755)
    return root


def test_every_command_reaches_the_model_with_its_inline_output(client: Client, plugin: Path) -> None:
    project = client.project()
    for typed, first in TYPED.items():
        result = client.run(typed, [say("ok")], cwd=project, plugin_dir=plugin)
        shown = result.requests[0].last_user()
        assert first in shown, typed
        if typed in INLINE:
            assert "STUB %s session=%s" % (INLINE[typed], result.session_id) in shown, typed
        assert "|| true" not in shown and "!`" not in shown


def test_a_broken_rld_still_leaves_a_command(client: Client, plugin: Path) -> None:
    project = client.project()
    (plugin / "bin" / "broken").touch()
    for typed in INLINE:
        shown = client.run(typed, [say("ok")], cwd=project, plugin_dir=plugin).requests[0].last_user()
        assert "rld: broken" in shown and TYPED[typed] in shown
    (plugin / "bin" / "rld").unlink()
    for typed in INLINE:
        shown = client.run(typed, [say("ok")], cwd=project, plugin_dir=plugin).requests[0].last_user()
        assert "command not found" in shown and TYPED[typed] in shown


def test_arguments_arrive_as_typed(client: Client, plugin: Path) -> None:
    result = client.run(
        '/run-plan docs/plan.md "npm run a && npm test"', [say("ok")], cwd=client.project(), plugin_dir=plugin
    )
    assert '<arguments>docs/plan.md "npm run a && npm test"</arguments>' in result.requests[0].last_user()


def test_compact_stays_the_clients_own(client: Client, plugin: Path) -> None:
    result = client.run("/compact", [say("ok")], cwd=client.project(), plugin_dir=plugin)
    assert not any("into records" in request.text() for request in result.all_requests)


ENTRY = """rld log --item 7 <<'EOF'
[Verified Facts] Item 7 done. `npm test` exit 0, $(date) and ${HOME}
[What Worked] a > b | c; d && e
[Distilled Rules] MUST "quote"
[Pitfalls & What to Avoid] none
[What's Next] Item 8
EOF"""
CANDIDATE = """rld propose <<'EOF'
## add guardrail: a title
It is FORBIDDEN to `rm -rf $HOME`.
- **Why:** it's gone
- **Scope:** `src/**`
EOF"""
FREE = {
    '/run-plan docs/plan.md "npm test"': [
        'rld run start docs/plan.md --verify "npm run typecheck && npm test"', "rld run start",
        "rld plan next", "rld plan next docs/plan.md", "rld journal show", "rld verify", ENTRY,
        "rld log --item 7 --file /tmp/entry.md",
        'rld log --item 9 --title "more" --claimed "docs only" --file /tmp/e',
        "rld show guardrail-4", "rld list", "rld run finish",
    ],
    "/rld:compact": [
        "rld brief --journal docs/worklog/a.md", "rld verify", "rld run finish", "rld journal show",
        "rld list", "rld show guardrail-4", CANDIDATE, "rld propose /tmp/candidates.md",
        "rld review", "git diff",
    ],
    "/distill last": [
        "rld brief --last", "rld brief --session abc", "git status", "git diff", "git log", CANDIDATE,
        "rld propose /tmp/candidates.md", "rld review", "rld list", "rld show pitfall-1",
    ],
    "/rld-status": ["rld status"],
}  # fmt: skip
ASKED = {
    '/run-plan docs/plan.md "npm test"': ['rld run abandon --reason "x"', "rld init", "rld apply --accept 1"],
    "/rld:compact": ['rld apply --accept 1,3 --reject 2:"reason"'],
    "/distill last": ['rld apply --accept 1,3 --reject 2:"reason"', "rld trust", "rld verify"],
    "/rld-status": ["rld apply --accept 1"],
}


@pytest.mark.parametrize("typed", FREE)
def test_what_a_text_tells_runs_unasked_and_the_rest_not(client: Client, plugin: Path, typed: str) -> None:
    project = client.project({"docs/plan.md": "# p\n"})
    script = [bash(line) for line in FREE[typed] + ASKED[typed]]
    result = client.run(typed, script, cwd=project, plugin_dir=plugin)
    assert result.denied() == ASKED[typed]
    results = result.requests[-1].tool_results()
    if ENTRY in FREE[typed]:
        assert any("`npm test` exit 0, $(date) and ${HOME}" in text for text in results)


def test_only_the_skills_are_offered_to_the_model(client: Client, plugin: Path) -> None:
    result = client.run("hello", [say("ok")], cwd=client.project(), plugin_dir=plugin)
    shown = result.requests[0].text()
    assert "rld:case-law" in shown and "rld:plan-appendix" in shown
    assert "rld:run-plan" not in shown and "rld:compact" not in shown and "rld:distill" not in shown
