"""Corrections by the human: the words that tell one, and what the hooks do with it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hookdriver
from rld import correction, evidence, ledger
from rld.project import find


@pytest.mark.parametrize("prompt", [
    "no, put the hold into a table", "No!", "nope", "Stop. That deletes the lanes", "wait, the other file", "not the header, the footer",
    "don't touch seats.py", "Don’t touch seats.py", "please do not commit yet", "good, but don't rename it", "ok.\nDo not mock the clock",
    "that is wrong", "use a lock instead", "actually, keep the old name", "I said the lane, not the berth", "you forgot the second lane",
    "undo the last edit", "please revert that", "you should have asked", "  > no, not so", "never call the supplier from there",
    "Nein, das war so nicht gemeint", "das ist falsch", "nicht so, sondern mit einer Liste", "non, pas comme ça", "te dije que no", "não, em vez disso",
    "нет, не туда", "это неправильно", "いや、それは違う", "モックではなく実物で", "不对,用另一个文件", "不要用 mock", "아니 그 파일 말고",
])  # fmt: skip
def test_a_prompt_that_reads_like_a_correction(prompt):
    assert correction.is_likely(prompt)


@pytest.mark.parametrize("prompt", [
    "", "   ", "go on", "yes", "now item 8", "add a stop button", "note the time of each departure", "nothing else, thank you", "No problem, go on",
    "no worries", "not sure, what do you think?", "wait for the build, then go on", "don't forget the tests", "I don't know, you decide",
    "the tests don't pass yet", "why does the ferry stop?", "/rld:distill no", "<task-notification> wrong", "knowing the lanes, plan the deck",
    "notwithstanding", "Weiter mit Nummer 8", "nein danke", "c'est bon", "sí, sigue", "да, дальше", "次は商品ページ", "違いを教えて", "很好,继续",
    "x" * 500 + " wrong",
])  # fmt: skip
def test_a_prompt_that_does_not(prompt):
    assert not correction.is_likely(prompt)


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_no_text_makes_it_fail(text):
    assert correction.is_likely(text) in (True, False)


# -- in the hooks --------------------------------------------------------------------------------------------


@pytest.fixture
def hooks(tmp_path):
    return hookdriver.Hooks(tmp_path)


@pytest.fixture
def folder(tmp_path):
    return hookdriver.make(tmp_path / "project", {"POST_MORTEM.md": "# Post-mortem\n", "seats.py": "hold = 1\n"})


def noted(folder):
    return ledger.read(find(str(folder)), hookdriver.SESSION)


def edits(hooks, folder, name="seats.py"):
    path = {"file_path": str(folder / name), "old_string": "1", "new_string": "2"}
    hooks.fire("PostToolUse", cwd=folder, tool_name="Edit", tool_input=path, tool_response={})


def test_a_correction_of_an_edit_is_noted_and_makes_the_session_worth_distilling(hooks, folder):
    hooks.fire("UserPromptSubmit", cwd=folder, prompt="no, the seats first")
    assert not noted(folder).corrections, "nothing was done yet that it could correct"
    edits(hooks, folder)
    hooks.fire("UserPromptSubmit", cwd=folder, prompt="go on")
    assert not noted(folder).worth_distilling
    hooks.fire("UserPromptSubmit", cwd=folder, prompt="no, I said the lanes")
    assert [event.get("fixes") for event in noted(folder).events if event["k"] == "prompt"] == [None, None, True]
    assert noted(folder).worth_distilling


def test_stop_tells_of_corrections_once_and_again_when_the_work_has_doubled(hooks, folder):
    edits(hooks, folder)
    assert not hooks.fire("Stop", cwd=folder).human
    hooks.fire("UserPromptSubmit", cwd=folder, prompt="that is wrong")
    said = "rld: this session changed 1 file and may have been corrected 1 time; /distill keeps what it learned"
    assert [hooks.fire("Stop", cwd=folder).human for _ in range(2)] == [said, ""]
    hooks.fire("UserPromptSubmit", cwd=folder, prompt="no, still wrong")
    assert not hooks.fire("Stop", cwd=folder).human, "3 is not twice 2"
    edits(hooks, folder, "lanes.py")
    assert "changed 2 files" in hooks.fire("Stop", cwd=folder).human and not hooks.fire("Stop", cwd=folder).human


def test_where_the_transcript_is_gets_noted_once_and_again_when_it_moved(hooks, folder):
    for path in ("/a/s.jsonl", "/a/s.jsonl", "/b/Fähre 👉.jsonl", "/b/Fähre 👉.jsonl", "", "/" + "x" * 5000, 7):
        hooks.fire("UserPromptSubmit", cwd=folder, prompt="go on", transcript_path=path)
    told = [event.get("transcript") for event in noted(folder).events]
    assert told == ["/a/s.jsonl", None, "/b/Fähre 👉.jsonl", None, None, None, None]
    last = evidence.last_with(evidence.raw(find(str(folder)), hookdriver.SESSION), "transcript")
    assert last["transcript"] == "/b/Fähre 👉.jsonl"


def test_what_a_human_types_is_no_mark_of_ours(hooks, folder):
    hooks.fire("UserPromptSubmit", cwd=folder, prompt='"k": "edit", "transcript": "/x.jsonl", "fixes": true')
    hooks.fire("UserPromptSubmit", cwd=folder, prompt="no, wrong")
    assert not noted(folder).corrections
    last = evidence.last_with(evidence.raw(find(str(folder)), hookdriver.SESSION), "transcript")
    assert last["transcript"] == "/nowhere/t.jsonl"
