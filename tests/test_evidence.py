"""The event file of a session: nothing in it is lost, nothing torn stops it, and what it adds up to."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import evidence, ledger
from rld.project import find

EDIT = {"k": "edit", "path": "a.py"}
CORRECTED = {"k": "prompt", "text": "no, not there", "fixes": True}
FAIL = {"k": "fail", "cmd": "make", "error": "no rule"}
FIXED = {"k": "fixed", "cmd": "make"}


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project/.git").mkdir(parents=True)
    return find(str(tmp_path / "project"))


def session(*events):
    return ledger.Session("s1", [{"t": 100.0 + n, **event} for n, event in enumerate(events)])


# -- writing and reading -------------------------------------------------------------------------------------


def test_what_was_noted_is_read_in_order(project):
    for kind, values in (
        ("start", {"source": "startup"}),
        ("edit", {"path": "Fähre 渡し舟.py"}),
        ("pass", {"entries": 3}),
    ):
        assert evidence.note(project, "s1", kind, **values)
    seen = ledger.read(project, "s1")
    assert [(e["k"], e.get("source"), e.get("path"), e.get("entries")) for e in seen.events] == [
        ("start", "startup", None, None), ("edit", None, "Fähre 渡し舟.py", None), ("pass", None, None, 3),
    ]  # fmt: skip
    assert seen.started <= seen.ended and seen.files == ["Fähre 渡し舟.py"]
    assert evidence.has(evidence.raw(project, "s1"), "edit") and not evidence.has(evidence.raw(project, "s1"), "fail")


def test_without_a_session_nothing_is_noted(project):
    assert not evidence.note(project, "", "edit", path="a")
    assert evidence.raw(project, "") == b"" and not os.path.exists(project.state)


def test_a_state_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/rld").write_text("", encoding="utf-8")
    project = find(str(tmp_path))
    assert not evidence.note(project, "s1", "edit", path="a")
    assert ledger.read(project, "s1").events == [] and ledger.others(project, "s1") == []


def test_torn_lines_and_other_bytes_cost_only_themselves(project):
    evidence.note(project, "s1", "edit", path="a")
    path = evidence.path(project, "s1")
    with open(path, "ab") as out:
        out.write(
            b'{"t": 1, "k": "edit", "pa\n\xff\xfe\x00\n[1]\nnull\n\n{"t": "x", "k": 7, "path": 3}\n{"k": "edit", "path": 5}\n'
        )
    evidence.note(project, "s1", "edit", path="b")
    seen = ledger.read(project, "s1")
    assert seen.files == ["a", "b"] and len(seen.events) == 4


@pytest.mark.parametrize("cut", [*range(1, 48, 3), None])
def test_a_crash_in_the_middle_of_a_line_costs_that_line_alone(project, cut):
    evidence.note(project, "s1", "edit", path="a")
    path = evidence.path(project, "s1")
    whole = evidence.raw(project, "s1")
    with open(path, "ab") as out:
        out.write(whole[:cut] if cut else whole.replace(b'"a"', b'"z"')[:-1])
    for name in ("b", "c"):
        evidence.note(project, "s1", "edit", path=name)
    assert ledger.read(project, "s1").files == (["a", "b", "c"] if cut else ["a", "z", "b", "c"])
    assert evidence.last_with(evidence.raw(project, "s1"), "path")["path"] == "c"


def test_a_whole_file_grows_by_whole_lines_without_empty_ones(project):
    for name in ("a", "b", "c"):
        evidence.note(project, "s1", "edit", path=name)
    assert evidence.raw(project, "s1").count(b"\n") == len(evidence.raw(project, "s1").splitlines()) == 3


def test_an_empty_file_is_written_like_a_new_one(project):
    os.makedirs(project.state + "/evidence")
    open(evidence.path(project, "s1"), "w").close()
    evidence.note(project, "s1", "edit", path="a")
    assert evidence.raw(project, "s1").startswith(b'{"t": ')


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from rld import evidence
from rld.project import find
project = find(sys.argv[2])
sys.stdin.read()
for n in range(int(sys.argv[4])):
    assert evidence.note(project, "s1", "edit", path="%s-%d" % (sys.argv[3], n), more="x" * 3000)
"""


def test_twenty_writers_at_once_lose_nothing(project):
    scripts = os.path.dirname(os.path.dirname(evidence.__file__))
    command = [sys.executable, "-I", "-S", "-c", WRITER, scripts, project.root]
    writers = [subprocess.Popen([*command, str(n), "15"], stdin=subprocess.PIPE) for n in range(20)]
    for writer in writers:  # all of them start when the last one is there
        writer.stdin.close()
    assert [writer.wait(60) for writer in writers] == [0] * 20
    seen = ledger.read(project, "s1")
    assert sorted(seen.files) == sorted("%d-%d" % (w, n) for w in range(20) for n in range(15))
    assert len([line for line in evidence.raw(project, "s1").split(b"\n") if line]) == len(seen.events) == 300


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..",
        ".",
        "a\\b",
        "C:\\x",
        "x\0y",
        "con:",
        "ü" * 200,
        "a" * 5000,
        "\ud800",
        "a b\n",
    ],
    ids=ascii,
)
def test_a_session_id_makes_a_file_name_and_nothing_else(project, name):
    assert evidence.note(project, name, "edit", path="a")
    (made,) = os.listdir(project.state + "/evidence")
    assert made.endswith(".jsonl") and len(made) <= 90
    assert set(made[: -len(".jsonl")]) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert os.listdir(os.path.dirname(project.state)) == ["rld"]
    assert ledger.read(project, name).files == ["a"]


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_no_session_id_leads_anywhere(name):
    assert "/" not in evidence.safe(name) and "." not in evidence.safe(name) and evidence.safe(name).isascii()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_make_reading_fail(data):
    for event in evidence.events(data):
        assert isinstance(event, dict)
    ledger.Session("x", evidence.events(data))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"k": st.sampled_from(["edit", "fail", "fixed", "end", "x"])},
            optional={"t": values, "path": values, "cmd": values},
        )
    )
)
def test_no_values_make_adding_up_fail(events):
    data = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    seen = ledger.Session("x", evidence.events(data))
    assert seen.failures == sum(event["k"] == "fail" for event in events)
    assert isinstance(seen.worth_distilling, bool)


@pytest.mark.parametrize("command, key", [
    ("  npm   test\n", "npm test"),
    ("cat <<'EOF'\nx\nEOF", "cat <<'EOF' x EOF"),
    ("x" * 5000, "x" * 300),
    ("curl -H 'Authorization: Bearer abcdefghij0123456789abcdefghij'", None),
], ids=["blanks", "lines", "long", "secret"])  # fmt: skip
def test_a_command_is_noted_on_one_line_without_secrets(command, key):
    found = evidence.command_key(command)
    assert found == key if key else "abcdefghij0123456789" not in found
    assert evidence.command_key(found) == found


# -- what it adds up to --------------------------------------------------------------------------------------


MANY = [{"k": "edit", "path": "f%d" % n} for n in range(evidence.MANY_FILES)]


@pytest.mark.parametrize("events, worth", [
    ([], False),
    ([EDIT], False),
    ([FAIL, FIXED], False),
    ([EDIT, FAIL], False),
    ([EDIT, FAIL, FIXED], True),
    ([FAIL, FIXED, EDIT], True),
    (MANY, True),
    (MANY[:-1], False),
    ([EDIT] * 50, False),
    ([EDIT, FAIL, FIXED, {"k": "distilled"}], False),
    ([*MANY, {"k": "distilled"}, {"k": "prompt"}, {"k": "end"}], False),
    ([EDIT, FAIL, FIXED, {"k": "distilled"}, EDIT], True),
    ([EDIT, CORRECTED], True),
    ([CORRECTED], False),
    ([EDIT, {"k": "prompt", "text": "no, not there"}], False),
    ([EDIT, {**CORRECTED, "fixes": "yes"}], False),
    ([EDIT, CORRECTED, {"k": "distilled"}], False),
    ([EDIT, {"k": "distilled"}, CORRECTED], False),
], ids=["nothing", "an edit", "a fix of nothing", "no fix", "a fix", "edited after", "many files", "one less", "one file often", "distilled",
        "distilled and ended", "edited after distilling", "a correction", "nothing to correct", "no mark", "another mark", "corrected and distilled",
        "corrected after distilling"])  # fmt: skip
def test_what_is_worth_distilling(events, worth):
    assert session(*events).worth_distilling is worth


def test_a_summary_counts():
    seen = session(
        {"k": "start"},
        {"k": "bind"},
        CORRECTED,
        EDIT,
        EDIT,
        {"k": "edit", "path": "b"},
        FAIL,
        FAIL,
        FIXED,
        {"k": "end"},
    )
    assert (seen.files, seen.failures, seen.fixed, seen.bound, seen.distilled) == (["a.py", "b"], 2, 1, True, False)
    assert (seen.started, seen.ended, seen.corrections) == (100.0, 109.0, 1)


def put(project, name, *events, age=0):
    os.makedirs(project.state + "/evidence", exist_ok=True)
    path = evidence.path(project, name)
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(json.dumps({"t": 1.0, **event}) + "\n" for event in events)
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))


def test_the_other_sessions_come_latest_first(project):
    for n in range(5):
        put(project, "s%d" % n, EDIT, age=n * 60)
    open(project.state + "/evidence/notes.txt", "w").close()
    assert [other.id for other in ledger.others(project, "s0")] == ["s1", "s2", "s3", "s4"]
    assert [other.id for other in ledger.others(project, "", most=2)] == ["s0", "s1"]


def test_only_what_is_worth_it_waits_to_be_distilled(project):
    put(project, "done", EDIT, FAIL, FIXED, {"k": "distilled"})
    put(project, "lesson", EDIT, FAIL, FIXED)
    put(project, "small", EDIT)
    put(project, "own", EDIT, FAIL, FIXED)
    assert [other.id for other in ledger.undistilled(project, "own")] == ["lesson"]
