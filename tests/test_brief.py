"""The brief and single records: what a session is given to distill with."""

import json
import pathlib

import pytest

import store
from rld import evidence, postmortem, proposal, rejections, structure, wording
from rld.project import find


@pytest.fixture(autouse=True)
def no_session(monkeypatch, tmp_path):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path):
    return store.make(tmp_path / "project")


def brief(folder, capsys, *options):
    assert store.rld(folder, "brief", *options) == 0
    return capsys.readouterr().out


def test_the_open_journal_is_briefed_with_what_overlaps(folder, capsys):
    out = brief(folder, capsys)
    assert out.startswith("# Brief: distill the journal %s into POST_MORTEM.md\n" % store.JOURNAL)
    assert "### Item 7: migrate the category page\n- Verified Facts: Item 7 done." in out
    assert "- guardrail-4: External APIs stay off the render path" in out
    assert "Next free numbers: Guardrail 8, Pitfall 1, Decision 1, Debt 10." in out
    assert "journal: %s\ntag: refactor\n" % store.JOURNAL in out
    assert brief(folder, capsys, "--journal", "2026-07-08-per-request-store.md") == out


def test_the_form_it_shows_is_one_that_propose_takes(folder, capsys):
    example = brief(folder, capsys).partition("```markdown\n")[2].partition("\n```")[0]
    found = proposal.parse(example)
    assert [c.heading for c in found.candidates] == ["add guardrail: External APIs stay off the render path"]
    (folder / "POST_MORTEM.md").unlink()
    assert store.propose(folder, example) == 0


def test_without_a_run_it_is_about_the_present_session(folder, capsys, monkeypatch):
    (folder / store.JOURNAL).unlink()
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "1a2b3c4d5e6f")
    project = find(str(folder))
    for kind, values in (
        ("prompt", {"text": "why is the\ncart empty?"}),
        ("edit", {"path": "src/app/cart.tsx"}),
        ("fail", {"cmd": "npm test", "error": "Exit code 1\nsupplier API down"}),
        ("fixed", {"cmd": "npm test"}),
        ("fail", {"cmd": "npm run e2e", "error": "x" * 5000}),
    ):
        evidence.note(project, "1a2b3c4d5e6f", kind, **values)
    out = brief(folder, capsys)
    assert "# Brief: distill session 1a2b3c4d of 20" in out
    assert "## Files changed (1)\n\n- src/app/cart.tsx\n" in out
    assert (
        "- `npm test` failed, then passed; no further file was edited in between\n      Exit code 1\n      supplier API down\n"
        in out
    )
    assert "- `npm run e2e` failed, and was never seen to pass\n      xxx" in out and "x" * 600 not in out
    assert "- why is the cart empty?" in out
    assert "session: 1a2b3c4d5e6f\n" in out
    assert brief(folder, capsys, "--session", "1a2b") == out


def test_the_last_session_that_was_not_distilled_is_found(folder, capsys):
    project = find(str(folder))
    for number in range(evidence.MANY_FILES):
        evidence.note(project, "aaaa", "edit", path="src/%d.ts" % number)
    evidence.note(project, "bbbb", "edit", path="src/page.tsx")
    evidence.note(project, "bbbb", "distilled")
    assert "session: aaaa\n" in brief(folder, capsys, "--last")


@pytest.mark.parametrize("options", [[], ["--last"]], ids=["plain", "last"])
def test_where_there_is_nothing_it_still_says_how_to_go_on(tmp_path, capsys, options):
    out = brief(tmp_path, capsys, *options)
    assert "# Brief: distill this session into POST_MORTEM.md" in out
    assert "No records are in force yet." in out and "## add guardrail:" in out and "session: none" in out


def test_settings_that_cannot_be_read_are_no_reason_to_fail(tmp_path, capsys):
    (tmp_path / ".rld.yml").write_text("verfy: npm test\n", encoding="utf-8")
    assert ".rld.yml:1: unknown key 'verfy'" in brief(tmp_path, capsys)


def test_an_unknown_session_is_refused_with_the_known_ones(folder, capsys):
    evidence.note(find(str(folder)), "cafe1234", "edit", path="a")
    assert store.rld(folder, "brief", "--session", "nobody") == 1
    assert "known are: cafe1234" in capsys.readouterr().err
    assert store.rld(folder, "brief", "--last", "--session", "x") == 2


def test_rejections_are_told(folder, capsys):
    store.propose(folder, store.FRONT + store.PITFALL)
    store.rld(folder, "apply", "--reject", "1:too obvious")
    capsys.readouterr()
    out = brief(folder, capsys)
    assert "## Rejected before, not to be proposed again" in out and ": too obvious\n" in out
    assert len(rejections.all_of(find(str(folder)))) == 1


def test_it_is_bounded_and_keeps_the_form(folder, capsys):
    path = folder / store.JOURNAL
    entries = "".join(
        "\n### Item %d: x\n1. [Verified Facts] %s 👉\n" % (n, "selectors and supplier pages " * 40)
        for n in range(10, 90)
    )
    path.write_text(path.read_text(encoding="utf-8") + entries, encoding="utf-8")
    law = "".join(
        "\n### Guardrail %d: %s\n\nIt MUST.\n\n- **Why:** x\n" % (n, "supplier " * 20) for n in range(20, 400)
    )
    (folder / "POST_MORTEM.md").write_text("# P\n\n## Production guardrails\n" + law, encoding="utf-8")
    out = brief(folder, capsys)
    assert wording.units(out) <= 20_000
    assert "(cut for room; the rest is in %s)" % store.JOURNAL in out
    assert "Tags: feature, refactor, redesign, deploy, debug, mixed." in out


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        (["guardrail-4"], ["Guardrail 4: External APIs"]),
        (["Guardrail", "4"], ["Guardrail 4: External APIs"]),
        (["guardrail 4", "debt-9"], ["Guardrail 4: External APIs", "Tech debt 9: Supplier sync"]),
        (["9"], ["Tech debt 9: Supplier sync"]),
        (["guardrail-2"], ["Guardrail 2: the library is gone"]),
    ],
)
def test_records_are_shown_whole(folder, capsys, asked, titles):
    assert store.rld(folder, "show", *asked) == 0
    out = capsys.readouterr().out
    for title in titles:
        assert title in out
    if asked == ["guardrail-4"]:
        assert out.splitlines()[0] == "Guardrail 4: External APIs stay off the render path  (POST_MORTEM.md:7)"
        assert "- **Scope:** `src/app/**`, `src/lib/data/**`" in out


def test_records_are_shown_as_json(folder, capsys):
    assert store.rld(folder, "show", "guardrail-4", "--json") == 0
    (record,) = json.loads(capsys.readouterr().out)["records"]
    assert (record["id"], record["line"], record["scope"]) == ("guardrail-4", 7, ["src/app/**", "src/lib/data/**"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("guardrail-99", "POST_MORTEM.md: has no record guardrail-99: `rld list --all` shows what there is"),
        ("pitfall-9", "has no record pitfall-9: did you mean debt-9?"),
        ("4", "did you mean guardrail-4, debt-4?"),
        ("law", "law names no record: `rld list` shows what there is"),
    ],
)
def test_a_record_that_is_not_there_is_refused_with_what_is(folder, capsys, asked, message):
    path = folder / "POST_MORTEM.md"
    path.write_text(
        path.read_text(encoding="utf-8").replace("## Repealed", "### Debt 4: x\n\n- **Trigger:** y\n\n## Repealed"),
        encoding="utf-8",
    )
    assert store.rld(folder, "show", asked) == 1
    assert message in capsys.readouterr().err


def test_the_structure_counts_records_below_their_headings():
    case = pathlib.Path(__file__).parent / "cases/postmortem/02-article-lists.md"
    assert structure.lines(postmortem.parse(case.read_text(encoding="utf-8"))) == [
        "POST MORTEM: Ferry timetable",
        "  1. ARCHITECTURAL CHANGES  (2: 1, 2)",
        "  2. PRODUCTION GUARDRAILS  (4: 1, 2, 5, 6)",
        "  3. PITFALLS & TROUBLESHOOTING  (2: 1, 4)",
        "  4. FUTURE BACKLOG  (2: 1, 2)",
    ]
