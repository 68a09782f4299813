"""A request of the client, as the loopback model recorded it, and what a model would have read in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Json = dict[str, Any]


class Request:
    """`body` is what the client sent, `headers` have lower-case names."""

    def __init__(self, headers: Iterable[tuple[str, str]], body: Json) -> None:
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body

    def loop(self) -> str:
        """Whose request it is: "main", "subagent", or "other".

        Titles and the like bring no tools. A compaction brings the main loop's tools, and forbids their use.
        """
        last = self.last_user()
        if not self.body.get("tools") or ("Do NOT call any tools" in last and "<summary>" in last):
            return "other"
        return "subagent" if "x-claude-code-agent-id" in self.headers else "main"

    def messages(self) -> list[Json]:
        return list(self.body.get("messages", []))

    def system(self) -> str:
        return "\n".join(_texts(self.body.get("system", [])))

    def tools(self) -> list[str]:
        return [entry.get("name", "") for entry in self.body.get("tools") or []]

    def text(self) -> str:
        """Everything the model reads but the tool descriptions."""
        said = [part for message in self.messages() for part in _texts(message.get("content"))]
        return "\n".join([self.system(), *said])

    def context(self) -> str:
        """What hooks can reach: messages of role system, system reminders and tool results, in order."""
        return "\n".join(part for m in self.messages() for part in _context_parts(m))

    def tool_results(self) -> list[str]:
        """The text of every tool result so far, oldest first."""
        results = [block for block in self._blocks("user") if block.get("type") == "tool_result"]
        return ["\n".join(_texts(block.get("content"))) for block in results]

    def last_user(self) -> str:
        """The text of the last message of role user, reminders and tool results included."""
        users = [m for m in self.messages() if m.get("role") == "user"]
        return "\n".join(_texts(users[-1].get("content"))) if users else ""

    def _blocks(self, role: str) -> Iterator[Json]:
        for message in self.messages():
            content = message.get("content")
            if message.get("role") == role and isinstance(content, list):
                yield from content


def _texts(content: Any) -> list[str]:
    """The texts of a content value: a string, or blocks of text and of tool results, however nested."""
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for block in content or []:
        if block.get("type") == "text":
            found.append(block.get("text", ""))
        elif block.get("type") == "tool_result":
            found.extend(_texts(block.get("content")))
    return found


def _context_parts(message: Json) -> list[str]:
    content = message.get("content")
    if message.get("role") == "system":
        return _texts(content)
    if message.get("role") != "user":
        return []
    if isinstance(content, str):
        return _reminders(content)
    found: list[str] = []
    for block in content or []:
        text = "\n".join(_texts([block]))
        found.extend([text] if block.get("type") == "tool_result" else _reminders(text))
    return found


def _reminders(text: str) -> list[str]:
    pieces = text.split("<system-reminder>")[1:]
    return [piece.split("</system-reminder>")[0] for piece in pieces]
