"""Killed at every system call, cut off in mid-write, out of disk: a rerun completes, nothing is lost or doubled.

By default some of the calls are killed, others in each variant of a test; RLD_EVERY_CALL=1 kills at each.
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
from rld import gittree, journal, rawfile, textfile

EVERY_CALL = bool(os.environ.get("RLD_EVERY_CALL"))
# What changes files. Which of them a C library uses differs between machines, so unknown names are no error ("?").
CALLS = (
    "open openat write pwrite64 writev fsync fdatasync rename renameat renameat2 link linkat unlink unlinkat rmdir "
    "mkdir mkdirat truncate ftruncate chmod fchmod fchmodat fchmodat2 utimensat flock"
).split()
WRITING = ("O_CREAT", "O_WRONLY", "O_RDWR")
SAVES_TIME = (".state.json", "/stamp-main")
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
    assert len(found) > 10
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
    kept = [name for name in names(folder) if "/locks/" not in name and not name.endswith(SAVES_TIME)]
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
    points = share(found, VARIANTS.index((options, rerun)), 7)
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
    found = calls(copy(tmp_path / "origin", "traced"), args)
    for call in [call for call in found if call[0].startswith("rename")]:
        begun = copy(tmp_path / "origin", "begun-%s-%d" % call)
        kill(begun, args, call)
        if (begun / ".git/rld/apply/main.json").exists():
            break  # the intent is written, the post-mortem lies beside its place
    assert temporary(begun) and users_files(snapshot(begun))["POST_MORTEM.md"] == snapshot(proposed)["POST_MORTEM.md"]
    points = share(calls(copy(begun, "recovered"), ["status"]), 0, 6)
    for call in points:
        folder = copy(begun, "again-%s-%d" % call)
        kill(folder, ["status"], call)
        assert store.rld(folder, "status") == 0, call
        assert snapshot(folder) == snapshot(calm), call
        shutil.rmtree(folder)
    print("recovery: killed at %d calls" % len(points))


# log


@pytest.fixture(scope="module", params=["middle", "last"])
def running(tmp_path_factory, request):
    """A run whose next item is not the last one, or is."""
    origin = tmp_path_factory.mktemp(request.param) / "origin"
    origin.mkdir()
    return make_run(origin, 8 if request.param == "last" else 20)


def make_run(folder, items):
    plan = "# Per-request store\n\n" + "".join(
        "## Item %d: page %d\n\nMigrate it.\n\n" % (n, n) for n in range(6, items + 1)
    )
    head, _, _ = (
        store.FILES[store.JOURNAL].replace("status: complete", "status: open").partition("\n5. [What's Next] Item 8")
    )
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


def test_a_log_killed_at_any_call_is_completed_by_a_rerun(strace, session, running, tmp_path, capsys):
    args = log(running, 8)
    shutil.copytree(running, tmp_path / "origin")
    calm = copy(tmp_path / "origin", "calm")
    found = calls(calm, args)
    before, after = snapshot(running), snapshot(calm)
    entry = _entries(after[store.JOURNAL])
    assert entry.startswith(before[store.JOURNAL]) and entry != before[store.JOURNAL]
    points = share(found, len(tmp_path.name) % 6, 6)
    for call in points:
        folder = copy(tmp_path / "origin", "%s-%d" % call)
        kill(folder, args, call)
        assert _entries((folder / store.JOURNAL).read_bytes()) in (before[store.JOURNAL], entry), call
        assert store.rld(folder, *args) == 0, (call, capsys.readouterr().err)
        assert snapshot(folder) == after, call
        shutil.rmtree(folder)
    print("log: killed at %d of %d calls" % (len(points), len(found)))


def _entries(book):
    return book.replace(b"status: complete", b"status: open")


def cut_off(running, tmp_path):
    """The journal before an entry and with it, and the bytes in between."""
    shutil.copytree(running, tmp_path / "calm")
    assert store.rld(tmp_path / "calm", *log(running, 8)) == 0
    before, after = ((folder / store.JOURNAL).read_bytes() for folder in (running, tmp_path / "calm"))
    return before, after, _entries(after)[len(before) :]


@pytest.mark.parametrize("kept", ["start", "last field"])
def test_an_entry_cut_off_at_any_byte_is_written_once_more(running, tmp_path, capsys, kept):
    before, after, written = cut_off(running, tmp_path)
    folder = pathlib.Path(shutil.copytree(running, tmp_path / "torn"))
    shutil.copytree(running / ".git/rld", tmp_path / "state")
    last = written.index(b"[What's Next]") + len("[What's Next] ")
    sizes = range(last + 1) if kept == "start" else range(last + 1, len(written.rstrip()))
    for size in sizes if EVERY_CALL else sizes[::17]:
        (folder / store.JOURNAL).write_bytes(before + written[:size])
        capsys.readouterr()
        assert store.rld(folder, *log(running, 8)) == 0, (written[:size], capsys.readouterr().err)
        assert (folder / store.JOURNAL).read_bytes() == after, written[:size]
        shutil.rmtree(folder / ".git/rld")
        shutil.copytree(tmp_path / "state", folder / ".git/rld")


def test_a_cut_off_entry_that_is_written_differently_now_is_set_aside(running, tmp_path, capsys):
    before, _, written = cut_off(running, tmp_path)
    torn = written[: written.index(b"object literal")]
    folder = pathlib.Path(shutil.copytree(running, tmp_path / "torn"))
    (folder / store.JOURNAL).write_bytes(before + torn.replace(b"takes an hour", b"took a day"))
    assert store.rld(folder, *log(running, 8)) == 0
    assert "was moved to" in capsys.readouterr().err
    (aside,) = (folder / ".git/rld/torn").iterdir()
    assert aside.read_bytes() == torn.lstrip().replace(b"takes an hour", b"took a day")
    book = journal.parse(textfile.read(folder / store.JOURNAL))
    assert [entry.item for entry in book.entries] == ["6", "7", "8"]
    assert not [problem for problem in journal.check(book) if problem[1] != "placeholder"]


# what a killed process leaves


def test_what_a_living_process_is_writing_is_left_alone_and_what_a_dead_one_left_goes(proposed, tmp_path):
    folder = pathlib.Path(shutil.copytree(proposed, tmp_path / "project"))
    living = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stays, goes = [], []
    for process, listed in ((living, stays), (ended, goes)):
        for name in (".rld-%d-abc.tmp", "docs/worklog/.rld-%d-abc.tmp", ".git/rld/trusted.md.%d.tmp"):
            listed.append(folder / (name % process.pid))
    stays += [folder / "docs/worklog/notes.tmp", folder / "docs/worklog/.rld-draft.tmp", folder / "mine.1.tmp"]
    for path in [*stays, *goes]:
        path.write_text("half", encoding="utf-8")
    if os.name == "nt":
        for path in goes:
            os.utime(path, (1, 1))
    try:
        assert store.rld(folder, "apply", "--accept", "1") == 0
    finally:
        living.communicate()
    assert [path for path in stays if not path.exists()] == []
    assert [path for path in goes if path.exists()] == []


def test_what_a_killed_process_of_the_same_number_left_is_no_part_of_a_new_file(tmp_path):
    path = tmp_path / "state.json"
    (tmp_path / ("state.json.%d.tmp" % os.getpid())).write_bytes(b'{"half": ')
    assert rawfile.replace(str(path), b"{}")
    assert path.read_bytes() == b"{}"


# out of disk


ERRORS = {"ENOSPC": "no space left on device", "EIO": "input/output error", "EACCES": "permission denied"}
DENIED = ("unlink", "unlinkat", "rename", "renameat", "renameat2", "openat", "open")


@pytest.fixture(scope="module")
def middle(tmp_path_factory):
    origin = tmp_path_factory.mktemp("errors") / "origin"
    origin.mkdir()
    return make_run(origin, 20)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("verb", ["apply", "log"])
def test_a_call_that_fails_is_told_and_a_rerun_completes(
    strace, proposed, middle, tmp_path, capsys, monkeypatch, verb, error
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    origin, args, then = (
        (proposed, APPLY["all"], ["status"]) if verb == "apply" else (middle, log(middle, 8), log(middle, 9))
    )
    shutil.copytree(origin, tmp_path / "origin")
    found = calls(copy(tmp_path / "origin", "traced"), args)
    calm = copy(tmp_path / "origin", "calm")
    assert [store.rld(calm, *args), store.rld(calm, *then)] == [0, 0]
    after = snapshot(calm)
    outside = [call for call in found if call[0] in DENIED] if error == "EACCES" else found
    for name, nth in share(outside, list(ERRORS).index(error), 9):
        folder = copy(tmp_path / "origin", "%s-%d" % (name, nth))
        trace = tmp_path / "one.trace"
        done = traced(
            folder,
            args,
            "-o",
            str(trace),
            "-e",
            "trace=" + name,
            "-e",
            "inject=%s:error=%s:when=%d" % (name, error, nth),
        )
        (line,) = [line for line in trace.read_text(errors="replace").splitlines() if "INJECTED" in line]
        if name == "flock" or "%s(1," % name in line:
            continue  # what is given back, and standard output
        said = done.stderr.decode()
        assert done.returncode in (0, 1), (line, said)
        assert bool(said) == bool(done.returncode), (line, said)
        assert not said or ERRORS[error] in said.lower() or "disk full" in said or "disk is full" in said, (line, said)
        kept = snapshot(folder)
        for file in ("POST_MORTEM.md", store.JOURNAL, store.ARCHIVE):
            assert kept.get(file) in (snapshot(origin).get(file), after.get(file)) or verb == "log", line
        capsys.readouterr()
        status = store.rld(folder, *args)
        assert status == 0 or "no proposal is waiting" in capsys.readouterr().err, line
        assert store.rld(folder, *then) == 0
        assert users_files(snapshot(folder)) == users_files(after), line
        assert temporary(folder) == [], line
        shutil.rmtree(folder)


def test_no_room_for_the_copy_of_gits_index_is_told(middle, tmp_path, monkeypatch, capsys):
    folder = pathlib.Path(shutil.copytree(middle, tmp_path / "project"))

    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gittree.shutil, "copyfile", full)
    assert store.rld(folder, *log(middle, 8)) == 1
    assert "rld-bug" not in capsys.readouterr().err


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount") if sys.platform == "linux" else None
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk, and on Linux alone")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(disk, pages):
    """Leave so many pages of a disk free."""
    with open(disk / "filler", "wb", buffering=0) as out:
        try:
            while out.write(bytes(4096)) == 4096:
                pass
        except OSError:
            pass
        size = out.tell() // 4096 * 4096
    os.truncate(disk / "filler", max(0, size - pages * 4096))


def on_a_full_disk(small_disk, origin, args, then, capsys, after):
    """Run a verb with more and more room; how often there was too little. Then there is enough, and it runs again."""
    before = snapshot(origin)
    told = 0
    for pages in range(16):
        folder = pathlib.Path(shutil.copytree(origin, small_disk / "project"))
        fill(small_disk, pages)
        capsys.readouterr()
        status = store.rld(folder, *args)
        said = capsys.readouterr().err
        kept = snapshot(folder)
        if status:
            told += 1
            assert status == 1, said
            assert "no space left on device" in said.lower() or "disk full" in said or "disk is full" in said, (
                pages,
                said,
            )
            for file in ("POST_MORTEM.md", store.JOURNAL):
                assert kept.get(file) in (before[file], after.get(file)), pages
        os.unlink(small_disk / "filler")
        again = store.rld(folder, *args)
        assert again == 0 or "no proposal is waiting" in capsys.readouterr().err, pages
        assert store.rld(folder, *then) == 0
        assert users_files(snapshot(folder)) == users_files(after), pages
        assert temporary(folder) == [], pages
        shutil.rmtree(folder)
    assert status == 0
    return told


def test_an_apply_on_a_full_disk_is_told_and_loses_nothing(small_disk, proposed, tmp_path, capsys):
    calm = pathlib.Path(shutil.copytree(proposed, tmp_path / "calm"))
    assert store.rld(calm, *APPLY["all"]) == 0
    assert on_a_full_disk(small_disk, proposed, APPLY["all"], ["status"], capsys, snapshot(calm)) > 3


def test_a_log_on_a_full_disk_is_told_and_loses_nothing(small_disk, middle, tmp_path, capsys):
    long = ENTRY.format(8).replace("as in the item before", "and much of it. " * 1000)
    entry = tmp_path / "long.md"
    entry.write_text(long, encoding="utf-8")
    args = [*log(middle, 8)[:-1], str(entry)]
    calm = pathlib.Path(shutil.copytree(middle, tmp_path / "calm"))
    assert store.rld(calm, *args) == 0
    # The disk takes a part of the entry: what it took is taken back.
    assert on_a_full_disk(small_disk, middle, args, ["status"], capsys, snapshot(calm)) > 3
