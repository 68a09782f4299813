"""Many processes at once: every record and every entry is in, none twice, none torn, and readers see whole files."""

import os
import subprocess
import sys
import threading

import pytest

import store
from rld import entries, evidence, journal, ledger, postmortem, textfile
from rld.project import find

MANY = 20
PLAN = "docs/plans/many.md"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def run_all(folder, commands):
    """Start all commands before waiting for any: what each said, in their order. All must succeed."""
    base = [sys.executable, "-I", "-X", "utf8", str(store.MAIN)]
    started = [
        subprocess.Popen(
            [*base, args[0], "-C", str(folder), *args[1:]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for args, _ in commands
    ]  # fmt: skip
    for process, (_, text) in zip(started, commands):
        process.stdin.write(text.encode())
        process.stdin.close()
        process.stdin = None
    done = [(*process.communicate(timeout=120), process.returncode) for process in started]
    assert [(err.decode(), status) for _, err, status in done] == [("", 0)] * len(commands)
    return [out.decode() for out, _, _ in done]


class Reader(threading.Thread):
    """Reads a file over and over while others write it; `seen` holds each text once."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.seen = set()
        self.reads = 0
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.is_set():
            self.seen.add(self.path.read_bytes())
            self.reads += 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stopped.set()
        self.join()


def pitfall(n):
    return store.PITFALL.replace(
        '"Only plain objects can be passed to Client Components"', "Trap number %d" % n
    ).replace("Item 7", "`npm test` failed in session %d; src/app/page.tsx" % n)


def propose_for_sessions(folder):
    """A proposal for each of many sessions."""
    project = find(str(folder))
    for n in range(MANY):
        evidence.note(project, "%08x" % (n + 1), "edit", path="src/app/page.tsx")
        front = "---\nsession: %08x\ntag: debug\ntitle: hunt %d\n---\n" % (n + 1, n)
        assert store.propose(folder, front + pitfall(n)) == 0
    paths = sorted(path.name for path in (folder / "docs/worklog").glob("*.proposal.md"))
    assert len(paths) == MANY
    return paths


@pytest.mark.slow
def test_twenty_applies_at_once_write_every_record_once_with_a_number_of_its_own(folder, capsys):
    store.make(folder)
    paths = propose_for_sessions(folder)
    law = folder / "POST_MORTEM.md"
    before = law.read_bytes()
    with Reader(law) as reader:
        run_all(folder, [(("apply", path, "--accept", "1"), "") for path in paths])
    found = postmortem.parse(textfile.read(law))
    assert found.problems == []
    pitfalls = [record for record in found.records if record.kind == "pitfall"]
    assert sorted(int(record.number) for record in pitfalls) == list(range(1, MANY + 1))
    assert sorted(record.title for record in pitfalls) == sorted("Trap number %d" % n for n in range(MANY))
    assert sum(" [debug] hunt " in row for row in found.text.split("\n")) == MANY
    assert list((folder / "docs/worklog").glob("*.proposal.md")) == []
    assert list(folder.rglob("*.tmp")) == [] and os.listdir(folder / ".git/rld/apply") == []
    assert all(ledger.read(find(str(folder)), "%08x" % (n + 1)).distilled for n in range(MANY))
    # What readers saw: the file of before or of after one of the applies, each longer than the one before.
    assert reader.reads > MANY
    sizes = {len(postmortem.parse(text.decode()).active("pitfall")): text for text in reader.seen | {before}}
    assert len(sizes) == len(reader.seen | {before})
    for text in sizes.values():
        again = postmortem.parse(text.decode())
        assert again.problems == [] and text.endswith(b"- Guardrail 2 (2026-06-01): the library is gone.\n")


@pytest.mark.slow
def test_the_same_proposal_applied_by_twenty_processes_is_applied_once(folder):
    store.make(folder)
    assert store.propose(folder, store.FRONT + store.GUARDRAIL + "\n" + store.PITFALL) == 0
    base = [sys.executable, "-I", "-X", "utf8", str(store.MAIN), "apply", "-C", str(folder)]
    base += ["--accept", "1", "--reject", "2:known"]
    started = [subprocess.Popen(base, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(MANY)]
    done = [(process.communicate(timeout=120)[1].decode(), process.returncode) for process in started]
    assert sorted(status for _, status in done) == [0] + [1] * (MANY - 1)
    for said, status in done:
        assert "Traceback" not in said and "bug" not in said
        assert status == 0 or "proposal" in said or "cannot be read" in said
    found = postmortem.parse(textfile.read(folder / "POST_MORTEM.md"))
    assert [r.title for r in found.active("guardrail")].count("Selectors return scalars") == 1
    assert len((folder / ".git/rld/rejected.jsonl").read_bytes().splitlines()) == 1
    assert (folder / store.ARCHIVE).exists() and not (folder / store.JOURNAL).exists()


def entry(n):
    return "".join("%d. [%s] What item %d says, at some length.\n" % (place, label, n) for place, label in enumerate(entries.LABELS.values(), 1))  # fmt: skip


@pytest.mark.slow
def test_twenty_logs_at_once_append_every_entry_whole_and_once(folder):
    plan = "# Many\n\n" + "".join("## Item %d: part %d\n\nDo it.\n\n" % (n, n) for n in range(1, MANY + 1))
    book = (
        "---\nplan: %s\nverify: npm test\ntag: mixed\nstatus: open\nstarted: 2026-07-08\n---\n# Journal: many\n" % PLAN
    )
    store.make(folder, {PLAN: plan, store.JOURNAL: book, ".rld.yml": "approval: batch\n"})
    path = folder / store.JOURNAL
    numbers = range(1, MANY + 1)
    with Reader(path) as reader:
        run_all(folder, [(("log", "--item", str(n), "--claimed", "no time"), entry(n)) for n in numbers])
    found = journal.parse(textfile.read(path))
    assert journal.check(found) == []
    assert sorted(int(each.item) for each in found.entries) == list(numbers)
    for each in found.entries:
        assert each.fields["worked"] == "What item %s says, at some length." % each.item
        assert each.title == "part %s" % each.item
    assert found.meta["status"] == "complete"
    assert list(folder.rglob("*.tmp")) == []
    whole = path.read_bytes().replace(b"status: complete", b"status: open")
    for text in reader.seen:
        assert whole.startswith(text.replace(b"status: complete", b"status: open"))


def test_a_reader_sees_the_old_text_or_the_new_one(folder):
    path = folder / "POST_MORTEM.md"
    texts = ["# %s\n" % letter + letter * 300_000 for letter in "ab"]
    textfile.write(path, texts[0], folder)
    with Reader(path) as reader:
        for turn in range(1, 60):
            textfile.write(path, texts[turn % 2], folder)
    assert reader.seen <= {text.encode() for text in texts}
    assert reader.reads > 10
