"""`rld log`: what an entry must have, what proves it, who approved it, and that nothing is lost on the way."""

import os
import shlex
import shutil
import subprocess
import sys
import time

import pytest

import store
from rld import cli, evidence, hindsight, journal, project, runs

PLAN = "# Seats\n\n### Item 1: hold a seat\n\n### Item 2: release it\n\n**Depends on:** Item 1\n\n### Item 3: show it\n"
ENTRY = """\
[Verified Facts] The seat is held before the card is charged.
[What Worked] A hold is a row with an end.
[Distilled Rules] A hold MUST have an end.
[Pitfalls & What to Avoid] The clock of the test stood still.
[What's Next] Item 2, unblocked by this one.
"""
SESSION = "5e551011"


@pytest.fixture(autouse=True)
def no_session(monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)


@pytest.fixture
def folder(tmp_path, capsys):
    """A run that is open, with a passing verify."""
    made = tmp_path / "p"
    made.mkdir()
    none = dict.fromkeys(store.FILES)
    store.make(made, {**none, "docs/plan.md": PLAN, "a.py": "a = 1\n", "verify.sh": "test ! -e broken\n"})
    assert cli.main(["run", "start", "-C", str(made), "docs/plan.md", "--verify", "sh verify.sh"]) == 0
    assert store.rld(made, "verify") == 0
    capsys.readouterr()
    return made


def book(folder):
    (path,) = (folder / "docs/worklog").glob("*.md")
    return path


def text_of(folder):
    return book(folder).read_bytes().decode("utf-8")


def log(capsys, folder, item="1", entry=ENTRY, *options):
    """(exit status, all that was said)."""
    source = folder.parent / "entry.md"
    source.write_bytes(entry if isinstance(entry, bytes) else entry.encode("utf-8"))
    capsys.readouterr()
    status = store.rld(folder, "log", "--item", item, "--file", str(source), *options)
    said = capsys.readouterr()
    return status, said.out + said.err


def logged(folder):
    return [entry.item for entry in journal.parse(text_of(folder)).entries]


def note(folder, kind, **values):
    assert evidence.note(project.find(str(folder)), SESSION, kind, **values)


def age(folder, seconds):
    """Make every file so much older: what a hook saw is bound by time."""
    when = time.time() - seconds
    for path in folder.rglob("*"):
        if ".git" not in path.parts and path.is_file():
            os.utime(path, (when, when))


# -- the text --------------------------------------------------------------------------------------------------


def test_an_entry_is_written_with_its_proof_and_the_files_that_changed(folder, capsys):
    (folder / "seats.py").write_text("s = 1\n", encoding="utf-8")
    assert store.rld(folder, "verify") == 0
    status, said = log(capsys, folder)
    assert status == 0 and "1 entry, 1 of 3 items done" in said
    assert "ready: Item 2: release it" in said and "The next item waits for the human's word." in said
    (entry,) = journal.parse(text_of(folder)).entries
    assert (entry.item, entry.title) == ("1", "hold a seat")
    assert entry.fields["facts"].startswith(
        "Item 1 done. The seat is held before the card is charged. Changed: seats.py. `sh verify.sh` exit 0 (verified, tree "
    )
    assert [entry.fields[key] for key in journal.FIELDS[1:]] == [
        line.partition("] ")[2] for line in ENTRY.strip().split("\n")[1:]
    ]
    assert journal.check(journal.parse(text_of(folder))) == []


@pytest.mark.parametrize("key", journal.FIELDS)
def test_each_of_the_five_fields_is_required(folder, capsys, key):
    before = text_of(folder)
    entry = "".join(line + "\n" for line in ENTRY.splitlines() if "[%s]" % journal.LABELS[key] not in line)
    status, said = log(capsys, folder, "1", entry)
    assert status == 1 and "[%s] is missing" % journal.LABELS[key] in said and said.count("is missing") == 1
    status, said = log(capsys, folder, "1", entry + "[%s]\n" % journal.LABELS[key])
    assert status == 1 and "[%s] is missing" % journal.LABELS[key] in said
    assert text_of(folder) == before


@pytest.mark.parametrize("stub", ["TODO", "…", "tbd", "<add summary>", "[fill in]"])
def test_a_placeholder_is_refused_with_its_line(folder, capsys, stub):
    before = text_of(folder)
    status, said = log(capsys, folder, "1", ENTRY.replace("A hold MUST have an end.", stub))
    assert status == 1 and "<stdin>:3: a placeholder" in said
    assert text_of(folder) == before


def test_every_problem_of_a_text_is_named_at_once(folder, capsys):
    entry = ENTRY.replace("A hold is a row with an end.", "TODO").replace(
        "[What's Next] Item 2, unblocked by this one.\n", ""
    )
    status, said = log(capsys, folder, "1", entry)
    assert status == 1 and "<stdin>:2: a placeholder" in said and "[What's Next] is missing" in said


@pytest.mark.parametrize(
    ("entry", "words"),
    [("", "no entry in the text: five lines are needed"), ("It went well.\n", "is missing"),
     ("### Item 1\n%s\n### Item 2\n%s" % (ENTRY, ENTRY), "one entry at a time, and this text has 2")],
    ids=["empty", "prose", "two entries"],
)  # fmt: skip
def test_what_is_no_entry_is_refused(folder, capsys, entry, words):
    before = text_of(folder)
    status, said = log(capsys, folder, "1", entry)
    assert status == 1 and words in said and text_of(folder) == before


FORMS = {
    "numbered": "\n".join("%d. %s" % pair for pair in enumerate(ENTRY.strip().split("\n"), 1)),
    "bold": "\n".join("1. **%s]**%s" % tuple(line.split("]", 1)) for line in ENTRY.strip().split("\n")),
    "with a heading": "### Item 1: hold a seat\n" + ENTRY,
    "CRLF": ENTRY.replace("\n", "\r\n"),
    "BOM": "\ufeff" + ENTRY,
}


@pytest.mark.parametrize("entry", FORMS.values(), ids=FORMS)
def test_the_labels_may_have_any_form_that_a_journal_may_have(folder, capsys, entry):
    status, said = log(capsys, folder, "1", entry)
    assert status == 0, said
    (found,) = journal.parse(text_of(folder)).entries
    assert found.fields["rules"] == "A hold MUST have an end." and "\r" not in text_of(folder)


@pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="a here-document of a shell")
def test_a_heredoc_keeps_backticks_and_dollars(folder):
    told = ENTRY.replace(
        "A hold is a row with an end.",
        "See `hold` and $(hold) and $HOME, \\n 'one' \"two\" ünï 日本語 and\n```sh\nrld verify\n```",
    )
    line = "%s log -C %s --item 'Item 1' <<'EOF'\n%s\nEOF" % (
        shlex.join([sys.executable, "-I", "-X", "utf8", str(store.MAIN)]), shlex.quote(str(folder)), told
    )  # fmt: skip
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    (entry,) = journal.parse(text_of(folder)).entries
    assert entry.item == "1"
    assert (
        entry.fields["worked"]
        == "See `hold` and $(hold) and $HOME, \\n 'one' \"two\" ünï 日本語 and\n```sh\nrld verify\n```"
    )


def test_without_an_input_nobody_waits(folder):
    command = [sys.executable, "-I", "-X", "utf8", str(store.MAIN), "log", "-C", str(folder), "--item", "1"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, encoding="utf-8", timeout=20
    )
    assert done.returncode == 1 and "no entry in the text" in done.stderr


def test_secrets_and_what_nobody_sees_are_refused_with_their_lines(folder, capsys):
    before = text_of(folder)
    token = "ghp_" + "a1B2" * 10
    entry = ENTRY.replace("A hold is", "%s: a hold is" % token).replace("The clock", "The\u202e clock")
    status, said = log(capsys, folder, "1", entry)
    assert status == 1 and "<stdin>:2: " in said and "<stdin>:4: " in said
    assert token not in said and "U+202E" in said
    assert text_of(folder) == before


# -- the proof -------------------------------------------------------------------------------------------------


def test_a_tree_that_changed_since_the_verify_is_refused_and_the_file_named(folder, capsys):
    (folder / "a.py").write_text("a = 2\n", encoding="utf-8")
    status, said = log(capsys, folder)
    assert status == 1 and "passed, and a.py changed after that" in said and "--claimed" in said
    assert logged(folder) == []
    assert store.rld(folder, "verify") == 0 and log(capsys, folder)[0] == 0


def test_a_failed_verify_is_no_proof(folder, capsys):
    (folder / "broken").touch()
    assert store.rld(folder, "verify") == 1
    status, said = log(capsys, folder)
    assert status == 1 and "the last `sh verify.sh` did not pass: exit 1" in said


def test_the_journal_and_the_post_mortem_may_change_between_verify_and_log(folder, capsys):
    (folder / "POST_MORTEM.md").write_text("# P\n", encoding="utf-8")
    (folder / "docs/worklog/2026-01-01-note.txt").write_text("x", encoding="utf-8")
    assert log(capsys, folder)[0] == 0


def observed(folder):
    """What a hook notes when it sees the verify command pass in this session."""
    (folder / ".git/rld/receipts/main.jsonl").unlink()
    age(folder, 50)
    run = runs.current(project.find(str(folder)))
    note(folder, "pass", cmd="sh verify.sh", grade="observed", entries=0, journal=run.journal)


def test_a_pass_that_a_hook_saw_counts_while_nothing_is_written_after_it(folder, capsys, session):
    observed(folder)
    status, said = log(capsys, folder)
    assert status == 0, said
    assert "`sh verify.sh` exit 0 (observed)." in text_of(folder)


def test_a_pass_that_a_hook_saw_is_over_with_the_next_write(folder, capsys, session):
    observed(folder)
    later = time.time() + 5
    os.utime(folder / "a.py", (later, later))
    status, said = log(capsys, folder)
    assert status == 1 and "was seen to pass, and a.py changed after that" in said


def test_what_was_seen_in_another_session_or_failed_again_is_no_proof(folder, capsys, session, monkeypatch):
    observed(folder)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "another")
    assert "has not passed in this worktree" in log(capsys, folder)[1]
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    note(folder, "fail", cmd="sh verify.sh", error="it broke")
    assert "has not passed in this worktree" in log(capsys, folder)[1]


def test_a_claim_is_written_as_one(folder, capsys):
    (folder / "a.py").write_text("a = 2\n", encoding="utf-8")
    assert log(capsys, folder, "1", ENTRY, "--claimed", " ")[0] == 1
    status, _ = log(capsys, folder, "1", ENTRY, "--claimed", "checked by hand\non the device")
    assert status == 0
    assert "(claimed: checked by hand on the device)." in text_of(folder) and "exit 0" not in text_of(folder)


def test_a_fitting_receipt_is_worth_more_than_a_claim(folder, capsys):
    assert log(capsys, folder, "1", ENTRY, "--claimed", "no time")[0] == 0
    assert "verified, tree" in text_of(folder) and "claimed" not in text_of(folder)


# -- the human's word ------------------------------------------------------------------------------------------


def test_a_second_item_waits_for_the_human(folder, capsys, session):
    assert log(capsys, folder)[0] == 0
    status, said = log(capsys, folder, "2")
    assert status == 1 and "item 1 was logged and the human has not said a word since" in said
    assert logged(folder) == ["1"]
    note(folder, "prompt", text="yes, go on")
    assert log(capsys, folder, "2")[0] == 0
    assert logged(folder) == ["1", "2"]


def test_words_that_approve_are_quoted_in_the_entry(folder, capsys, session):
    assert log(capsys, folder)[0] == 0
    for empty in ("", "  "):
        assert log(capsys, folder, "2", ENTRY, "--approved", empty)[0] == 1
    assert log(capsys, folder, "2", ENTRY, "--approved", "do 2\nand 3")[0] == 0
    assert "Approved: “do 2 and 3”." in text_of(folder)
    assert journal.check(journal.parse(text_of(folder))) == []


def test_the_settings_may_approve_all_items_together(folder, capsys, session):
    (folder / ".rld.yml").write_text("approval: batch\n", encoding="utf-8")
    assert [log(capsys, folder, item)[0] for item in "123"] == [0, 0, 0]


def test_outside_of_the_client_the_human_types_the_command(folder, capsys):
    assert [log(capsys, folder, item)[0] for item in "12"] == [0, 0]


# -- once and whole --------------------------------------------------------------------------------------------


def test_the_same_entry_twice_adds_nothing(folder, capsys, session):
    assert log(capsys, folder)[0] == 0
    before = text_of(folder)
    status, said = log(capsys, folder)
    assert status == 0 and "nothing was added" in said and "line 10" in said
    assert text_of(folder) == before


def test_another_entry_for_a_done_item_is_refused_with_the_line_of_the_first(folder, capsys):
    assert log(capsys, folder)[0] == 0
    before = text_of(folder)
    status, said = log(capsys, folder, "1", ENTRY.replace("stood still", "ran backwards"))
    assert status == 1 and "%s:10: item 1 has an entry" % ("docs/worklog/" + book(folder).name) in said
    assert "under a number of its own" in said and text_of(folder) == before


def test_an_item_that_the_plan_lacks_counts_as_added(folder, capsys):
    status, said = log(capsys, folder, "9", ENTRY, "--title", "a button")
    assert (
        status == 0 and "Item 9 is not in the plan; it counts as added on the way." in said and "1 of 4 items" in said
    )
    assert "### Item 9: a button" in text_of(folder)


def test_a_torn_tail_is_set_aside_and_never_deleted(folder, capsys):
    path = book(folder)
    torn = "\n### Item 7: cut off\n1. [Verified Facts] Item 7 done.\n2. [What Worked] Half a sent"
    with open(path, "ab") as out:
        out.write(torn.encode("utf-8"))
    status, said = log(capsys, folder)
    assert status == 0 and "an entry that a crash had cut short was moved to" in said
    (aside,) = (folder / ".git/rld/torn").iterdir()
    assert str(aside) in said and aside.read_text(encoding="utf-8") == torn.lstrip("\n")
    assert logged(folder) == ["1"] and "Half a sent" not in text_of(folder)


def test_a_tail_without_a_line_end_is_kept(folder, capsys):
    with open(book(folder), "ab") as out:
        out.write(b"\nA note by hand, and no line end")
    assert log(capsys, folder)[0] == 0
    assert "A note by hand, and no line end\n\n### Item 1: hold a seat\n" in text_of(folder)


def test_a_fence_that_would_swallow_the_entry_is_refused(folder, capsys):
    with open(book(folder), "ab") as out:
        out.write(b"\n```\nnever closed\n")
    before = text_of(folder)
    status, said = log(capsys, folder)
    assert status == 1 and "swallow a new entry" in said and text_of(folder) == before


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_journal_with_crlf_keeps_it(folder, capsys, bom):
    path = book(folder)
    path.write_bytes((bom + text_of(folder).replace("\n", "\r\n")).encode("utf-8"))
    before = path.read_bytes()
    for item in "123":
        assert log(capsys, folder, item, ENTRY.replace("A hold is a row", "A hold\nis a row"))[0] == 0
    after = path.read_bytes()
    assert b"\n" not in after.replace(b"\r\n", b"") and b"\r\r" not in after
    assert after.startswith(before.replace(b"status: open", b"status: complete"))
    assert logged(folder) == ["1", "2", "3"]


def test_bytes_that_are_no_text_are_kept(folder, capsys):
    with open(book(folder), "ab") as out:
        out.write(b"\nA note: \xff\xfe\n")
    assert (
        log(capsys, folder, "1", ENTRY.replace("stood still", "stood \udcff still").encode("utf-8", "surrogateescape"))[
            0
        ]
        == 0
    )
    data = book(folder).read_bytes()
    assert b"A note: \xff\xfe\n" in data and b"stood \xff still" in data


def test_the_last_item_completes_the_journal(folder, capsys):
    for item in "12":
        assert log(capsys, folder, item)[0] == 0
        assert "\nstatus: open" in text_of(folder)
    status, said = log(capsys, folder, "3")
    assert status == 0 and "Every item is logged. /rld:compact" in said
    assert "\nstatus: complete" in text_of(folder)
    assert runs.current(project.find(str(folder))).status == "complete"


def test_without_a_run_the_way_out_is_named(tmp_path, capsys):
    (tmp_path / "p").mkdir()
    store.make(tmp_path / "p", {**dict.fromkeys(store.FILES), "a.py": "a = 1\n"})
    status, said = log(capsys, tmp_path / "p")
    assert status == 1 and "no run is open" in said


# -- what went wrong on the way --------------------------------------------------------------------------------


ERROR = "Exit code 1\nrld: sh verify.sh\nseats.py:3: in hold\nOperationalError: hold table is locked by a dead tab\nrld: failed with exit status 1 in 0.1 s"
REMINDER = "On the way `sh verify.sh` failed: OperationalError: hold table is locked by a dead tab"


def failed(folder, command="rld verify", error=ERROR):
    note(folder, "fail", cmd=command, error=error)
    note(folder, "edit", path="seats.py")
    kind = "verified" if command == "rld verify" else "fixed"
    note(folder, kind, cmd=command)


def test_a_failure_that_the_entry_does_not_mention_is_named_with_what_changed(folder, capsys, session):
    failed(folder)
    status, said = log(capsys, folder)
    assert status == 0
    assert REMINDER + " (then changed: seats.py)\n" in said
    assert said.count("[Pitfalls & What to Avoid] is the place") == 1
    assert len(said[said.index("On the way") :].splitlines()) == 2


def test_an_entry_that_mentions_it_hears_nothing(folder, capsys, session):
    failed(folder)
    status, said = log(
        capsys, folder, "1", ENTRY.replace("The clock of the test stood still.", "A dead tab kept the table locked.")
    )
    assert status == 0 and "On the way" not in said


def test_a_session_without_a_failure_hears_nothing(folder, capsys, session):
    note(folder, "edit", path="seats.py")
    assert "On the way" not in log(capsys, folder)[1]


def test_a_failure_before_the_last_entry_is_over(folder, capsys, session):
    failed(folder)
    assert "On the way" in log(capsys, folder)[1]
    note(folder, "prompt", text="go on")
    status, said = log(capsys, folder, "2")
    assert status == 0 and "On the way" not in said


def test_another_command_counts_once_it_passed(folder, capsys, session):
    note(folder, "fail", cmd="npm run build", error="Exit code 2\nerror TS2304: Cannot find name 'holdSeat'.")
    assert "On the way" not in log(capsys, folder)[1], "nobody made it pass"
    note(folder, "prompt", text="go on")
    failed(folder, "npm run build", "Exit code 2\nerror TS2304: Cannot find name 'holdSeat'.")
    assert (
        "On the way `npm run build` failed: error TS2304: Cannot find name 'holdSeat'." in log(capsys, folder, "2")[1]
    )


def test_no_more_than_two_are_named_and_each_once(folder, capsys, session):
    for name in ("ledger", "printer", "calendar", "calendar"):
        failed(folder, error="AssertionError: the %s disagrees with the turnstile" % name)
    said = log(capsys, folder)[1]
    rows = said[said.index("On the way") :].splitlines()
    assert len(rows) == 3 and "printer" in rows[0] and "calendar" in rows[1] and "ledger" not in said


def test_a_claim_does_not_say_that_the_verify_command_passed(folder):
    data = b'{"t": 1, "k": "fail", "cmd": "sh verify.sh", "error": "OperationalError: hold table is locked"}\n'
    assert hindsight.lessons(data, "sh verify.sh", False) == []
    assert [lesson.symptom for lesson in hindsight.lessons(data, "sh verify.sh", True)] == [
        "OperationalError: hold table is locked"
    ]


SYMPTOMS = {
    "pytest": (
        "Exit code 1\n    def test_hold():\n>       assert hold(3) == 'seat'\nE       AssertionError: assert None == 'seat'\n\n"
        "seats/test_hold.py:4: AssertionError\n=== short test summary info ===\nFAILED seats/test_hold.py::test_hold - AssertionError: assert None == 'seat'\n"
        "=== 1 failed, 3 passed in 0.12s ===",
        "FAILED seats/test_hold.py::test_hold - AssertionError: assert None == 'seat'",
    ),
    "node": (
        "Error: Cannot find module 'holds'\nRequire stack:\n- /app/index.js\n    at Module._resolve (node:internal:1:2)\n  code: 'MODULE_NOT_FOUND'\n}\nNode.js v20.1.0",
        "Error: Cannot find module 'holds'",
    ),
    "npm": ("src/a.ts(3,1): error TS2304: Cannot find name 'holdSeat'.\nnpm error code 2\nnpm error A complete log of this run can be found in: /x",
            "src/a.ts(3,1): error TS2304: Cannot find name 'holdSeat'."),
    "rust": ("error[E0382]: borrow of moved value: `ledger`\n  --> src/a.rs:3:1\nerror: could not compile `seats` (bin \"seats\") due to 1 previous error\nmake: *** [all] Error 101",
             "error[E0382]: borrow of moved value: `ledger`"),
    "nothing to go by": ("Exit code 1\n\n---\n1\n", ""),
    "no word of an error": ("the turnstile counted nineteen visitors\n", "the turnstile counted nineteen visitors"),
}  # fmt: skip


@pytest.mark.parametrize(("error", "line"), SYMPTOMS.values(), ids=SYMPTOMS)
def test_the_symptom_is_the_last_line_that_says_what_went_wrong(error, line):
    assert hindsight.symptom(error) == line


def test_a_symptom_is_one_line_without_secrets_of_bounded_length():
    from rld import redact

    secret = redact.redact("RuntimeError: login failed with password=hunter2hunter2 " + "and more " * 60)
    found = hindsight.symptom(secret)
    assert "hunter2" not in found and len(found) <= 160 and "\n" not in found
