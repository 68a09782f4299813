"""The stand-in for the model, asked over plain HTTP on the loopback interface."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from rld.standin import LAST_WORD, StandIn

TOOLS = [{"name": "Read"}]


@pytest.fixture
def model() -> Iterator[StandIn]:
    with StandIn() as found:
        yield found


def ask(
    model: StandIn, method: str = "POST", path: str = "/v1/messages?beta=true", body: object = None
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(model.place, timeout=5)
    data = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8")
    try:
        connection.request(method, path, data if method == "POST" else None)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def message(model: StandIn, /, **body: Any) -> Any:
    return json.loads(ask(model, body=body)[1])


def test_it_ends_the_turn_at_once(model: StandIn) -> None:
    said = message(model, tools=TOOLS, messages=[], model="some-model")
    assert said["content"] == [{"type": "text", "text": LAST_WORD}]
    assert (said["stop_reason"], said["model"], said["role"]) == ("end_turn", "some-model", "assistant")


def test_it_reads_a_file_first_when_it_was_given_one() -> None:
    with StandIn("/p/a.py") as model:
        first = message(model, tools=TOOLS)
        assert first["content"][0]["name"] == "Read" and first["content"][0]["input"] == {"file_path": "/p/a.py"}
        assert first["stop_reason"] == "tool_use"
        assert message(model, tools=TOOLS)["stop_reason"] == "end_turn"


@pytest.mark.parametrize("opens", ["", "/p/ä.py"], ids=["text", "a tool call"])
def test_a_stream_says_what_a_message_says(opens: str) -> None:
    with StandIn(opens) as model:
        stream = ask(model, body={"stream": True, "tools": TOOLS})[1].decode("ascii")
    events = [json.loads(row[6:]) for row in stream.split("\n") if row.startswith("data: ")]
    assert [row[7:] for row in stream.split("\n") if row.startswith("event: ")] == [event["type"] for event in events]
    assert [event["type"] for event in events] == [
        "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop",
    ]  # fmt: skip
    delta = events[2]["delta"]
    assert delta.get("text") == LAST_WORD or json.loads(delta["partial_json"]) == {"file_path": opens}
    assert events[4]["delta"]["stop_reason"] == ("tool_use" if opens else "end_turn")


def test_it_keeps_the_requests_of_the_conversation_alone(model: StandIn) -> None:
    message(model, messages=[{"role": "user", "content": "a title, please"}])
    message(model, tools=TOOLS, messages=[{"role": "user", "content": "hello"}])
    assert [request["messages"][0]["content"] for request in model.asked] == ["hello"]


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff"])
def test_a_body_that_is_no_request_is_answered_and_not_kept(model: StandIn, body: bytes) -> None:
    assert ask(model, body=body)[0] == 200 and model.asked == []


def test_other_questions_are_answered_harmlessly(model: StandIn) -> None:
    assert json.loads(ask(model, path="/v1/messages/count_tokens?beta=true", body={})[1])["input_tokens"] > 0
    assert ask(model, "HEAD", "/") == (200, b"")
    assert ask(model, "GET", "/api/hello") == (200, b"{}")
    assert ask(model, path="/v1/elsewhere", body={}) == (200, b"{}")
    assert (model.asked, model.refused) == ([], [])


def test_what_is_meant_for_elsewhere_is_refused_and_noted(model: StandIn) -> None:
    assert ask(model, "CONNECT", "api.example.invalid:443")[0] == 403
    assert ask(model, "GET", "http://example.invalid/a")[0] == 403
    assert ask(model, path="http://example.invalid/v1/messages", body={"tools": TOOLS})[0] == 403
    assert model.refused == [
        "api.example.invalid:443",
        "http://example.invalid/a",
        "http://example.invalid/v1/messages",
    ]
    assert model.asked == []


def test_a_request_that_comes_by_way_of_the_proxy_is_its_own(model: StandIn) -> None:
    assert ask(model, path=model.url + "/v1/messages", body={"tools": TOOLS})[0] == 200
    assert len(model.asked) == 1 and model.refused == []


def test_it_listens_on_this_machine_and_no_longer_than_asked(model: StandIn) -> None:
    assert model.url.startswith("http://127.0.0.1:")
    with StandIn() as other:
        place = other.place
    with pytest.raises(OSError):
        http.client.HTTPConnection(place, timeout=1).request("GET", "/")
