"""A session in the real client, distilled live, from its evidence the next day, and from its transcript where no hooks ran."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from loopback import agent, bash, edit, read, say, write
from session import PLUGIN, Client, Result, newest
from terminal import Tui, needs_tmux

ALLOWED = ("--dangerously-skip-permissions",)
TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
FILES = {
    "POST_MORTEM.md": "# Post-mortem\n",
    ".rld.yml": "verify: sh verify.sh\n",
    "verify.sh": "grep -q 'hold = 10' seats.py || { echo 'HoldError: the hold table is locked'; exit 1; }\n",
    "deploy.sh": "echo 'DockError: dock 9 is taken'; exit 3\n",
    "seats.py": "hold = 1\n",
}
NAMED = [
    "- `sh verify.sh` failed, then passed after changes to seats.py",
    "      Exit code 1",
    "      HoldError: the hold table is locked",
    "- `sh deploy.sh` failed, and was never seen to pass",
    "      Exit code 3",
    "      DockError: dock 9 is taken",
]


def brief(client: Client, cwd: Path, *args: str) -> str:
    """What the human gets outside of any session, with the client's HOME."""
    command = [sys.executable, str(PLUGIN / "scripts" / "rld_main.py"), "brief", *args]
    return subprocess.run(
        command, cwd=cwd, env=client.base_env, check=True, capture_output=True, encoding="utf-8"
    ).stdout


def section(text: str, title: str) -> list[str]:
    rows = text.partition("## %s\n\n" % title)[2].partition("\n\n")[0].split("\n")
    return [row for row in rows if row]


def failures(text: str) -> list[str]:
    """What a brief names, without what only the transcript adds."""
    rows = section(text, "Failures, and what made them pass")
    return [row for row in rows if not re.match(r"  - |      [-+]", row)]


def transcripts(client: Client) -> list[Path]:
    return sorted((client.home / ".claude" / "projects").glob("*/*.jsonl"))


def work(client: Client, cwd: Path, plugin: "Path | None" = PLUGIN) -> Result:
    """Two turns: a failing verify, an edit, a pass; then a correction, an edit without a verify, and a claim."""
    first = client.run(
        "hold a seat, the token is %s" % TOKEN,
        [
            bash("sh verify.sh"),
            read(cwd / "seats.py"),
            edit(cwd / "seats.py", "hold = 1", "hold = 10"),
            agent("look at the berth"),
            bash("sh verify.sh"),
            say("All tests pass. I go on when you say so."),
        ],
        cwd=cwd,
        plugin_dir=plugin,
        subagents=[say("Everything in the berth is fixed.")],
        extra_args=ALLOWED,
    )
    return client.run(
        "no, don't keep it in seats.py",
        [write(cwd / "holds.py", "hold = 100\n"), bash("sh deploy.sh"), say("Done. The deploy works now.")],
        cwd=cwd,
        plugin_dir=plugin,
        resume=first.session_id,
        extra_args=ALLOWED,
    )


def test_the_same_session_live_the_next_day_and_from_its_transcript(client: Client) -> None:
    cwd = client.project(FILES)
    session = work(client, cwd).session_id
    live = brief(client, cwd, "--session", session)
    assert brief(client, cwd, "--last") == brief(client, cwd, "--session", session[:8]) == live

    (kept,) = transcripts(client)
    (noted,) = (cwd / ".git" / "rld" / "evidence").glob("*.jsonl")
    assert noted.read_text(encoding="utf-8").count('"transcript": "%s"' % kept) == 1, "once, over two turns"
    shutil.move(kept, client.scratch / kept.name)
    next_day = brief(client, cwd, "--session", session)

    shutil.move(client.scratch / kept.name, kept)
    shutil.rmtree(cwd / ".git" / "rld")
    without = brief(client, cwd, "--session", session[:8])

    assert failures(live) == failures(next_day) == failures(without) == NAMED
    asked = ["- hold a seat, the token is «redacted»", "- no, don't keep it in seats.py (may be a correction)"]
    for out in (live, next_day, without):
        assert section(out, "What the human asked, and corrected") == asked
        assert section(out, "Files changed (2)") == ["- seats.py", "- holds.py"]
        assert "- changed after the last pass: holds.py" in out and TOKEN not in out and len(out) < 20_000
        assert "session: %s\n" % session in out
    added = ["  - last edit of seats.py:", "      -hold = 1", "      +hold = 10"]
    for out in (live, without):
        rows = section(out, "Failures, and what made them pass")
        assert rows[3:6] == added
        assert section(out, "Claims never verified")[:2] == ["- “Done.”", "- “The deploy works now.”"]
        assert "All tests pass" not in out, "a verify had passed by then"
        assert "Everything in the berth" not in out, "a subagent has a transcript of its own"
    assert "last edit" not in next_day and "Done." not in next_day
    assert "the client's transcript of the session is not there" in next_day
    assert "comes from the client's transcript alone" in without


def test_a_session_without_the_plugin_is_told_from_its_transcript(client: Client) -> None:
    cwd = client.project(FILES)
    session = work(client, cwd, plugin=None).session_id
    assert not (cwd / ".git" / "rld").exists()
    out = brief(client, cwd, "--session", session)
    assert failures(out) == NAMED and "comes from the client's transcript alone" in out


@newest
def test_distill_last_brings_that_brief_before_the_model(client: Client) -> None:
    cwd = client.project(FILES)
    session = work(client, cwd).session_id
    later = client.run("/distill last", [bash("rld brief --last"), say("These are the candidates.")], cwd=cwd)
    assert later.denied() == [] and later.session_id != session
    given = later.requests[-1].tool_results()[-1]
    assert failures(given) == NAMED and "last edit of seats.py" in given and "session: %s\n" % session in given


@newest
def test_a_corrected_session_waits_to_be_distilled(client: Client) -> None:
    cwd = client.project(FILES)
    first = client.run("hold a seat", [write(cwd / "holds.py", "x = 1\n"), say("ok")], cwd=cwd, extra_args=ALLOWED)
    later = client.run("no, that is the wrong file", [say("I see")], cwd=cwd, resume=first.session_id)
    assert any("may have been corrected 1 time" in line for line in later.system_messages("Stop"))
    other = client.run("hello", [say("hi")], cwd=cwd)
    assert "session %s" % first.session_id[:8] in other.requests[0].context()


@needs_tmux
def test_what_the_human_types_while_the_model_works_and_in_refusing_a_call_is_told(client: Client) -> None:
    slow = "n=0; while [ ! -e go ] && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done\n"
    cwd = client.project({**FILES, "slow.sh": slow})
    script = [bash("sh slow.sh"), bash("touch here"), say("I stop here.")]
    with Tui(client, script, cwd=cwd, extra_args=("--allowedTools", "Bash(sh slow.sh)")) as tui:
        tui.type("hold a seat")
        tui.wait_for("slow.sh")
        tui.type("no, look at the berth first")
        time.sleep(1)
        (cwd / "go").touch()
        tui.wait_for("Do you want to proceed?")
        for _ in range(6):
            if re.search(r"❯ \d\. No", tui.screen()):
                break
            tui.press("Down")
            time.sleep(0.3)
        tui.press("Tab")
        time.sleep(0.3)
        tui.type("put it into build")
        tui.wait_for("I stop here.")
    wanted = [
        "- hold a seat",
        "- no, look at the berth first (may be a correction)",
        "- put it into build (said in refusing a tool call, may be a correction)",
    ]
    session = transcripts(client)[0].stem
    for _ in range(20):  # the client writes it when it finds the time
        found = section(brief(client, cwd, "--session", session), "What the human asked, and corrected")
        if found == wanted:
            break
        time.sleep(0.25)
    assert sorted(row.partition(" (")[0] for row in found) == sorted(row.partition(" (")[0] for row in wanted)
    assert found[-1] == wanted[-1] and len(found) == 3
