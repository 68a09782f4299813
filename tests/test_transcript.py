"""The client's transcript: what two versions write is read, whatever else is in it costs nothing but itself."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import transcript, transcriptfile
from rld.project import find

TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def lines(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def user(content, **more):
    return {"type": "user", "isSidechain": False, "message": {"role": "user", "content": content}, **more}


def model(*blocks, **more):
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"type": "assistant", "isSidechain": False, "message": {"role": "assistant", "content": blocks}, **more}


def calls(name, id="t1", **given):
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def ends(content, id="t1", result=None, **more):
    block = {"type": "tool_result", "tool_use_id": id, "content": content, **more}
    return user([block], **({} if result is None else {"toolUseResult": result}))


PLAIN = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}


def said(*records):
    return [(each.kind, each.text) for each in transcript.parse(lines(*records)).said]


# -- what the human said -------------------------------------------------------------------------------------


@pytest.mark.parametrize("record, found", [
    (user("hold a seat"), [("prompt", "hold a seat")]),
    (user([{"type": "text", "text": "look"}, {"type": "image", "source": {}}, {"type": "text", "text": "here"}]), [("prompt", "look\nhere")]),
    (user("typed", origin={"kind": "human"}, promptSource="typed"), [("prompt", "typed")]),
    (user("<command-message>rld:run-plan</command-message>\n<command-name>/rld:run-plan</command-name>\n<command-args>docs/plan.md</command-args>"),
     [("command", "/rld:run-plan docs/plan.md")]),
    (user("<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n            <command-args></command-args>"),
     [("command", "/compact")]),
    (user([{"type": "text", "text": "[Request interrupted by user for tool use]"}]), [("interrupt", "")]),
    (user([{"type": "text", "text": "[Request interrupted by user]"}]), [("interrupt", "")]),
    ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "no, wait", "commandMode": "prompt"}}, [("prompt", "no, wait")]),
    ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": [{"type": "text", "text": "so"}], "origin": {"kind": "human"}}},
     [("prompt", "so")]),
    ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "<task-notification>x", "commandMode": "task-notification"}}, []),
    ({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x", "origin": {"kind": "task-notification"}}}, []),
    ({"type": "attachment", "attachment": {"type": "skill_listing", "content": "x"}}, []),
    (user("the body of a command", isMeta=True), []),
    (user("to the subagent", isSidechain=True), []),
    (user("This session is being continued", isCompactSummary=True, isVisibleInTranscriptOnly=True), []),
    (user("<local-command-caveat>The command below was run</local-command-caveat>"), []),
    (user("<local-command-stdout>Compacted</local-command-stdout>"), []),
    (user("<bash-input>echo bang</bash-input>"), []),
    (user("<task-notification>\n<task-id>b1</task-id>"), []),
    (user("news", origin={"kind": "task-notification"}), []),
    (user([{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": "fix it"}]), [("prompt", "fix it")]),
    (user([{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}]), []),
    (user("   "), []),
    ({"type": "queue-operation", "operation": "enqueue", "content": "hold a seat"}, []),
    ({"type": "last-prompt", "lastPrompt": "hold a seat"}, []),
    ({"type": "summary", "summary": "x"}, []),
], ids=lambda value: None)  # fmt: skip
def test_what_the_human_said_and_what_only_looks_like_it(record, found):
    assert said(record) == found


@pytest.mark.parametrize("reason, found", [
    ("The user doesn't want to proceed with this tool use. The tool use was rejected (…). To tell you how to proceed, the user said:\nuse build/", ["use build/"]),
    ("The user doesn't want to proceed with this tool use. The tool use was rejected (…). STOP what you are doing", []),
])  # fmt: skip
def test_a_refused_tool_call_is_no_failure_and_may_bring_words(reason, found):
    read = transcript.parse(
        lines(model(calls("Bash", command="make")), ends(reason, is_error=True, result="Error: " + reason))
    )
    assert [each.text for each in read.said if each.kind == "refusal"] == found
    assert [call.outcome for call in read.calls] == [""]


# -- what the model did --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, result, more, outcome", [
    ("Bash", "ok", {"is_error": False, "result": PLAIN}, "ok"),
    ("Bash", "Exit code 1\nlocked", {"is_error": True, "result": "Error: Exit code 1\nlocked"}, "failed"),
    ("Bash", [{"type": "text", "text": "Exit code 1"}, {"type": "text", "text": "locked"}], {"is_error": True}, "failed"),
    ("Bash", "Exit code 143\nCommand timed out after 0s", {"is_error": True}, "failed"),
    ("Bash", "<tool_use_error>Blocked: standalone sleep</tool_use_error>", {"is_error": True}, ""),
    ("Bash", "Permission to use Bash has been denied.", {"is_error": True}, ""),
    ("Bash", "running", {"is_error": False, "result": {**PLAIN, "backgroundTaskId": "b1"}}, ""),
    ("Bash", "No matches found", {"is_error": False, "result": {**PLAIN, "returnCodeInterpretation": "No matches found"}}, ""),
    ("Bash", "", {"is_error": False, "result": {**PLAIN, "interrupted": True}}, ""),
    ("Edit", "updated", {}, "ok"),
    ("Edit", "<tool_use_error>String to replace not found in file.</tool_use_error>", {"is_error": True}, ""),
    ("Read", "Exit code 1 stands in this file", {"is_error": True}, ""),
], ids=lambda value: None)  # fmt: skip
def test_how_a_tool_call_ended(name, result, more, outcome):
    read = transcript.parse(lines(model(calls(name, command="make", file_path="/p/a.py")), ends(result, **more)))
    (call,) = read.calls
    assert (call.outcome, call.command, call.path) == (outcome, "make" * (name == "Bash"), "/p/a.py" * (name == "Edit"))
    assert "locked" in call.output or outcome != "failed" or "timed out" in call.output


PATCH = [{"oldStart": 1, "lines": [" a", "-hold = 1", "+hold = 2", " b"]}, {"lines": ["+more"]}]


@pytest.mark.parametrize("name, given, result, diff", [
    ("Edit", {"old_string": "x", "new_string": "y"}, {"structuredPatch": PATCH}, ["-hold = 1", "+hold = 2", "+more"]),
    ("Edit", {"old_string": "x\n\n", "new_string": "y\nz"}, None, ["-x", "+y", "+z"]),
    ("Edit", {"old_string": 5, "new_string": ["y"]}, {"structuredPatch": [5, {"lines": 7}, {"lines": [None, "-q"]}]}, ["-q"]),
    ("Write", {"content": "one\ntwo\n"}, {"type": "create", "structuredPatch": []}, ["+one", "+two"]),
    ("NotebookEdit", {"new_source": "x = 1"}, {}, ["+x = 1"]),
    ("Write", {"content": "\n".join("line %d" % n for n in range(99))}, {}, ["+line %d" % n for n in range(8)] + ["…"]),
    ("Edit", {"old_string": "t", "new_string": "key = '%s'" % TOKEN}, {}, ["-t", "+key = '«redacted»'"]),
    ("Edit", {"old_string": "t", "new_string": "a\x1b[31mb\u202ec"}, {}, ["-t", "+abc"]),
    ("Bash", {"command": "sed -i s/1/2/ a.py"}, PLAIN, []),
], ids=lambda value: None)  # fmt: skip
def test_the_lines_of_an_edit(name, given, result, diff):
    given = {"file_path": "/p/a.py", **given}
    if name == "NotebookEdit":
        given = {"notebook_path": "/p/a.ipynb", "new_source": "x = 1"}
    (call,) = transcript.parse(lines(model(calls(name, **given)), ends("ok", result=result))).calls
    assert call.diff == diff


def test_what_the_model_said_comes_without_what_the_client_put_in_its_mouth():
    read = transcript.parse(lines(
        model("I look.", calls("Bash", command="make")), ends("x"), model("All tests pass."), model("sub", isSidechain=True),
        model("API Error", isApiErrorMessage=True), {"type": "assistant", "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]}},
    ))  # fmt: skip
    assert [each.text for each in read.claims] == ["I look.", "All tests pass."]


def test_secrets_and_what_nobody_sees_are_gone_from_all_of_it():
    bad = "use %s\u200b \x1b]0;title\x07now" % TOKEN
    read = transcript.parse(
        lines(user(bad), model(bad, calls("Bash", command="make")), ends("Exit code 1\n" + bad, is_error=True))
    )
    texts = [read.said[0].text, read.claims[0].text, read.calls[0].output]
    assert texts == ["use «redacted» now", "use «redacted» now", "Exit code 1\nuse «redacted» now"]


# -- time and order ------------------------------------------------------------------------------------------


def test_times_are_read_and_never_run_backwards():
    stamps = [
        "2026-02-01T09:30:00.250Z",
        "2026-02-01T08:00:00Z",
        None,
        "soon",
        17,
        "2026-02-01T09:30:05+00:00",
        "9" * 50,
    ]
    read = transcript.parse(lines(*[user("p%d" % n, timestamp=stamp) for n, stamp in enumerate(stamps)]))
    when = [each.when for each in read.said]
    assert when == sorted(when) and len(set(when)) == len(when)
    assert (when[0], when[5], read.started) == (1769938200.25, 1769938205.0, 1769938200.25)


def test_without_times_the_order_is_what_there_is():
    read = transcript.parse(lines(user("a"), model("b"), user("c")))
    assert 0 < read.said[0].when < read.claims[0].when < read.said[1].when < 1 and read.started == 0


def test_a_line_that_was_written_twice_counts_once():
    assert (
        said(user("a", uuid="1"), user("a", uuid="1"), user("a", uuid="2"), user("a"), user("a"))
        == [("prompt", "a")] * 4
    )


# -- defence -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [
    b"", b"\n\n", b"\xff\xfe\x00", b"{", b"[1]", b"null", b"7", b'"user"', b'{"type": "user"}', b'{"type": ["user"]}', b'{"type": "user", "message": 5}',
    b'{"type": "user", "message": {"content": {"text": "x"}}}', b'{"type": "user", "message": {"content": [null, 5, "x", [], {"type": "text"}, {"type": "text", "text": 5}]}}',
    b'{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "unknown", "content": "Exit code 1"}]}}',
    b'{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": ["t"], "content": 5}]}}',
    b'{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": {}, "name": 5, "input": "x"}]}}',
    b'{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "q", "name": "Bash", "input": {"command": ["make"]}}]}}',
    b'{"type": "attachment", "attachment": "queued_command"}', b'{"type": "attachment", "attachment": {"type": "queued_command", "prompt": 5}}',
    b'{"uuid": [1], "type": "user"}', b'{"n": ' + b"9" * 5000 + b"}", b"[" * 100_000, b'{"a":' * 50_000, b'{"type": "user", "message": {"content": ""}}',
    b"\x00" * 1000, b'{"type": "user", "isMeta": true, "message": {"content": "x"}}',
], ids=lambda value: None)  # fmt: skip
def test_noise_costs_only_itself(noise):
    read = transcript.parse(lines(user("before")) + noise + b"\n" + lines(user("after")))
    assert [each.text for each in read.said] == ["before", "after"]
    assert not read.calls and not read.claims


def test_a_line_of_10_mb_is_cut():
    read = transcript.parse(lines(user("x" * (10 << 20)), user("渡👉" * (1 << 20))))
    assert [len(each.text) for each in read.said] == [1 << 16] * 2


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=600))
def test_no_bytes_make_it_fail(data):
    transcript.parse(data)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["user", "text", "tool_use", "tool_result", "t1", "Bash", "Edit"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "text", "content", "id", "name", "input", "lines", "x"]), inner)
    ),
    max_leaves=8,
)
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result"])},
    optional={"id": st.just("t1") | values, "tool_use_id": st.just("t1") | values, "name": st.sampled_from(["Bash", "Edit", "Write"]) | values,
              "input": st.dictionaries(st.sampled_from(["command", "file_path", "old_string", "new_string", "content"]), values) | values,
              "content": values, "text": values, "is_error": values},
)  # fmt: skip
records = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "attachment", "system"])},
    optional={"message": st.fixed_dictionaries({"content": st.lists(blocks, max_size=3) | values}) | values, "attachment": values, "uuid": values, "origin": values,
              "timestamp": st.datetimes().map(str) | values, "isMeta": values, "toolUseResult": st.fixed_dictionaries({"structuredPatch": values}) | values},
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(records, max_size=8))
def test_no_values_in_the_right_places_make_it_fail(found):
    read = transcript.parse(lines(*found))
    for each in (*read.said, *read.claims):
        assert isinstance(each.text, str)
    for call in read.calls:
        assert isinstance(call.command + call.path + call.output + "".join(call.diff), str)


# -- where it is ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, name", [
    ("/srv/fleet/plan", "-srv-fleet-plan"),
    ("/tmp/Fähre 渡👉 x_y.z", "-tmp-F-hre-----x-y-z"),  # an emoji is two units there, as both clients count
    ("C:/Users/x", "C--Users-x"),
])  # fmt: skip
def test_the_folder_that_the_client_makes_of_a_path(path, name):
    assert transcriptfile.folder_name(path) == name


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "project/.git").mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    return find(str(tmp_path / "project"))


def put(project, name, data=None, folder=None):
    folder = folder or os.path.join(
        os.environ["CLAUDE_CONFIG_DIR"], "projects", transcriptfile.folder_name(project.root)
    )
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".jsonl")
    with open(path, "wb") as out:
        out.write(lines(user("hold a seat")) if data is None else data)
    return path


def test_it_is_found_by_its_id_or_the_beginning_that_only_it_has(project):
    paths = [put(project, name) for name in ("abc-1", "abc-2", "abc", "b-1")]
    assert transcriptfile.find(project, "abc") == paths[2], "the whole id, though others begin with it"
    assert transcriptfile.find(project, "b") == paths[3] and transcriptfile.whole_id(project, "b-") == "b-1"
    assert [transcriptfile.find(project, name) for name in ("abc-", "a", "", "c", "../b-1", "b-1.jsonl")] == [""] * 6


def test_it_is_below_the_home_folder_unless_the_client_was_told_otherwise(project, tmp_path, monkeypatch):
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "home/.claude/projects" / transcriptfile.folder_name(project.root)
    path = put(project, "abc", folder=str(folder))
    assert transcriptfile.find(project, "abc") == path


def test_another_projects_transcript_is_not_found(project, tmp_path):
    put(project, "abc", folder=str(tmp_path / "config/projects" / (transcriptfile.folder_name(project.root) + "-two")))
    assert transcriptfile.find(project, "abc") == ""


def test_a_long_path_is_found_by_what_the_client_leaves_of_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    folder = tmp_path / ("a" * 120) / ("b" * 120)
    (folder / ".git").mkdir(parents=True)
    project = find(str(folder))
    name = transcriptfile.folder_name(project.root)
    path = put(project, "abc", folder=str(tmp_path / "config/projects" / (name[:200] + "-c74239")))
    assert transcriptfile.find(project, "abc") == path


def test_what_the_evidence_notes_is_believed_for_a_plain_file_of_that_session_alone(project, tmp_path):
    other = str(tmp_path / "elsewhere")
    good = put(project, "abc", folder=other)
    assert transcriptfile.read(project, "abc", good).said[0].text == "hold a seat"
    os.rename(good, other + "/abc.txt")
    os.symlink(other + "/abc.txt", other + "/abc.jsonl")
    os.mkfifo(other + "/fifo.jsonl")
    os.mkdir(other + "/folder.jsonl")
    for session, path in (("abc", other + "/abc.txt"), ("abc", good), ("fifo", other + "/fifo.jsonl"), ("folder", other + "/folder.jsonl"),
                          ("abc", "/dev/zero"), ("abc", "abc.jsonl"), ("abc", other + "/gone/abc.jsonl"), ("abc", "\0.jsonl"), ("abc", "")):  # fmt: skip
        assert transcriptfile.read(project, session, path) is None, path
    named = put(project, "xyz", folder=other)
    assert transcriptfile.read(project, "abc", named) is None, "another session's"
    put(project, "abc")
    assert transcriptfile.read(project, "abc", other + "/gone/abc.jsonl"), "it moved to where the client keeps it"


def test_of_a_large_one_the_last_whole_lines_are_read(project, monkeypatch):
    monkeypatch.setattr(transcriptfile, "MOST", 1000)
    put(project, "abc", lines(*[user("prompt %d" % n) for n in range(100)]))
    read = transcriptfile.read(project, "abc")
    texts = [each.text for each in read.said]
    assert read.is_cut
    assert (
        texts[-1] == "prompt 99"
        and 5 < len(texts) < 20
        and texts == ["prompt %d" % n for n in range(100 - len(texts), 100)]
    )


def test_one_in_which_nothing_can_be_read_is_none(project):
    put(project, "abc", b"\x00\xff" * 100)
    assert transcriptfile.read(project, "abc") is None
