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


# -- citations -----------------------------------------------------------------------------------------------

LAW = (
    "# P\n\n## Production guardrails\n\n### Guardrail 4: One\n\nIt MUST.\n\n- **Why:** x.\n\n### ~~Guardrail 5: Old~~\n\nGone.\n\n"
    "## Pitfalls\n\n### 3.1 Black frames\n\nIt broke.\n\n### 3.12 Below the horizon\n\nIt broke.\n\n"
    "## Tech debt\n\n### Debt 2: Late\n\n- **Trigger:** x\n\n## Repealed\n\n- Guardrail 7 (2026-01-01): see Guardrail 4.\n"
)


@pytest.mark.parametrize(
    ("text", "dangling"),
    [
        ("// Guardrail 4, guardrail 5, Guardrail 7, pitfall 3.12, tech-debt #2", 0),
        ("// Guardrail 99", 1),
        ("// see guardrails 4, 98 and 99", 2),
        ("// guardrail 4.1", 1),
        ("// pitfall 3.13", 1),
        ("// pitfall 3 is a group of dotted ones", 0),
        ("# tech-debt #9", 1),
        ("// Decision 3: there is no record of this kind", 0),
        ("// Guardrail 1 is older than the first record", 0),
        ("```\nGuardrail 99 in a fence is a citation too\n```", 1),
        ("### Guardrail 99: an example of its own\n\nas Guardrail 99 says", 0),
        ("the decision 3 weeks ago left a debt 900 high", 0),
    ],
)
def test_a_citation_dangles_when_no_record_was_ever_called_so(project, capsys, text, dangling):
    (project / "POST_MORTEM.md").write_text(LAW, encoding="utf-8")
    (project / "a.txt").write_text(text, encoding="utf-8")
    found = [p for p in problems(project, capsys) if p[2] == "dangling-citation"]
    assert [p[0] for p in found] == ["a.txt"] * dangling


@pytest.mark.parametrize(
    "name, data",
    [
        ("node_modules/x/a.js", b"// Guardrail 99"),
        ("third_party/a.c", b"// Guardrail 99"),
        ("a.bin", b"\0Guardrail 99"),
        ("big.txt", b"Guardrail 99\n" * 100_000),
        ("docs/worklog/archive/old.md", b"Guardrail 99"),
        ("packages/shop/src/a.ts", b"// Guardrail 99 of that package"),
    ],
    # The data as an id would not fit into the environment of a child process.
    ids=["installed", "vendored", "binary", "large", "archived", "another project's"],
)
@pytest.mark.parametrize("git", [True, False], ids=["git", "no-git"])
def test_files_that_are_not_the_projects_own_words_are_left_out(project, capsys, name, data, git):
    for file, content in ((name, data), ("packages/shop/POST_MORTEM.md", b"# P\n\n### Guardrail 99: theirs\n")):
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).write_bytes(content)
    if git:
        subprocess.run("git init -q && git add -A -f", shell=True, cwd=project, check=True)
    assert [p for p in problems(project, capsys) if p[2] == "dangling-citation"] == []


def commit(project):
    who = "-c user.name=t -c user.email=t@example.invalid -c commit.gpgsign=false"
    subprocess.run("git init -q && git add -A && git %s commit -qm x" % who, shell=True, cwd=project, check=True)


def test_untracked_files_are_nobodys_yet(project, capsys):
    commit(project)
    (project / "draft.py").write_text("# Guardrail 99\n", encoding="utf-8")
    assert problems(project, capsys) == []


def test_with_a_base_a_record_that_went_is_missed_in_files_that_did_not_change(project, capsys):
    (project / "POST_MORTEM.md").write_text(GOOD + "\n### Guardrail 6: Two\n\nIt MUST.\n\n- **Why:** x.\n", encoding="utf-8")
    (project / "old.py").write_text("# Guardrail 6\n# Guardrail 98\n", encoding="utf-8")
    commit(project)
    (project / "POST_MORTEM.md").write_text(GOOD, encoding="utf-8")
    assert problems(project, capsys, "--base", "HEAD") == [("old.py", 1, "dangling-citation", "error")]


def test_a_base_needs_git(project, capsys):
    assert main(["check", "-C", str(project), "--base", "main"]) == 1
    assert "--base needs a git repository" in capsys.readouterr().err


# -- the rest ------------------------------------------------------------------------------------------------


def test_a_foreign_form_is_a_note_and_no_problem(project, capsys):
    (project / "POST_MORTEM.md").write_text("# P\n\n## Guardrails\n\n1. It MUST be.\n2. It MUST too.\n", encoding="utf-8")
    assert problems(project, capsys) == []
    main(["check", "-C", str(project)])
    assert "note: POST_MORTEM.md: 2 records are in a form that is read but not written; `rld adopt`" in capsys.readouterr().out


def test_foreign_journals_are_not_scolded(project, capsys):
    folder = project / "docs/worklog"
    (folder / "archive").mkdir(parents=True)
    (folder / "hand-off.md").write_text("# Notes\n\n## Task 3\n\n### Verified Facts\n\nTODO\n", encoding="utf-8")
    (folder / "archive/broken.md").write_text("---\na: b: c\n---\n<<<<<<< a\n=======\n>>>>>>> b\n", encoding="utf-8")
    assert problems(project, capsys) == []


def test_a_credential_in_the_post_mortem_is_a_problem(project, capsys):
    (project / "POST_MORTEM.md").write_text(GOOD + "\nKey: AKIA" + "Z7Q2M4X9B1C5D8E3\n", encoding="utf-8")
    assert ("POST_MORTEM.md", 11, "secret", "error") in problems(project, capsys)


def test_a_proposal_that_could_not_be_applied_is_a_problem(project, capsys):
    path = project / "docs/worklog/x.proposal.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nsession: one\n---\n## 1. add guardrail: x\n\nIt MUST, see Guardrail 99.\n", encoding="utf-8")
    found = sorted((p[0], p[2]) for p in problems(project, capsys))
    assert found == [("docs/worklog/x.proposal.md", code) for code in ("dangling-citation", "missing-evidence", "missing-field")]


def test_settings_that_cannot_be_read_do_not_stop_the_other_checks(project, capsys):
    (project / ".rld.yml").write_text("a: [\n", encoding="utf-8")
    (project / "CLAUDE.md").write_text("# Shop\n", encoding="utf-8")
    assert {p[2] for p in problems(project, capsys)} == {"settings", "pointer-missing"}


def test_an_entry_point_that_is_not_there_is_a_problem(project, capsys):
    (project / "CLAUDE.md").unlink()
    assert problems(project, capsys) == [("CLAUDE.md", 0, "pointer-missing", "error")]


def test_annotations_name_files_from_the_top_of_the_repository_and_escape(project, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    inner = project / "apps/a,b"
    inner.mkdir(parents=True)
    (inner / "POST_MORTEM.md").write_text(GOOD.replace("- **Why:** two burned.\n", ""), encoding="utf-8")
    (inner / "CLAUDE.md").write_text("POST_MORTEM.md\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    main(["check", "-C", str(inner)])
    out = capsys.readouterr().out
    assert "POST_MORTEM.md:5: Guardrail 4 has no **Why:**" in out
    assert "::error file=apps/a%2Cb/POST_MORTEM.md,line=5::Guardrail 4 has no **Why:**" in out
    assert out.splitlines()[-1].startswith("1 error, 0 warnings. Checked: POST_MORTEM.md (1 record in force), CLAUDE.md")
    main(["check", "-C", str(inner), "--json"])
    json.loads(capsys.readouterr().out)


# -- rld list --for ------------------------------------------------------------------------------------------


def listed(project, capsys, *args):
    capsys.readouterr()
    status = main(["list", "-C", str(project), *args])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_list_for_a_path_shows_what_holds_there(project, capsys):
    law = GOOD + "- **Scope:** `src/**/*.{ts,tsx}`, `!src/gen/`\n\n### Guardrail 12: Everywhere\n\nIt MUST.\n\n- **Why:** x.\n"
    (project / "POST_MORTEM.md").write_text(law, encoding="utf-8")
    (project / "src").mkdir()
    expected = "Guardrails\n  4  One writer\n     src/**/*.{ts,tsx}, !src/gen/\n1 more record without a scope hold everywhere: `rld list`\n"
    for path in ("src/a.tsx", "src\\deep\\a.ts", str(project / "src/a.ts")):
        assert listed(project, capsys, "--for", path) == (0, expected.replace("hold", "holds"), "")
    assert "No record in POST_MORTEM.md has a scope that takes in src/gen/a.ts." in listed(project, capsys, "--for", "src/gen/a.ts")[1]
    found = json.loads(listed(project, capsys, "--for", "src/a.ts", "--json")[1])
    assert [record["id"] for record in found["records"]] == ["guardrail-4"]
    assert listed(project, capsys, "--for", "/etc/passwd")[0] == 1
    assert listed(project, capsys)[1] == (
        "Guardrails\n   4  One writer\n      src/**/*.{ts,tsx}, !src/gen/\n  12  Everywhere\n"
    )


def test_list_from_a_folder_below_takes_paths_from_there(project, capsys, monkeypatch):
    (project / "POST_MORTEM.md").write_text(GOOD + "- **Scope:** `src/**`\n", encoding="utf-8")
    (project / "src").mkdir()
    (project / "src/a.ts").write_text("", encoding="utf-8")
    monkeypatch.chdir(project / "src")
    assert main(["list", "--for", "a.ts"]) == 0
    assert "One writer" in capsys.readouterr().out
    assert main(["list", "--for", "."]) == 0
    assert "One writer" in capsys.readouterr().out
