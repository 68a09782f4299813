"""The harness itself, proved with a plugin that is thrown away: what it reports is what the client did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import session
from loopback import Step, agent, bash, edit, read, say, tool, write
from recorded import Request
from session import VERSIONS, Client, newest
from terminal import Tui, needs_tmux

HOOK = """\
import json, os, sys
event = json.load(sys.stdin)
name = event["hook_event_name"]
found = name + " in " + os.path.basename(os.getcwd()) + " " + event.get("source", event.get("tool_name", ""))
print(json.dumps({
    "systemMessage": "to the human: " + name,
    "hookSpecificOutput": {"hookEventName": name, "additionalContext": "MARK " + found},
}))
"""
COMMAND = """\
---
name: greet-all
description: Greets
allowed-tools: Bash(mini-tool greet:*)
---
Greet $ARGUMENTS now.
"""
TOOL = """\
#!/bin/sh
echo "tool says $*"
"""
RUN_HOOK = {"type": "command", "command": 'python3 -I "${CLAUDE_PLUGIN_ROOT}/hook.py"', "timeout": 10}


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A plugin with two hooks, a command and a tool, in a folder whose name has a space."""
    root = tmp_path / "mini plugin"
    events = {name: [{"hooks": [RUN_HOOK]}] for name in ("SessionStart", "PostToolUse")}
    files = {
        ".claude-plugin/plugin.json": json.dumps({"name": "mini", "version": "0.1.0"}),
        "hooks/hooks.json": json.dumps({"hooks": events}),
        "hook.py": HOOK,
        "commands/greet-all.md": COMMAND,
        "bin/mini-tool": TOOL,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "bin" / "mini-tool").chmod(0o755)
    return root


# -- a client that is missing --------------------------------------------------------------------------------


def test_a_missing_client_fails_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLD_CLIENTS", str(tmp_path))
    monkeypatch.delenv("RLD_NO_CLIENT", raising=False)
    with pytest.raises(pytest.fail.Exception, match="Run scripts/test.*RLD_NO_CLIENT=1"):
        session.require_client(VERSIONS[0])


def test_only_the_switch_leaves_the_client_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLD_CLIENTS", str(tmp_path))
    monkeypatch.setenv("RLD_NO_CLIENT", "1")
    with pytest.raises(pytest.skip.Exception):
        session.require_client(VERSIONS[0])


# -- print mode ----------------------------------------------------------------------------------------------


def test_hooks_tools_and_their_results_reach_the_model(client: Client, mini: Path) -> None:
    project = client.project({"a.txt": "alpha\n"})
    script: list[Step] = [
        bash("mini-tool one"),
        [read(project / "a.txt"), bash("cat a.txt")],
        edit(project / "a.txt", "alpha", "beta"),
        say("finished"),
    ]
    result = client.run(
        "please work", script, cwd=project, plugin_dir=mini, permission_mode="bypassPermissions"
    )
    first, second, third, fourth = result.requests
    assert "MARK SessionStart in project startup" in first.context()
    assert "please work" in first.last_user() and "please work" not in first.context()
    assert second.tool_results() == ["tool says one"]
    assert "MARK PostToolUse in project Bash" in second.context()
    assert [("alpha" in text) for text in third.tool_results()] == [False, True, True]
    assert len(fourth.tool_results()) == 4
    assert (project / "a.txt").read_text(encoding="utf-8") == "beta\n"
    assert (result.output["result"], result.returncode, result.permission_denials) == ("finished", 0, [])
    assert result.system_messages("SessionStart") == ["to the human: SessionStart"]
    assert "to the human" not in fourth.text()


def test_the_default_mode_denies_what_a_human_would_be_asked(client: Client, mini: Path) -> None:
    project = client.project()
    result = client.run(
        "work", [bash("mini-tool greet"), write(project / "new", "x")], cwd=project, plugin_dir=mini
    )
    assert result.denied() == ["mini-tool greet", str(project / "new")]
    assert "requires approval" in result.requests[1].tool_results()[0]
    assert not (project / "new").exists()


def test_a_command_may_run_the_tools_that_it_allows(client: Client, mini: Path) -> None:
    result = client.run(
        "/greet-all the world",
        [bash("mini-tool greet"), bash("mini-tool other")],
        cwd=client.project(),
        plugin_dir=mini,
    )
    assert "Greet the world now." in result.requests[0].last_user()
    assert result.requests[1].tool_results() == ["tool says greet"]
    assert result.denied() == ["mini-tool other"]


def test_a_projects_permission_rules_count_once_it_is_trusted(client: Client, mini: Path) -> None:
    rules = json.dumps({"permissions": {"allow": ["Bash(mini-tool:*)"]}})
    project = client.project({".claude/settings.json": rules})
    assert client.run("work", [bash("mini-tool a")], cwd=project, plugin_dir=mini).denied() == ["mini-tool a"]
    client.trust(project)
    assert client.run("work", [bash("mini-tool a")], cwd=project, plugin_dir=mini).denied() == []


def test_a_resumed_session_keeps_its_history(client: Client, mini: Path) -> None:
    project = client.project()
    first = client.run("the first question", [say("the first answer")], cwd=project, plugin_dir=mini)
    second = client.run("and more", [say("two")], cwd=project, plugin_dir=mini, resume=first.session_id)
    assert second.session_id == first.session_id
    conversation = second.requests[0].text()
    assert "the first question" in conversation and "the first answer" in conversation
    assert "MARK SessionStart in project resume" in second.requests[0].context()


@newest
def test_a_step_can_decide_by_what_the_model_was_shown(client: Client) -> None:
    def react(request: Request) -> Any:
        return tool("Bash", command="echo saw-" + request.tool_results()[-1])

    result = client.run(
        "go",
        [bash("echo first"), react],
        cwd=client.project(),
        plugin_dir=None,
        permission_mode="bypassPermissions",
    )
    assert result.requests[-1].tool_results() == ["first", "saw-first"]


def test_a_subagent_has_a_script_of_its_own(client: Client) -> None:
    result = client.run(
        "go",
        [agent("look around"), say("all done")],
        subagents=[bash("echo from-below"), say("the finding")],
        cwd=client.project(),
        plugin_dir=None,
        permission_mode="bypassPermissions",
    )
    assert "look around" in result.subagent_requests[0].last_user()
    assert result.subagent_requests[1].tool_results() == ["from-below"]
    assert "the finding" in result.requests[1].tool_results()[0]
    assert result.output["result"] == "all done"


@newest
def test_the_clients_environment_is_not_the_developers(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_DEVELOPER", "1")
    result = client.run(
        "go",
        [bash("env")],
        cwd=client.project(),
        plugin_dir=None,
        permission_mode="bypassPermissions",
        env={"GIVEN": "yes"},
    )
    variables = result.requests[1].tool_results()[0].splitlines()
    assert "GIVEN=yes" in variables and "HOME=%s" % client.home in variables
    assert not any(line.startswith("SECRET_OF_THE_DEVELOPER") for line in variables)


def test_an_installed_plugin_works_without_plugin_dir(client: Client, mini: Path) -> None:
    entry = {"name": "mini", "source": "./", "description": "for a test"}
    catalogue = {"name": "shelf", "description": "for a test", "owner": {"name": "o"}, "plugins": [entry]}
    (mini / ".claude-plugin" / "marketplace.json").write_text(json.dumps(catalogue), encoding="utf-8")
    for command in (("marketplace", "add", str(mini)), ("install", "mini@shelf")):
        done = client.cli("plugin", *command)
        assert done.returncode == 0, done.stdout + done.stderr
    result = client.run("hello", cwd=client.project(), plugin_dir=None)
    assert "MARK SessionStart" in result.requests[0].context()


# -- the screen ----------------------------------------------------------------------------------------------


@newest
@needs_tmux
def test_the_screen_takes_prompts_and_the_builtin_commands(client: Client, mini: Path) -> None:
    def contexts() -> list[str]:
        lines = client.model.requests[-1].context().splitlines()
        return [line for line in lines if "MARK SessionStart" in line]

    script: list[Step] = [
        bash("echo so that there is enough to compact"),
        say("answer one"),
        say("answer two"),
        say("answer three"),
    ]
    with Tui(client, script, cwd=client.project(), plugin_dir=mini) as tui:
        tui.type("question one")
        assert "to the human: SessionStart" in tui.wait_for("answer one")
        tui.type("/compact")
        tui.wait_for("SessionStart:compact says")
        tui.type("question two")
        tui.wait_for("answer two")
        assert len(contexts()) == 1 and contexts()[0].endswith("compact")
        tui.type("/clear")
        tui.wait_for("SessionStart:clear says")
        tui.type("question three")
        tui.wait_for("answer three")
        assert len(contexts()) == 1 and contexts()[0].endswith("clear")
        assert "question two" not in client.model.requests[-1].text()


@newest
@needs_tmux
def test_the_screen_asks_before_a_tool_and_takes_the_yes(client: Client, mini: Path) -> None:
    with Tui(
        client, [bash("mini-tool asked"), say("thank you")], cwd=client.project(), plugin_dir=mini
    ) as tui:
        tui.type("go")
        tui.wait_for("Do you want to proceed?")
        assert len(client.model.requests_of("main")) == 1
        tui.confirm("thank you")
    assert client.model.requests_of("main")[-1].tool_results() == ["tool says asked"]
