"""The scripted model by itself, asked over plain HTTP."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest
from loopback import LAST_WORD, Loopback, bash, say
from recorded import Request


def ask(model: Loopback, path: str = "/v1/messages", method: str = "POST", **body: Any) -> bytes:
    data = json.dumps(body).encode() if method == "POST" else None
    with urllib.request.urlopen(
        urllib.request.Request(model.url + path, data, method=method), timeout=5
    ) as reply:
        return bytes(reply.read())


def test_an_answer_that_is_not_streamed_is_one_json_message(model: Loopback) -> None:
    model.play([[say("look"), bash("ls")]])
    message = json.loads(ask(model, tools=[{"name": "Bash"}], messages=[{"role": "user", "content": "hi"}]))
    assert message["content"][0] == {"type": "text", "text": "look"}
    assert message["content"][1]["input"]["command"] == "ls"
    assert message["stop_reason"] == "tool_use"


def test_a_streamed_answer_ends_with_message_stop(model: Loopback) -> None:
    model.play([say("hello")])
    stream = ask(model, stream=True, tools=[{"name": "Bash"}], messages=[]).decode()
    kinds = [line[7:] for line in stream.splitlines() if line.startswith("event: ")]
    assert kinds == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_a_request_without_tools_does_not_use_the_script_up(model: Loopback) -> None:
    model.play([say("first")])
    ask(model, messages=[{"role": "user", "content": "a title, please"}])
    message = json.loads(ask(model, tools=[{"name": "Bash"}], messages=[]))
    assert message["content"][0]["text"] == "first"
    assert [request.loop() for request in model.requests] == ["other", "main"]


def test_when_the_script_is_used_up_the_model_is_done(model: Loopback) -> None:
    model.play([])
    assert json.loads(ask(model, tools=[{}], messages=[]))["content"][0]["text"] == LAST_WORD


def test_a_step_that_fails_is_kept_for_the_test_to_see(model: Loopback) -> None:
    def broken(request: Request) -> Any:
        raise KeyError("no such thing")

    model.play([broken])
    ask(model, tools=[{}], messages=[])
    assert model.errors == ["KeyError: 'no such thing'"]


@pytest.mark.parametrize(
    ("method", "path"), [("HEAD", "/"), ("GET", "/api/hello"), ("POST", "/v1/elsewhere")]
)
def test_other_addresses_are_answered_harmlessly(model: Loopback, method: str, path: str) -> None:
    ask(model, path, method)
    assert model.requests == []


def test_token_counts_are_answered_and_not_recorded(model: Loopback) -> None:
    assert json.loads(ask(model, "/v1/messages/count_tokens?beta=true"))["input_tokens"] > 0
    assert model.requests == []
