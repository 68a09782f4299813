"""What of a digest is in a request: every line word for word, or named as lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rld import delivery

HEAD = "Project notes of this repository, from POST_MORTEM.md. In force: 2 guardrails."
ONE, TWO = "- Guardrail 1: Seats are sold once. 渡し舟 👉", "- Guardrail 2: A hold ends"
DIGEST = "%s\n\nGuardrails:\n%s\n%s\n" % (HEAD, ONE, TWO)
RECORDS = [("guardrail-1", ONE), ("guardrail-2", TWO)]
AROUND = "SessionStart hook additional context: %s\n\nToday's date is 2026-12-01."


def compare(*heard: str) -> delivery.Delivery:
    return delivery.compare(DIGEST, RECORDS, list(heard))


def test_a_digest_among_the_clients_own_words_is_whole() -> None:
    found = compare("something else", AROUND % DIGEST.strip())
    assert found.is_whole and found.in_one_piece and not found.was_cut
    assert len(found.lines) == 4, "blank lines do not count"
    assert found.sent == found.arrived == ["guardrail-1", "guardrail-2"] and found.missing == found.lost == []
    assert found.units == found.units_arrived == len(DIGEST.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    "line",
    [TWO[:-1], TWO + ".", TWO.replace("hold", "hold "), " " + TWO, TWO.lower(), ""],
    ids=["shorter", "longer", "a blank more", "indented", "in other letters", "gone"],
)
def test_a_line_that_is_not_there_word_for_word_is_lost_and_so_is_its_record(line: str) -> None:
    found = compare(AROUND % DIGEST.replace(TWO, line))
    assert not found.is_whole and not found.in_one_piece and not found.is_nothing
    assert (found.lost, found.missing, found.arrived) == ([TWO], ["guardrail-2"], ["guardrail-1"])


def test_a_preview_is_told_from_the_whole() -> None:
    preview = "<persisted-output>\nOutput too large (11.7KB). Full output saved to: /x\n\nPreview (first 2KB):\n"
    found = compare("SessionStart hook additional context: %s%s\n%s" % (preview, HEAD, "Guardrails:\n..."))
    assert found.was_cut and found.missing == ["guardrail-1", "guardrail-2"]
    assert 0 < found.units_arrived < found.units


def test_the_same_lines_in_another_text_of_the_request_do_not_count() -> None:
    """The post-mortem itself may be imported by CLAUDE.md."""
    found = compare(AROUND % HEAD, "Contents of /p/POST_MORTEM.md (project instructions):\n\n%s\n%s" % (ONE, TWO))
    assert found.missing == ["guardrail-1", "guardrail-2"]


def test_lines_that_all_arrived_with_something_between_them_are_whole_but_not_in_one_piece() -> None:
    found = compare(AROUND % DIGEST.replace("Guardrails:", "a word of the client\nGuardrails:"))
    assert found.is_whole and not found.in_one_piece


def test_nothing_heard_is_nothing() -> None:
    for heard in ([], [""], ["hello"]):
        found = compare(*heard)
        assert found.is_nothing and not found.is_whole and found.units_arrived == 0
        assert found.missing == ["guardrail-1", "guardrail-2"]


def test_an_empty_digest_is_neither_whole_nor_lost() -> None:
    found = delivery.compare("", [], ["hello"])
    assert not found.is_whole and found.lines == found.lost == []


def test_a_record_whose_line_the_digest_does_not_have_was_not_sent() -> None:
    found = delivery.compare(DIGEST, [*RECORDS, ("guardrail-3", "- Guardrail 3: Left out")], [DIGEST])
    assert found.sent == found.arrived == ["guardrail-1", "guardrail-2"]


def test_what_is_no_character_is_compared_as_json_carries_it() -> None:
    text = "- Guardrail 1: a \udcff byte\n- Guardrail 2: b\n"
    assert delivery.compare(text, [], ["x: - Guardrail 1: a ? byte\n- Guardrail 2: b"]).is_whole
    assert delivery.compare(text.replace("\n", "\r\n"), [], [text]).is_whole


def test_the_texts_of_a_request_are_found_in_any_shape_and_tools_are_not() -> None:
    request = {
        "system": [{"type": "text", "text": "a"}],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "b"}, {"type": "tool_result", "content": [{"text": "c"}]}],
            },
            {"role": "system", "content": "d"},
        ],
        "tools": [{"description": "e"}],
    }
    found = delivery.texts(request)
    assert {"a", "b", "c", "d"} <= set(found) and "e" not in found
    assert delivery.texts({}) == []


def test_instruction_files_are_told_apart_by_how_the_client_introduces_them() -> None:
    text = (
        "Codebase instructions are shown below.\n\nContents of /p (x)/CLAUDE.md (project instructions, checked in):\n\n"
        "👉 read POST_MORTEM.md\n\nContents of this file:\nall\n\nContents of /p/n.md (project instructions):\n\nnotes\n"
    )
    assert delivery.files(["other", text]) == [
        ("/p (x)/CLAUDE.md", "\n👉 read POST_MORTEM.md\n\nContents of this file:\nall\n"),
        ("/p/n.md", "\nnotes\n"),
    ]


LINES = st.lists(st.text(st.characters(exclude_characters="\n\r"), min_size=1), min_size=1, max_size=8)


@given(LINES, st.integers(0, 7))
def test_any_digest_that_arrived_is_whole_and_without_one_of_its_lines_it_is_not(lines: list[str], which: int) -> None:
    lines = ["%d %s" % (at, line) for at, line in enumerate(lines)]
    assert delivery.compare("\n".join(lines), [], [AROUND % "\n".join(lines)]).is_whole
    gone = lines.pop(which % len(lines))
    found = delivery.compare("\n".join([*lines, gone]), [], [AROUND % "\n".join(lines)])
    assert not found.is_whole and delivery.compare("", [], []).lost == []
