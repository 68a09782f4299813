"""What the human asked in a session, and which of it may have been a correction."""

from __future__ import annotations

import bisect

from rld import correction, transcript
from rld.hindsight import time_of
from rld.transcript import Transcript

MAY_BE = "may be a correction"
WORK = ("edit", "fail", "fixed", "pass", "verified")  # only what follows work can be a correction
_NO_ASK = ("/distill", "/rld:distill", "/rld:compact", "/compact", "/clear")
_SAME = 160  # characters by which a prompt is known again


class Ask:
    """What the human said, and why it may be a correction ("" when it does not look like one)."""

    def __init__(self, text: str, when: float, note: str = "") -> None:
        self.text = text
        self.when = when
        self.note = note


def of(events: list[dict[str, object]], known: Transcript | None) -> list[Ask]:
    """What the human said, in order. The transcript adds what no hook heard: refusals of a tool call, interruptions, and in
    older clients what was typed while the model worked."""
    found: list[Ask] = []
    work = [time_of(event) for event in events if event.get("k") in WORK]
    work += [call.when for call in known.calls if call.command or call.diff] if known else []
    for event in events:
        if event.get("k") == "prompt" and isinstance(event.get("text"), str):
            text = " ".join(transcript.clean(str(event["text"])).split())
            if text:
                found.append(Ask(text, time_of(event), MAY_BE if event.get("fixes") is True else ""))
    heard = {ask.text[:_SAME] for ask in found}
    stops = []
    for said in known.said if known else []:
        text = " ".join(said.text.split())
        if said.kind == "interrupt":
            stops.append(said.when)
        elif said.kind == "refusal":
            found.append(Ask(text, said.when, "said in refusing a tool call, " + MAY_BE))
        elif said.kind == "prompt" and text and text[:_SAME] not in heard:
            found.append(Ask(text, said.when))
    found = sorted((ask for ask in found if "".join(ask.text.split()[:1]) not in _NO_ASK), key=lambda ask: ask.when)
    for ask in found:
        if not ask.note and ask.when >= min(work, default=ask.when + 1) and correction.is_likely(ask.text):
            ask.note = MAY_BE
    times = [ask.when for ask in found]
    for stop in stops:
        for ask in found[bisect.bisect_left(times, stop) :][:1]:
            ask.note = ask.note or "after an interruption, " + MAY_BE
    return found
