"""What a human rejected and why, so that it is not proposed again: `<state>/rejected.jsonl`, one JSON object a line."""

from __future__ import annotations

import json
import time

from rld import naming, overlap, rawfile
from rld.project import Project
from rld.proposal import ADD, Candidate

_FILE = "/rejected.jsonl"


class Rejection:
    """A rejected candidate and the human's `reason`."""

    def __init__(self, values: dict[str, object]) -> None:
        targets = values.get("targets")
        self.id = str(values.get("id", ""))
        self.date = str(values.get("date", ""))
        self.reason = str(values.get("reason", ""))
        self.candidate = Candidate(
            str(values.get("verb", ADD)),
            str(values.get("kind", naming.GUARDRAIL)),
            [str(t) for t in targets] if isinstance(targets, list) else [],
            str(values.get("title", "")),
        )
        self.candidate.body = str(values.get("body", ""))

    def is_about(self, candidate: Candidate) -> bool:
        """Is it the same change again, whatever the spelling?"""
        mine = self.candidate
        if (mine.verb, mine.kind, mine.targets) != (candidate.verb, candidate.kind, candidate.targets):
            return False
        if candidate.verb != ADD and not (mine.body or candidate.body):
            return True
        one, other = overlap.words(mine.title), overlap.words(candidate.title)
        if candidate.verb == ADD and one and one == other:
            return True
        return overlap.words(mine.body) == overlap.words(candidate.body)


def values_of(candidate: Candidate, reason: str, id: str) -> dict[str, object]:
    """What is kept of a rejection; `id` tells two of them apart."""
    return {
        "id": id, "date": time.strftime("%Y-%m-%d"), "verb": candidate.verb, "kind": candidate.kind,
        "targets": candidate.targets, "title": candidate.title, "body": candidate.body, "heading": candidate.heading,
        "reason": reason,
    }  # fmt: skip


def remember(project: Project, values: dict[str, object]) -> None:
    """Keep a rejection; one that is there already is not kept twice."""
    if not any(known.id == values["id"] for known in all_of(project)):
        rawfile.append(project.state + _FILE, (json.dumps(values) + "\n").encode("ascii"))


def all_of(project: Project) -> list[Rejection]:
    """Every rejection, oldest first; torn lines are left out."""
    found = []
    for line in (rawfile.read(project.state + _FILE) or b"").split(b"\n"):
        try:
            values = json.loads(line)
        except ValueError:
            continue
        if isinstance(values, dict):
            found.append(Rejection(values))
    return found
