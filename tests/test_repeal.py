"""rld repeal: the tombstone, and what is refused."""

import time

import pytest

import store
from rld import postmortem, textfile, trust
from rld.project import find


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project").mkdir()
    return store.make(tmp_path / "project")


def law(folder):
    return postmortem.parse(textfile.read(folder / "POST_MORTEM.md"))


@pytest.mark.parametrize("given", ["guardrail-7", "Guardrail 7", "guardrail #7", "7"])
def test_a_record_becomes_a_tombstone_with_date_and_reason(folder, capsys, given):
    assert store.rld(folder, "repeal", given, "--reason", "over-fitted\n to one registry") == 0
    text = textfile.read(folder / "POST_MORTEM.md")
    assert "- Guardrail 7 (%s): over-fitted to one registry\n" % time.strftime("%Y-%m-%d") in text
    assert law(folder).find("guardrail-7").status == "repealed"
    assert "Images are pinned" not in text and "External APIs" in text
    out = capsys.readouterr().out
    assert "-### Guardrail 7: Images are pinned by digest" in out and "Repealed Guardrail 7" in out


def test_the_result_counts_as_reviewed(folder):
    store.rld(folder, "repeal", "debt-9", "--reason", "done")
    assert trust.known(find(str(folder)), (folder / "POST_MORTEM.md").read_bytes())


@pytest.mark.parametrize(
    "id, said",
    [
        ("guardrail-99", "POST_MORTEM.md: has no record guardrail-99: `rld list` shows what there is"),
        ("pitfall-7", "POST_MORTEM.md: has no record pitfall-7: did you mean guardrail-7?"),
        ("guardrail-2", "POST_MORTEM.md:29: Guardrail 2 is repealed already"),
        ("law", "law is no id of a record"),
    ],
)
def test_what_cannot_be_repealed_is_refused_and_nothing_is_written(folder, capsys, id, said):
    before = textfile.read(folder / "POST_MORTEM.md")
    assert store.rld(folder, "repeal", id, "--reason", "x") == 1
    assert said in capsys.readouterr().err
    assert textfile.read(folder / "POST_MORTEM.md") == before


@pytest.mark.parametrize(
    "reason, status, said",
    [
        (" ", 2, "--reason is empty"),
        ("hid\u202eden", 1, "characters that nobody can see (U+202E)"),
        ("AKIA" + "Z7Q2M4X9B1C5D8E3", 1, "looks like a credential"),
    ],
    ids=["empty", "hidden", "credential"],
)
def test_a_reason_must_be_one(folder, capsys, reason, status, said):
    assert store.rld(folder, "repeal", "guardrail-7", "--reason", reason) == status
    assert said in capsys.readouterr().err
    assert law(folder).find("guardrail-7").status == "active"


def test_a_file_with_conflict_markers_is_refused_with_the_line(folder, capsys):
    path = folder / "POST_MORTEM.md"
    path.write_text(textfile.read(path) + "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", encoding="utf-8")
    assert store.rld(folder, "repeal", "guardrail-7", "--reason", "x") == 1
    assert "POST_MORTEM.md:30: an unresolved merge" in capsys.readouterr().err


def test_other_bytes_stay(folder):
    path = folder / "POST_MORTEM.md"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").replace(b"Read this", b"Re\xe9d this"))
    before = path.read_bytes()
    assert store.rld(folder, "repeal", "guardrail-7", "--reason", "x") == 0
    after = path.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf# Post-mortem\r\n\r\nRe\xe9d this") and after.count(b"\n") == after.count(b"\r\n")
    kept = before.split(b"\r\n")[:13]
    assert after.split(b"\r\n")[:13] == kept
