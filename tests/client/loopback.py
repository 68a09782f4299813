"""A scripted model on the loopback interface: it answers the client's requests and keeps every one of them.

A script is a list of steps. One step is one answer of the model: a `Say` or a `Call`, a list of them (one
message with several blocks, so parallel tool calls), or a callable that takes the recorded `Request` and
returns any of these.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Union

from recorded import Json, Request

LAST_WORD = "done."
CANNED = "<summary>A short conversation.</summary>"


class Say:
    """Text of the model."""

    def __init__(self, text: str) -> None:
        self.text = text


class Call:
    """One tool call of the model."""

    def __init__(self, name: str, given: Json) -> None:
        self.name = name
        self.given = given


Block = Union[Say, Call]
Step = Union[Block, list[Block], Callable[[Request], Any]]


def say(text: str) -> Say:
    return Say(text)


def tool(name: str, **given: Any) -> Call:
    return Call(name, given)


def bash(command: str, **more: Any) -> Call:
    return tool("Bash", command=command, description="a step of the script", **more)


def read(path: object, **more: Any) -> Call:
    return tool("Read", file_path=str(path), **more)


def write(path: object, content: str) -> Call:
    return tool("Write", file_path=str(path), content=content)


def edit(path: object, old: str, new: str) -> Call:
    """The client refuses an edit of a file that it has not read, or written, earlier in the session."""
    return tool("Edit", file_path=str(path), old_string=old, new_string=new)


def agent(prompt: str, kind: str = "general-purpose", **more: Any) -> Call:
    """A subagent in the foreground; its own requests take their answers from the `subagents` script."""
    given = {"description": "a subagent", "prompt": prompt, "subagent_type": kind, "run_in_background": False}
    return tool("Agent", **given, **more)


class Loopback:
    """The server. `play()` gives it a script; `requests` keeps all it was asked, oldest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._script: list[Step] = []
        self._subagents: list[Step] = []
        self._ids = 0
        self.requests: list[Request] = []
        self.errors: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def play(self, script: Iterable[Step], subagents: Iterable[Step] = ()) -> None:
        """Starts a new recording: forgets the old script and the old requests."""
        with self._lock:
            self._script = list(script)
            self._subagents = list(subagents)
            self.requests = []
            self.errors = []

    def answer(self, request: Request) -> list[Block]:
        with self._lock:
            self.requests.append(request)
            if request.loop() == "other":
                return [Say(CANNED)]
            script = self._subagents if request.loop() == "subagent" else self._script
            step: Any = script.pop(0) if script else Say(LAST_WORD)
        while callable(step):
            step = step(request)
        return list(step) if isinstance(step, (list, tuple)) else [step]

    def requests_of(self, loop: str) -> list[Request]:
        """The requests so far of one loop: "main", "subagent" or "other"."""
        return [request for request in list(self.requests) if request.loop() == loop]

    def next_id(self, kind: str) -> str:
        with self._lock:
            self._ids += 1
            return "%s_%06d" % (kind, self._ids)


def _handler(model: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._reply("application/json", b"{}")

        def do_HEAD(self) -> None:
            self._reply("application/json", b"")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.split("?")[0]
            try:
                body = json.loads(raw or b"{}")
            except ValueError:
                body = {}
            if path.endswith("/count_tokens"):
                self._reply("application/json", b'{"input_tokens": 100}')
            elif path.endswith("/v1/messages"):
                self._answer(Request(self.headers.items(), body))
            else:
                self._reply("application/json", b"{}")

        def _answer(self, request: Request) -> None:
            try:
                blocks = model.answer(request)
            except Exception as problem:
                # A mistake in the script: the test must hear of it, and the client must not hang.
                model.errors.append("%s: %s" % (type(problem).__name__, problem))
                blocks = [Say("the script failed")]
            message = _message(blocks, model, request.body.get("model", "scripted"))
            if request.body.get("stream"):
                self._reply("text/event-stream", b"".join(_events(message)))
            else:
                self._reply("application/json", json.dumps(message).encode())

        def _reply(self, kind: str, payload: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

    return Handler


def _message(blocks: list[Block], model: Loopback, name: str) -> Json:
    content: list[Json] = []
    for block in blocks:
        if isinstance(block, Call):
            call_id = model.next_id("toolu")
            content.append({"type": "tool_use", "id": call_id, "name": block.name, "input": block.given})
        else:
            content.append({"type": "text", "text": block.text})
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": model.next_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": name,
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }


def _events(message: Json) -> Iterator[bytes]:
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": 10})
    yield _event("message_stop")


def _event(kind: str, **data: Any) -> bytes:
    return ("event: %s\ndata: %s\n\n" % (kind, json.dumps({"type": kind, **data}))).encode()
