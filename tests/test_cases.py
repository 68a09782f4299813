"""The shared small inputs with the right answers, through the command line."""

import json
from pathlib import Path

import pytest

from rld import pointer
from rld.cli import main
from subset import assert_subset

CASES = Path(__file__).parent / "cases"


def answer(capsys, *args):
    capsys.readouterr()
    main([*args, "--json"])
    return json.loads(capsys.readouterr().out)


def named(folder):
    return sorted((CASES / folder).glob("*.expected.json"))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", named("postmortem"), ids=lambda p: p.name.partition(".")[0])
def test_list_gives_the_records_of(path, tmp_path, capsys):
    (tmp_path / "POST_MORTEM.md").write_bytes((path.parent / path.name.replace(".expected.json", ".md")).read_bytes())
    assert_subset(answer(capsys, "list", "-C", str(tmp_path)), read(path))


@pytest.mark.parametrize("path", named("journal"), ids=lambda p: p.name.partition(".")[0])
def test_journal_check_gives_the_entries_of(path, tmp_path, capsys):
    (tmp_path / "j.md").write_bytes((path.parent / path.name.replace(".expected.json", ".md")).read_bytes())
    assert_subset(answer(capsys, "journal", "check", "j.md", "-C", str(tmp_path)), read(path))


@pytest.mark.parametrize("path", named("plan"), ids=lambda p: p.name.partition(".")[0])
def test_plan_next_gives_the_items_of(path, tmp_path, capsys):
    source = next(p for p in path.parent.glob(path.name.partition(".")[0] + ".*") if p != path)
    (tmp_path / source.name).write_bytes(source.read_bytes())
    assert_subset(answer(capsys, "plan", "next", source.name, "-C", str(tmp_path)), read(path))


@pytest.mark.parametrize("path", named("entrypoint"), ids=lambda p: p.name.partition(".")[0])
def test_an_entry_point_is_judged_and_gets_its_pointer(path, tmp_path, capsys):
    before = (path.parent / path.name.replace(".expected.json", ".md")).read_bytes()
    (tmp_path / "CLAUDE.md").write_bytes(before)
    (tmp_path / "POST_MORTEM.md").write_text("# Post-mortem\n", encoding="utf-8")
    found = answer(capsys, "check", "-C", str(tmp_path))
    assert_subset(found, read(path))
    if not read(path)["problems"]:
        assert [p for p in found["problems"] if p["file"] == "CLAUDE.md"] == []
    main(["pointer", "--fix", "-C", str(tmp_path)])
    assert without_blanks((tmp_path / "CLAUDE.md").read_bytes()) == without_blanks(
        (path.parent / path.name.replace(".expected.json", ".after.md")).read_bytes()
    )
    once = (tmp_path / "CLAUDE.md").read_bytes()
    main(["init", str(tmp_path)])
    assert (tmp_path / "CLAUDE.md").read_bytes() == once


def without_blanks(data):
    """How many blank lines follow the pointer is nobody's business."""
    line = pointer.POINTER.encode()
    head, found, rest = data.partition(line)
    return head + found + rest.lstrip(b"\r\n") if found else data
