"""What a context window was given, and what a session may still be given."""

from rld import evidence

MOST_GIVEN = 16_000  # units of records and guides in one session
_GIVEN = ("gave", "recur")


def told(data: bytes, agent: str = "") -> "set[str]":
    """The ids of the records that this context window was given: a start, clear or compaction begins a new one.

    A subagent (`agent`: its id) has a window of its own, for as long as it lives.
    """
    found: "set[str]" = set()
    for event in evidence.events(data if agent else data[max(data.rfind(b'"k": "start"'), 0) :], _GIVEN):
        if event.get("agent", "") != agent:
            continue
        ids = event.get("ids") if event.get("k") == "gave" else [event.get("id")] if event.get("told") is True else []
        found.update(str(id) for id in (ids if isinstance(ids, list) else []))
    return found


def units(data: bytes) -> int:
    """How many units of records and guides this session was given in all, its subagents included."""
    sizes = [event.get("size") for event in evidence.events(data, _GIVEN)]
    return sum(size for size in sizes if isinstance(size, int))
