"""What a session is told of the records, in the real client: at each kind of start, and over many tool calls."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from loopback import bash, read, say
from recorded import Request
from session import Client, Result
from terminal import Tui, needs_tmux

ALLOWED = ("--dangerously-skip-permissions",)
HEAD = "Project notes of this repository, from POST_MORTEM.md"
NEWS = "POST_MORTEM.md changed since this session was told of its records"


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def guardrail(number: int, said: str = "A hold MUST have an end.", scope: str = "") -> str:
    fields = "- **Why:** two tabs sold one seat.\n" + ("- **Scope:** `%s`\n" % scope if scope else "")
    return "### Guardrail %d: Seat rule %d 渡し舟 👉\n\n%s\n\n%s\n" % (number, number, said, fields)


def post_mortem(*records: str) -> str:
    return "# Post-mortem\n\n## Production guardrails\n\n" + "\n".join(records)


def digest_in(request: Request) -> str:
    """The digest in what hooks told this request, from its head to the count of what is left out, or to its last record."""
    rest = request.context()[request.context().index(HEAD) :]
    for end in ("and POST_MORTEM.md is the whole.", "when files of their scope are opened."):
        if end in rest:
            rest = rest[: rest.index(end) + len(end)]
    return rest


def test_a_start_brings_the_digest_once_and_below_its_budget(client: Client) -> None:
    cwd = client.project({"POST_MORTEM.md": post_mortem(*[guardrail(n, scope="part%d/**" % n) for n in range(1, 301)])})
    result = client.run("hello", [bash("ls"), say("hi")], cwd=cwd, extra_args=ALLOWED)
    assert [request.context().count(HEAD) for request in result.requests] == [1, 1]
    told = digest_in(result.requests[0])
    here = told.count("\n- Guardrail ")
    assert 3000 < units(told) <= 6000 and 50 < here < 300
    assert "\n- Guardrail %d: Seat rule %d 渡し舟 👉" % (300, 300) in told, "the newest first, where not all fit"
    assert "Left out here for room: %d guardrails" % (300 - here) in told
    line = "rld: 300 guardrails in force from POST_MORTEM.md: %d here, %d come when their files are opened" % (
        here,
        300 - here,
    )
    assert line in result.system_messages("SessionStart")


def test_what_the_branch_changed_comes_first_where_not_all_fit(client: Client) -> None:
    files = {
        "POST_MORTEM.md": post_mortem(*[guardrail(n, scope="part%d/**" % n) for n in range(1, 301)]),
        "part3/a.py": "x = 1\n",
    }
    cwd = client.project(files)
    (cwd / "part3/a.py").write_text("x = 2\n", encoding="utf-8")
    told = digest_in(client.run("hello", [say("hi")], cwd=cwd).requests[0])
    assert [line for line in told.split("\n") if line.startswith("- Guardrail")][0].startswith("- Guardrail 3: ")


@needs_tmux
def test_clear_and_compact_bring_it_again_and_once(client: Client) -> None:
    cwd = client.project(
        {"POST_MORTEM.md": post_mortem(guardrail(1), guardrail(2, scope="seats.py")), "seats.py": "x = 1\n"}
    )
    script = [
        say("One is done."),
        read(cwd / "seats.py"),
        say("Two is done."),
        say("Three is done."),
        read(cwd / "seats.py"),
        say("Four is done."),
    ]
    with Tui(client, script, cwd=cwd) as tui:
        tui.type("first")
        tui.wait_for("One is done.")
        tui.type("/clear")
        tui.wait_for("SessionStart:clear says: rld: 2 guardrails")
        tui.type("second")
        tui.wait_for("Two is done.")
        tui.type("/compact")
        tui.wait_for("Compacted")
        tui.type("third")
        tui.wait_for("Three is done.")
        tui.type("fourth")
        tui.wait_for("Four is done.")
    asked = client.model.requests_of("main")
    scoped = "Records of this repository for seats.py"
    assert [request.context().count(HEAD) for request in asked] == [1] * 6
    assert [request.context().count(scoped) for request in asked] == [0, 0, 1, 0, 0, 1], (
        "and so does a record of a file"
    )
    for request in asked:
        assert "- Guardrail 1: Seat rule 1 渡し舟 👉. A hold MUST have an end." in request.context()


def commit(client: Client, cwd: Path, text: str) -> None:
    """A reviewed change of the post-mortem, made by somebody else."""
    (cwd / "POST_MORTEM.md").write_text(text, encoding="utf-8")
    subprocess.run(["git", "commit", "-q", "-a", "-m", "a record"], cwd=cwd, env=client.base_env, check=True)


def test_a_resumed_session_hears_only_of_what_changed_and_once(client: Client) -> None:
    cwd = client.project({"POST_MORTEM.md": post_mortem(guardrail(1), guardrail(2), guardrail(3))})
    first = client.run("hello", [say("hi")], cwd=cwd)

    def again() -> Result:
        return client.run("go on", [say("yes")], cwd=cwd, resume=first.session_id)

    same = again()
    assert same.session_id == first.session_id
    assert same.requests[0].context().count(HEAD) == 1 and NEWS not in same.requests[0].context()
    assert not [line for line in same.system_messages("SessionStart") if line.startswith("rld")]

    commit(client, cwd, post_mortem(guardrail(1), guardrail(3, "A hold MUST end at noon."), guardrail(4)))
    changed = again()
    told = changed.requests[0].context()
    assert told.count(HEAD) == told.count(NEWS) == 1
    news = told[told.index(NEWS) :]
    assert news.count("\n- ") == 3
    for line in (
        "- changed: Guardrail 3: Seat rule 3 渡し舟 👉. A hold MUST end at noon.",
        "- no longer in force: guardrail-2",
        "- new: Guardrail 4:",
    ):
        assert line in news
    assert any("1 new, 1 changed, 1 no longer in force" in line for line in changed.system_messages("SessionStart"))

    assert again().requests[0].context().count(NEWS) == 1, "that of the time before"


def test_forty_files_in_a_repository_of_200_scoped_records_stay_under_the_budget(client: Client) -> None:
    long = "A hold MUST end. " + "渡し舟 keeps its lane 👉. " * 20
    files = {"src/%d.py" % n: "x = %d\n" % n for n in range(40)}
    records = [guardrail(n, long, scope="src/%d.py" % (n % 40)) for n in range(1, 201)]
    cwd = client.project({"POST_MORTEM.md": post_mortem(*records), **files})
    script = [read(cwd / name) for name in files]
    result = client.run("read all", [*script, say("done")], cwd=cwd, extra_args=ALLOWED)
    hooks = [
        json.loads(hook["stdout"]) for hook in result.hooks("PostToolUse") if hook.get("stdout", "").startswith("{")
    ]
    given = [hook["hookSpecificOutput"]["additionalContext"] for hook in hooks]
    assert len(result.requests) == 41 and len(given) > 5
    assert all(units(words) <= 2000 and words.count("\n- ") <= 5 for words in given)
    assert 12_000 < sum(map(units, given)) <= 16_000
    assert units(digest_in(result.requests[0])) <= 6000
    last = result.requests[-1].context()
    assert all(words.strip() in last for words in given), "what was injected is delivered"


def test_a_passing_command_that_prints_a_known_failure_brings_the_guide_once(client: Client) -> None:
    pitfall = "\n## Pitfalls\n\n### Pitfall 3: A dead tab\n\n- **Symptom:** `the lease table is locked`\n- **Root cause:** a dead tab.\n- **Fix:** sweep.\n"
    cwd = client.project(
        {
            "POST_MORTEM.md": post_mortem(guardrail(1)) + pitfall,
            "serve.sh": "echo 'WARN the lease table is locked, trying again'\n",
        }
    )
    script = [bash("sh serve.sh"), bash("sh ./serve.sh"), bash("grep -n locked serve.sh; echo error"), say("ok")]
    result = client.run("go", script, cwd=cwd, extra_args=ALLOWED)
    assert [request.context().count("Root cause: a dead tab.\nFix: sweep.") for request in result.requests] == [
        0,
        1,
        1,
        1,
    ]


def test_a_muted_client_is_told_nothing(client: Client) -> None:
    cwd = client.project(
        {"POST_MORTEM.md": post_mortem(guardrail(1), guardrail(2, scope="seats.py")), "seats.py": "x = 1\n"}
    )
    script = [bash("rld mute 2h"), read(cwd / "seats.py"), bash("rld mute off"), read(cwd / "seats.py"), say("ok")]
    result = client.run("go", script, cwd=cwd, extra_args=ALLOWED)
    scoped = "Records of this repository for seats.py"
    assert [request.context().count(scoped) for request in result.requests] == [0, 0, 0, 0, 1]


def test_a_one_shot_that_only_reads_hears_of_nothing_but_the_digest_and_leaves_nothing_to_distill(
    client: Client,
) -> None:
    cwd = client.project({"POST_MORTEM.md": post_mortem(guardrail(1)), "seats.py": "x = 1\n"})
    script = [read(cwd / "seats.py"), bash("ls not-there"), bash("ls"), say("nothing to do")]
    result = client.run("look around", script, cwd=cwd, extra_args=ALLOWED)
    said = {
        event: [h["stdout"] for h in result.hooks(event) if h.get("stdout")]
        for event in ("PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
    }
    assert not any(said.values()), said
    assert "distill" not in digest_in(client.run("again", [say("ok")], cwd=cwd).requests[0])
