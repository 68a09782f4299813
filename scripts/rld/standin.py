"""A stand-in for the model: it listens on 127.0.0.1, answers the client's requests, and keeps them.

It only listens. As the client's proxy it also refuses whatever is meant for anywhere else, and notes it, so that a
run with it cannot leave the machine by that way.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ADDRESS = "127.0.0.1"
MOST = 64 << 20  # bytes of a request that are read
LAST_WORD = "Noted."

Json = dict[str, Any]


class StandIn:
    """`with StandIn(opens) as model:` listens on `model.url` until it is left. Raises OSError when it cannot listen.

    `asked` holds the requests of the conversation, oldest first, without those that bring no tools (titles and the
    like); `refused` the places that were asked for elsewhere. `opens`: a file that the model reads before it ends its
    turn, "" for none.
    """

    def __init__(self, opens: str = "") -> None:
        self.opens = opens
        self.asked: list[Json] = []
        self.refused: list[str] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer((ADDRESS, 0), _handler(self))
        self.server.daemon_threads = True
        self.place = "%s:%d" % (ADDRESS, self.server.server_address[1])
        self.url = "http://" + self.place

    def __enter__(self) -> StandIn:
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request: Json) -> Json:
        """The message that answers a request."""
        content: Json = {"type": "text", "text": LAST_WORD}
        with self.lock:
            if request.get("tools"):
                self.asked.append(request)
                if self.opens and len(self.asked) == 1:
                    given = {"file_path": self.opens}
                    content = {"type": "tool_use", "id": "toolu_standin", "name": "Read", "input": given}
            number = len(self.asked)
        return {
            "id": "msg_standin_%d" % number,
            "type": "message",
            "role": "assistant",
            "model": str(request.get("model", "standin")),
            "content": [content],
            "stop_reason": "tool_use" if content["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


def _handler(model: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_CONNECT(self) -> None:
            self._refuse(self.path)

        def do_HEAD(self) -> None:
            self._other()

        def do_GET(self) -> None:
            self._other()

        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MOST))
            path = self.path.partition("?")[0]
            if self._is_elsewhere():
                self._refuse(self.path)
            elif path.endswith("/count_tokens"):
                self._send("application/json", b'{"input_tokens": 1}')
            elif path.endswith("/messages"):
                self._message(body)
            else:
                self._send("application/json", b"{}")

        def _other(self) -> None:
            if self._is_elsewhere():
                self._refuse(self.path)
            else:
                self._send("application/json", b"{}")

        def _is_elsewhere(self) -> bool:
            # A proxy is asked with whole addresses.
            scheme, found, rest = self.path.partition("://")
            return bool(found) and rest.partition("/")[0] != model.place and "/" not in scheme

        def _message(self, body: bytes) -> None:
            try:
                request = json.loads(body)
            except ValueError:
                request = None
            message = model.answer(request if isinstance(request, dict) else {})
            if isinstance(request, dict) and request.get("stream"):
                self._send("text/event-stream", b"".join(_events(message)))
            else:
                self._send("application/json", json.dumps(message).encode("ascii"))

        def _refuse(self, place: str) -> None:
            with model.lock:
                model.refused.append(place)
            self.close_connection = True
            self._send("text/plain", b"", 403)

        def _send(self, kind: str, data: bytes, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            try:
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)
            except OSError:  # it did not wait for the answer
                self.close_connection = True

    return Handler


def _events(message: Json) -> Iterator[bytes]:
    """A message of one block as the events of a stream."""
    (block,) = message["content"]
    if block["type"] == "text":
        empty: Json = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    steps: list[Json] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    for step in steps:
        yield b"event: %s\ndata: %s\n\n" % (step["type"].encode("ascii"), json.dumps(step).encode("ascii"))
