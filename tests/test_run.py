"""`rld run`: a journal is opened, found again, and replayed; what is not clear is asked, not guessed."""

import json
import os
import pathlib
import random
import subprocess
import time

import frontmatter
import pytest

import store
from rld import graph, journal, openruns, plan, progress, project, runs

PLAN = """\
# Seats and holds

### Item 1: hold a seat

### Item 2: release it

**Depends on:** Item 1

### Item 3: show the holds

**Depends on:** Item 1
"""
OTHER = "# Mail\n\n### Item 1: send it\n"
CYCLE = (
    "# Knot\n\n### Item 1: a\n\n**Depends on:** Item 2\n\n### Item 2: b\n\n**Depends on:** Item 1\n\n### Item 3: free\n"
)
FIELDS = {
    "facts": "Item %s done.", "worked": "A hold is a row.", "rules": "A hold MUST end.", "pitfalls": "The clock stood still.", "next": "Go on.",
}  # fmt: skip
WHO = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]


@pytest.fixture(autouse=True)
def no_session(monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)


@pytest.fixture
def folder(tmp_path):
    return make(tmp_path / "p")


def make(folder, **files):
    folder.mkdir()
    named = {
        "docs/plan.md": PLAN,
        "docs/other.md": OTHER,
        "docs/knot.md": CYCLE,
        "docs/prose.md": "# Ideas\n\nSome day.\n",
    }
    return store.make(folder, {**dict.fromkeys(store.FILES), **named, **files})


def git(folder, *args):
    return subprocess.run(["git", *WHO, "-C", str(folder), *args], check=True, capture_output=True, text=True).stdout


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "y")


def rld(capsys, folder, *args):
    """(exit status, all that was said)."""
    capsys.readouterr()
    status = store.rld(folder, args[0], *args[1:]) if len(args) == 1 else group(folder, *args)
    said = capsys.readouterr()
    return status, said.out + said.err


def group(folder, name, verb, *args):
    from rld import cli

    if name in ("run", "plan", "journal"):
        return cli.main([name, verb, "-C", str(folder), *args])
    return cli.main([name, "-C", str(folder), verb, *args])


def start(capsys, folder, name="docs/plan.md", *args):
    status, said = rld(capsys, folder, "run", "start", *([name] if name else []), *args)
    assert status == 0, said
    return said


def journals(folder):
    return sorted(path for path in (folder / "docs/worklog").glob("*.md"))


def status(capsys, folder):
    capsys.readouterr()
    assert store.rld(folder, "status", "--json") == 0
    return json.loads(capsys.readouterr().out)


def write_entry(path, item, title="", fields=FIELDS):
    values = {key: value % item if "%s" in value else value for key, value in fields.items()}
    with open(path, "ab") as out:
        out.write(("\n" + journal.render_entry(item, title, values)).encode("utf-8"))


# -- opening ---------------------------------------------------------------------------------------------------


def test_a_run_opens_a_journal_with_its_front_matter(folder, capsys):
    said = start(capsys, folder, "docs/plan.md", "--verify", "npm run check && npm test # all", "--tag", "refactor")
    (path,) = journals(folder)
    today = time.strftime("%Y-%m-%d")
    assert path.name == today + "-plan.md"
    post = frontmatter.loads(path.read_text(encoding="utf-8"))
    assert {key: str(value) for key, value in post.metadata.items()} == {
        "plan": "docs/plan.md", "verify": "npm run check && npm test # all", "tag": "refactor", "status": "open", "started": today,
    }  # fmt: skip
    assert post.content == "# Journal: Seats and holds"
    assert (
        "Opened the run of docs/plan.md" in said
        and "0 of 3 items logged" in said
        and "ready  Item 1: hold a seat" in said
    )
    assert "and 2 more behind these" in said
    assert status(capsys, folder)["run"] == {
        "plan": "docs/plan.md", "journal": "docs/worklog/%s-plan.md" % today, "verify": "npm run check && npm test # all",
        "status": "open", "done": 0, "total": 3, "ready": ["1"],
    }  # fmt: skip


def test_the_date_of_a_plan_s_name_is_not_repeated(tmp_path, capsys):
    folder = make(tmp_path / "p", **{"docs/plans/2026-07-08-per-request-store.md": PLAN})
    start(capsys, folder, "docs/plans/2026-07-08-per-request-store.md", "--verify", "true")
    assert [path.name for path in journals(folder)] == [time.strftime("%Y-%m-%d") + "-per-request-store.md"]


def test_the_verify_command_of_the_settings_is_taken(tmp_path, capsys):
    folder = make(tmp_path / "p", **{".rld.yml": "verify: make check\n"})
    start(capsys, folder)
    assert openruns.read(project.find(str(folder)), "docs/worklog/" + journals(folder)[0].name).verify == "make check"


def test_a_run_without_a_verify_command_says_what_that_means(folder, capsys):
    assert "no verify command, so entries can only be claimed" in start(capsys, folder)


def test_a_second_run_on_one_day_has_a_journal_of_its_own(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    assert rld(capsys, folder, "run", "abandon", "--reason", "wrong: start # again")[0] == 0
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    first, second = journals(folder)
    assert second.name == first.stem + "-2.md" or first.name == second.stem + "-2.md"
    posts = sorted(str(frontmatter.load(str(path)).metadata["status"]) for path in (first, second))
    assert posts == ["abandoned", "open"]


def test_a_plan_can_be_named_from_the_folder_one_is_in(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder / "docs")
    start(capsys, folder, "plan.md", "--verify", "true")
    assert status(capsys, folder)["run"]["plan"] == "docs/plan.md"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_plan_behind_a_link_keeps_the_name_it_was_given(tmp_path, capsys, monkeypatch):
    folder = make(tmp_path / "p")
    (tmp_path / "elsewhere.md").write_text(PLAN, encoding="utf-8")
    (folder / "docs/linked.md").symlink_to(tmp_path / "elsewhere.md")
    monkeypatch.chdir(folder)
    start(capsys, folder, "docs/linked.md", "--verify", "true")
    assert status(capsys, folder)["run"]["plan"] == "docs/linked.md"


REFUSED = {
    "no items": ("docs/prose.md", "docs/prose.md:1: this is not a plan I can read"),
    "not there": ("docs/nothing.md", "there is no such plan"),
    "a folder": ("docs", "there is no such plan"),
}


@pytest.mark.parametrize(("name", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_plan_is_refused_and_opens_nothing(folder, capsys, name, words):
    code, said = rld(capsys, folder, "run", "start", name, "--verify", "true")
    assert code == 1 and words in said
    assert not (folder / "docs/worklog").exists() and status(capsys, folder)["run"] is None


def test_a_plan_with_problems_is_run_and_they_are_named_with_their_lines(folder, capsys):
    said = start(capsys, folder, "docs/knot.md", "--verify", "true")
    assert "docs/knot.md:3: these items wait for each other: 1 → 2 → 1" in said
    assert status(capsys, folder)["run"]["ready"] == ["3"], "what is outside of the knot goes on"


# -- resuming --------------------------------------------------------------------------------------------------


def test_start_resumes_what_is_open_and_changes_only_what_is_asked(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    (path,) = journals(folder)
    write_entry(path, "1")
    before = path.read_bytes()
    for args in ([], ["docs/plan.md"], ["docs/plan.md", "--verify", "true"]):
        said = start(capsys, folder, "", *args)
        assert "Resumed the run of docs/plan.md" in said and "1 of 3 items logged" in said
    assert path.read_bytes() == before
    start(capsys, folder, "docs/plan.md", "--verify", "make all")
    assert path.read_bytes() == before.replace(b"verify: true", b"verify: make all").replace(
        b"verify: 'true'", b"verify: make all"
    )
    assert status(capsys, folder)["run"]["verify"] == "make all"


def test_another_plan_while_one_is_open_is_refused(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    code, said = rld(capsys, folder, "run", "start", "docs/other.md", "--verify", "true")
    assert (
        code == 1
        and "the run of docs/plan.md is open" in said
        and "rld run finish" in said
        and "rld run abandon" in said
    )
    assert len(journals(folder)) == 1 and status(capsys, folder)["run"]["plan"] == "docs/plan.md"


def test_another_clone_resumes_from_the_journal_alone(folder, tmp_path, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "make check", "--tag", "feature")
    write_entry(journals(folder)[0], "1", "hold a seat")
    commit(folder)
    git(tmp_path, "clone", "-q", str(folder), "clone")
    clone = tmp_path / "clone"
    assert not (clone / ".git/rld").exists()
    assert status(capsys, clone)["run"] == status(capsys, folder)["run"]
    said = start(capsys, clone, "")
    assert "Resumed the run of docs/plan.md" in said and "1 of 3 items logged. Verify command: make check" in said
    assert [line for line in said.splitlines() if "ready" in line] == [
        "  ready  Item 2: release it",
        "  ready  Item 3: show the holds",
    ]
    assert len(journals(clone)) == 1 and git(clone, "status", "--porcelain") == ""


def test_another_worktree_keeps_its_own_run(folder, tmp_path, capsys):
    other = tmp_path / "other"
    git(folder, "worktree", "add", "-q", str(other))
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    start(capsys, other, "docs/other.md", "--verify", "false")
    assert status(capsys, folder)["run"]["plan"] == "docs/plan.md"
    assert status(capsys, other)["run"]["plan"] == "docs/other.md"
    assert rld(capsys, other, "run", "finish")[0] == 0
    assert status(capsys, folder)["run"]["status"] == "open"


def test_a_worktree_does_not_take_up_the_run_that_another_one_is_at(folder, tmp_path, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    commit(folder)
    other = tmp_path / "other"
    git(folder, "worktree", "add", "-q", str(other))
    assert status(capsys, other)["run"] is None
    start(capsys, other, "docs/other.md", "--verify", "true")
    assert status(capsys, other)["run"]["plan"] == "docs/other.md"
    assert status(capsys, folder)["run"]["plan"] == "docs/plan.md"


def test_a_worktree_goes_on_with_the_run_of_another_one_when_it_is_told_to(folder, tmp_path, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    commit(folder)
    other = tmp_path / "other"
    git(folder, "worktree", "add", "-q", str(other))
    code, said = rld(capsys, other, "run", "start")
    assert code == 1 and "rld run start docs/plan.md" in said
    assert "Resumed" in start(capsys, other)
    assert len(journals(other)) == 1


def test_the_run_of_a_worktree_that_is_gone_is_free(folder, tmp_path, capsys):
    other = tmp_path / "other"
    git(folder, "worktree", "add", "-q", "-b", "side", str(other))
    start(capsys, other, "docs/plan.md", "--verify", "true")
    commit(other)
    git(folder, "worktree", "remove", str(other))
    git(folder, "merge", "-q", "side")
    assert status(capsys, folder)["run"]["plan"] == "docs/plan.md"


def test_two_open_runs_in_one_tree_are_a_question(folder, tmp_path, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    (one,) = journals(folder)
    text = one.read_text(encoding="utf-8").replace("docs/plan.md", "docs/other.md")
    (one.parent / "2026-01-01-other.md").write_text(text, encoding="utf-8")
    commit(folder)
    git(tmp_path, "clone", "-q", str(folder), "clone")
    clone = tmp_path / "clone"
    assert status(capsys, clone)["run"] is None
    for verb in (["run", "start"], ["run", "finish"], ["run", "abandon", "--reason", "x"], ["log", "--item", "1"]):
        code, said = rld(capsys, clone, *verb)
        assert code == 1 and "2 runs are open here; say which one to resume" in said, verb
        assert "rld run start docs/plan.md" in said and "rld run start docs/other.md" in said
    assert git(clone, "status", "--porcelain") == ""
    start(capsys, clone, "docs/other.md")
    assert status(capsys, clone)["run"]["journal"] == "docs/worklog/2026-01-01-other.md"
    assert status(capsys, folder)["run"]["plan"] == "docs/plan.md", "who is at one of them is not asked"


def test_a_branch_without_the_journal_has_no_run_and_coming_back_has(folder, capsys):
    main = git(folder, "branch", "--show-current").strip()
    git(folder, "checkout", "-q", "-b", "work")
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    commit(folder)
    git(folder, "checkout", "-q", main)
    assert status(capsys, folder)["run"] is None
    code, said = rld(capsys, folder, "run", "finish")
    assert code == 1 and "no run is open" in said
    git(folder, "checkout", "-q", "work")
    assert status(capsys, folder)["run"]["plan"] == "docs/plan.md"


@pytest.mark.parametrize("value", ["distilled", "abandoned"])
def test_a_journal_that_somebody_else_closed_is_closed_here_too(folder, capsys, value):
    """A colleague distills, and it comes with a pull: what this worktree remembers is older."""
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    (path,) = journals(folder)
    path.write_text(journal.set_status(path.read_text(encoding="utf-8"), value), encoding="utf-8")
    assert status(capsys, folder)["run"] is None
    assert runs.current(project.find(str(folder))) is None, "hooks hear of it too"
    start(capsys, folder, "docs/other.md", "--verify", "true")


def test_what_is_edited_in_the_journal_s_front_matter_holds(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    (path,) = journals(folder)
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("verify: 'true'", "verify: make check").replace("verify: true", "verify: make check"),
        encoding="utf-8",
    )
    assert status(capsys, folder)["run"]["verify"] == "make check"
    assert runs.current(project.find(str(folder))).verify == "make check"


FORMS = {"CRLF": lambda text: text.replace("\n", "\r\n"), "BOM": lambda text: "\ufeff" + text,
         "both": lambda text: "\ufeff" + text.replace("\n", "\r\n")}  # fmt: skip


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_journal_that_an_editor_rewrote_goes_on_and_keeps_its_form(folder, tmp_path, capsys, form):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    (path,) = journals(folder)
    write_entry(path, "1")
    before = form(path.read_text(encoding="utf-8"))
    path.write_bytes(before.encode("utf-8"))
    commit(folder)
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=false", str(folder), "clone")
    for where in (folder, tmp_path / "clone"):
        found = status(capsys, where)["run"]
        assert (found["plan"], found["verify"], found["done"], found["ready"]) == (
            "docs/plan.md",
            "true",
            1,
            ["2", "3"],
        )
        start(capsys, where, "")
        assert rld(capsys, where, "run", "finish")[0] == 0
        after = journals(where)[0].read_bytes().decode("utf-8")
        assert after == before.replace("status: open ", "status: complete ", 1) or after.replace(
            " ", ""
        ) == before.replace("status: open", "status: complete", 1).replace(" ", "")


# -- the end ---------------------------------------------------------------------------------------------------


def test_finish_names_the_items_without_an_entry(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    write_entry(journals(folder)[0], "1")
    code, said = rld(capsys, folder, "run", "finish")
    assert code == 0 and "1 of 3 items logged" in said
    assert [line.strip() for line in said.splitlines() if "without" in line] == [
        "without an entry: Item 2: release it", "without an entry: Item 3: show the holds",
    ]  # fmt: skip
    assert "/rld:compact" in said
    assert frontmatter.load(str(journals(folder)[0])).metadata["status"] == "complete"
    assert status(capsys, folder)["run"]["status"] == "complete"


def test_an_abandoned_run_keeps_its_journal_and_the_reason(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    write_entry(journals(folder)[0], "1")
    code, said = rld(capsys, folder, "run", "abandon", "--reason", "replaced: see #12\nand 'more'")
    assert code == 0 and "rld brief --journal docs/worklog/" in said
    post = frontmatter.load(str(journals(folder)[0]))
    assert post.metadata["status"] == "abandoned" and post.metadata["reason"].split() == [
        "replaced:",
        "see",
        "#12",
        "and",
        "'more'",
    ]
    assert "### Item 1" in post.content
    assert status(capsys, folder)["run"] is None
    start(capsys, folder, "docs/other.md", "--verify", "true")


def test_items_beyond_the_plan_are_shown_as_such(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    (path,) = journals(folder)
    for item in ("1", "9"):
        write_entry(path, item, "added on the way" if item == "9" else "")
    found = status(capsys, folder)["run"]
    assert (found["done"], found["total"]) == (2, 4)
    assert "Logged, not in the plan:\n✓    9  added on the way" in rld(capsys, folder, "plan", "graph")[1]


def test_a_plan_that_is_gone_is_a_problem_and_nothing_is_lost(folder, capsys):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    write_entry(journals(folder)[0], "1")
    (folder / "docs/plan.md").unlink()
    found = status(capsys, folder)
    assert found["run"]["done"] == 1
    assert [problem["file"] for problem in found["problems"]] == ["docs/plan.md"]


# -- replay ----------------------------------------------------------------------------------------------------


WORDS = "hold seat ledger cron ### Item [What's] ``` ~~~ - [x] | <!-- --- 1. > Next ünï 日本語 --> `code` status: open".split(
    " "
)


def random_plan(dice):
    made, ids = ["# Plan\n"], []
    for number in range(1, dice.randint(2, 9)):
        above = dice.sample(ids, min(len(ids), dice.choice((0, 0, 1, 2))))
        made.append("### Item %d: %s\n" % (number, dice.choice(("hold", "release", "show"))))
        if above:
            made.append("**Depends on:** %s\n" % ", ".join("Item %s" % one for one in above))
        ids.append(str(number))
    return "\n".join(made), ids


def random_text(dice):
    rows = [
        " ".join(dice.choice(WORDS) for _ in range(dice.randint(1, 6))) for _ in range(dice.choice((1, 1, 1, 2, 4)))
    ]
    return dice.choice(("Said: ", "")) + "\n".join(rows).strip() + " end"


def replayed(text, items):
    """(the items with a whole entry, what is ready) of a journal's text."""
    done = journal.done(journal.parse(text))
    return done, graph.ready(items, set(done))


def test_the_replay_of_any_prefix_is_the_state_at_that_time():
    for seed in range(200):
        dice = random.Random(seed)
        text, ids = random_plan(dice)
        items = plan.parse(text).items
        order = dice.sample(ids, len(ids)) + dice.choice(([], ["X7", "99"]))
        book = journal.render_new("docs/plan.md", "npm test", "mixed", "2026-07-08", "Seats")
        if dice.random() < 0.3:
            book = book.replace("\n", "\r\n")
        end = "\r\n" if "\r\n" in book else "\n"
        states = [(len(book), replayed(book, items))]
        assert states[0][1] == ([], graph.ready(items, set()))
        for count, item in enumerate(order, 1):
            entry = journal.render_entry(item, "a title", {key: random_text(dice) for key in journal.FIELDS})
            book += end + entry.replace("\n", end)
            states.append((len(book), (order[:count], graph.ready(items, set(order[:count])))))
        for size, state in states:
            assert replayed(book[:size], items) == state, seed
        for size in sorted(dice.sample(range(states[0][0], len(book)), min(12, len(book) - states[0][0]))):
            older = max(state for state in states if state[0] <= size)
            newer = min(state for state in states if state[0] >= size)
            assert replayed(book[:size], items) in (older[1], newer[1]), (seed, size)


def test_what_hooks_keep_beside_the_run_is_what_a_replay_says(folder, capsys):
    from rld import runstate

    start(capsys, folder, "docs/plan.md", "--verify", "true")
    found = project.find(str(folder))
    for item in ("1", "9", "3", "2"):
        write_entry(journals(folder)[0], item)
        run = runs.current(found)
        for _ in range(2):  # built, then kept
            kept, fresh = runstate.read(found, run), progress.Progress(found, run)
            assert (kept.done, kept.total, [id for id, _ in kept.ready]) == (fresh.count, fresh.total, fresh.ready)


def test_a_state_that_is_lost_is_found_again(folder, capsys):
    import shutil

    start(capsys, folder, "docs/plan.md", "--verify", "true")
    write_entry(journals(folder)[0], "1")
    before = status(capsys, folder)
    shutil.rmtree(folder / ".git/rld")
    assert status(capsys, folder) == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"journal": 7}', '{"journal": "docs/worklog/none.md"}', "\udcff"])
def test_a_state_that_cannot_be_read_is_found_again(folder, capsys, text):
    start(capsys, folder, "docs/plan.md", "--verify", "true")
    pathlib.Path(folder, ".git/rld/runs/main.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert status(capsys, folder)["run"]["plan"] == "docs/plan.md"
