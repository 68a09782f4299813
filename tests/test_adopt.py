"""A foreign post-mortem in the canonical form: what stays, what moves, what is refused."""

import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import store
from rld import adopt, lint, postmortem, textfile, trust
from rld.errors import Refused
from rld.places import HEADINGS
from rld.project import find

CASES = pathlib.Path(__file__).parent / "cases/postmortem"
FOREIGN = ["02", "03", "04", "05", "06", "07", "17", "19"]


def case(number):
    return next(CASES.glob(number + "-*.md")).read_bytes().decode("utf-8", "surrogateescape")


def convert(text, cited=None):
    return adopt.adopt(text, cited or {}, "POST_MORTEM.md")


def refused(text):
    with pytest.raises(Refused) as caught:
        convert(text)
    return [(problem.line, problem.code) for problem in caught.value.problems]


@pytest.mark.parametrize("number", FOREIGN)
def test_every_form_becomes_canonical_and_twice_is_once(number):
    text = case(number)
    before, after = postmortem.parse(text), postmortem.parse(convert(text).text)
    assert after.problems == []
    assert all(r.labelled and r.number and not r.session for r in after.records)
    heads = [part.title for part in after.parts if part.level == 2]
    assert heads == [name for name in HEADINGS.values() if name in heads]
    assert len(after.records) == len(before.records)
    kept = {(r.id, r.status, r.title) for r in before.records if r.number and not r.session}
    assert kept <= {(r.id, r.status, r.title) for r in after.records}
    assert convert(convert(text).text).text == convert(text).text


@pytest.mark.parametrize("number", ["15", "16", "18", "20", "21"])
def test_forms_among_other_text_become_canonical_too(number):
    before, done = postmortem.parse(case(number)), convert(case(number))
    after = postmortem.parse(done.text)
    assert all(r.labelled and r.number and not r.session for r in after.records) and after.problems == []
    assert sorted((r.title, r.status) for r in before.records) == sorted((r.title, r.status) for r in after.records)
    kept = {r.id for r in before.records if r.number and not r.session}
    assert kept <= {r.id for r in after.records}
    assert convert(done.text).text == done.text


@pytest.mark.parametrize("number", ["01", "10", "11", "12", "13", "14"])
def test_what_is_canonical_or_has_no_records_stays_byte_for_byte(number):
    assert convert(case(number)).text == case(number)


def test_conflict_markers_and_numbers_that_stand_twice_are_refused_with_their_lines():
    assert refused(case("08")) == [(11, "duplicate-number"), (17, "duplicate-number")]
    assert refused(case("09")) == [(15, "conflict-marker")]


def test_a_number_that_two_sessions_used_is_given_to_neither():
    done = convert(case("04"))
    assert done.kept == 2
    assert ("guardrail 1 of 2026-03-02", "Guardrail 3") in done.given
    found = postmortem.parse(done.text)
    assert found.find("guardrail-1") is None
    assert found.find("guardrail-2").title.startswith("A renewal MUST be idempotent")
    assert found.find("guardrail-3").fields["Formerly"] == "guardrail 1 of 2026-03-02"
    assert "### Session 2026-03-02 [feature] Renewals by mail\n\nWe let readers renew a loan" in done.text
    assert "\n\nRecords: Guardrail 3, Guardrail 2, Pitfall 3, Decision 2, Debt 2.\n" in done.text


def test_a_new_number_is_one_that_nothing_cites():
    assert ("“Amounts come from the ledger”", "Guardrail 7") in convert(case("06"), {"guardrail": {"1", "5"}}).given


def test_struck_through_records_stay_closed():
    found = postmortem.parse(convert(case("06")).text)
    assert [(r.number, r.status) for r in found.records if r.kind == "debt"] == [
        ("1", "active"), ("2", "closed"), ("3", "closed"), ("4", "active"),
    ]  # fmt: skip


def test_cells_of_a_table_become_fields_and_the_table_of_something_else_stays():
    text = convert(case("07")).text
    assert "| 1 | Old brewery | 220 |" in text and "| # | Rule |" not in text
    record = postmortem.parse(text).find("guardrail-1")
    assert record.fields["why"] == "two choirs sold seat 14 twice"
    assert postmortem.parse(text).find("pitfall-2").fields["symptom"] == "no mail after the sale"


TEXT = """\
---
title: law
---
# Law

Read me.

## PITFALLS & TROUBLESHOOTING

Before.

1. It breaks. Cite as pitfall 1.
   - Symptom: x

   ```sh
   # no heading
   ```

Between.

2. It breaks again.

---

## Glossary

A word.

## Production Guardrails

- **Never** do it: FORBIDDEN.
- a plain bullet

### Notes

Nothing here MAY be lost.

## Repealed

- Guardrail 9 (2026-01-01): gone.

## Appendix

The end.
"""


def test_text_that_is_no_record_stays_above_the_records_of_its_section_and_moves_with_it():
    assert (
        convert(TEXT).text
        == """\
---
title: law
---
# Law

Read me.

## Production guardrails

- a plain bullet

### Guardrail 10: Never

**Never** do it: FORBIDDEN.

### Notes

Nothing here MAY be lost.

## Pitfalls and repair guides

Before.

Between.

### Pitfall 1: It breaks

It breaks. Cite as pitfall 1.

- **Symptom:** x

```sh
# no heading
```

### Pitfall 2: It breaks again

It breaks again.

---

## Glossary

A word.

## Repealed

- Guardrail 9 (2026-01-01): gone.

## Appendix

The end.
"""
    )


def test_a_file_whose_title_is_a_session_keeps_its_unique_numbers():
    text = "# Post-mortem 2026-07-08\n\nHow it went.\n\n## Guardrails\n\n1. It MUST be so.\n4. It MUST be thus.\n"
    done = convert(text)
    assert (done.kept, done.given) == (2, [])
    assert done.text.startswith("# Post-mortem\n\n## Production guardrails\n\n### Guardrail 1: It MUST be so\n")
    assert done.text.endswith(
        "## Sessions\n\n### Post-mortem 2026-07-08\n\nHow it went.\n\nRecords: Guardrail 1, Guardrail 4.\n"
    )


def test_an_open_fence_that_would_swallow_what_comes_behind_it_is_refused():
    text = "# P\n\n## Pitfalls\n\n1. It breaks.\n\n## Guardrails\n\n1. It MUST.\n\n```\nopen\n"
    assert refused(text + "\n") == [(11, "open-fence")] or convert(text).text.endswith("open\n")
    assert refused("# P\n\n## Tech debt\n\n1. Late.\n\n```\nopen\n\n## Guardrails\n\n1. It MUST.\n") == [
        (7, "open-fence")
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_line_ends_bom_and_bytes_that_are_no_utf8_stay(end):
    text = "\ufeff" + case("02").replace("ferry", "caf\udce9").replace("\n", end)
    after = convert(text).text
    assert after.startswith("\ufeff# POST MORTEM") and after.count("\ufeff") == 1
    assert after.count("\udce9") >= text.count("\udce9")
    assert after.count("\n") == after.count(end)


# -- whatever the file looks like ----------------------------------------------------------------------------

pieces = st.sampled_from(
    [
        "# Law",
        "## Production guardrails",
        "### GUARDRAILS",
        "## 3. PITFALLS & TROUBLESHOOTING",
        "## Tech debt",
        "# Lessons",
    ]
    + [
        "## Session 2026-03-02 [debug] x",
        "### 2026-03-09 y",
        "## Sessions",
        "## Repealed",
        "## Notes",
        "#### Group",
        "##### Deep",
    ]
    + ["### Guardrail 4: It MUST", "### 2.1 Time", "### 🔴 7) Never", "#### ~~Debt 3: old~~", "## Pitfall 12 – both"]
    + [
        "1. It MUST hold.\n2. It is FORBIDDEN.",
        "3. It MUST.\n   - **Why:** x\n\n   ```\n   ## code\n   ```",
        "- **Lead.** It MUST.\n  more",
    ]
    + [
        "- plain bullet",
        "Some prose.",
        "It MUST be so.",
        "- **Why:** because",
        "Symptom: x\nFix: y",
        "> ### Guardrail 9: quoted",
    ]
    + [
        "| # | Rule | Reason |\n|---|---|---|\n| 5 | It MUST | x \\| y |\n| - | no | no |",
        "---",
        "```\n## Guardrail 8: no\n```",
    ]
    + [
        "<!--\n### Guardrail 5: no\n-->",
        "- Guardrail 6 (2026-01-01): gone",
        "Under\n=====",
        "1. ~~done~~ **Resolved**",
        "```",
        "\t1. code",
    ]
)
files = st.lists(pieces, max_size=14).map(lambda parts: "\n\n".join(parts) + "\n")


@settings(max_examples=600, deadline=None, derandomize=True, database=None)
@given(files, st.sampled_from(["\n", "\r\n"]))
def test_no_record_no_number_and_no_text_is_ever_lost(text, end):
    before = postmortem.parse(text)
    try:
        after_text = convert(text.replace("\n", end)).text
    except Refused as error:
        assert all(problem.line or problem.code == "unproven" for problem in error.problems)
        return
    after = postmortem.parse(after_text)
    assert not [code for _, code, _ in lint.problems(after) if code == "duplicate-number"]
    assert len(after.records) == len(before.records)
    ids = {(r.id, r.status) for r in after.records}
    assert {(r.id, r.status) for r in before.records if r.number and not r.session} <= ids
    assert convert(after_text).text == after_text
    words = set("".join(c if c.isalnum() else " " for c in after.text.lower()).split())
    for unit in ("prose", "plain", "quoted", "because", "code", "hold", "more"):
        assert unit not in before.text or unit in words


def test_most_files_can_be_converted():
    counts = {"done": 0, "refused": 0}

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(files)
    def run(text):
        if postmortem.parse(text).problems or "\n```\n\n" in text:
            return
        try:
            convert(text)
            counts["done"] += 1
        except Refused:
            counts["refused"] += 1

    run()
    assert counts["refused"] * 20 <= counts["done"], counts


# -- the verb ------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project").mkdir()
    return store.make(tmp_path / "project", {"POST_MORTEM.md": case("04")})


def test_only_write_writes_and_the_diff_is_shown_either_way(folder, capsys):
    path = folder / "POST_MORTEM.md"
    before = path.read_bytes()
    for flags in ([], ["--dry-run"]):
        assert store.rld(folder, "adopt", *flags) == 0
        out = capsys.readouterr().out
        assert path.read_bytes() == before
        assert "+## Production guardrails" in out and "Nothing was written" in out
    assert store.rld(folder, "adopt", "--write") == 0
    out = capsys.readouterr().out
    assert "2 records keep the number." in out and "  pitfall 1 of 2026-03-09 is now Pitfall 4" in out
    assert "`rld check` names them" in out
    assert trust.known(find(str(folder)), path.read_bytes())
    assert store.rld(folder, "adopt", "--write") == 0
    assert capsys.readouterr().out == "POST_MORTEM.md is in the canonical form: nothing to do.\n"


def test_an_old_citation_of_an_adopted_record_is_known(folder, capsys):
    (folder / "a.py").write_text("# Pitfall 1\n", encoding="utf-8")
    store.rld(folder, "adopt", "--write")
    capsys.readouterr()
    store.rld(folder, "check")
    assert "cites pitfall 1," not in capsys.readouterr().out


def test_records_that_nobody_has_reviewed_stop_it(folder, capsys):
    path = folder / "POST_MORTEM.md"
    path.write_text(textfile.read(path) + "2. A script wrote this.\n", encoding="utf-8")
    before = path.read_bytes()
    assert store.rld(folder, "adopt", "--write") == 1
    assert "has 1 record that nobody has reviewed" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_refusals_name_file_and_line(folder, capsys):
    (folder / "POST_MORTEM.md").write_bytes(case("08").encode("utf-8"))
    assert store.rld(folder, "adopt", "--write") == 1
    assert "rld: POST_MORTEM.md:11: Guardrail 18 stands at lines 11, 17" in capsys.readouterr().err
    (folder / "POST_MORTEM.md").unlink()
    assert store.rld(folder, "adopt") == 1
    assert "`rld init` makes it" in capsys.readouterr().err


def test_what_became_of_a_struck_record_stays_behind_its_title():
    text = (
        "## Pitfalls\n\n### ~~3. The board~~ — RESOLVED in #12\n\nx\n\n### ~~The bell~~ **done**\n\n- **Symptom:** y\n"
    )
    done = convert(text)
    assert "### ~~Pitfall 3: The board~~ — RESOLVED in #12\n" in done.text
    assert "### ~~Pitfall 4: The bell~~ **done**\n" in done.text
    assert [(r.title, r.status) for r in postmortem.parse(done.text).records] == [
        ("The board", "closed"),
        ("The bell", "closed"),
    ]


def test_the_words_of_a_section_that_its_kind_does_not_say_stay_below_its_heading():
    text = "# Law\n\n## Hard-won rules (from three winters)\n\nRead them.\n\n1. It MUST.\n\n## 3. PITFALLS & TROUBLESHOOTING\n\n1. x\n"
    assert convert(text).text.startswith(
        "# Law\n\n## Production guardrails\n\nHard-won rules (from three winters)\n\nRead them.\n\n### Guardrail 1: It MUST\n\n"
        "It MUST.\n\n## Pitfalls and repair guides\n\n### Pitfall 1: x\n"
    )


def test_a_section_that_only_sounds_like_one_stays_where_it_is_when_it_has_no_records():
    text = "# Law\n\n## Key decisions\n\n- plain\n\n## Todo\n\nx\n\n## Guardrails\n\n1. It MUST.\n"
    assert convert(text).text.startswith(
        "# Law\n\n## Key decisions\n\n- plain\n\n## Todo\n\nx\n\n## Production guardrails\n"
    )


def test_a_heading_without_a_number_keeps_its_signs():
    done = convert('## Pitfalls\n\n### [P-001] loading="lazy" stops\n\n- **Symptom:** x\n')
    assert '### Pitfall 1: [P-001] loading="lazy" stops\n' in done.text


def test_headings_with_a_dash_or_another_word_become_ours():
    done = convert("## Guardrails\n\n### Guardrail 4 — .env stays\n\nIt MUST.\n\n### Rule 5: x\n\nIt MUST.\n")
    assert "### Guardrail 4: .env stays\n" in done.text and "### Guardrail 5: x\n" in done.text
    assert (done.kept, done.given) == (2, [])


def test_labels_that_are_none_of_ours_stay_fields_beside_those_that_are():
    done = convert("## Pitfalls\n\n### 1. x\n\n**Datum:** heute\n**Ursache:** b\n**Merksatz:** c\nund mehr\n")
    assert "**Datum:** heute\n\n- **Root cause:** b\n- **Merksatz:** c\n  und mehr\n" in done.text


def test_a_file_without_records_stays_byte_for_byte():
    text = "# Notes\n\n## Tech Debt\n\n- plain\n\n## Guardrails\n\nNone yet.\n"
    assert convert(text).text == text
