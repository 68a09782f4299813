"""The whole loop in the real client: what reaches the model is what the recorded requests hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import agent, bash, edit, read, say, tool, write
from session import PLUGIN, Client, Result

RULES = "".join(
    "%d. It is FORBIDDEN to sell seat %d twice. A hold has an end.\n   - **Why:** the choir of %d stood outside.\n"
    % (n, n, 1900 + n)
    for n in range(1, 26)
)
ARTICLE = "# POST MORTEM: Choir tickets\n\n## 2. PRODUCTION GUARDRAILS\n\n" + RULES
PLAN = "# Seats\n\n### Item 1: hold a seat\n\n### Item 2: release it\n\n**Depends on:** Item 1\n"
FILES = {"docs/plan.md": PLAN, "verify.sh": "test ! -e broken\n", "seats.py": "hold = 1\n"}
ENTRY = """\
[Verified Facts] The seat is held before the card is charged.
[What Worked] A hold is a row with an end, see `hold` and $(hold).
[Distilled Rules] A hold MUST have an end.
[Pitfalls & What to Avoid] The clock of the test stood still.
[What's Next] Item 2, unblocked by this one."""
CANDIDATE = """\
## add guardrail: A hold has an end

A hold MUST have an end that the server decides.

- **Why:** a tab that was left open kept the best seat for a week.
- **Scope:** `seats.py`
- **Evidence:** Item 1"""
YES = ("--allowedTools", "Bash(rld apply:*)")  # stands for the human's yes in the client's dialog


def log(item: str) -> str:
    return "rld log --item %s <<'EOF'\n%s\nEOF" % (item, ENTRY)


def hooks_said(result: Result, number: int) -> str:
    return result.requests[number].context()


def in_a_terminal(cwd: Path, *args: str) -> str:
    """What a verb prints to the human, outside of any session."""
    run = [sys.executable, str(PLUGIN / "scripts" / "rld_main.py"), *args]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
    return subprocess.run(run, cwd=cwd, env=environment, check=True, capture_output=True, encoding="utf-8").stdout


def test_all_guardrails_of_an_article_style_file_are_in_the_first_request(client: Client) -> None:
    cwd = client.project({"POST_MORTEM.md": ARTICLE})
    result = client.run("hello", [say("hi")], cwd=cwd)
    said = hooks_said(result, 0)
    for number in range(1, 26):
        assert "Guardrail %d: It is FORBIDDEN to sell seat %d twice" % (number, number) in said
    assert "25 guardrails" in said and "Left out" not in said
    assert any("25 guardrails from POST_MORTEM.md" in line for line in result.system_messages("SessionStart"))


@pytest.mark.parametrize("cap", [1_500, 6_000, 9_000])
def test_what_does_not_fit_is_counted(client: Client, cap: int) -> None:
    rules = "".join("%d. It is FORBIDDEN to %s\n" % (n, "sell and sell again " * 9) for n in range(1, 120))
    settings = "digest: {max_chars: %d}\n" % cap
    cwd = client.project({"POST_MORTEM.md": "# P\n\n## PRODUCTION GUARDRAILS\n\n" + rules, ".rld.yml": settings})
    said = hooks_said(client.run("hello", [say("hi")], cwd=cwd), 0)
    end = "and POST_MORTEM.md is the whole."
    notes = said[said.index("Project notes") : said.index(end) + len(end)]
    listed = notes.count("\n- Guardrail ")
    assert 2 < listed < 119
    assert "Left out here for room: %d guardrails" % (119 - listed) in notes
    assert cap * 0.7 < len(notes) <= cap


def test_a_repository_without_any_of_it_hears_nothing(client: Client) -> None:
    cwd = client.project({"a.py": "x = 1\n"})
    result = client.run(
        "hello", [bash("ls"), write(str(cwd / "b.py"), "y"), say("hi")], cwd=cwd, permission_mode="acceptEdits"
    )
    assert not any(
        "rld: " in text for event in ("SessionStart", "PostToolUse", "Stop") for text in result.system_messages(event)
    )
    assert "Project notes" not in "".join(request.context() for request in result.requests)
    assert not (cwd / ".git" / "rld").exists()


def test_a_passing_verify_is_nudged_and_stop_asks_for_the_entry_once(client: Client) -> None:
    cwd = client.project(FILES)
    script = [
        bash('rld run start docs/plan.md --verify "sh verify.sh"'),
        bash("touch broken; sh verify.sh"),
        bash("rm broken; sh verify.sh | tail -3"),
        bash("sh verify.sh"),
        say("I stop here."),
        say("I really stop."),
    ]
    result = client.run(
        '/run-plan docs/plan.md "sh verify.sh"', script, cwd=cwd, extra_args=("--dangerously-skip-permissions",)
    )
    assert len(list((cwd / "docs/worklog").glob("*.md"))) == 1
    nudge = "has no entry for that work. The plan's next unblocked item is Item 1 (hold a seat)"
    assert [nudge in request.context() for request in result.requests[:4]] == [False] * 4
    assert nudge in hooks_said(result, 4)
    assert "`sh verify.sh` exit 0 (observed)" in hooks_said(result, 4)
    assert len(result.requests) == 6, "asked once and never again"
    assert "What is missing is that entry" in result.requests[5].text()
    assert result.output["result"] == "I really stop."


def test_the_loop_from_the_journal_to_the_next_session(client: Client) -> None:
    cwd = client.project(FILES)
    first = client.run(
        '/run-plan docs/plan.md "sh verify.sh"',
        [
            bash('rld run start docs/plan.md --verify "sh verify.sh" --tag feature'),
            bash("rld verify"),
            bash(log("1")),
            bash(log("2")),
            say("Item 1 is done."),
        ],
        cwd=cwd,
    )
    assert first.denied() == []
    refused = "".join(first.requests[-1].tool_results())
    assert "the human has not said a word since" in refused
    journal = next((cwd / "docs/worklog").glob("*.md"))
    assert "see `hold` and $(hold)" in journal.read_text(encoding="utf-8")

    resumed = client.run(
        "/run-plan", [bash("rld run start"), bash("rld verify"), bash(log("2")), say("All done.")], cwd=cwd
    )
    assert "Every item is logged" in "".join(resumed.requests[-1].tool_results())

    propose = "rld propose <<'EOF'\n%s\nEOF" % CANDIDATE
    compact = client.run(
        "/rld:compact", [bash(propose), bash("rld apply --accept 1"), say("Done.")], cwd=cwd, extra_args=YES
    )
    assert "A hold MUST have an end." in compact.requests[0].text(), "the brief holds the journal"
    assert "add guardrail: A hold has an end" in "".join(compact.requests[1].tool_results())
    text = (cwd / "POST_MORTEM.md").read_text(encoding="utf-8")
    assert text.count("### Guardrail ") == 1 and "### Guardrail 1: A hold has an end" in text
    assert not journal.exists() and (cwd / "docs/worklog/archive" / journal.name).exists()
    assert list((cwd / "docs/worklog").glob("*.proposal.md")) == []

    following = client.run("hello", [say("hi")], cwd=cwd)
    assert "Guardrail 1: A hold has an end. A hold MUST have an end that the server decides. (seats.py)" in hooks_said(
        following, 0
    )


def test_apply_waits_for_the_human(client: Client) -> None:
    cwd = client.project({**FILES, "POST_MORTEM.md": ARTICLE})
    propose = "rld propose <<'EOF'\n---\nsession: one\n---\n%s\nEOF" % CANDIDATE.replace("Item 1", "`sh verify.sh`")
    result = client.run("/distill", [bash(propose), bash("rld apply --accept 1"), say("Waiting.")], cwd=cwd)
    assert [d for d in result.denied() if "apply" in d] == result.denied() != []
    assert (cwd / "POST_MORTEM.md").read_text(encoding="utf-8") == ARTICLE


def test_a_session_that_closes_undistilled_is_named_by_the_next_one(client: Client) -> None:
    cwd = client.project({**FILES, "POST_MORTEM.md": ARTICLE, "broken": ""})
    first = client.run(
        "mend it",
        [bash("sh verify.sh"), read(str(cwd / "seats.py")), edit(str(cwd / "seats.py"), "hold = 1", "hold = 2"),
         bash("rm broken"), bash("sh verify.sh"), say("Mended.")],
        cwd=cwd,
        extra_args=("--dangerously-skip-permissions",),
    )  # fmt: skip
    assert any("/distill keeps what it learned" in line for line in first.system_messages("Stop"))
    short = str(first.session_id)[:8]
    following = client.run("hello", [say("hi")], cwd=cwd)
    assert "1 file changed, 1 failing command made to pass; `/distill %s`" % short in hooks_said(following, 0)
    assert any("/distill %s" % short in line for line in following.system_messages("SessionStart"))
    assert (
        "%s of " % short in (told := in_a_terminal(cwd, "status"))
        and "is not distilled (1 file, 1 failure): /distill " + short in told
    )


def test_a_subagent_is_never_nudged(client: Client) -> None:
    cwd = client.project(FILES)
    script = [
        bash('rld run start docs/plan.md --verify "sh verify.sh"'),
        agent("verify it", "general-purpose"),
        say("ok"),
    ]
    result = client.run(
        "/run-plan docs/plan.md", script, cwd=cwd, subagents=[bash("sh verify.sh"), say("passed")],
        extra_args=("--dangerously-skip-permissions",),
    )  # fmt: skip
    assert result.subagent_requests
    assert all("has no entry for that work" not in request.text() for request in result.all_requests)


def test_only_the_humans_word_approves_the_next_item(client: Client) -> None:
    """Neither a stop that was held up nor the news of a background agent is one: the client calls both a turn."""
    cwd = client.project(FILES)
    news = tool("Agent", description="look", prompt="look", subagent_type="general-purpose", run_in_background=True)
    script = [
        bash('rld run start docs/plan.md --verify "sh verify.sh"'),
        bash("touch broken; rld verify"),
        bash(log("1")),
        bash("rm broken; rld verify"),
        say("Item 1 passes."),  # held up here, and asked for the entry
        bash(log("1")),
        news,
        say("Waiting."),  # until the news comes
        bash("rld verify"),
        bash(log("2")),
        say("I wait."),
    ]
    first = client.run(
        "/run-plan docs/plan.md",
        script,
        cwd=cwd,
        subagents=[bash("sleep 0.3"), say("I saw it.")],
        extra_args=("--dangerously-skip-permissions",),
    )
    told = first.all_requests[-1].text()
    assert "the last `sh verify.sh` did not pass: exit 1" in told, "no entry without a pass"
    assert "What is missing is that entry" in told and "Item 1 is logged" in told
    assert "I saw it." in told, "the news came"
    assert "item 1 was logged and the human has not said a word since" in told
    assert "Item 2 is logged" not in told

    script = [bash("rld verify"), bash(log("2")), say("Done.")]
    second = client.run(
        "yes, item 2", script, cwd=cwd, resume=first.session_id, extra_args=("--dangerously-skip-permissions",)
    )
    assert "Every item is logged" in second.requests[-1].text()
