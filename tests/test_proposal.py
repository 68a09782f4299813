"""Candidates in the forms that models write them, and the one form in which they are stored."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import canon, proposal

BODY = "It MUST hold.\n\n- **Why:** it broke.\n"


def headings(text):
    return [c.heading for c in proposal.parse(text).candidates]


@pytest.mark.parametrize(
    ("heading", "read_as"),
    [
        ("## add guardrail: A b", "add guardrail: A b"),
        ("### Add Guardrail — A b", "add guardrail: A b"),
        ("# ADD guardrail - A b", "add guardrail: A b"),
        ("## 1. add guardrail: A b", "add guardrail: A b"),
        ("## 1) add guardrail: A b", "add guardrail: A b"),
        ("## Candidate 2: add guardrail: A b", "add guardrail: A b"),
        ("## Candidate 2 — **Add guardrail:** A b", "add guardrail: A b"),
        ("## ✨ **Add guardrail:** A b", "add guardrail: A b"),
        ("## [add] guardrail: A b", "add guardrail: A b"),
        ("## `add` guardrail: A b", "add guardrail: A b"),
        ("## Add a new guardrail: A b", "add guardrail: A b"),
        ("## add production guardrail: A b", "add guardrail: A b"),
        ("## add guardrail 26: A b", "add guardrail: A b"),
        ("## add guardrail-26: A b", "add guardrail: A b"),
        ("## add tech debt: A b", "add debt: A b"),
        ("## add pitfall: `x`: y is **z**", "add pitfall: `x`: y is **z**"),
        ("## amend guardrail-4: A b", "amend guardrail-4: A b"),
        ("## amend Guardrail 4 – A b", "amend guardrail-4: A b"),
        ("## amend guardrail #2.1: A b", "amend guardrail-2.1: A b"),
        ("## amend guardrail-4", "amend guardrail-4"),
        ("## amend guardrail~never-send-x: A b", "amend guardrail~never-send-x: A b"),
        ("## amend guardrail-1@2026-03-02: A b", "amend guardrail-1@2026-03-02: A b"),
        ("## merge guardrail-2, guardrail-9: A b", "merge guardrail-2, guardrail-9: A b"),
        ("## merge guardrails 2, 9 and 12: A b", "merge guardrail-2, guardrail-9, guardrail-12: A b"),
        ("## merge guardrail-2 + pitfall-9: A b", "merge guardrail-2, pitfall-9: A b"),
        ("## merge guardrail-9 into guardrail-2: A b", "merge guardrail-2, guardrail-9: A b"),
        ("## repeal guardrail-7", "repeal guardrail-7"),
        ("## 3. Repeal tech debt #9: paid", "repeal debt-9: paid"),
        ("Add guardrail: A b\n---", "add guardrail: A b"),
    ],
)
def test_a_heading_is_read_in_many_forms(heading, read_as):
    found = proposal.parse(heading + "\n\n" + BODY)
    assert ([c.heading for c in found.candidates], found.problems) == ([read_as], [])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "no candidate in it"),
        ("# Notes\n\ntext", 1, "no candidate in it"),
        ("## add rule: x", 1, "add what? The kinds are guardrail, pitfall, decision, debt"),
        ("## add guardrail: x\n\ny\n\n## amend that one\n", 5, "amend what? Name the record"),
        ("## add guardrail: x\n\ny\n\n## Summary\n\nz\n", 5, "“Summary” is no candidate"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, line, message):
    ((found, _, said),) = proposal.parse(text).problems
    assert found == line
    assert said.startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Sure!\n\n```markdown\n%s\n```\n\nAnything else?", id="prose-around-a-fence"),
        pytest.param("```markdown\n%s\n```", id="fenced-whole"),
        pytest.param("~~~md\n%s\n~~~\n", id="tildes"),
        pytest.param("\ufeff%s", id="bom"),
        pytest.param("\n\n%s", id="blank-lines-first"),
    ],
)
def test_the_fence_around_candidates_is_no_part_of_them(text):
    inner = "---\njournal: a.md\n---\n## add guardrail: X\n\n" + BODY
    found = proposal.parse(text % inner)
    assert found.meta == {"journal": "a.md"}
    assert [(c.heading, c.body) for c in found.candidates] == [("add guardrail: X", BODY.strip())]
    whole = (text % inner).split("\n")
    assert whole[found.candidates[0].line - 1] == "## add guardrail: X"
    assert whole[found.candidates[0].first - 1] == "It MUST hold."


def test_a_fence_inside_a_fenced_proposal_does_not_end_it():
    text = "```markdown\n## add pitfall: X\n\n```bash\nrun it\n```\n\n## repeal debt-9\n\n- **Why:** paid\n```\n"
    found = proposal.parse(text)
    assert headings(text) == ["add pitfall: X", "repeal debt-9"]
    assert found.candidates[0].body == "```bash\nrun it\n```"


def test_a_deeper_heading_belongs_to_its_candidate_and_code_holds_none():
    text = "## add pitfall: X\n\n### How to see it\n\n```\n## add guardrail: no\n```\n\n---\n\n## repeal debt-9\n"
    found = proposal.parse(text)
    assert headings(text) == ["add pitfall: X", "repeal debt-9"]
    assert found.candidates[0].body == "### How to see it\n\n```\n## add guardrail: no\n```"


def test_front_matter_takes_several_lines_and_may_lack_its_fences():
    text = "---\njournal: a.md  # open\ntag: [debug]\nsummary: >\n  Two\n  lines: here.\n---\n## repeal debt-9\n"
    assert proposal.parse(text).meta == {"journal": "a.md", "tag": "[debug]", "summary": "Two lines: here."}
    assert proposal.parse("journal: a.md\nfoo: bar\n\n## repeal debt-9\n").meta == {"journal": "a.md"}


def test_numbers_are_kept_only_when_each_candidate_has_its_own():
    assert [c.number for c in proposal.parse("## 4. repeal debt-9\n## 2. repeal debt-8\n").candidates] == [4, 2]
    assert [c.number for c in proposal.parse("## 4. repeal debt-9\n## repeal debt-8\n").candidates] == [1, 2]
    assert [c.number for c in proposal.parse("## 4. repeal debt-9\n## 4. repeal debt-8\n").candidates] == [1, 2]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("guardrail-4", ["guardrail-4"]),
        ("Guardrail 4 pitfall 3.12", ["guardrail-4", "pitfall-3.12"]),
        ("tech debt #9", ["debt-9"]),
        ("4", ["4"]),
        ("nothing", []),
    ],
)
def test_ids_are_found_in_what_people_type(text, ids):
    assert proposal.ids(text) == ids


words = st.text(alphabet="abc XYZ `*#é:-.\"'", max_size=20).map(lambda s: " ".join(s.split()))
bodies = st.lists(
    st.sampled_from(
        [
            "It MUST hold.",
            "",
            "- **Why:** it broke",
            "  more",
            "### deeper",
            "```\n## add guardrail: no\n```",
            "> quoted",
            "a: b",
        ]
    ),
    max_size=6,
).map("\n".join)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["add guardrail", "add debt", "amend pitfall-3.2", "merge debt-1, debt-2", "repeal debt-9"]
            ),
            words,
            bodies,
        ),
        min_size=1,
        max_size=4,
    ),
    words,
)
def test_what_is_stored_reads_back_the_same(candidates, summary):
    text = "\n\n".join("## %s: %s\n\n%s" % candidate for candidate in candidates)
    found = proposal.parse(text)
    for candidate in found.candidates:
        candidate.body = canon.body(candidate.body)
    found.meta = {"journal": "a.md", "summary": summary} if summary else {"journal": "a.md"}
    again = proposal.parse(proposal.render(found))
    assert [(c.number, c.heading, c.body) for c in again.candidates] == [
        (c.number, c.heading, c.body) for c in found.candidates
    ]
    assert again.meta == found.meta
    assert not again.problems


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.text())
def test_any_text_is_read(text):
    proposal.parse(text)


def test_reading_is_linear():
    began = time.perf_counter()
    proposal.parse("## add guardrail: x\n\n- **Why:** y\n\n" * 20_000)
    proposal.parse("## merge guardrail " + "1, " * 50_000)
    assert time.perf_counter() - began < 4


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("It MUST.\n**Why:** it broke\n  twice\nScope: src/**, a.py",
         "It MUST.\n\n- **Why:** it broke\n  twice\n- **Scope:** `src/**`, `a.py`"),
        ("* Symptom: x\n* **Cause:** y", "- **Symptom:** x\n- **Root cause:** y"),
        ("1. **Why:** x\n   more", "- **Why:** x\n   more"),
        ("It MUST.\n- **Why:** x", "It MUST.\n\n- **Why:** x"),
        ("- **Note:** kept\n- plain", "- **Note:** kept\n- plain"),
        ("```\nWhy: code\n```\n> Why: quoted", "```\nWhy: code\n```\n> Why: quoted"),
        ("- **Scope:** `a`, `b`", "- **Scope:** `a`, `b`"),
    ],
)  # fmt: skip
def test_fields_are_brought_into_one_form(text, canonical):
    assert canon.body(text) == canonical
    assert canon.body(canonical) == canonical


def test_headings_are_put_below_the_records():
    assert canon.below("a\n\n## X\n\n### Y\n\nZ\n---\n", 3) == "a\n\n#### X\n\n##### Y\n\n#### Z\n"
    assert canon.below("#### X", 3) == "#### X"


def test_a_field_is_set_in_place_or_at_the_end():
    assert canon.with_field("It.\n\n- **Scope:** `a`\n  `b`\n- **Fix:** y", "scope", "src/**") == (
        "It.\n\n- **Scope:** `src/**`\n- **Fix:** y"
    )
    assert canon.with_field("It.", "scope", "src/**") == "It.\n\n- **Scope:** `src/**`"
