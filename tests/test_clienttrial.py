"""`rld doctor --client` with a client that a test plays: refusals, reasons, time limits, and what it leaves.

The real clients are in tests/client/test_client_doctor.py.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import pytest

from rld import clientrun, clienttrial, obstacles
from rld.cli import base, main
from rld.errors import Refused
from rld.project import Project, find
from rld.settings import Settings

POST_MORTEM = "## Production guardrails\n\n### Guardrail 4: No calls\n\nIt is FORBIDDEN to call.\n\n- **Why:** it broke.\n- **Scope:** `src/**`\n"
# Runs the hook as the client does, hands its words to the model, and says in its stream what it did.
HONEST = """
import subprocess
plugin = sys.argv[sys.argv.index("--plugin-dir") + 1] if "--plugin-dir" in sys.argv else ""
words = ""
if plugin:
    session = sys.argv[sys.argv.index("--session-id") + 1]
    event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": session, "cwd": os.getcwd()}
    env = {**os.environ, "CLAUDE_PLUGIN_ROOT": plugin, "CLAUDE_PROJECT_DIR": os.getcwd()}
    done = subprocess.run(["sh", plugin + "/hooks/launch", "session_start"], input=json.dumps(event).encode(), env=env, capture_output=True)
    said = done.stdout.decode()
    print(json.dumps({"subtype": "hook_response", "hook_event": "SessionStart", "stdout": said, "stderr": done.stderr.decode(), "exit_code": done.returncode}))
    words = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
ask(words)
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No settings or variables of the developer's own, and a folder for temporary files that is looked at."""
    (tmp_path / "t").mkdir()
    (tmp_path / "config").mkdir()
    monkeypatch.setattr(clientrun.tempfile, "tempdir", str(tmp_path / "t"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setattr(obstacles, "managed_settings", lambda: [tmp_path / "managed.json"])
    for name in ("RLD_DISABLED", "RLD_HOME", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "a repo"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "POST_MORTEM.md").write_text(POST_MORTEM, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


Play = Callable[[str], None]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Puts a client on the PATH that runs these lines of Python; `ask(text)` asks the model with a text."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", "%s%s%s" % (folder, os.pathsep, os.environ["PATH"]))

    def write(lines: str) -> None:
        script = """\
import json, os, sys, urllib.request
if "--version" in sys.argv:
    print("9.9.9 (Claude Code)"); raise SystemExit
def ask(*texts):
    body = {"tools": [{}], "messages": [{"role": "system", "content": text} for text in texts]}
    urllib.request.urlopen(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode()).read()
"""
        (tmp_path / "claude.py").write_text(script + lines, encoding="utf-8")
        (folder / "claude").write_text(
            "#!/bin/sh\nexec '%s' '%s' \"$@\"\n" % (sys.executable, tmp_path / "claude.py"), encoding="utf-8"
        )
        (folder / "claude").chmod(0o755)

    return write


def project(root: Path) -> Project:
    found = find(root.as_posix())
    assert found is not None
    return found


def trial(root: Path) -> clienttrial.Trial:
    return clienttrial.run(project(root), base.PLUGIN, Settings({}))


def doctor(capsys: pytest.CaptureFixture[str]) -> Any:
    """The client's part of the answer, and the exit status with it."""
    capsys.readouterr()
    status = main(["doctor", "--client", "--json"])
    return {**json.loads(capsys.readouterr().out)["client"], "status": status}


def rows(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    main(["doctor", "--client"])
    return capsys.readouterr().out.partition("\nDelivery:")[2]


# What arrives


def test_a_digest_that_arrives_is_said_to_with_its_records_and_its_size(
    repo: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play(HONEST)
    answer = doctor(capsys)
    assert (answer["status"], answer["version"], answer["delivered"], answer["why"]) == (0, "9.9.9", True, "")
    assert answer["records"] == {"sent": ["guardrail-4"], "arrived": ["guardrail-4"], "missing": [], "left_out": []}
    assert answer["lines"] == {"sent": 4, "arrived": 4, "missing": []}
    assert 0 < answer["units"] == answer["units_arrived"] < answer["limit"] == 6000 and answer["cut_at"] == 10000
    said = rows(capsys)
    assert "ok    digest          reached the model whole: 4 of 4 lines, 1 of 1 record\n" in said
    assert "%d of 6,000 units; the client cuts above 10,000" % answer["units"] in said


def test_without_the_option_no_client_is_run(
    repo: Path, play: Play, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play("open(%r, 'w')" % str(tmp_path / "was run"))
    assert main(["doctor"]) == 0
    assert not (tmp_path / "was run").exists() and "Delivery" not in capsys.readouterr().out


def test_a_record_that_is_lost_is_named(repo: Path, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play(HONEST.replace("ask(words)", "ask(words.replace('FORBIDDEN', 'allowed'))"))
    answer = doctor(capsys)
    assert (answer["status"], answer["delivered"]) == (1, False)
    assert answer["records"]["missing"] == ["guardrail-4"]
    assert answer["lines"]["missing"] == ["- Guardrail 4: No calls. It is FORBIDDEN to call. (src/**)"]
    assert "fail  digest          3 of 4 lines arrived; missing: guardrail-4\n" in rows(capsys)


def test_a_project_without_records_has_nothing_to_deliver(
    repo: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo / "POST_MORTEM.md").write_text("# P\n", encoding="utf-8")
    play(HONEST)
    answer = doctor(capsys)
    assert (answer["status"], answer["delivered"], answer["why"]) == (0, False, "")
    assert "warn  digest          there is nothing to deliver" in rows(capsys)


# What does not, and why

REASONS = {
    "ended at once": ("sys.exit('no such option')", "ended with status 1 and asked the model nothing: no such option"),
    "said an error in its stream": (
        "print(json.dumps({'type': 'result', 'is_error': True, 'result': 'Invalid API key'})); sys.exit(1)",
        "status 1 and asked the model nothing: Invalid API key",
    ),
    "started no hook": ("ask('hello')", "the client started no SessionStart hook"),
    "had a hook that failed": (
        "print(json.dumps({'subtype': 'hook_response', 'hook_event': 'SessionStart', 'exit_code': 127, 'stderr': 'sh: no'})); ask('')",
        "the hook ended with status 127 and said: sh: no",
    ),
    "had a hook that said nothing": (
        "print(json.dumps({'subtype': 'hook_response', 'hook_event': 'SessionStart', 'exit_code': 0, 'stdout': ''})); ask('')",
        "the hook ran and said nothing",
    ),
    "left its words out": (
        HONEST.replace("ask(words)", "ask('hello')"),
        "the client left its words out of the request",
    ),
}


@pytest.mark.parametrize(("lines", "words"), REASONS.values(), ids=REASONS)
def test_nothing_arrives_from_a_client_that(
    repo: Path, play: Play, capsys: pytest.CaptureFixture[str], lines: str, words: str
) -> None:
    play(lines)
    answer = doctor(capsys)
    assert (answer["status"], answer["delivered"]) == (1, False)
    assert words in answer["why"]
    assert "fail  digest          nothing arrived: " in rows(capsys)


def test_a_hook_that_broke_is_known_by_what_it_left_in_the_log(repo: Path, play: Play) -> None:
    (repo / ".git/rld").mkdir()
    (repo / ".git/rld/errors.log").write_text("an old one\n", encoding="utf-8")
    hook = (
        "print(json.dumps({'subtype': 'hook_response', 'hook_event': 'SessionStart', 'exit_code': 0, 'stdout': ''}));"
    )
    play("open('.git/rld/errors.log', 'a').write('KeyError at x.py:3\\n');%s ask('')" % hook)
    assert trial(repo).error == "KeyError at x.py:3"


def test_a_client_that_hangs_is_ended_with_all_it_started(
    repo: Path, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clientrun, "LIMIT", 1.0)
    play(
        "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\nopen(%r, 'w').write(str(child.pid))\nchild.wait()"
        % str(tmp_path / "pid")
    )
    answer = doctor(capsys)
    assert answer["why"] == "the client asked the model nothing within its time, and was ended"
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and _runs(int((tmp_path / "pid").read_text())):
        time.sleep(0.05)
    assert not _runs(int((tmp_path / "pid").read_text()))


def test_a_client_that_hangs_after_its_request_has_proven_delivery_all_the_same(
    repo: Path, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clientrun, "LIMIT", 2.0)
    play(HONEST + "import time\ntime.sleep(60)\n")
    found = trial(repo)
    assert found.run is not None and found.run.status is None
    assert found.delivery is not None and found.delivery.is_whole


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return b"\nState:\tZ" not in Path("/proc/%d/status" % pid).read_bytes() if os.path.isdir("/proc/self") else True


# What is refused


def test_without_a_client_it_says_so(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = doctor(capsys)
    assert (answer["status"], answer["delivered"], answer["version"]) == (1, False, None)
    assert "there is no `claude` on the PATH" in answer["why"]


def test_a_client_that_does_not_answer_is_not_run(repo: Path, play: Play) -> None:
    play("")
    (Path(os.environ["PATH"].partition(os.pathsep)[0]) / "claude").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    with pytest.raises(Refused, match="does not answer `--version`"):
        trial(repo)


def test_on_windows_it_is_refused(repo: Path, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play(HONEST)
    there = project(repo)
    monkeypatch.setattr(clienttrial.os, "name", "nt")
    try:
        with pytest.raises(Refused, match="not on Windows"):
            clienttrial.run(there, base.PLUGIN, Settings({}))
    finally:
        monkeypatch.undo()


LEADING_AWAY = {
    "another address": {"env": {"ANTHROPIC_BASE_URL": "https://models.example.invalid"}},
    "another provider": {"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}},
    "a proxy": {"env": {"https_proxy": "http://proxy.example.invalid"}},
    "a helper for keys": {"apiKeyHelper": "get-key"},
}


@pytest.mark.parametrize("settings", LEADING_AWAY.values(), ids=LEADING_AWAY)
def test_managed_settings_that_name(repo: Path, play: Play, home: Path, settings: object) -> None:
    """They hold in every run of the client, also in one whose other settings are its own."""
    play("open(%r, 'w')" % str(home / "was run"))
    (home / "managed.json").write_text(json.dumps(settings), encoding="utf-8")
    with pytest.raises(Refused, match="could leave this machine"):
        trial(repo)
    assert not (home / "was run").exists()


def write(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


FINAL: "dict[str, tuple[str, object, str]]" = {
    "the plugin is off for the project": (".claude/settings.local.json", {"enabledPlugins": {"rld@run-log-distill": False}}, "settings.local.json switches the plugin off"),
    "the project has all hooks off": (".claude/settings.json", {"disableAllHooks": True}, "settings.json says disableAllHooks"),
    "the user has all hooks off": ("../config/settings.json", {"disableAllHooks": True}, "config/settings.json says disableAllHooks"),
    "the organisation has all hooks off": ("../managed.json", {"disableAllHooks": True}, "managed.json says disableAllHooks"),
    "the organisation allows only its own hooks": ("../managed.json", {"allowManagedHooksOnly": True}, "managed.json says allowManagedHooksOnly"),
    "settings hold the variable": (".claude/settings.json", {"env": {"RLD_DISABLED": "1"}}, "settings.json sets RLD_DISABLED"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "value", "words"), FINAL.values(), ids=FINAL)
def test_no_client_is_started_where(
    repo: Path, play: Play, home: Path, capsys: pytest.CaptureFixture[str], file: str, value: object, words: str
) -> None:
    play("open(%r, 'w')" % str(home / "was run"))
    write(repo / file, value)
    answer = doctor(capsys)
    assert (answer["status"], answer["delivered"]) == (1, False)
    assert words in answer["why"] and answer["obstacles"][0] == answer["why"]
    assert "fail  digest          nothing arrives: " in rows(capsys)
    assert not (home / "was run").exists()


def test_the_variable_and_a_mute_are_reasons_with_their_way_out(
    repo: Path, play: Play, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play("")
    monkeypatch.setenv("RLD_DISABLED", "1")
    said = rows(capsys)
    assert "nothing arrives: RLD_DISABLED is set" in said and "→ unset RLD_DISABLED" in said
    monkeypatch.delenv("RLD_DISABLED")
    assert main(["mute", "2h"]) == 0
    said = rows(capsys)
    assert "nothing arrives: the hooks are muted until" in said and "→ rld mute off" in said


def test_a_stronger_file_takes_a_weaker_ones_switch_back(repo: Path, play: Play, home: Path) -> None:
    play(HONEST)
    write(
        home / "config" / "settings.json",
        {"disableAllHooks": True, "env": {"RLD_DISABLED": "1"}, "enabledPlugins": {"rld@run-log-distill": False}},
    )
    write(
        repo / ".claude" / "settings.json",
        {"disableAllHooks": False, "env": {"RLD_DISABLED": ""}, "enabledPlugins": {"rld@run-log-distill": True}},
    )
    found = trial(repo)
    assert found.final is None and found.delivery is not None and found.delivery.is_whole


def test_a_plugin_that_is_not_installed_is_mentioned_with_both_commands(
    repo: Path, play: Play, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play(HONEST)
    write(home / "config" / "plugins" / "installed_plugins.json", {"plugins": {}})
    said = rows(capsys)
    assert (
        "ok    digest" in said
        and "warn  your sessions   not shown by this run, which had the plugin by --plugin-dir:" in said
    )
    assert (
        "→ claude plugin marketplace add " in said
        and "&& claude plugin install rld@run-log-distill --scope project" in said
    )


@pytest.mark.parametrize(("folder", "is_trusted"), [(".", True), ("..", False), ("src", False), (None, False)])
def test_a_folder_that_was_never_trusted_is_mentioned(
    repo: Path, home: Path, folder: "str | None", is_trusted: bool
) -> None:
    known = {str((repo / folder).resolve()): {"hasTrustDialogAccepted": True}} if folder else {str(repo): {}}
    write(home / "config" / ".claude.json", {"projects": known})
    found = [each.why for each in obstacles.find(project(repo), base.PLUGIN)]
    assert any("to trust this folder" in why for why in found) != is_trusted


def test_without_a_record_of_trust_nothing_is_said_of_it(repo: Path) -> None:
    assert not any("to trust this folder" in each.why for each in obstacles.find(project(repo), base.PLUGIN))


# What it leaves, and what it takes along


def everything(folder: Path) -> "dict[str, bytes]":
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"/"
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("ending", ["", "sys.exit(3)"], ids=["well", "badly"])
def test_nothing_is_left_of_a_session_that_ended(repo: Path, play: Play, home: Path, ending: str) -> None:
    play(HONEST + ending)
    trial(repo)  # the first start keeps its digest, as any does
    (repo / ".git/rld/evidence").mkdir(exist_ok=True)
    (repo / ".git/rld/evidence/another.jsonl").write_text("{}\n", encoding="utf-8")
    before = everything(repo)
    found = trial(repo)
    assert found.delivery is not None and found.delivery.is_whole
    assert everything(repo) == before
    assert list((home / "t").iterdir()) == []


def test_where_there_was_no_state_there_is_no_evidence_afterwards(repo: Path, play: Play) -> None:
    play(HONEST)
    trial(repo)
    assert not (repo / ".git/rld/evidence").exists()


def test_without_git_the_project_is_as_it_was(tmp_path: Path, play: Play) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "POST_MORTEM.md").write_text(POST_MORTEM, encoding="utf-8")
    before = everything(root)
    play(HONEST)
    found = trial(root)
    assert found.delivery is not None and found.delivery.is_whole
    assert everything(root) == before


def test_without_git_a_hooks_error_stays_with_what_keeps_it_out_of_git(tmp_path: Path, play: Play) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "POST_MORTEM.md").write_text(POST_MORTEM, encoding="utf-8")
    play(HONEST + "open('.rld/errors.log', 'w').write('KeyError\\n')")
    trial(root)
    assert sorted(path.name for path in (root / ".rld").iterdir()) == [".gitignore", "errors.log"]


def test_an_interrupt_ends_the_client_and_leaves_nothing(
    repo: Path, play: Play, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(HONEST + "import signal, time\nos.kill(int(os.environ['LC_ALL']), signal.SIGTERM)\ntime.sleep(60)\n")
    monkeypatch.setenv("LC_ALL", str(os.getpid()))  # the one way to tell it who we are
    with pytest.raises(KeyboardInterrupt):
        trial(repo)
    assert not (repo / ".git/rld/evidence").exists() and list((home / "t").iterdir()) == []


def test_the_client_gets_nothing_of_the_users_account_and_settings(
    repo: Path, play: Play, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://example.invalid",
        "CLAUDE_CODE_OAUTH_TOKEN": "o", "CLAUDE_CODE_USE_BEDROCK": "1", "CLAUDECODE": "1", "AWS_PROFILE": "p",
        "HTTPS_PROXY": "http://example.invalid", "GH_TOKEN": "g", "NODE_OPTIONS": "--x", "GIT_DIR": "/x",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    play("open(%r, 'a').write(json.dumps(dict(os.environ)) + '\\n'); ask('')" % str(home / "variables"))
    trial(repo)
    found = json.loads((home / "variables").read_text(encoding="utf-8").partition("\n")[0])
    assert not {name for name, value in given.items() if found.get(name) == value}
    assert found["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:") == found["HTTPS_PROXY"].startswith(
        "http://127.0.0.1:"
    )
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "TMPDIR"):
        assert found[name].startswith(str((home / "t").resolve()))
    assert all(found[name] == "1" for name in clientrun.QUIET)


def test_the_entry_points_are_tried_on_copies_with_what_decides_whether_they_are_read(
    repo: Path, play: Play, home: Path
) -> None:
    (repo / "sub").mkdir()
    (repo / "POST_MORTEM.md").rename(repo / "sub" / "POST_MORTEM.md")
    (repo / "CLAUDE.md").write_text("above\n", encoding="utf-8")
    (repo / "sub" / "AGENTS.md").write_text("read POST_MORTEM.md first\n", encoding="utf-8")
    (repo / "sub" / "CLAUDE.md").symlink_to("AGENTS.md")
    (repo / "sub" / ".env").write_text("SECRET=1\n", encoding="utf-8")
    play(
        """
if "--plugin-dir" not in sys.argv:
    here = os.getcwd()
    seen = sorted(os.path.relpath(os.path.join(at, name), os.path.dirname(here)) for at, _, names in os.walk(os.path.dirname(here)) for name in names)
    open(%r, "w").write(json.dumps(seen))
    ask("Contents of %%s/CLAUDE.md (project instructions, checked into the codebase):\\n\\n%%s" %% (here, open("CLAUDE.md").read()))
"""
        % str(home / "seen")
    )
    found = clienttrial.run(
        project(repo / "sub"), base.PLUGIN, Settings({"entry_points": ["CLAUDE.md", "AGENTS.md", "missing.md"]})
    )
    assert found.entry_points == [("CLAUDE.md", True, True), ("AGENTS.md", True, True)], "one file under two names"
    assert json.loads((home / "seen").read_text(encoding="utf-8")) == ["CLAUDE.md", "sub/AGENTS.md", "sub/CLAUDE.md"]


ARRIVALS = {
    "not at all": ("ask('hello')", "warn  entry point     CLAUDE.md did not reach the model"),
    "without its pointer": (
        "ask('Contents of %s/CLAUDE.md (project instructions):\\n\\n# Seats\\n\\nread POST_MORTEM.md first' % os.getcwd())",
        "warn  entry point     CLAUDE.md reached the model, without the pointer on its first line",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "words"), ARRIVALS.values(), ids=ARRIVALS)
def test_an_entry_point_that_arrives(
    repo: Path, play: Play, capsys: pytest.CaptureFixture[str], lines: str, words: str
) -> None:
    (repo / "CLAUDE.md").write_text("read POST_MORTEM.md first\n", encoding="utf-8")
    play(HONEST.replace("ask(words)", "ask(words) if plugin else " + lines))
    assert words in rows(capsys)
