"""`rld mute`: hooks that say nothing for a while and note everything all the same."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rld import evidence, mute, window
from rld.cli import mute_verb
from rld.events import session_start, stop
from rld.project import find
from store import rld

ROOT = Path(__file__).resolve().parent.parent
PYTHON = os.path.realpath(os.path.join(sys.base_prefix, "bin", "python3"))
SESSION = "one-session"
POST_MORTEM = """\
# Post-mortem

## Production guardrails

### Guardrail 1: A hold has an end

A hold MUST have an end.

- **Why:** two tabs sold one seat.
- **Scope:** `seats.py`

## Pitfalls

### Pitfall 2: A dead tab

- **Symptom:** `the lease table is locked`
- **Root cause:** a dead tab.
- **Fix:** run the sweeper.
"""
JOURNAL = "---\nplan: docs/plan.md\nverify: npm test\ntag: feature\nstatus: open\nstarted: 2026-01-01\n---\n# Journal: plan\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RLD_HOME", str(tmp_path / "home"))
    made = tmp_path / "project"
    (made / "docs/worklog").mkdir(parents=True)
    (made / "POST_MORTEM.md").write_text(POST_MORTEM, encoding="utf-8")
    (made / "docs/plan.md").write_text("# Plan\n\n### Item 1: hold\n", encoding="utf-8")
    (made / "docs/worklog/2026-01-01-plan.md").write_text(JOURNAL, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    return made


def fire(folder, event, **more):
    """What a hook prints."""
    name = "".join("_" * (at > 0 and char.isupper()) + char.lower() for at, char in enumerate(event))
    given = json.dumps({"session_id": SESSION, "cwd": str(folder), "hook_event_name": event, **more})
    command = [PYTHON, "-I", "-S", "-X", "utf8", str(ROOT / "hooks" / (name + ".py"))]
    done = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", env=dict(os.environ), check=True)
    assert not done.stderr
    return done.stdout


def bash(command, **more):
    return {"tool_name": "Bash", "tool_input": {"command": command}, **more}


READ = {"tool_name": "Read", "tool_input": {"file_path": "seats.py"}}
PASSED = {"stdout": "31 passed", "stderr": "", "interrupted": False, "isImage": False}
SPOKEN = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "look at seats.py and POST_MORTEM.md"},
    "PostToolUse": READ,
    "PostToolUseFailure": bash("npm test", error="the lease table is locked"),
    "SubagentStart": {"agent_id": "a", "agent_type": "x"},
}


@pytest.mark.parametrize("event", SPOKEN)
@pytest.mark.parametrize("where", ["project", "user"])
def test_a_muted_hook_says_nothing_and_speaks_again_afterwards(folder, event, where):
    (folder / "seats.py").write_text("x", encoding="utf-8")
    user = ["--user"] if where == "user" else []
    assert rld(folder, "mute", "2h", *user) == 0
    assert fire(folder, event, **SPOKEN[event]) == ""
    assert rld(folder, "mute", "off", *user) == 0
    assert "hookSpecificOutput" in fire(folder, event, **SPOKEN[event]), "what was not said is said now"


def test_evidence_is_noted_all_the_same(folder):
    rld(folder, "mute", "30m")
    fire(folder, "SessionStart", source="startup")
    fire(folder, "UserPromptSubmit", prompt="/run-plan docs/plan.md")
    fire(folder, "PostToolUse", tool_name="Edit", tool_input={"file_path": str(folder / "seats.py")})
    fire(folder, "PostToolUseFailure", **bash("npm test", error="the lease table is locked"))
    fire(folder, "PostToolUse", **bash("npm test", tool_response=PASSED))
    seen = evidence.events(evidence.raw(find(str(folder)), SESSION))
    assert [event["k"] for event in seen] == ["start", "prompt", "bind", "edit", "fail", "recur", "fixed", "pass"]
    assert not window.told(evidence.raw(find(str(folder)), SESSION))


def test_stop_asks_once_it_may_speak(folder):
    fire(folder, "SessionStart", source="startup")
    fire(folder, "UserPromptSubmit", prompt="/run-plan docs/plan.md")
    rld(folder, "mute")
    fire(folder, "PostToolUse", **bash("npm test", tool_response=PASSED))
    assert fire(folder, "Stop", stop_hook_active=False) == ""
    rld(folder, "mute", "off")
    assert '"decision": "block"' in fire(folder, "Stop", stop_hook_active=False)
    assert fire(folder, "Stop", stop_hook_active=False) == ""


def test_a_compaction_is_not_held_up_and_gets_no_words(folder):
    rld(folder, "mute")
    for event in ("edit", "fixed"):
        evidence.note(find(str(folder)), SESSION, event, path="a", cmd="npm test")
    assert fire(folder, "PreCompact", trigger="manual") == fire(folder, "PreCompact", trigger="auto") == ""
    rld(folder, "mute", "off")
    assert '"decision": "block"' in fire(folder, "PreCompact", trigger="manual")


def test_the_post_mortem_is_guarded_all_the_same(folder):
    rld(folder, "mute")
    path = str(folder / "POST_MORTEM.md")
    answer = json.loads(fire(folder, "PreToolUse", tool_name="Edit", tool_input={"file_path": path, "old_string": "a", "new_string": "b"}))
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_session_that_started_muted_hears_of_all_when_it_is_resumed(folder):
    rld(folder, "mute")
    fire(folder, "SessionStart", source="startup")
    assert fire(folder, "SessionStart", source="resume") == ""
    rld(folder, "mute", "off")
    words = json.loads(fire(folder, "SessionStart", source="resume"))["hookSpecificOutput"]["additionalContext"]
    assert "- new: Guardrail 1: A hold has an end." in words and "Open run: docs/plan.md" in words
    assert fire(folder, "SessionStart", source="resume") == ""


def test_it_ends_by_itself(folder):
    project = find(str(folder))
    mute_verb.set_until(mute.of_project(project), time.time() - 1)
    assert "Guardrail 1" in fire(folder, "SessionStart", source="startup")


@pytest.mark.parametrize("text", ["", "never", "-5", "nan", "9" * 40, "1e12", "\0", "²"])
def test_a_file_that_says_no_time_mutes_nothing(folder, text):
    project = find(str(folder))
    Path(project.state).mkdir(exist_ok=True)
    Path(mute.of_project(project)).write_text(text, encoding="utf-8")
    assert mute.until(project) == 0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2h", 7200), ("30m", 1800), ("1h30m", 5400), ("1d", 86400), ("2H", 7200), ("0h", 0), ("h", 0), ("2", 0), ("", 0), ("2 h", 0), ("-2h", 0), ("99999h", 0), ("²h", 0)],
)
def test_times_as_people_write_them(text, seconds):
    assert mute_verb.seconds_in(text) == seconds


@pytest.mark.parametrize("text", ["2", "later", "-1h", "0h"])
def test_what_is_no_time_is_a_usage_error(folder, capsys, text):
    assert rld(folder, "mute", "--", text) == 2
    assert "write 2h, 30m, 1h30m or off" in capsys.readouterr().err
    assert mute.until(find(str(folder))) == 0


def test_it_says_until_when_and_so_does_status(folder, capsys):
    rld(folder, "mute", "2h")
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(mute.until(find(str(folder)))))
    assert capsys.readouterr().out == "Hooks are silent in this project until %s; `rld mute off` ends it.\n" % until
    assert abs(mute.until(find(str(folder))) - time.time() - 7200) < 5
    for options in ([], ["--brief"]):
        rld(folder, "status", *options)
        assert "Muted    hooks are silent until %s (`rld mute off`)\n" % until in capsys.readouterr().out
    rld(folder, "status", "--json")
    assert json.loads(capsys.readouterr().out)["muted"].startswith(until[:10] + "T")
    rld(folder, "mute", "off")
    assert capsys.readouterr().out == "Hooks speak again.\n"
    rld(folder, "status")
    rld(folder, "status", "--json")
    assert "Muted" not in (out := capsys.readouterr().out) and '"muted": null' in out


def test_one_of_two_that_is_lifted_leaves_the_other(folder, capsys):
    rld(folder, "mute", "2h")
    rld(folder, "mute", "1h", "--user")
    capsys.readouterr()
    rld(folder, "mute", "off")
    assert capsys.readouterr().out == "Hooks are still silent, as all projects are: `rld mute off --user`\n"
    rld(folder, "mute", "off", "--user")
    assert capsys.readouterr().out == "Hooks speak again.\n"


def test_it_does_not_make_a_project_use_the_method(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RLD_HOME", str(tmp_path / "home"))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert rld(tmp_path, "mute") == 1 and "--user mutes all projects" in capsys.readouterr().err
    assert not (tmp_path / ".git/rld").exists()
    assert rld(tmp_path, "mute", "--user") == 0


def test_the_users_file_is_where_the_command_line_keeps_its_data(monkeypatch):
    sys.path.insert(0, str(ROOT / "scripts"))
    import bootstrap

    for given in ({"RLD_HOME": "/a"}, {"XDG_DATA_HOME": "/b"}, {}, {"OS": "Windows_NT", "LOCALAPPDATA": "/c"}):
        for name in ("RLD_HOME", "XDG_DATA_HOME", "OS", "LOCALAPPDATA"):
            monkeypatch.setenv(name, given.get(name, ""))
        assert mute.of_user().replace("\\", "/") == bootstrap.data_dir(os.environ).replace("\\", "/") + "/muted"


def test_no_rule_lets_the_model_mute():
    from rld import clientsettings

    assert not any("mute" in rule for rule in clientsettings.ALLOW)


def test_without_a_session_id_nothing_is_noted(folder):
    project = find(str(folder))
    session_start.answer({"source": "startup"}, project)
    assert stop.answer({}, project) is None and not Path(project.state, "evidence").exists()
