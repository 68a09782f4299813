"""`rld verify`: the command ends within its limit, nothing is left running, and the receipt is bound to the tree."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import uuid

import pytest

import store
from rld import gittree, processgroup, project, receipts, runs, settings, verifier

posix = pytest.mark.skipif(os.name == "nt", reason="signals and process groups of POSIX")
proc = pytest.mark.skipif(not pathlib.Path("/proc/self/cmdline").exists(), reason="looks into /proc")
PLAN = "# Seats\n\n### Item 1: hold a seat\n\n### Item 2: release it\n\n**Depends on:** Item 1\n"


@pytest.fixture(autouse=True)
def no_session(monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)


def make(folder, verify="true", git=True, **files):
    """A project with a verify command in its settings."""
    folder.mkdir(parents=True, exist_ok=True)
    named = {name.replace("__", "/"): text for name, text in files.items()}
    none = dict.fromkeys(store.FILES)
    store.make(folder, {**none, ".rld.yml": "verify: %s\n" % json.dumps(verify), "a.py": "a = 1\n", **named}, git)
    return folder


def verify(folder, *options):
    """Run it as people do; the finished process."""
    return subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(store.MAIN), "verify", "-C", str(folder), *options],
        capture_output=True, check=False, encoding="utf-8", timeout=60,
    )  # fmt: skip


def kept(folder):
    """The newest receipt."""
    (file,) = (folder / ".git/rld/receipts").glob("*.jsonl")
    return json.loads(file.read_text(encoding="utf-8").splitlines()[-1])


def running(marker):
    """The processes that have a marker in their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in line:
                found.append(line)
    return found


def soon(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def marker():
    """An argument that names the processes of one test; none may live when it is over."""
    name = "rld-test-" + uuid.uuid4().hex
    yield name
    assert soon(lambda: not running(name)), running(name)


# -- the end of a command --------------------------------------------------------------------------------------


SLEEP = "sh -c 'sleep 300; : %s'"  # the marker stands in the shell's own command line
LIVES = {
    "hangs": SLEEP,
    "forks and waits": SLEEP + " & " + SLEEP + " & wait",
    "a child of a child": 'sh -c "' + SLEEP + '; true"; true',
}


@posix
@proc
@pytest.mark.parametrize("command", LIVES.values(), ids=LIVES)
def test_a_command_that_does_not_end_is_ended_with_all_its_children(tmp_path, marker, command):
    folder = make(tmp_path / "p", command.replace("%s", marker))
    began = time.monotonic()
    done = verify(folder, "--limit", "0.6")
    assert done.returncode == 1 and time.monotonic() - began < 5
    assert "no proof: ended after 0.6 s (--limit)" in done.stdout
    assert running(marker) == []
    assert kept(folder)["status"] == -1 and kept(folder)["why"]


@posix
@proc
def test_a_background_child_that_holds_the_pipe_holds_nobody_and_ends_with_the_command(tmp_path, marker):
    folder = make(tmp_path / "p", (SLEEP % marker) + " & echo '3 passed'")
    began = time.monotonic()
    done = verify(folder)
    assert done.returncode == 0 and time.monotonic() - began < 5
    assert "3 passed" in done.stdout and running(marker) == []


@posix
@proc
def test_what_ignores_the_polite_signal_is_killed(tmp_path, marker, monkeypatch):
    monkeypatch.setattr(processgroup, "GRACE", 0.3)
    command = (
        "%s -c 'import signal, time; signal.signal(15, signal.SIG_IGN); print(\"on\", flush=True); time.sleep(300)' %s"
    )
    began = time.monotonic()
    done = verifier.run(command % (sys.executable, marker), str(tmp_path), 1.0, lambda part: None)
    assert done.timed_out and done.status == -1 and done.tail == "on\n"
    assert time.monotonic() - began < 4
    assert running(marker) == []


@posix
@proc
def test_a_stopped_process_is_ended_too(tmp_path, marker, monkeypatch):
    monkeypatch.setattr(processgroup, "GRACE", 0.3)
    done = verifier.run("kill -STOP $$; : %s" % marker, str(tmp_path), 0.4, lambda part: None)
    assert done.timed_out and running(marker) == []


@posix
@proc
def test_a_daemon_that_left_the_group_goes_on_and_its_hold_on_the_pipe_is_let_go(tmp_path, marker, monkeypatch):
    """Build daemons do that on purpose: the next verify wants them alive."""
    monkeypatch.setattr(processgroup, "GRACE", 0.3)
    code = "import os, sys, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(60)"
    shown = []
    began = time.monotonic()
    done = verifier.run("%s -c '%s' %s & sleep 0.4" % (sys.executable, code, marker), str(tmp_path), 20.0, shown.append)
    assert done.status == 0 and time.monotonic() - began < 5
    assert len(running(marker)) == 1
    os.kill(int(done.tail), signal.SIGKILL)


@posix
@proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_ending_rld_ends_the_command(tmp_path, marker, number):
    """Ctrl-C in a terminal; the client when a tool call takes too long; a closed window."""
    folder = make(tmp_path / "p", "echo begun; " + SLEEP % marker)
    command = [sys.executable, "-I", "-X", "utf8", str(store.MAIN), "verify", "-C", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout.readline() == b"begun\n"
        assert soon(lambda: running(marker))
        process.send_signal(number)
        _, err = process.communicate(timeout=10)
    assert process.returncode == 130 and b"rld: stopped" in err and b"Traceback" not in err
    assert running(marker) == []
    assert not (folder / ".git/rld/receipts").exists(), "what was interrupted is no receipt"


@posix
@proc
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupt_that_comes_while_the_command_is_being_started_ends_it_too(tmp_path, marker, monkeypatch, name):
    started = subprocess.Popen

    def start(*args, **options):
        child = started(*args, **options)
        os.kill(os.getpid(), getattr(signal, name))
        time.sleep(0.05)
        return child

    monkeypatch.setattr(verifier.subprocess, "Popen", start)
    with pytest.raises(KeyboardInterrupt):
        verifier.run(SLEEP % marker, str(tmp_path), 20.0, lambda part: None)
    assert running(marker) == []


@posix
@proc
def test_a_second_interrupt_while_the_group_is_ended_leaves_nothing(tmp_path, marker):
    ignore = 'import signal, time; signal.signal(15, signal.SIG_IGN); print("begun", flush=True); time.sleep(300)'
    folder = make(tmp_path / "p", "%s -c '%s' %s" % (sys.executable, ignore, marker))
    command = [sys.executable, "-I", "-X", "utf8", str(store.MAIN), "verify", "-C", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert process.returncode == 130
    assert running(marker) == []


@posix
def test_handlers_of_signals_are_as_they_were(tmp_path):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    verifier.run("true", str(tmp_path), 5.0, lambda part: None)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


# -- what it gets and what it says -----------------------------------------------------------------------------


def test_standard_input_is_empty_and_ci_is_set(tmp_path):
    done = verify(make(tmp_path / "p", 'read line; echo "$? [$line] CI=$CI"; test "$CI" = 1'))
    assert "1 [] CI=1" in done.stdout and done.returncode == 0


@pytest.mark.parametrize(
    ("command", "status"), [("true", 0), ("false", 1), ("exit 7", 1), ("kill -9 $$", 1), ("nothing-like-that", 1)]
)
def test_the_exit_status_says_passed_or_not(tmp_path, command, status):
    assert verify(make(tmp_path / "p", command)).returncode == status


def test_a_failure_inside_a_pipe_is_seen_when_the_command_asks_for_it(tmp_path):
    """The shell is the one that people type in: a plain sh need not know pipefail."""
    assert verify(make(tmp_path / "p", "set -o pipefail; false | cat")).returncode == 1


@posix
def test_two_hundred_megabytes_are_shown_and_only_their_end_is_kept(tmp_path):
    size = 200 << 20
    command = "yes 'a line of output that a test runner prints' | head -c %d; echo; echo 'the last line'; exit 1" % size
    folder = make(tmp_path / "p", command)
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", str(store.MAIN), "verify", "-C", str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        got = 0
        while part := process.stdout.read(1 << 20):
            got += len(part)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 1
    assert got > size and time.monotonic() - began < 30
    # Before it runs its own program, a child counts what its parent had.
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert usage.ru_maxrss < max(150_000 * (1024 if sys.platform == "darwin" else 1), 1.1 * mine)
    tail = kept(folder)["tail"]
    assert len(tail) <= 8000 and tail.endswith("the last line\n")
    assert (folder / ".git/rld/receipts/main.jsonl").stat().st_size < 20_000


def test_secrets_and_terminal_sequences_are_not_kept(tmp_path):
    token = "ghp_" + "a1B2" * 10
    text = "\\033[31mFAIL\\033[0m token \\033[1m%s\\033[0m\\nDATABASE_PASSWORD=hunter2hunter2\\n" % token
    folder = make(tmp_path / "p", 'printf "$(cat output)\\n"; exit 1', output=text)
    assert verify(folder).returncode == 1
    stored = (folder / ".git/rld/receipts/main.jsonl").read_text(encoding="utf-8")
    assert token not in stored and "hunter2" not in stored and "u001b" not in stored
    assert kept(folder)["tail"].startswith("FAIL token «redacted»")


@posix
def test_a_credential_that_the_cut_would_halve_is_not_kept(tmp_path):
    token = "ghp_" + "a1B2c3D4" * 5
    rest = verifier.TAIL - 20  # the cut goes through the token
    command = "head -c %d /dev/zero | tr '\\0' x; printf ' %s'; printf '\\033[0m%%.0s' $(seq %d); printf '\\nend\\n'" % (
        2 * verifier.TAIL, token, (rest - 5) // 4
    )  # fmt: skip
    done = verifier.run(command, str(tmp_path), 20.0, lambda part: None)
    assert "D4" not in done.tail and done.tail.endswith("end\n")


def test_the_last_word_stands_on_a_line_of_its_own(tmp_path):
    done = verify(make(tmp_path / "p", "printf 'no line end'"))
    assert "no line end\nrld: passed" in done.stdout


def test_json_is_all_of_standard_output(tmp_path):
    done = verify(make(tmp_path / "p", "echo noise; exit 3"), "--json")
    value = json.loads(done.stdout)
    assert done.returncode == 1 and "noise" in done.stderr
    assert (value["status"], value["passed"], value["grade"], value["tail"]) == (3, False, "verified", "noise\n")


NOTHING = {
    "pytest": "echo 'collected 0 items'; echo 'no tests ran in 0.01s'",
    "jest": "echo 'No tests found, exiting with code 0'",
    "go": "echo '?   	example/pkg	[no test files]'",
    "unittest in colour": "printf '\\033[1mRan 0 tests in 0.000s\\033[0m\\n\\nOK\\n'",
}


@pytest.mark.parametrize("command", NOTHING.values(), ids=NOTHING)
def test_zero_tests_are_no_proof(tmp_path, command):
    folder = make(tmp_path / "p", command)
    done = verify(folder)
    assert done.returncode == 1 and "no proof: zero tests ran" in done.stdout
    assert kept(folder)["why"] == "zero tests ran"
    last = verify(folder, "--last")
    assert last.returncode == 1 and "did not pass: zero tests ran" in last.stderr


def test_without_a_verify_command_the_way_out_is_named(tmp_path):
    folder = make(tmp_path / "p")
    (folder / ".rld.yml").write_text("stop: off\n", encoding="utf-8")
    done = verify(folder)
    assert done.returncode == 1 and "rld run start PLAN --verify CMD" in done.stderr


# -- the receipt and the tree ----------------------------------------------------------------------------------


def last(folder, capsys):
    """(exit status, what is said) of `verify --last`."""
    capsys.readouterr()
    status = store.rld(folder, "verify", "--last")
    said = capsys.readouterr()
    return status, said.out + said.err


COUNTS = {
    "a changed file": ("a.py", "a = 2\n"),
    "a new untracked file": ("new.py", "b = 1\n"),
    "a deleted file": ("b.py", None),
    "a folder with a longer name than the worklog's": ("docs/worklog-tools/x.py", "x = 1\n"),
    "a file with a longer name than ours": (".rld.yml.bak", "x"),
}


@pytest.fixture
def proved(tmp_path, capsys):
    folder = make(
        tmp_path / "p",
        **{"b.py": "b = 1\n", ".gitignore": "build/\n*.log\n", "docs/worklog/j.md": "# J\n", "POST_MORTEM.md": "# P\n"},
    )
    assert store.rld(folder, "verify") == 0
    assert last(folder, capsys)[0] == 0
    return folder


WAYS = [(name, git) for git in (True, False) for name in COUNTS if git or COUNTS[name][1] is not None]


@pytest.mark.parametrize(
    ("change", "git"), WAYS, ids=["%s, %s" % (name, "git" if git else "no git") for name, git in WAYS]
)
def test_a_changed_tree_is_another_tree_and_the_file_is_named(tmp_path, capsys, change, git):
    folder = make(tmp_path / "p", git=git, **{"b.py": "b = 1\n"})
    old = time.time() - 100
    for path in [*folder.rglob("*"), folder]:
        if ".git/" not in path.as_posix():
            os.utime(path, (old, old))
    assert store.rld(folder, "verify") == 0
    assert last(folder, capsys)[0] == 0
    name, text = COUNTS[change]
    time.sleep(0.02)
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    status, said = last(folder, capsys)
    assert status == 1
    assert "passed, and %s changed after that: run `rld verify`" % name in said


def test_an_edit_in_the_second_of_the_last_commit_is_another_tree(tmp_path):
    """The same size, the same times: only the time of the index tells git to look into the file."""
    folder = make(tmp_path / "p")
    then = 1_700_000_000
    os.utime(folder / "a.py", (then, then))
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "config", "core.trustctime", "false"], check=True)
    subprocess.run([*git, "add", "a.py"], check=True)
    os.utime(folder / ".git/index", (then, then))
    found = project.find(str(folder))
    before = gittree.tree_id(found, [])
    (folder / "a.py").write_text("a = 2\n", encoding="utf-8")
    os.utime(folder / "a.py", (then, then))
    assert gittree.tree_id(found, []) != before


def test_the_same_content_again_is_the_same_tree(proved, capsys):
    (proved / "a.py").write_text("a = 2\n", encoding="utf-8")
    assert last(proved, capsys)[0] == 1
    (proved / "a.py").write_text("a = 1\n", encoding="utf-8")
    assert last(proved, capsys)[0] == 0


def test_a_commit_changes_nothing(proved, capsys):
    (proved / "new.py").write_text("n = 1\n", encoding="utf-8")
    assert store.rld(proved, "verify") == 0
    before = kept(proved)["tree"]
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for args in (["add", "-A"], [*who, "commit", "-q", "-m", "y"]):
        subprocess.run(["git", "-C", str(proved), *args], check=True)
    status, said = last(proved, capsys)
    assert status == 0 and before[:7] in said


FREE = ("build/out.js", "x.log", "docs/worklog/j.md", "docs/worklog/new.md", "docs/worklog/j.proposal.md", "docs/worklog/archive/o.md",
        "POST_MORTEM.md")  # fmt: skip


@pytest.mark.parametrize("name", FREE)
def test_ignored_files_and_our_own_do_not_count(proved, capsys, name):
    (proved / name).parent.mkdir(parents=True, exist_ok=True)
    (proved / name).write_text("changed\n", encoding="utf-8")
    assert last(proved, capsys)[0] == 0


def test_settings_do_not_count_either(proved, capsys):
    with open(proved / ".rld.yml", "a", encoding="utf-8") as out:
        out.write("stop: off\n")
    assert last(proved, capsys)[0] == 0


def test_a_folder_whose_name_is_a_pattern_leaves_nothing_else_out(tmp_path, capsys):
    folder = make(tmp_path / "p", **{"docs/w/a.py": "a\n", "docs/[w]/j.md": "# J\n"})
    (folder / ".rld.yml").write_text('verify: "true"\nworklog: docs/[w]\n', encoding="utf-8")
    assert store.rld(folder, "verify") == 0
    (folder / "docs/[w]/j.md").write_text("# K\n", encoding="utf-8")
    assert last(folder, capsys)[0] == 0
    (folder / "docs/w/a.py").write_text("b\n", encoding="utf-8")
    assert last(folder, capsys)[0] == 1


def test_the_index_and_the_caller_s_variables_are_left_alone(proved, monkeypatch):
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    (proved / "new.py").write_text("n = 1\n", encoding="utf-8")
    index = (proved / ".git/index").read_bytes()
    assert store.rld(proved, "verify") == 0
    assert kept(proved)["tree"] and (proved / ".git/index").read_bytes() == index


def test_a_file_that_was_edited_while_the_command_ran_is_not_proved(tmp_path, capsys):
    folder = make(tmp_path / "p", "echo 'a = 2' > a.py")
    assert store.rld(folder, "verify") == 0
    assert "a.py changed while it ran" in capsys.readouterr().err
    status, said = last(folder, capsys)
    assert status == 1 and "a.py changed after that" in said
    assert store.rld(folder, "verify") == 0, "a formatter has nothing to do the second time"
    assert last(folder, capsys)[0] == 0


def test_what_the_tests_leave_behind_is_no_change_under_their_hands(tmp_path, capsys):
    folder = make(tmp_path / "p", "date > report.xml")
    assert store.rld(folder, "verify") == 0
    assert last(folder, capsys)[0] == 0


def test_a_failure_after_a_pass_takes_the_proof_away(tmp_path, capsys):
    folder = make(tmp_path / "p", "test ! -e build/broken", **{".gitignore": "build/\n"})
    assert store.rld(folder, "verify") == 0
    (folder / "build").mkdir()
    (folder / "build/broken").touch()
    assert store.rld(folder, "verify") == 1
    status, said = last(folder, capsys)
    assert status == 1 and "did not pass: exit 1" in said


def test_another_commands_receipt_proves_nothing(tmp_path, capsys):
    folder = make(tmp_path / "p")
    assert store.rld(folder, "verify") == 0
    (folder / ".rld.yml").write_text('verify: "test 1"\n', encoding="utf-8")
    status, said = last(folder, capsys)
    assert status == 1 and "`test 1` has not passed in this worktree" in said


def test_worktrees_keep_their_own_receipts(tmp_path, capsys):
    main = make(tmp_path / "p")
    other = tmp_path / "other"
    subprocess.run(["git", "-C", str(main), "worktree", "add", "-q", str(other)], check=True)
    assert store.rld(main, "verify") == 0
    assert last(main, capsys)[0] == 0
    status, said = last(other, capsys)
    assert status == 1 and "has not passed in this worktree" in said
    assert store.rld(other, "verify") == 0
    (other / "a.py").write_text("a = 3\n", encoding="utf-8")
    assert (last(other, capsys)[0], last(main, capsys)[0]) == (1, 0)
    assert sorted(path.name for path in (main / ".git/rld/receipts").iterdir()) == ["main.jsonl", "other.jsonl"]


@pytest.mark.parametrize(
    "line",
    [b"{torn", b"[]", b"\xff\xfe", b'{"command": "true", "grade": "verified"}', b'{"command": "true", "new": 1}'],
)
def test_a_receipt_that_cannot_be_read_is_none(tmp_path, capsys, line):
    folder = make(tmp_path / "p")
    assert store.rld(folder, "verify") == 0
    file = folder / ".git/rld/receipts/main.jsonl"
    file.write_bytes(file.read_bytes() + line + b"\n")
    assert last(folder, capsys)[0] == 0
    file.write_bytes(line + b"\n")
    status, said = last(folder, capsys)
    assert status == 1 and "has not passed" in said


def test_a_project_below_the_top_of_its_repository_is_bound_to_the_whole_tree(tmp_path, capsys):
    top = make(tmp_path / "p", lib__x="x = 1\n")
    inner = top / "service"
    make(inner, git=False)
    assert store.rld(inner, "verify") == 0
    assert last(inner, capsys)[0] == 0
    (inner / "POST_MORTEM.md").write_text("# P\n", encoding="utf-8")
    assert last(inner, capsys)[0] == 0
    (top / "lib/x").write_text("x = 2\n", encoding="utf-8")
    assert last(inner, capsys)[0] == 1


def test_the_tree_id_is_the_one_git_gives_the_same_files(tmp_path):
    folder = make(tmp_path / "p", **{"new dir/ü.py": "u\n"})
    found = project.find(str(folder))
    (folder / "new.py").write_text("n\n", encoding="utf-8")
    (folder / ".rld.yml").unlink()
    subprocess.run(["git", "-C", str(folder), "add", "-A"], check=True)
    real = subprocess.run(["git", "-C", str(folder), "write-tree"], check=True, capture_output=True, text=True).stdout
    assert gittree.tree_id(found, receipts.own_files(settings.Settings({}))) == real.strip()


def test_what_a_hook_saw_counts_until_a_file_is_written(tmp_path):
    """The grades: `observed` is bound by time, since a hook cannot afford a tree id."""
    from rld import evidence

    folder = make(tmp_path / "p")
    found, ours = project.find(str(folder)), settings.Settings({})
    run = runs.Run("docs/worklog/j.md", {"plan": "p.md", "verify": "true"})
    old = time.time() - 100
    os.utime(folder / "a.py", (old, old))
    os.utime(folder / ".rld.yml", (old, old))
    evidence.note(found, "s", "pass", cmd="true", grade="observed", entries=0, journal=run.journal)
    receipt, _ = receipts.fitting(found, ours, run, "s")
    assert receipt is not None and receipt.grade == "observed" and receipt.words() == "`true` exit 0 (observed)"
    assert receipts.fitting(found, ours, run, "another session")[0] is None
    later = time.time() + 5
    os.utime(folder / "a.py", (later, later))
    receipt, why = receipts.fitting(found, ours, run, "s")
    assert receipt is None and "was seen to pass, and a.py changed after that" in why
