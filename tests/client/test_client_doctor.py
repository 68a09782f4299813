"""`rld doctor --client` with the real clients: what it proves, what it starts, and what it leaves behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from session import PLUGIN, Client, newest

from rld import clientrun, clienttrial, delivery, project, settings, trialreport

POINTER = "👉 IMPORTANT: you MUST first read POST_MORTEM.md.\n\n# Seats\n"


def guardrail(number: int, scope: str = "") -> str:
    fields = "- **Why:** two tabs sold one seat.\n" + ("- **Scope:** `%s`\n" % scope if scope else "")
    return "### Guardrail %d: Seat rule %d 渡し舟 👉\n\nA hold MUST have an end.\n\n%s\n" % (number, number, fields)


def post_mortem(*records: str) -> str:
    return "# Post-mortem\n\n## Production guardrails\n\n" + "".join(records)


FILES = {
    "POST_MORTEM.md": post_mortem(guardrail(1), guardrail(2, "seats.py")),
    "CLAUDE.md": POINTER,
    "seats.py": "x = 1\n",
}


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"/" for path in folder.rglob("*")}


class Doctor:
    """The verb as a user of this client runs it: in a terminal, with a HOME that the client has been used in."""

    def __init__(self, client: Client) -> None:
        self.home = client.home
        self.temporary = client.scratch / "t"
        self.temporary.mkdir()
        (self.home / ".claude" / "projects").mkdir(parents=True)
        (self.home / ".claude" / "settings.json").write_text('{"model": "opus"}\n', encoding="utf-8")
        (self.home / ".claude.json").write_text('{"hasCompletedOnboarding": true}\n', encoding="utf-8")
        names = ("HOME", "TERM", "LANG", "RLD_HOME")
        self.env = {name: client.base_env[name] for name in names}
        self.env["PATH"] = str(client.binary.parent) + os.pathsep + client.base_env["PATH"]
        self.env["TMPDIR"] = str(self.temporary)

    def run(self, cwd: Path, *more: str, **env: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-I", "-X", "utf8", str(PLUGIN / "scripts" / "rld_main.py"), "doctor", "--client"]
        return subprocess.run(
            [*program, *more], cwd=cwd, env={**self.env, **env}, capture_output=True, encoding="utf-8", check=False
        )

    def ask(self, cwd: Path, **env: str) -> Any:
        return json.loads(self.run(cwd, "--json", **env).stdout)["client"]


@pytest.fixture
def doctor(client: Client) -> Doctor:
    return Doctor(client)


def test_the_digest_the_entry_point_and_a_files_record_reach_the_model(client: Client, doctor: Doctor) -> None:
    answer = doctor.ask(client.project(FILES))
    assert (answer["version"], answer["delivered"], answer["why"]) == (client.version, True, "")
    assert answer["records"] == {
        "sent": ["guardrail-1", "guardrail-2"],
        "arrived": ["guardrail-1", "guardrail-2"],
        "missing": [],
        "left_out": [],
    }
    assert answer["lines"] == {"sent": 5, "arrived": 5, "missing": []}
    assert answer["units"] == answer["units_arrived"] < answer["limit"] < answer["cut_at"]
    assert answer["entry_points"] == [{"file": "CLAUDE.md", "arrived": True, "pointer_first": True}]
    assert answer["opened"] == {"file": "seats.py", "arrived": ["guardrail-2"]}
    assert answer["refused"] == []


@newest
def test_the_screen_says_it_in_a_few_lines(client: Client, doctor: Doctor) -> None:
    done = doctor.run(client.project(FILES))
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout.partition("\nDelivery: ")[2]
    assert said.startswith(
        "what client %s, with a stand-in for the model on 127.0.0.1, would have sent\n" % client.version
    )
    for words in (
        "digest          reached the model whole: 5 of 5 lines, 2 of 2 records\n",
        "entry point     CLAUDE.md reached the model, with the pointer on its first line\n",
        "opened file     when seats.py was opened, Guardrail 2 came word for word\n",
        "traces          no tokens, no account, no request but to 127.0.0.1",
    ):
        assert "  ok    " + words in said


def test_of_200_records_those_without_room_are_left_out_and_not_missing(client: Client, doctor: Doctor) -> None:
    files = {"src/%d.py" % n: "x = %d\n" % n for n in range(40)}
    records = [guardrail(n, "src/%d.py" % (n % 40) if n % 2 else "") for n in range(1, 201)]
    cwd = client.project({"POST_MORTEM.md": post_mortem(*records), **files})
    answer = doctor.ask(cwd)
    assert answer["delivered"] and answer["records"]["missing"] == answer["lines"]["missing"] == []
    sent, out = answer["records"]["sent"], answer["records"]["left_out"]
    assert answer["records"]["arrived"] == sent and len(sent) > 50 and len(out) > 50
    assert sorted(sent + out) == sorted("guardrail-%d" % n for n in range(1, 201))
    assert answer["opened"]["arrived"] and answer["entry_points"] == []
    said = doctor.run(cwd).stdout
    assert "left out of it for room, as it says itself: %d guardrails; " % len(out) in said


def test_nothing_of_the_users_and_the_projects_is_touched(client: Client, doctor: Doctor) -> None:
    cwd = client.project(FILES)
    home = everything(doctor.home)
    doctor.run(cwd)  # what is kept between session starts is there now
    before = everything(cwd)
    assert doctor.run(cwd).returncode == 0
    assert everything(cwd) == before and everything(doctor.home) == home
    assert not (cwd / ".git/rld/evidence").exists()
    assert list(doctor.temporary.iterdir()) == []


@newest
def test_without_git_nothing_is_left_in_the_project(client: Client, doctor: Doctor) -> None:
    cwd = client.scratch / "plain"
    cwd.mkdir()
    for name, text in FILES.items():
        (cwd / name).write_text(text, encoding="utf-8")
    before = everything(cwd)
    assert doctor.ask(cwd)["delivered"]
    assert everything(cwd) == before


@newest
def test_nothing_that_the_projects_own_settings_name_is_started(client: Client, doctor: Doctor) -> None:
    """Its hooks, its MCP servers, its other plugins, its variables."""
    ran = client.scratch / "ran"
    touch = "touch '%s'" % ran
    shop = client.scratch / "shop"
    (shop / ".claude-plugin").mkdir(parents=True)
    (shop / "hooks").mkdir()
    hook = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": touch}]}]}}
    entry = {"name": "other", "source": "./", "description": "x"}
    for path, value in {
        ".claude-plugin/marketplace.json": {"name": "shop", "owner": {"name": "o"}, "plugins": [entry]},
        ".claude-plugin/plugin.json": {"name": "other", "version": "1.0.0", "description": "x"},
        "hooks/hooks.json": hook,
    }.items():
        (shop / path).write_text(json.dumps(value), encoding="utf-8")
    own = {
        **hook,
        "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"},  # in an ordinary run it is stronger than the caller's own
        "apiKeyHelper": touch,
        "extraKnownMarketplaces": {"shop": {"source": {"source": "directory", "path": str(shop)}}},
        "enabledPlugins": {"other@shop": True},
        "enableAllProjectMcpServers": True,
    }
    servers = {"mcpServers": {"mine": {"command": "sh", "args": ["-c", touch]}}}
    cwd = client.project({**FILES, ".claude/settings.json": json.dumps(own), ".mcp.json": json.dumps(servers)})
    answer = doctor.ask(cwd)
    assert answer["delivered"] and answer["entry_points"][0]["arrived"]
    assert not ran.exists()
    (cwd / ".claude/settings.json").write_text(json.dumps(hook), encoding="utf-8")
    client.run("hello", cwd=cwd)
    assert ran.exists(), "an ordinary run starts them"


def test_agents_md_alone_reaches_the_model_where_the_client_reads_it(client: Client, doctor: Doctor) -> None:
    """Measured: 2.1.332 reads it where nothing of CLAUDE.md's names is there, 2.1.197 never."""
    files = {"POST_MORTEM.md": FILES["POST_MORTEM.md"], "AGENTS.md": POINTER, ".rld.yml": "entry_points: [AGENTS.md]\n"}
    reads_it = client.version == "2.1.332"
    cwd = client.project(files)
    assert doctor.ask(cwd)["entry_points"] == [{"file": "AGENTS.md", "arrived": reads_it, "pointer_first": reads_it}]
    if not reads_it:
        assert "AGENTS.md did not reach the model: the client 2.1.197 does not load it here" in doctor.run(cwd).stdout
    (cwd / "CLAUDE.local.md").write_text("mine\n", encoding="utf-8")
    assert not doctor.ask(cwd)["entry_points"][0]["arrived"]
    (cwd / "CLAUDE.md").write_text("@AGENTS.md\n", encoding="utf-8")
    assert doctor.ask(cwd)["entry_points"][0] == {"file": "AGENTS.md", "arrived": True, "pointer_first": True}


@newest
def test_a_pointer_that_the_client_strips_did_not_arrive(client: Client, doctor: Doctor) -> None:
    cwd = client.project({**FILES, "CLAUDE.md": "<!-- read POST_MORTEM.md first -->\n\n# Seats\n"})
    assert doctor.ask(cwd)["entry_points"] == [{"file": "CLAUDE.md", "arrived": True, "pointer_first": False}]


@pytest.mark.parametrize("how", ["the plugin is off", "the variable is set"])
def test_switched_off_is_said_with_its_reason(client: Client, doctor: Doctor, how: str) -> None:
    off = json.dumps({"enabledPlugins": {"rld@run-log-distill": False}})
    is_variable = how == "the variable is set"
    cwd = client.project(FILES if is_variable else {**FILES, ".claude/settings.json": off})
    done = doctor.run(cwd, **({"RLD_DISABLED": "1"} if is_variable else {}))
    assert done.returncode == 1
    reason = "RLD_DISABLED is set" if is_variable else "%s/.claude/settings.json switches the plugin off" % cwd
    assert "fail  digest          nothing arrives: " + reason in done.stdout


def copy_of_the_plugin(client: Client, hook: str) -> Path:
    """The plugin with another SessionStart hook."""
    copy = client.scratch / "a plugin"
    for name in (".claude-plugin", "hooks", "scripts/rld"):
        shutil.copytree(PLUGIN / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "hooks" / "session_start.py").write_text(hook, encoding="utf-8")
    return copy


BROKEN = {
    "fails": ("import sys\nsys.exit('no such ferry')\n", "the hook ended with status 1 and said: no such ferry"),
    "says nothing": ("", "the hook ran and said nothing"),
    "prints no JSON for the model": (
        'print(\'{"systemMessage": "hello"}\')\n',
        "the client left its words out of the request",
    ),
}


@newest
@pytest.mark.parametrize(("hook", "words"), BROKEN.values(), ids=BROKEN)
def test_a_hook_that(client: Client, monkeypatch: pytest.MonkeyPatch, hook: str, words: str) -> None:
    monkeypatch.setenv("PATH", str(client.binary.parent) + os.pathsep + client.base_env["PATH"])
    monkeypatch.setenv("HOME", str(client.home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    found = project.find(str(client.project(FILES)))
    assert found is not None
    trial = clienttrial.run(found, copy_of_the_plugin(client, hook), settings.Settings({}))
    assert trial.delivery is not None and trial.delivery.is_nothing
    assert words in str(trialreport.as_dict(trial)["why"])


def test_what_the_client_cuts_is_seen_to_be_cut(client: Client) -> None:
    """Above 10,000 units it shows the model the first 2,000."""
    lines = ["- Guardrail %d: %s" % (n, "a seat is sold once. " * 4) for n in range(1, 121)]
    text = "\n".join(lines)
    hook = "import json\nprint(json.dumps({'hookSpecificOutput': {'hookEventName': 'SessionStart', 'additionalContext': %r}}))\n"
    plugin = copy_of_the_plugin(client, hook % text)
    cwd = client.project(FILES)
    with clientrun.scratch() as place:
        more = ["--setting-sources", "user", "--plugin-dir", str(plugin)]
        run = clientrun.start(str(client.binary), more, str(cwd), place)
    found = delivery.compare(
        text, [("guardrail-%d" % n, lines[n - 1]) for n in range(1, 121)], delivery.texts(run.asked[0])
    )
    assert found.units > delivery.CUT_AT and found.was_cut and not found.is_whole
    assert 1500 < found.units_arrived <= 2000
    assert found.arrived[0] == "guardrail-1" and found.missing[-1] == "guardrail-%d" % 120


def test_what_the_client_asks_of_other_machines_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the variables that keep it quiet it asks; its proxy is the stand-in."""
    monkeypatch.setattr(clientrun, "QUIET", ())
    with clientrun.scratch() as place:
        run = clientrun.start(str(client.binary), [], str(client.project(FILES)), place)
    assert run.status == 0 and len(run.asked) == 1
    assert run.refused and all(place.endswith(":443") for place in run.refused)
