"""`rld doctor`: what it calls broken, what it only mentions, and that it breaks nothing itself."""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rld import checkup, hooktrial, locking, machine
from rld.cli import base, main
from rld.errors import Refused
from rld.finding import FAIL, OK, WARN, Finding
from rld.project import Project, find

NAMES = [
    "environment", "git", "client", "plugin files", "plugin", "switch", "python of hooks", "session start", "settings",
    "post-mortem", "entry point", "permissions", "state folder", "lock", "hook errors", "evidence",
]  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No settings, plugins or variables of the developer's own."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    for name in ("RLD_DISABLED", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "a repo"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy of the plugin's own files that a test may break."""
    root = tmp_path / "a plugin"
    for name in ("hooks", "bin", ".claude-plugin", "scripts/rld"):
        shutil.copytree(base.PLUGIN / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    shutil.copy(base.PLUGIN / "plugin.json", root)
    return root


def project(root: Path) -> Project:
    found = find(root.as_posix())
    assert found is not None
    return found


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n" + script, encoding="utf-8")
    (folder / name).chmod(0o755)


def test_a_project_that_was_set_up_has_nothing_broken(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init"])
    capsys.readouterr()
    assert main(["doctor", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is True
    assert [check["name"] for check in answer["checks"]] == NAMES
    assert all(set(check) == {"name", "state", "message", "fix"} for check in answer["checks"])
    states = {check["name"]: check["state"] for check in answer["checks"]}
    assert {name for name, state in states.items() if state != OK} <= {"client", "plugin"}
    assert all((check["state"] == OK) == (check["fix"] == "") for check in answer["checks"])


def test_the_text_is_aligned_and_counts_at_the_end(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init"])
    capsys.readouterr()
    assert main(["doctor"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "rld %s, %s" % (base.version(), repo.as_posix())
    assert "  ok    settings        .rld.yml is read" in rows
    assert "  ok    post-mortem     POST_MORTEM.md is read, 0 records in force" in rows
    assert rows[-1].startswith("0 broken, ")


def test_something_broken_is_exit_status_1_with_its_line(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / ".rld.yml").write_text("# c\nstop: never\n", encoding="utf-8")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "fail  settings        .rld.yml:2: stop must be one of" in said
    assert "\n" + " " * 24 + "→ mend .rld.yml; until then the defaults hold\n" in said
    assert said.splitlines()[-1].startswith("1 broken, ")


def test_it_leaves_a_project_that_does_not_use_the_method_alone(repo: Path) -> None:
    before = sorted(path for path in repo.rglob("*"))
    assert main(["doctor"]) == 0
    assert sorted(path for path in repo.rglob("*")) == before


def test_it_notes_nothing_as_evidence(repo: Path) -> None:
    main(["init"])
    assert main(["doctor"]) == 0
    assert not (repo / ".git" / "rld" / "evidence").exists()


def test_a_check_that_breaks_does_not_hide_the_others(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks() -> Finding:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(machine, "client", breaks)
    found = {finding.name: finding for finding in checkup.run(project(repo), base.PLUGIN)}
    assert list(found) == NAMES
    assert found["client"].state == FAIL and "RuntimeError: no such luck" in found["client"].message


# The project


def test_a_form_that_only_hooks_cannot_read_is_mentioned(repo: Path) -> None:
    (repo / ".rld.yml").write_text('verify: "a\\tb"\n', encoding="utf-8")
    found = checkup.readable(project(repo))
    assert found.state == WARN and "simpler reader" in found.message


POST_MORTEMS = {
    "none": (None, WARN, "there is no POST_MORTEM.md yet"),
    "an empty one": ("", OK, "0 records"),
    "a number twice": (
        "## Production guardrails\n\n1. It is FORBIDDEN to a.\n1. It is FORBIDDEN to b.\n", FAIL, "POST_MORTEM.md:3: ",
    ),
    "an unresolved merge": ("# P\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", FAIL, "POST_MORTEM.md:3: "),
    "a record that lacks a field": (
        "# P\n\n## Production guardrails\n\n### Guardrail 1: Do not\n\nIt is FORBIDDEN.\n", WARN, "POST_MORTEM.md:5: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "state", "words"), POST_MORTEMS.values(), ids=POST_MORTEMS)
def test_the_post_mortem_is_read(repo: Path, text: "str | None", state: str, words: str) -> None:
    if text is not None:
        (repo / "POST_MORTEM.md").write_text(text, encoding="utf-8")
    found = checkup.post_mortem(project(repo), "POST_MORTEM.md")
    assert found.state == state
    assert words in found.message


@pytest.mark.parametrize(
    ("text", "state"),
    [(None, WARN), ("# Mine\n", WARN), ("Read POST_MORTEM.md first\n", OK)],
    ids=["no file", "no pointer", "a pointer in other words"],
)
def test_the_entry_point_has_its_pointer(repo: Path, text: "str | None", state: str) -> None:
    if text is not None:
        (repo / "CLAUDE.md").write_text(text, encoding="utf-8")
    assert checkup.entry_point(project(repo), "CLAUDE.md", "POST_MORTEM.md").state == state


ASK = ["Bash(rld %s:*)" % verb for verb in ("apply", "trust", "repeal", "adopt", "collapse", "init")]
PERMISSIONS = {
    "no rules": ({}, WARN, "nothing makes the client ask"),
    "everyday rules only": ({"allow": ["Bash(rld log:*)"]}, WARN, "nothing makes the client ask"),
    "ask rules only": ({"ask": ASK}, OK, "before every other verb too"),
    "both": ({"allow": ["Bash(rld log:*)"], "ask": ASK}, OK, "everyday verbs run"),
    "denied for good": ({"deny": ASK}, OK, "asks you"),
    "apply allowed": ({"allow": ["Bash(rld apply:*)"]}, FAIL, "Bash(rld apply:*) lets a model change"),
    "one apply allowed": ({"allow": ["Bash(rld apply --accept 1)"]}, FAIL, "lets a model change"),
    "all of rld allowed": ({"allow": ["Bash(rld:*)"]}, FAIL, "lets a model change"),
    "everything allowed": ({"allow": ["Bash"]}, FAIL, "lets a model change"),
    "everything allowed, the humans verbs asked": ({"allow": ["Bash"], "ask": ASK}, OK, "asks you"),
}


@pytest.mark.parametrize(("rules", "state", "words"), PERMISSIONS.values(), ids=PERMISSIONS)
@pytest.mark.parametrize("file", ["user", "project", "local"])
def test_permission_rules_of_any_settings_file_count(
    repo: Path, home: Path, file: str, rules: "dict[str, list[str]]", state: str, words: str
) -> None:
    (repo / ".claude").mkdir()
    path = {
        "user": home / "settings.json",
        "project": repo / ".claude" / "settings.json",
        "local": repo / ".claude" / "settings.local.json",
    }[file]
    path.write_text(json.dumps({"permissions": rules}), encoding="utf-8")
    found = checkup.permissions(project(repo))
    assert found.state == state
    assert words in found.message


def test_settings_of_the_client_that_are_no_json_are_broken(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude" / "settings.local.json").write_text("{\n  // mine\n}\n", encoding="utf-8")
    assert main(["doctor"]) == 1
    assert "settings.local.json:2: is not valid JSON" in capsys.readouterr().out


def test_a_state_folder_that_cannot_be_written_is_broken(repo: Path) -> None:
    (repo / ".git" / "rld").write_bytes(b"")  # a file in its place fails for root too
    assert checkup.state_folder(project(repo)).state == FAIL
    assert checkup.lock(project(repo)).state == FAIL


def test_a_lock_that_somebody_holds_is_broken(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main(["init"])
    assert checkup.lock(project(repo)).state == OK

    def refuses(*arguments: object) -> None:
        raise Refused("cannot lock")

    monkeypatch.setattr(locking, "hold", refuses)
    assert checkup.lock(project(repo)).message == "cannot lock"


def test_recent_hook_errors_are_counted_and_the_last_three_shown(repo: Path) -> None:
    main(["init"])
    log = repo / ".git" / "rld" / "errors.log"
    days_ago = [time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(time.time() - days * 86400)) for days in (30, 8)]
    log.write_text("".join("%s stop.py old\n" % stamp for stamp in days_ago), encoding="utf-8")
    assert checkup.hook_errors(project(repo)).state == OK
    now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    with log.open("a", encoding="utf-8") as out:
        out.writelines("%s stop.py error %d\n" % (now, number) for number in range(5))
    found = checkup.hook_errors(project(repo))
    assert found.state == WARN
    assert found.message.splitlines() == ["5 in the last 7 days, the latest:"] + [
        "%s stop.py error %d" % (now, n) for n in (2, 3, 4)
    ]


def test_much_evidence_is_mentioned(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repo / ".git" / "rld" / "evidence"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(b"x" * 2000)
    assert checkup.evidence_size(project(repo)).message == "1 sessions, 0.0 MB"
    monkeypatch.setattr(checkup, "MUCH_EVIDENCE", 1000)
    assert checkup.evidence_size(project(repo)).state == WARN


def test_the_switch_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checkup.switch().state == OK
    monkeypatch.setenv("RLD_DISABLED", "1")
    assert checkup.switch().state == WARN


# The machine


@pytest.mark.parametrize(
    ("script", "state", "words"),
    [
        ("echo '2.1.197 (Claude Code)'", OK, "2.1.197 (tested with 2.1.197 to 2.1.332)"),
        ("echo '2.2.0 (Claude Code)'", OK, "2.2.0"),
        ("echo '2.1.99 (Claude Code)'", WARN, "2.1.99 is older"),
        ("exit 1", WARN, "cannot be told"),
        (None, WARN, "no `claude` on the PATH"),
    ],
    ids=["oldest", "newer", "older", "broken", "none"],
)
def test_the_client_is_compared_with_the_tested_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: "str | None", state: str, words: str
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    if script is not None:
        program(folder, "claude", script + "\n")
    monkeypatch.setenv("PATH", str(folder))
    found = machine.client()
    assert found.state == state and words in found.message


def test_without_git_it_says_what_is_lost(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.git(project(repo)).state == OK
    (tmp_path / "plain").mkdir()
    assert "in no repository" in machine.git(project(tmp_path / "plain")).message
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not on the PATH" in machine.git(project(repo)).message


def test_the_plugins_own_files_are_complete() -> None:
    found = machine.plugin_files(base.PLUGIN)
    assert found.state == OK, found.message


BREAKAGES = {
    "no launcher": ("hooks/launch", None, "lacks hooks/launch"),
    "no hooks file": ("hooks/hooks.json", None, "lacks hooks/hooks.json"),
    "a hooks file that is no JSON": ("hooks/hooks.json", "{,", "cannot be read, so the client drops every hook"),
    "a hooks file of another shape": ("hooks/hooks.json", '{"hooks": []}', "cannot be read"),
    "a hook that is missing": ("hooks/stop.py", None, "hooks/ lacks stop.py"),
    "another manifest": ("plugin.json", "{}", "differ"),
}


@pytest.mark.parametrize(("name", "text", "words"), BREAKAGES.values(), ids=BREAKAGES)
def test_plugin_files_that_are_broken_are_named(plugin: Path, name: str, text: "str | None", words: str) -> None:
    if text is None:
        (plugin / name).unlink()
    else:
        (plugin / name).write_text(text, encoding="utf-8")
    found = machine.plugin_files(plugin)
    assert found.state == FAIL
    assert words in found.message


def register(home: Path, entry: object) -> None:
    (home / "plugins").mkdir(exist_ok=True)
    text = entry if isinstance(entry, str) else json.dumps({"version": 2, "plugins": {"rld@run-log-distill": entry}})
    (home / "plugins" / "installed_plugins.json").write_text(text, encoding="utf-8")


def switch_on(folder: Path, on: object, name: str = "settings.json") -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps({"enabledPlugins": {"rld@run-log-distill": on}}), encoding="utf-8")


def test_an_installed_plugin_is_found(repo: Path, home: Path) -> None:
    register(
        home, [{"scope": "project", "projectPath": str(repo), "version": base.version(), "installPath": str(repo)}]
    )
    assert "no settings file switches it on" in machine.installed(project(repo), base.PLUGIN).message
    switch_on(repo / ".claude", True)
    found = machine.installed(project(repo), base.PLUGIN)
    assert found.state == OK and "scope project" in found.message
    switch_on(repo / ".claude", False, "settings.local.json")
    found = machine.installed(project(repo), base.PLUGIN)
    assert found.state == WARN and "settings.local.json switches the plugin off" in found.message


INSTALLATIONS: "dict[str, tuple[object, str, str]]" = {
    "for everybody": ([{"scope": "user"}], OK, "scope user"),
    "for another project": (
        [{"scope": "project", "projectPath": "/elsewhere"}],
        WARN,
        "not installed for this project",
    ),
    "whose files are gone": ([{"scope": "user", "installPath": "/nowhere/at/all"}], FAIL, "/nowhere/at/all"),
    "of another version": ([{"scope": "user", "version": "99.0"}], WARN, "the client has 99.0"),
    "in an older form": ({"scope": "user"}, OK, "scope user"),
    "in an unknown form": ("[]", WARN, "not installed"),
    "in a torn file": ("{", WARN, "not installed"),
}


@pytest.mark.parametrize(("entry", "state", "words"), INSTALLATIONS.values(), ids=INSTALLATIONS)
def test_an_installation(repo: Path, home: Path, entry: object, state: str, words: str) -> None:
    register(home, entry)
    switch_on(home, True)
    found = machine.installed(project(repo), base.PLUGIN)
    assert found.state == state
    assert words in found.message


def test_without_the_clients_register_nobody_can_tell(repo: Path) -> None:
    assert machine.installed(project(repo), base.PLUGIN).message.startswith("cannot tell")


# The hook


def test_the_real_hook_gives_a_digest_in_time(repo: Path) -> None:
    text = "## Production guardrails\n\n### Guardrail 4: No calls\n\nIt is FORBIDDEN to call.\n\n- **Why:** it broke.\n"
    (repo / "POST_MORTEM.md").write_text(text, encoding="utf-8")
    trial = hooktrial.run(project(repo), base.PLUGIN)
    assert trial.problem == ""
    assert os.path.isabs(trial.python) and os.access(trial.python, os.X_OK)
    answer = trial.answer()
    assert answer is not None and "No calls" in json.dumps(answer)
    found = machine.session_start(trial)
    assert found.state == OK and "digest of 0 characters" not in found.message


def test_without_python_the_hooks_are_off_and_it_says_so(
    repo: Path, plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = (plugin / "hooks" / "launch").read_text(encoding="utf-8")
    assert "/usr/bin/python3" in launcher  # its last resort, which this machine may have
    (plugin / "hooks" / "launch").write_text(launcher.replace("/usr/bin/python3", ""), encoding="utf-8")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "mkdir", "mv"):
        (folder / name).symlink_to(shutil.which(name) or name)
    # As Windows has it: a python3 that only opens the Store (anthropics/claude-code#57946).
    program(folder, "python3", "exit 49\n")
    monkeypatch.setenv("PATH", str(folder))
    found = machine.hook_python(project(repo), hooktrial.run(project(repo), plugin))
    assert found.state == FAIL and "no Python 3.9 or newer" in found.message


SCRIPTS = {
    "that prints no JSON": ("print('hello')\n", "no JSON"),
    "that ends with a status": ("import sys\nsys.exit('oops')\n", "ended with status 1 and said: oops"),
    "whose digest is too long": (
        "print('{\"hookSpecificOutput\": {\"additionalContext\": \"' + 'x' * 9001 + '\"}}')\n",
        "digest of 9001 characters",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("script", "words"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_hook(repo: Path, plugin: Path, script: str, words: str) -> None:
    (plugin / "hooks" / "session_start.py").write_text(script, encoding="utf-8")
    found = machine.session_start(hooktrial.run(project(repo), plugin))
    assert found.state == FAIL
    assert words in found.message


def test_a_hook_that_hangs_is_broken(repo: Path, plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (plugin / "hooks" / "session_start.py").write_text("while True: pass\n", encoding="utf-8")
    monkeypatch.setattr(hooktrial, "LIMIT", 0.3)
    trial = hooktrial.run(project(repo), plugin)
    assert machine.session_start(trial).state == FAIL and "gives up" in trial.problem
    assert machine.hook_python(project(repo), trial).state == OK  # the launcher had found it by then


def test_a_hooks_file_that_names_no_hook_is_broken(repo: Path, plugin: Path) -> None:
    (plugin / "hooks" / "hooks.json").write_text("{}", encoding="utf-8")
    trial = hooktrial.run(project(repo), plugin)
    assert "names no SessionStart hook" in machine.session_start(trial).message
    assert machine.hook_python(project(repo), trial).state == WARN


def test_the_remembered_interpreter_is_named(repo: Path, home: Path) -> None:
    data = home / "plugins" / "data" / "rld-run-log-distill"
    data.mkdir(parents=True)
    trial = hooktrial.run(project(repo), base.PLUGIN)
    (data / "python").write_text(sys.executable + ".other\n", encoding="utf-8")
    assert "it will be looked for anew" in machine.hook_python(project(repo), trial).message
    program(data, "mine", "")
    (data / "python").write_text(str(data / "mine") + "\n", encoding="utf-8")
    assert "sessions use %s" % (data / "mine") in machine.hook_python(project(repo), trial).message


def test_the_trial_leaves_nothing_behind(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir(mode=stat.S_IRWXU)
    monkeypatch.setattr(hooktrial.tempfile, "tempdir", str(scratch))
    hooktrial.run(project(repo), base.PLUGIN)
    assert list(scratch.iterdir()) == []
