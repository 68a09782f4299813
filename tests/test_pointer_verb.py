"""rld pointer: where it stands, and the two ways to put it right."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from rld.cli import main
from rld.pointer import POINTER

ENTRY = (
    "### Item 3: hold\n\n1. [Verified Facts] done\n2. [What Worked] x\n3. [Distilled Rules] y\n"
    "4. [Pitfalls & What to Avoid] z\n5. [What's Next] Item 4.\n"
)


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "POST_MORTEM.md").write_text("# Post-mortem\n", encoding="utf-8")
    return root


def write(project, text, name="CLAUDE.md"):
    (project / name).write_bytes(text.encode("utf-8", "surrogateescape"))


def run(project, *flags):
    return main(["pointer", "-C", str(project), *flags])


def states(project, capsys):
    capsys.readouterr()
    run(project, "--json")
    (found,) = json.loads(capsys.readouterr().out)["entry_points"]
    return found["line"], found["first"], found["leaked"], [problem["code"] for problem in found["problems"]]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Сначала прочти POST_MORTEM.md\n", (1, True, [], [])),
        ("# Shop\n", (0, False, [], ["pointer-missing"])),
        ("# Shop\n\n" + POINTER + "\n", (3, False, [], ["pointer-not-first"])),
        ("<!-- " + POINTER + " -->\n# Shop\n", (0, False, [], ["pointer-missing"])),
        (POINTER + "\n\n" + ENTRY, (1, True, [[3, 9]], ["journal-in-entry-point"])),
    ],
    ids=["first, in another language", "missing", "further down", "in a comment", "leaked"],
)
def test_it_says_where_the_pointer_stands(project, capsys, text, expected):
    write(project, text)
    assert states(project, capsys) == expected
    assert run(project) == (1 if expected[3] else 0)


def test_every_problem_names_file_line_and_way_out(project, capsys):
    write(project, "# Shop\n\n" + POINTER + "\n\n" + ENTRY)
    run(project)
    out = capsys.readouterr().out
    assert "CLAUDE.md:3: the pointer to POST_MORTEM.md must be the first line: `rld pointer --fix` moves it there" in out
    assert "CLAUDE.md:5: lines 5-11 are journal entries" in out and "`rld pointer --clean`" in out


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_fix_inserts_or_moves_and_does_it_once(project, end):
    for text in ("\ufeff# Shop\n\ncaf\udce9\n", "\ufeff# Shop\n\n" + POINTER + "\n\ncaf\udce9\n"):
        write(project, text.replace("\n", end))
        assert run(project, "--fix") == 0
        once = (project / "CLAUDE.md").read_bytes()
        assert once == ("\ufeff" + POINTER + "\n\n# Shop\n\ncaf\udce9\n").replace("\n", end).encode("utf-8", "surrogateescape")
        assert run(project, "--fix") == 0
        assert (project / "CLAUDE.md").read_bytes() == once


def test_both_at_once(project, capsys):
    write(project, "# Shop\n\n" + ENTRY + "\n## Environment\n\nPython.\n")
    assert run(project, "--fix", "--clean") == 0
    assert (project / "CLAUDE.md").read_text(encoding="utf-8") == POINTER + "\n\n# Shop\n\n## Environment\n\nPython.\n"
    assert "CLAUDE.md:1: the pointer is the first line" in capsys.readouterr().out


def test_clean_keeps_a_copy_outside_the_tree(project, capsys):
    text = POINTER + "\n\n# Shop\n\n" + ENTRY
    write(project, text)
    run(project, "--clean")
    copy = capsys.readouterr().out.partition("The file as it was: ")[2].splitlines()[0]
    assert copy.startswith(str(project / ".git/rld/"))
    assert Path(copy).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "text",
    [
        "# Shop\n\nItem 3 is [Verified Facts].\n",
        "# Shop\n\n" + ENTRY.replace("z\n", "TODO\n"),
        "# Shop\n\n```\n" + ENTRY + "```\n",
        "# Shop\n\n" + ENTRY.replace("5. [What's Next] Item 4.\n", ""),
    ],
    ids=["a mention", "the form explained", "an example", "half an entry"],
)
def test_clean_leaves_alone_what_is_no_entry_beyond_doubt(project, text):
    write(project, POINTER + "\n\n" + text)
    before = (project / "CLAUDE.md").read_bytes()
    run(project, "--clean")
    assert (project / "CLAUDE.md").read_bytes() == before


def test_clean_refuses_when_more_than_entries_would_go(project, capsys, monkeypatch):
    write(project, POINTER + "\n\n# Shop\n\n" + ENTRY + "\nkeep me\n")
    before = (project / "CLAUDE.md").read_bytes()
    monkeypatch.setattr("rld.pointer.clean", lambda text: POINTER + "\n")
    assert run(project, "--clean") == 1
    assert "CLAUDE.md:5: more than the journal entries would go" in capsys.readouterr().err
    assert (project / "CLAUDE.md").read_bytes() == before
    assert not (project / ".git/rld").exists()


def test_an_entry_point_that_is_not_there_is_for_init(project, capsys):
    assert run(project, "--fix") == 1
    assert "CLAUDE.md: is not there, so nothing tells the agent of POST_MORTEM.md: `rld init` makes it" in capsys.readouterr().err
    assert not (project / "CLAUDE.md").exists()


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_stays_a_link_and_its_file_is_named(project, capsys):
    write(project, "# Agents\n", "AGENTS.md")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    assert run(project, "--fix") == 0
    assert os.readlink(project / "CLAUDE.md") == "AGENTS.md"
    assert (project / "AGENTS.md").read_text(encoding="utf-8") == POINTER + "\n\n# Agents\n"
    assert "CLAUDE.md is a link: the file that changes is AGENTS.md." in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("leads", ["out", "nowhere"])
def test_a_link_out_of_the_repository_or_nowhere_is_refused(project, capsys, leads):
    target = project.parent / "own.md"
    if leads == "out":
        target.write_text("# Own\n", encoding="utf-8")
    (project / "CLAUDE.md").symlink_to(target)
    assert run(project, "--fix") == 1
    assert capsys.readouterr().err.startswith("rld: CLAUDE.md: ")
    assert not target.exists() or target.read_text(encoding="utf-8") == "# Own\n"


def test_a_link_that_was_checked_out_as_text_is_followed(project, capsys):
    write(project, "# Agents\n", "AGENTS.md")
    write(project, "AGENTS.md")
    assert run(project, "--fix") == 0
    assert (project / "CLAUDE.md").read_bytes() == b"AGENTS.md"
    assert (project / "AGENTS.md").read_text(encoding="utf-8").startswith(POINTER + "\n\n# Agents\n")
    assert "checked out as text: the file that changes is AGENTS.md" in capsys.readouterr().out
