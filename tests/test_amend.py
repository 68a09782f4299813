"""Candidates in the text of a post-mortem: golden files, and what must hold for every file."""

import os
import pathlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import amend, canon, numbers, postmortem, proposal
from rld.errors import Refused

GOLDEN = pathlib.Path(__file__).parent / "golden/apply"
CASES = pathlib.Path(__file__).parent / "cases/postmortem"
SESSION = amend.Session("2026-07-08", "refactor", "per-request store", "Every page got a store of its own.")


def candidates(text):
    found = proposal.parse(text)
    assert not found.problems
    for candidate in found.candidates:
        candidate.body = canon.body(candidate.body)
    return found.candidates


def edit(text, changes, session=SESSION, cited=None):
    made = candidates(changes) if changes else []
    return amend.edit(text, made, session, "2026-08-01", cited or {}, "POST_MORTEM.md")


def read(path):
    return path.read_bytes().decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.before.md")), ids=lambda p: p.name.partition(".")[0])
def test_candidates_are_applied(path):
    """To see what a change does to these files: RLD_GOLDEN=write."""
    changes = path.with_name(path.name.replace(".before.", ".candidates."))
    after = path.with_name(path.name.replace(".before.", ".after."))
    text = edit(read(path), read(changes)).text
    if os.environ.get("RLD_GOLDEN") == "write":
        after.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert text == read(after)


def test_no_candidates_change_nothing():
    for path in CASES.glob("*.md"):
        text = read(path)
        if not postmortem.parse(text).problems:
            assert edit(text, "").text == text


ADDITIONS = """
## add guardrail: A new rule

It MUST hold.

- **Why:** it broke.

## add pitfall: A new trap

- **Symptom:** x
- **Root cause:** y
- **Fix:** z

## add decision: A new decision

- **Why:** z.

## add debt: A new debt

- **Trigger:** z.
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "bom"])
@pytest.mark.parametrize("tail", ["\n", "\n\n\n", ""], ids=["final-newline", "blank-lines", "no-newline"])
@pytest.mark.parametrize("path", sorted(CASES.glob("*.md")), ids=lambda p: p.stem)
def test_what_was_there_stays_byte_for_byte(path, tail, bom, end):
    lines = read(path).lstrip("\ufeff").replace("\r\n", "\n").rstrip("\n")
    text = bom + (lines + tail).replace("\n", end)
    try:
        after = edit(text, ADDITIONS).text
    except Refused as refused:
        assert {p.code for p in refused.problems} <= {"duplicate-number", "conflict-marker", "open-fence"}
        return
    # Only whole pieces were put in: what is left without them is the text as it was.
    rest = iter(after.split("\n"))
    for row in text.split("\n")[:-1]:
        assert row in rest
    assert after.startswith(bom) and after.count("\ufeff") == text.count("\ufeff")
    if end == "\r\n":
        assert after.count("\n") == after.count("\r\n")
    assert after.endswith("\n") == text.endswith("\n")
    assert after.rstrip("\r\n") == after.rstrip()


def test_the_line_where_a_fence_stays_open_is_named():
    with pytest.raises(Refused) as caught:
        edit("# P\n\n## Guardrails\n\n```\nopen\n", ADDITIONS)
    assert str(caught.value).startswith("POST_MORTEM.md:5: a code fence or a comment is opened here and never closed")


@pytest.mark.parametrize("name", ["08-duplicate-numbers", "09-conflict-markers"])
def test_a_file_with_problems_is_not_written(name):
    with pytest.raises(Refused) as caught:
        edit(read(CASES / (name + ".md")), ADDITIONS)
    assert all(problem.line for problem in caught.value.problems)


def test_a_row_of_a_table_is_not_amended_but_can_be_repealed():
    text = read(CASES / "07-rules-in-tables.md")
    with pytest.raises(Refused, match="row of a table"):
        edit(text, "## amend guardrail-4: X\n\nIt MUST.\n")
    after = postmortem.parse(edit(text, "## repeal guardrail-4\n\n- **Why:** x\n").text)
    assert after.find("guardrail-4").status == "repealed"


def test_a_second_round_of_a_session_adds_a_line_to_its_section():
    first = edit("# P\n", ADDITIONS).text
    second = edit(first, ADDITIONS.replace("new", "newer")).text
    assert second.count("[refactor] per-request store") == 1
    assert "Decision 1, Debt 1.\n\nRecords: Guardrail 2, Pitfall 2, Decision 2, Debt 2.\n" in second


def test_a_numbered_section_never_gets_a_number_twice_over_a_long_history():
    text, seen = "# P\n", set()
    for turn in range(12):
        changes = "## add guardrail: Rule %d\n\nIt MUST.\n\n- **Why:** x\n" % turn
        if turn % 3 == 2:
            changes += "\n## repeal guardrail-%d\n\n- **Why:** x\n" % turn
        text = edit(text, changes, None).text
        number = next(r.number for r in postmortem.parse(text).records if r.title == "Rule %d" % turn)
        assert int(number) > max(map(int, seen), default=0)
        seen.add(number)


titles = st.text(alphabet="ab Z`*_~#|.:-(é1", min_size=1, max_size=24).map(lambda s: " ".join(s.split()))
kinds = st.sampled_from(["guardrail", "pitfall", "decision", "debt"])
texts = st.lists(
    st.sampled_from(
        ["It MUST hold.", "", "- **Why:** x", "```\n## Guardrail 1: no\n```", "> quote"]
        + ["1. one", "| a | b |", "#### sub", "---", "a\n==="]
    ),
    max_size=6,
).map("\n".join)  # fmt: skip
actions = st.one_of(
    st.tuples(st.just("add"), kinds, titles, texts),
    st.tuples(st.sampled_from(["amend", "repeal"]), st.integers(0, 30), titles, texts),
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(sorted(CASES.glob("*.md"))), st.lists(st.lists(actions, min_size=1, max_size=3), max_size=4))
def test_a_random_history_touches_only_what_it_names(path, history):
    text, used = read(path), set()
    for turn in history:
        found = postmortem.parse(text)
        targets = [r for r in found.records if r.status != "repealed"]
        changes, named = [], set()
        for verb, what, title, body in turn:
            if verb == "add":
                changes.append("## add %s: %s\n\n%s" % (what, title, body))
            elif targets and targets[what % len(targets)].id not in named:
                id = targets[what % len(targets)].id
                named.add(id)
                changes.append("## %s %s: %s\n\n%s" % (verb, id, title, body))
        made = proposal.parse("\n\n".join(changes)).candidates
        try:
            after = amend.edit(text, made, SESSION, "2026-08-01", {}, "POST_MORTEM.md").text
        except Refused:
            continue
        then = postmortem.parse(after)
        kept = [(r.id, r.title, r.status) for r in found.records if r.id not in named and not r.session]
        there = [(r.id, r.title, r.status) for r in then.records]
        assert [entry for entry in kept if entry not in there] == []
        assert not then.problems
        used |= {(r.kind, r.number) for r in found.records if r.number}
        ids = {r.id for r in found.records}
        assert not [r for r in then.records if r.id not in ids and (r.kind, r.number) in used]
        text = after


@pytest.mark.parametrize(
    ("records", "cited", "number"),
    [
        ("", (), "1"),
        ("### Guardrail 4: x\n\n### Guardrail 9: y", (), "10"),
        ("### ~~Guardrail 12: x~~", (), "13"),
        ("## Repealed\n\n- Guardrail 20 (2026-01-01): x", (), "21"),
        ("### Guardrail 4: x", ("5", "6"), "7"),
        ("### Guardrail 4: x", ("30",), "31"),
        ("### Guardrail 4: x", ("4096",), "5"),
        ("### Guardrail 4: x", ("2.1",), "5"),
        ("## Guardrails\n\n### 2.1 x\n\n### 2.9 y", (), "2.10"),
        ("## Guardrails\n\n### 2.1 x\n\n### 2.9 y", ("2.10", "40"), "2.11"),
        ("## 2026-03-02 [debug] x\n\n### Guardrails\n\n1. It MUST.\n2. It MUST too.", (), "3"),
    ],
)
def test_the_next_number_is_above_every_number_that_was_ever_used(records, cited, number):
    assert (
        numbers.next_free("guardrail", postmortem.parse("# P\n\n## Production guardrails\n\n" + records), cited)
        == number
    )


def test_an_edit_of_a_large_file_is_quick():
    text = "# P\n\n## Production guardrails\n\n" + "".join(
        "### Guardrail %d: Rule\n\nIt MUST hold, whatever comes.\n\n- **Why:** it broke.\n\n" % n
        for n in range(1, 5_000)
    )
    began = time.process_time()
    edit(text, ADDITIONS)
    assert time.process_time() - began < 10
