"""rld check and rld pointer: what is wrong, where, and the way out."""

import json
import subprocess

import pytest

from rld.cli import main

GOOD = "# Post-mortem\n\n## Production guardrails\n\n### Guardrail 4: One writer\n\nThere MUST be one writer.\n\n- **Why:** two burned.\n"
LEAKED = (
    "### Item 3: hold\n\n**[Verified Facts]**\n- done\n\n**[What Worked]**\n- x\n\n**[Distilled Rules]**\n- y\n\n"
    "**[Pitfalls & What to Avoid]**\n- z\n\n**[What's Next]**\n- Item 4.\n"
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    (tmp_path / "POST_MORTEM.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("Read POST_MORTEM.md first.\n\n# Shop\n", encoding="utf-8")
    return tmp_path


def problems(project, capsys, *args):
    capsys.readouterr()
    status = main(["check", "-C", str(project), "--json", *args])
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] == (status == 0)
    return [(p["file"], p["line"], p["code"], p["severity"]) for p in found["problems"]]


def test_a_project_in_order_is_ok(project, capsys):
    assert problems(project, capsys) == []
    assert main(["check", "-C", str(project)]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("POST_MORTEM.md", GOOD.replace("- **Why:** two burned.\n", ""), ("POST_MORTEM.md", 5, "missing-field", "error")),
        ("POST_MORTEM.md", GOOD + "\n### Guardrail 4: Again\n\nIt MUST be.\n\n- **Why:** x.\n", ("POST_MORTEM.md", 11, "duplicate-number", "error")),
        ("POST_MORTEM.md", GOOD + "\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", ("POST_MORTEM.md", 11, "conflict-marker", "error")),
        ("CLAUDE.md", "# Shop\n", ("CLAUDE.md", 1, "pointer-missing", "error")),
        ("CLAUDE.md", "Read POST_MORTEM.md first.\n\n" + LEAKED, ("CLAUDE.md", 3, "journal-in-entry-point", "error")),
        (".rld.yml", "stop: never\n", (".rld.yml", 1, "settings", "error")),
        ("docs/worklog/a.md", "---\nplan: p.md\nstatus: open\n---\n# J\n\n### Item 1: x\n1. [Verified Facts] TODO\n", ("docs/worklog/a.md", 8, "placeholder", "error")),
        ("docs/worklog/a.md", "---\nplan: docs/fix: x.md\nstatus: open\n---\n# J\n", ("docs/worklog/a.md", 3, "front-matter", "error")),
        ("src/a.py", "x = 1\n# see Guardrail 99\n", ("src/a.py", 2, "dangling-citation", "error")),
    ],
)  # fmt: skip
def test_each_problem_has_its_file_line_and_code(project, capsys, file, text, expected):
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert expected in problems(project, capsys)


def test_warnings_alone_are_no_failure(project, capsys):
    (project / "POST_MORTEM.md").unlink()
    assert main(["check", "-C", str(project)]) == 0
    assert "warning: POST_MORTEM.md: is not there: `rld init` makes it" in capsys.readouterr().out


def test_in_github_actions_each_problem_is_an_annotation(project, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (project / "CLAUDE.md").write_text("# Shop\n", encoding="utf-8")
    assert main(["check", "-C", str(project)]) == 1
    assert "::error file=CLAUDE.md,line=1::the first line does not name POST_MORTEM.md" in capsys.readouterr().out


def test_with_a_base_only_changed_files_are_searched_for_citations(project, capsys):
    def git(*args):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", *args], cwd=project, check=True, capture_output=True)

    (project / "old.py").write_text("# Guardrail 98\n", encoding="utf-8")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    (project / "new.py").write_text("# Guardrail 99\n", encoding="utf-8")
    git("add", ".")
    assert [p[0] for p in problems(project, capsys, "--base", "HEAD")] == ["new.py"]
    assert sorted(p[0] for p in problems(project, capsys)) == ["new.py", "old.py"]
    assert main(["check", "-C", str(project), "--base", "nothing"]) == 1
    assert "git knows no nothing here" in capsys.readouterr().err


def test_clean_removes_whole_entries_and_nothing_else(project, capsys):
    around = "Read POST_MORTEM.md first.\n\n# Shop\n\n- Run: `make`\n\n"
    (project / "CLAUDE.md").write_text(around + LEAKED + "\n## Environment\n\nPython 3.12.\n", encoding="utf-8")
    assert main(["pointer", "--clean", "-C", str(project)]) == 0
    assert (project / "CLAUDE.md").read_text(encoding="utf-8") == around + "## Environment\n\nPython 3.12.\n"
    assert "-### Item 3: hold" in capsys.readouterr().out


def test_without_a_flag_nothing_is_written(project, capsys):
    (project / "CLAUDE.md").write_text("# Shop\n\nRead POST_MORTEM.md first.\n", encoding="utf-8")
    before = (project / "CLAUDE.md").read_bytes()
    main(["pointer", "-C", str(project)])
    assert (project / "CLAUDE.md").read_bytes() == before
