"""Killed at every system call, cut off in mid-write, out of disk: a rerun completes, nothing is lost or doubled.

By default every call is killed once, spread over the variants of a test; RLD_EVERY_CALL=1 kills each in each variant.
"""

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import store

EVERY_CALL = bool(os.environ.get("RLD_EVERY_CALL"))
# What changes files. Which of them a C library uses differs between machines, so unknown names are no error ("?").
CALLS = (
    "open openat write pwrite64 writev fsync fdatasync rename renameat renameat2 link linkat unlink unlinkat rmdir "
    "mkdir mkdirat truncate ftruncate chmod fchmod fchmodat fchmodat2 utimensat flock"
).split()
WRITING = ("O_CREAT", "O_WRONLY", "O_RDWR")
PLAN = "docs/plans/per-request-store.md"
ENTRY = """\
1. [Verified Facts] Item {0} done. `npm test` ran.
2. [What Worked] The store factory, as in the item before.
3. [Distilled Rules] Selectors must return scalars.
4. [Pitfalls & What to Avoid] An object literal in a selector.
5. [What's Next] The item after {0}, and then the rest.
"""


@functools.cache
def no_strace():
    """Why system calls cannot be traced here, "" when they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "this process may not trace others"


@pytest.fixture
def strace():
    if no_strace():
        pytest.skip(no_strace())


@pytest.fixture(autouse=True)
def no_session(monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)


def command(folder, args):
    return [sys.executable, "-B", "-I", "-X", "utf8", str(store.MAIN), args[0], "-C", str(folder), *args[1:]]


def traced(folder, args, *options):
    """Run a verb under strace; git, which only reads, is not followed."""
    run = ["strace", "-qq", *options, "--", *command(folder, args)]
    return subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def calls(folder, args):
    """The system calls with which a verb changes files, as (name, how many of that name came before it plus one)."""
    out = folder.parent / (folder.name + ".trace")
    done = traced(folder, args, "-o", str(out), "-e", "trace=" + ",".join("?" + name for name in CALLS))
    assert done.returncode == 0, done.stderr
    found, count = [], dict.fromkeys(CALLS, 0)
    for line in out.read_text(encoding="utf-8", errors="replace").splitlines():
        name = line.partition("(")[0]
        if name in count:
            count[name] += 1
            if not name.startswith("open") or (any(flag in line for flag in WRITING) and "/dev/null" not in line):
                found.append((name, count[name]))
    assert len(found) > 15
    return found


def kill(folder, args, call):
    """Run a verb and kill it as it enters a call, which is then not made."""
    name, nth = call
    traced_call = ("-o", os.devnull, "-e", "trace=" + name, "-e", "inject=%s:signal=KILL:when=%d" % (name, nth))
    assert traced(folder, args, *traced_call).returncode == -9, call


def share(found, part, parts):
    """A variant's share of the calls, all of them when asked for."""
    return found if EVERY_CALL else found[part::parts]


def names(folder):
    files = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return sorted(name for name in files if not name.startswith(".git/") or name.startswith(".git/rld/"))


def snapshot(folder):
    """Every file of the project and of the state folder with what must be the same in every run."""
    # What only saves hooks time is built again when it is missing.
    kept = [name for name in names(folder) if "/locks/" not in name and not name.endswith(".state.json")]
    return {name: _content(folder, name) for name in kept}


def _content(folder, name):
    data = (folder / name).read_bytes()
    if name.endswith(".jsonl"):
        events = [json.loads(line) for line in data.splitlines()]
        return [{key: value for key, value in event.items() if key not in ("id", "t", "when")} for event in events]
    return data


def temporary(folder):
    return [name for name in names(folder) if name.endswith(".tmp")]


def users_files(found):
    return {name: text for name, text in found.items() if not name.startswith(".git/")}


def copy(origin, name):
    return pathlib.Path(shutil.copytree(origin, origin.parent / name, symlinks=True))


# apply


@pytest.fixture(scope="module")
def proposed(tmp_path_factory):
    origin = tmp_path_factory.mktemp("apply") / "origin"
    origin.mkdir()
    store.make(origin)
    assert store.rld(origin, "status") == 0
    assert store.propose(origin, store.FRONT + store.GUARDRAIL + "\n" + store.PITFALL + "\n" + store.REPEAL) == 0
    return origin


APPLY = {
    "all": ["apply", "--accept", "1,3", "--reject", "2:a one-off"],
    "some": ["apply", "--accept", "2", "--reject", "3:not yet"],
}
VARIANTS = [(options, rerun) for options in APPLY for rerun in ("apply", "status")]


@pytest.mark.parametrize(("options", "rerun"), VARIANTS, ids=map("-".join, VARIANTS))
def test_an_apply_killed_at_any_call_is_completed_by_a_rerun(strace, proposed, tmp_path, options, rerun, capsys):
    args = APPLY[options]
    shutil.copytree(proposed, tmp_path / "origin")
    calm = copy(tmp_path / "origin", "calm")
    found = calls(calm, args)
    before, after = snapshot(proposed), snapshot(calm)
    assert len(after[".git/rld/rejected.jsonl"]) == 1
    points = share(found, VARIANTS.index((options, rerun)), len(VARIANTS))
    for call in points:
        folder = copy(tmp_path / "origin", "%s-%d" % call)
        kill(folder, args, call)
        law = (folder / "POST_MORTEM.md").read_bytes()
        assert law in (before["POST_MORTEM.md"], after["POST_MORTEM.md"]), call
        if rerun == "status":
            _look_at_it(folder, before, call)
        _apply_again(folder, args, capsys, call)
        assert snapshot(folder) == after, call
        shutil.rmtree(folder)
    print("%s, %s: killed at %d of %d calls" % (options, rerun, len(points), len(found)))


def _look_at_it(folder, before, call):
    """`rld status` completes what was begun; what was not begun is as it was."""
    begun = (folder / ".git/rld/apply/main.json").exists()
    assert store.rld(folder, "status") == 0, call
    assert not (folder / ".git/rld/apply/main.json").exists(), call
    if begun:
        assert temporary(folder) == [], call
    elif snapshot(folder).get(store.PROPOSAL) == before[store.PROPOSAL]:
        assert users_files(snapshot(folder)) == users_files(before), call


def _apply_again(folder, args, capsys, call):
    capsys.readouterr()
    status = store.rld(folder, *args)
    said = capsys.readouterr().err
    # Once all is done there is nothing left to decide on.
    assert status == 0 or "no proposal is waiting" in said or "there is no candidate" in said, (call, said)


def test_a_recovery_killed_at_any_call_is_completed_by_the_next(strace, proposed, tmp_path, capsys):
    args = APPLY["all"]
    shutil.copytree(proposed, tmp_path / "origin")
    calm = copy(tmp_path / "origin", "calm")
    assert store.rld(calm, *args) == 0
    begun = copy(tmp_path / "origin", "begun")
    found = calls(copy(tmp_path / "origin", "traced"), args)
    renames = [call for call in found if call[0].startswith("rename")]
    kill(begun, args, renames[1])  # the intent is written, the post-mortem lies beside its place
    assert temporary(begun)
    points = share(calls(copy(begun, "recovered"), ["status"]), 0, 3)
    for call in points:
        folder = copy(begun, "again-%s-%d" % call)
        kill(folder, ["status"], call)
        assert store.rld(folder, "status") == 0, call
        assert snapshot(folder) == snapshot(calm), call
        shutil.rmtree(folder)


# log


@pytest.fixture(scope="module", params=["middle", "last"])
def running(tmp_path_factory, request):
    """A run whose next item is not the last one, or is."""
    origin = tmp_path_factory.mktemp(request.param) / "origin"
    origin.mkdir()
    return make_run(origin, 8 if request.param == "last" else 20)


def make_run(folder, items):
    plan = "# Per-request store\n\n" + "".join("## Item %d: page %d\n\nMigrate it.\n\n" % (n, n) for n in range(6, items + 1))
    head, _, _ = store.FILES[store.JOURNAL].replace("status: complete", "status: open").partition("\n5. [What's Next] Item 8")
    files = {PLAN: plan, store.JOURNAL: head + "\n5. [What's Next] Item 8.\n", ".rld.yml": "approval: batch\n"}
    store.make(folder, files)
    for n in range(8, items + 1):
        (folder.parent / ("entry-%d.md" % n)).write_text(ENTRY.format(n), encoding="utf-8")
    assert store.rld(folder, "status") == 0
    return folder


def log(folder, item):
    """The command that logs an item; the entry is read from a file beside the project."""
    entry = str(folder.parent / ("entry-%d.md" % item))
    return ["log", "--item", str(item), "--claimed", "the suite takes an hour", "--file", entry]


SESSION = "5e551011"


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)


def test_a_log_killed_at_any_call_adds_its_entry_once(strace, session, running, tmp_path, capsys):
    args = log(running, 8)
    shutil.copytree(running, tmp_path / "origin")
    calm = copy(tmp_path / "origin", "calm")
    found = calls(calm, args)
    before, after = snapshot(running), snapshot(calm)
    entry = after[store.JOURNAL].replace(b"status: complete", b"status: open")
    assert entry.startswith(before[store.JOURNAL]) and entry != before[store.JOURNAL]
    points = share(found, 0, 2)
    for call in points:
        folder = copy(tmp_path / "origin", "%s-%d" % call)
        kill(folder, args, call)
        kept = (folder / store.JOURNAL).read_bytes()
        assert kept in (before[store.JOURNAL], entry, after[store.JOURNAL]), call
        assert store.rld(folder, *args) == 0, (call, capsys.readouterr().err)
        assert snapshot(folder) == after, call
        shutil.rmtree(folder)
    print("log: killed at %d of %d calls" % (len(points), len(found)))


def test_an_entry_cut_off_at_any_byte_is_written_anew_and_what_was_cut_is_kept(running, tmp_path, capsys):
    args = log(running, 8)
    shutil.copytree(running, tmp_path / "origin")
    calm = copy(tmp_path / "origin", "calm")
    assert store.rld(calm, *args) == 0
    before = (running / store.JOURNAL).read_bytes()
    after = (calm / store.JOURNAL).read_bytes()
    written = after.replace(b"status: complete", b"status: open")[len(before) :]
    folder = copy(tmp_path / "origin", "torn")
    for size in range(0, len(written), 1 if EVERY_CALL else 17):
        (folder / store.JOURNAL).write_bytes(before + written[:size])
        capsys.readouterr()
        assert store.rld(folder, *args) == 0, (written[:size], capsys.readouterr().err)
        again = (folder / store.JOURNAL).read_bytes()
        assert again == after, written[:size]
        assert store.rld(folder, *args) == 0
        assert (folder / store.JOURNAL).read_bytes() == after
        shutil.rmtree(folder / ".git/rld/torn", ignore_errors=True)


# out of disk


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("verb", ["apply", "log"])
def test_a_call_that_fails_is_told_and_a_rerun_completes(strace, proposed, running, tmp_path, capsys, verb, error):
    args = APPLY["all"] if verb == "apply" else log(running, 8)
    shutil.copytree(proposed if verb == "apply" else running, tmp_path / "origin")
    calm = copy(tmp_path / "origin", "calm")
    found = [call for call in calls(calm, args) if call[0] not in ("flock", "unlink")]
    before, after = snapshot(tmp_path / "origin"), snapshot(calm)
    for name, nth in found:
        folder = copy(tmp_path / "origin", "%s-%d" % (name, nth))
        fail = ("-o", os.devnull, "-e", "trace=" + name, "-e", "inject=%s:error=%s:when=%d" % (name, error, nth))
        done = traced(folder, args, *fail)
        print(name, nth, done.returncode, done.stderr.decode()[-300:].replace(str(folder), "."))
        for key in ("POST_MORTEM.md",):
            assert (folder / key).read_bytes() in (before[key], after[key])
        print("   tmp", temporary(folder))
        st = store.rld(folder, *args)
        e = capsys.readouterr().err
        if "no proposal" not in e and st: print("  RERUN", st, e)
        a = snapshot(folder)
        if a != after:
            print("  DIFF", {k for k in {*a, *after} if a.get(k) != after.get(k)})
