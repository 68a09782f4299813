"""A run from its first item to its last in the real client, over several turns, and one that is killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from loopback import bash, edit, read, say, write
from session import PLUGIN, Client, Result

from rld import journal

# 1 is above all; 2 and 3 are the sides of the diamond, 4 closes it; 5 is a quick win; 6 ends the plan.
PLAN = """\
# Seats

### Item 1: hold a seat

### Item 2: release it

**Depends on:** Item 1

### Item 3: show the holds

**Depends on:** Item 1

### Item 4: count them

**Depends on:** Items 2 and 3

### Item 5: new colour (quick win)

### Item 6: mail the list

**Depends on:** Items 4 and 5
"""
ORDER = ["5", "1", "2", "3", "4", "6"]
FILES = {
    "docs/plan.md": PLAN,
    "verify.sh": "test ! -e broken || { echo 'the hold table is locked'; exit 1; }\n",
    "seats.py": "hold = 1\n",
}
ENTRY = """\
[Verified Facts] Item %s done.
[What Worked] A hold is a row with an end.
[Distilled Rules] A hold MUST have an end.
[Pitfalls & What to Avoid] The clock of the test stood still.
[What's Next] The item that this one unblocks."""
NUDGE = "has no entry for that work. The plan's next unblocked item is Item %s"


def log(item: str) -> str:
    return "rld log --item %s <<'EOF'\n%s\nEOF" % (item, ENTRY % item)


def rld(cwd: Path, *args: str) -> str:
    """What a verb prints outside of any session."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
    command = [sys.executable, str(PLUGIN / "scripts" / "rld_main.py"), *args]
    return subprocess.run(command, cwd=cwd, env=environment, check=True, capture_output=True, encoding="utf-8").stdout


def status(cwd: Path) -> Any:
    return json.loads(rld(cwd, "status", "--json"))["run"]


def entries(cwd: Path) -> list[journal.Entry]:
    (path,) = (cwd / "docs/worklog").glob("*.md")
    return journal.parse(path.read_text(encoding="utf-8")).entries


def last_result(result: Result) -> str:
    return result.requests[-1].tool_results()[-1]


def test_a_diamond_is_run_to_its_end_one_item_a_turn(client: Client) -> None:
    cwd = client.project(FILES)
    first = client.run(
        '/run-plan docs/plan.md "sh verify.sh"',
        [
            bash('rld run start docs/plan.md --verify "sh verify.sh" --tag feature'),
            write(cwd / "colour.py", "c = 1\n"),
            bash("rld verify"),
            bash(log("5")),
            bash("rld verify; " + log("1")),
            say("Item 5 is done."),
        ],
        cwd=cwd,
        permission_mode="acceptEdits",
    )
    assert first.denied() == []
    assert NUDGE % "5 (new colour (quick win))" in first.requests[3].context(), "the quick win first"
    assert "ready: Item 1: hold a seat" in first.requests[4].tool_results()[-1]
    assert "item 5 was logged and the human has not said a word since" in last_result(first), (
        "no second item in one turn"
    )
    assert first.output["result"] == "Item 5 is done."

    for number, item in enumerate(ORDER[1:], 2):
        held_up = item == "2"  # this turn ends without the entry, and is asked for it and nothing else
        steps = (
            [bash("rld verify"), say("It passes."), bash(log(item))]
            if held_up
            else [bash("rld verify && " + log(item))]
        )
        script = [
            bash("rld plan next --json"),
            write(cwd / ("item%s.py" % item), "x = 1\n"),
            *steps,
            say("Item %s is done." % item),
            say("This is never asked for."),
        ]
        turn = client.run("/run-plan", script, cwd=cwd, resume=first.session_id, permission_mode="acceptEdits")
        assert turn.denied() == []
        offered = json.loads(turn.requests[1].tool_results()[-1])
        assert offered["ready"][0] == item
        assert [one["id"] for one in offered["items"] if one["state"] == "done"] == sorted(ORDER[: number - 1])
        asked = turn.requests[-2].last_user()
        assert ("What is missing is that entry" in asked and "the next item waits for the human" in asked) == held_up
        assert turn.output["result"] == "Item %s is done." % item, "Stop asks for nothing more"
        assert status(cwd)["done"] == number

    logged = entries(cwd)
    assert [entry.item for entry in logged] == ORDER
    for entry in logged:
        assert not entry.missing and "`sh verify.sh` exit 0 (verified, tree " in entry.fields["facts"]
        assert (
            "Changed: %s." % ("colour.py" if entry.item == "5" else "item%s.py" % entry.item) in entry.fields["facts"]
        )
    assert "Every item is logged" in last_result(turn)
    assert status(cwd) == {**status(cwd), "status": "complete", "done": 6, "total": 6, "ready": []}
    assert any("/rld:compact" in text for text in turn.system_messages("Stop"))


def test_a_client_that_is_killed_in_mid_item_loses_nothing(client: Client) -> None:
    cwd = client.project(FILES)
    seen: list[Any] = []
    group = cwd.parent / "group"

    def kill(_: object) -> Any:
        """The model's answer never comes: the whole client is gone."""
        seen.append(status(cwd))
        os.killpg(int(group.read_text(encoding="utf-8")), signal.SIGKILL)
        return say("nobody hears this")

    script = [
        bash('rld run start docs/plan.md --verify "sh verify.sh"'),
        bash("rld verify"),
        bash(log("5")),
        bash("ps -o pgid= -p $PPID > '%s'" % group),
        read(cwd / "seats.py"),
        edit(cwd / "seats.py", "hold = 1", "hold = 2"),
        kill,
    ]
    killed = client.run(
        '/run-plan docs/plan.md "sh verify.sh"', script, cwd=cwd, extra_args=("--dangerously-skip-permissions",)
    )
    assert killed.returncode == -signal.SIGKILL and killed.output == {}
    assert status(cwd) == seen[0] and seen[0]["done"] == 1 and seen[0]["ready"][0] == "1"

    script = [bash("rld run start"), bash("rld verify"), bash(log("1")), say("Item 1 is done.")]
    again = client.run("/run-plan", script, cwd=cwd, extra_args=("--dangerously-skip-permissions",))
    assert (
        "Open run: docs/plan.md, 1 of 6 items logged; unblocked next: Item 1 (hold a seat)"
        in again.requests[0].context()
    )
    assert "Resumed the run of docs/plan.md" in again.requests[1].tool_results()[-1]
    assert [entry.item for entry in entries(cwd)] == ["5", "1"]
    assert "Changed: seats.py" in entries(cwd)[1].fields["facts"], "what was edited before the kill is in the tree"
    assert status(cwd)["ready"] == ["2", "3"]
