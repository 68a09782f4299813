"""What is wrong with a post-mortem: the shared cases, and each demand on a record."""

import json
import pathlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import lint, postmortem
from rld.record import Record

CASES = sorted((pathlib.Path(__file__).parent / "cases/postmortem").glob("*.expected.json"))


def problems(text):
    return lint.problems(postmortem.parse(text))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.name.partition(".")[0])
def test_the_problems_of_a_file_are_found_and_no_others(path):
    expected = json.loads(path.read_text(encoding="utf-8"))
    data = path.with_name(path.name.replace(".expected.json", ".md")).read_bytes()
    found = [(code, line) for line, code, _ in problems(data.decode("utf-8", "surrogateescape"))]
    for problem in expected.get("problems", []):
        assert (problem["code"], problem["line"]) in found
    if expected.get("no_other_problems"):
        assert len(found) == len(expected["problems"])


def test_problems_come_in_the_order_of_the_lines():
    text = "### Guardrail 1: a\u200bb\n\n### Guardrail 1: c\n\nx\u202e\n"
    lines = [line for line, _, _ in problems(text)]
    assert lines == sorted(lines)
    assert {code for _, code, _ in problems(text)} == {"hidden-unicode", "duplicate-number", "missing-field"}


@pytest.mark.parametrize(
    ("record", "messages"),
    [
        pytest.param(
            "### Guardrail 1: T\n\nIt MUST hold.",
            ["Guardrail 1 has no **Why:**: say what went wrong without the rule"],
            id="guardrail-why",
        ),
        pytest.param(
            "### Guardrail 1: T\n\nPrefer the other one.\n\n- **Why:** the first broke.",
            ["Guardrail 1 says neither MUST nor FORBIDDEN: phrase it as a rule, or make it a pitfall"],
            id="guardrail-soft",
        ),
        pytest.param(
            "### Pitfall 3: T\n\n- **Symptom:** x",
            [
                "Pitfall 3 has no **Root cause:**: say what is behind it",
                "Pitfall 3 has no **Fix:**: say what repairs it",
            ],
            id="pitfall",
        ),
        pytest.param("### Pitfall 3: T\n\n- **Symptom:** x\n- **Cause:** y\n- **Fix:** z", [], id="no-diagnose-needed"),
        pytest.param(
            "### Decision 1: T\n\nThe pages and the stores moved.",
            ["Decision 1 has no **Why:**: say what speaks for it, so that nobody undoes it"],
            id="decision",
        ),
        pytest.param("### Decision 1: T\n\nThe store moved, because it leaked.", [], id="decision-in-prose"),
        pytest.param(
            "### Debt 9: T\n\nLater.",
            ["Tech debt 9 has neither **Trigger:** nor **Why deferred:**: say when it is due, or why it waits"],
            id="debt",
        ),
        pytest.param("## Guardrails\n\n1. The rule without a reason and the capitals.", [], id="foreign-form"),
        pytest.param("### ~~Guardrail 1: T~~\n\nGone.", [], id="closed"),
    ],
)
def test_a_record_of_ours_says_what_its_kind_demands(record, messages):
    assert [message for _, _, message in problems(record)] == messages


@pytest.mark.parametrize(
    ("text", "hard"),
    [
        ("A page MUST be static.", True),
        ("Es ist VERBOTEN.", True),
        ("Ein Rad DARF NICHT vermietet werden.", True),
        ("Состояние хранить НЕЛЬЗЯ.", True),
        ("必须使用数据库。", True),
        ("描画中に呼び出してはならない。禁止", True),
        ("The pages should be static.", False),
        ("Avoid it.", False),
        ("Seiten sind immer statisch.", None),
        ("", None),
    ],
)
def test_a_hard_rule_is_known_in_its_own_language(text, hard):
    assert lint.is_hard(Record("guardrail", "1", "", 1, 1, text, "heading")) is hard


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.text())
def test_any_text_is_linted(text):
    problems(text)


def test_linting_is_linear():
    text = "# P\n\n## Guardrails\n\n" + "### Guardrail %d: x\n\nIt must é hold.\n\n" * 20_000 % tuple(range(20_000))
    began = time.process_time()
    problems(text)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "record",
    [
        "### Pitfall 1: T\n\n**What goes wrong:**\nx\n\n**How to avoid:**\ny",
        "### Guardrail 1 — T\n\nEvery slice begins with a look.",
    ],
)
def test_a_labelled_record_of_another_template_is_not_scolded(record):
    assert problems(record) == []


def test_a_field_of_ones_own_beside_none_of_ours_is_no_template():
    assert len(problems("### Guardrail 1: T\n\nIt MUST.\n\n- **Owner:** Ada")) == 1


def test_labels_count_in_other_languages():
    assert problems("### Pitfall 1: T\n\n- **Симптом:** a\n- **Причина:** b\n- **Решение:** c") == []
    assert problems("### Guardrail 1: T\n\nEs ist VERBOTEN.\n\n- **Warum:** a") == []


@pytest.mark.parametrize(
    ("heading", "is_ours"),
    [
        ("Guardrail 4: A hold — and its end", True),
        ("**Guardrail 4:** A hold — and its end", True),
        ("Guardrail 12: A hold – and its end", True),
        ("Guardrail 4 A hold and its end", True),
        ("Guardrail 4 — A hold: its end", False),
        ("Guardrail 12 – A hold: its end", False),
    ],
)
def test_a_heading_is_ours_by_its_colon_whatever_its_title_holds(heading, is_ours):
    found = postmortem.parse("## Guardrails\n\n### %s\n\nIt MUST have one.\n" % heading)
    assert ("missing-field" in [code for _, code, _ in lint.problems(found)]) is is_ours
