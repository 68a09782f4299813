"""What hooks are measured against: a post-mortem of any size, a plan, a journal, and what the client hands over."""

from __future__ import annotations

import json
from pathlib import Path

SMALL, LARGE = 58_000, 1_000_000  # bytes of a post-mortem
SESSION = "bench-1"
VERIFY = "npm test"
PLAN = "# Plan\n\n### Item 1: one\n\n### Item 2: two\n\n**Depends on:** Item 1\n"
JOURNAL = (
    "---\nplan: docs/plan.md\nverify: npm test\ntag: feature\nstatus: open\nstarted: 2026-01-01\n---\n# Journal: plan\n"
)
GUARDRAIL = """\
### Guardrail {0}: The queue of part {0} has one writer

It is FORBIDDEN to push to the queue of part {0} from a web handler. Post to the planner; only the planner writes.

- **Why:** two handlers booked the same deck on 2026-02-{1:02} and everything behind it had to be done again by hand, which \
took the whole shift and half of the next one.
- **Scope:** `planner/part{0}/**`, `web/{0}/*.py`
- **Evidence:** docs/worklog/archive/2026-02-{1:02}-part-{0}.md
"""
PITFALL = """\
### Pitfall {0}: Label printer {2} offline means a full spool folder

- **Symptom:** `label printer {2} is offline`
- **Root cause:** the spool folder keeps every failed label and has a quota of 50 MB, which nobody had written down.
- **Diagnose:** `du -sh spool/{2}`
- **Fix:** empty the folder, then restart the label service.
"""


def post_mortem(size: int) -> str:
    """A canonical post-mortem of about `size` bytes, half of them guardrails with scopes, half pitfalls with symptoms.

    Numbers are those of the place in the file, so a pitfall is numbered behind the guardrails.
    """
    guardrails = size // 1000
    rows = ["# Post-mortem\n\n## Production guardrails\n"]
    number = length = 0
    while length < size:
        number += 1
        if number == guardrails:
            rows.append("## Pitfalls and repair guides\n")
        row = (GUARDRAIL if number < guardrails else PITFALL).format(number, number % 28 + 1, word(number))
        rows.append(row)
        length += len(row)
    return "\n".join(rows)


def word(number: int) -> str:
    """A name that is another one for each number: numbers themselves do not tell symptoms apart."""
    return "".join("bdfgklmnpr"[int(digit)] + "aeiou"[int(digit) % 5] for digit in str(number))


def payload(event: str, folder: Path, fields: dict[str, object]) -> bytes:
    """What the client puts on a hook's pipe."""
    common = {
        "session_id": SESSION, "transcript_path": "/nowhere/t.jsonl", "cwd": str(folder), "permission_mode": "default",
        "hook_event_name": event,
    }  # fmt: skip
    return json.dumps({**common, **fields}).encode("utf-8") + b"\n"


def start(source: str = "startup") -> dict[str, object]:
    return {"source": source}


def prompt(words: str) -> dict[str, object]:
    return {"prompt": words}


def bash(command: str, stdout: str = "") -> dict[str, object]:
    """A command that ended with status 0."""
    response = {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    return {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": response}


def failure(command: str, error: str) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, "error": "Exit code 1\n" + error}


def read(path: str, content: str = "x = 1\n") -> dict[str, object]:
    """The path is relative; a Scene makes it absolute, as the client does."""
    response = {"type": "text", "file": {"filePath": path, "content": content, "numLines": content.count("\n")}}
    return {"tool_name": "Read", "tool_input": {"file_path": path}, "tool_response": response}


def edit(path: str) -> dict[str, object]:
    return {
        "tool_name": "Edit",
        "tool_input": {"file_path": path, "old_string": "x = 1", "new_string": "x = 2"},
        "tool_response": {"filePath": path},
    }


def write(path: str, content: str) -> dict[str, object]:
    return {
        "tool_name": "Write",
        "tool_input": {"file_path": path, "content": content},
        "tool_response": {"type": "create", "filePath": path, "content": content},
    }
