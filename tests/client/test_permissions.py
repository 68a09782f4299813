"""Which of rld's verbs the client lets run without asking the human, and which it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import bash, edit, read, say, write
from session import PLUGIN, Client, newest

from rld import clientsettings

PLAN = "# Seats\n\n### Item 1: hold a seat\n\n### Item 2: release it\n"
ENTRY = "\n".join(
    "[%s] `x` and $(y), done." % label
    for label in ("Verified Facts", "What Worked", "Distilled Rules", "Pitfalls & What to Avoid", "What's Next")
)
CANDIDATE = """\
## add pitfall: The verify needs a file

- **Symptom:** `verify.sh: seats.py is gone`
- **Root cause:** the clean target removes it.
- **Diagnose:** `ls seats.py`
- **Fix:** check it out again.
- **Evidence:** Item 1"""


def rld(cwd: Path, *args: str) -> None:
    environment = {**os.environ, "CLAUDE_CODE_SESSION_ID": ""}
    run = [sys.executable, str(PLUGIN / "scripts" / "rld_main.py"), *args]
    subprocess.run(run, cwd=cwd, env=environment, check=True, capture_output=True)


@pytest.fixture
def project(client: Client) -> Path:
    cwd = client.project({"docs/plan.md": PLAN, "verify.sh": "true\n", "seats.py": "x = 1\n"})
    rld(cwd, "init")
    client.trust(cwd)
    return cwd


def test_after_init_the_everyday_verbs_run_unasked_in_every_turn(client: Client, project: Path) -> None:
    first = client.run(
        "please start",
        [bash('rld run start docs/plan.md --verify "sh verify.sh"'), bash("rld status"), say("Started.")],
        cwd=project,
    )
    log = "rld log --item 1 <<'EOF'\n%s\nEOF" % ENTRY
    second = client.run("go on", [bash("rld verify"), bash(log), say("Logged.")], cwd=project, resume=first.session_id)
    propose = "rld propose <<'EOF'\n%s\nEOF" % CANDIDATE
    third = client.run(
        "and now", [bash("rld brief"), bash(propose), bash("rld list"), bash("rld apply --accept 1"), say("Waiting.")],
        cwd=project, resume=first.session_id,
    )  # fmt: skip
    assert first.denied() == []
    assert second.denied() == []
    assert "Item 1 is logged" in "".join(second.requests[-1].tool_results())
    assert len(third.denied()) == 1 and "rld apply" in third.denied()[0]
    assert "add pitfall: The verify needs a file" in "".join(third.requests[-1].tool_results())


def test_without_init_a_command_allows_its_verbs_in_its_own_turn(client: Client) -> None:
    cwd = client.project({"docs/plan.md": PLAN, "verify.sh": "true\n", "seats.py": "x = 1\n"})
    client.trust(cwd)
    start = bash('rld run start docs/plan.md --verify "sh verify.sh"')
    log = bash("rld log --item 1 <<'EOF'\n%s\nEOF" % ENTRY)
    first = client.run('/run-plan docs/plan.md "sh verify.sh"', [start, bash("rld verify"), say("Waiting.")], cwd=cwd)
    second = client.run("go on", [bash("rld verify"), say("I may not.")], cwd=cwd, resume=first.session_id)
    third = client.run("/run-plan", [bash("rld verify"), log, say("Logged.")], cwd=cwd, resume=first.session_id)
    assert (first.denied(), second.denied(), third.denied()) == ([], ["rld verify"], [])
    assert "Item 1 is logged" in "".join(third.requests[-1].tool_results())
    propose = "rld propose <<'EOF'\n%s\nEOF" % CANDIDATE
    script = [bash("rld brief"), bash(propose), bash("rld apply --accept 1"), say("Waiting.")]
    assert client.run("/rld:compact", script, cwd=cwd).denied() == ["rld apply --accept 1"]
    assert not (cwd / "POST_MORTEM.md").exists() and not (cwd / ".claude").exists()


def test_the_human_is_asked_about_apply_in_every_mode(client: Client, project: Path) -> None:
    for mode in ("default", "acceptEdits", "bypassPermissions"):
        result = client.run("go", [bash("rld apply --accept 1"), say("ok")], cwd=project, permission_mode=mode)
        assert ["rld apply" in d for d in result.denied()] == [True], mode


def test_the_rules_name_no_verb_that_needs_the_humans_yes() -> None:
    allowed = " ".join(clientsettings.ALLOW)
    for verb in ("apply", "trust", "repeal", "adopt", "collapse", "init"):
        assert "rld %s" % verb not in allowed
        assert any("rld %s" % verb in rule for rule in clientsettings.ASK)


def test_a_direct_edit_of_the_post_mortem_is_answered_with_the_way(client: Client, project: Path) -> None:
    post_mortem = project / "POST_MORTEM.md"
    before = post_mortem.read_bytes()
    script = [
        read(str(post_mortem)),
        edit(str(post_mortem), "# Post-mortem", "# Mine"),
        write(str(post_mortem), "# Mine"),
        write(str(project / "notes.md"), "a note"),
        write(str(project / "notes.txt"), "a note"),
        say("ok"),
    ]
    result = client.run("go", script, cwd=project, permission_mode="bypassPermissions")
    answers = result.requests[-1].tool_results()
    assert ["A change is proposed" in answer for answer in answers] == [False, True, True, False, False]
    assert post_mortem.read_bytes() == before
    assert [hook["hook_name"] for hook in result.hooks("PreToolUse")] == [
        "PreToolUse:Edit",
        "PreToolUse:Write",
        "PreToolUse:Write",
    ]


@newest
@pytest.mark.parametrize(("setting", "denied"), [("protect: ask", True), ("protect: off", False)])
def test_protect_can_ask_or_be_off(client: Client, project: Path, setting: str, denied: bool) -> None:
    (project / ".rld.yml").write_text(setting + "\n", encoding="utf-8")
    post_mortem = project / "POST_MORTEM.md"
    script = [read(str(post_mortem)), edit(str(post_mortem), "# Post-mortem", "# Mine"), say("ok")]
    result = client.run("go", script, cwd=project, permission_mode="bypassPermissions")
    assert bool(result.denied()) == denied
    assert post_mortem.read_text(encoding="utf-8").startswith("# Post-mortem" if denied else "# Mine")
