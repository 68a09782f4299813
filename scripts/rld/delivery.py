"""What of the digest is in a request of the client: text in, values out.

"Arrived" means word for word: a line counts when it stands in the request as a whole line, a record when its line does.
"""

from __future__ import annotations

from rld import wording

CUT_AT = 10_000  # units of a hook's answer above which the client keeps a preview only
SHORTENED = "<persisted-output>"  # how that preview begins
_FILE = "Contents of "


class Delivery:
    """`lines` of the digest (blank ones do not count) and those of them that are `lost`; ids of the records that were
    `sent`, `arrived` and are `missing`; `units`: of the digest, and `units_arrived`: of the lines that arrived;
    `in_one_piece`: nothing stands between them; `was_cut`: by the client."""

    def __init__(self, digest: str) -> None:
        self.lines = [line for line in digest.split("\n") if line.strip()]
        self.lost: list[str] = []
        self.sent: list[str] = []
        self.arrived: list[str] = []
        self.missing: list[str] = []
        self.units = wording.units(digest)
        self.units_arrived = 0
        self.in_one_piece = False
        self.was_cut = False

    @property
    def is_whole(self) -> bool:
        """Did every line arrive? False when there was none to arrive."""
        return bool(self.lines) and not self.lost

    @property
    def is_nothing(self) -> bool:
        return len(self.lost) == len(self.lines)


def compare(digest: str, records: list[tuple[str, str]], heard: list[str]) -> Delivery:
    """How much of a digest is in what the model was told.

    `records`: the id and the line of each record that has a line in the digest; `heard`: the texts of a request (see
    `texts`).
    """
    found = Delivery(_clean(digest))
    if not found.lines:
        return found
    parts = [_clean(text) for text in heard]
    # Only where the digest begins: a file of the project that is in the request too may have the same lines.
    holding = [part for part in parts if found.lines[0] in part] or parts
    rows = {row for part in holding for row in part.split("\n")}
    found.lost = [line for at, line in enumerate(found.lines) if not _is_there(line, rows, at == 0)]
    lost = set(found.lost)
    for id, line in records:
        line = _clean(line)
        if line in found.lines:
            found.sent.append(id)
            (found.missing if line in lost else found.arrived).append(id)
    body = _clean(digest).strip("\n") + "\n"
    found.in_one_piece = any(body in part + "\n" for part in holding)
    arrived = [line for line in found.lines if line not in lost]
    found.units_arrived = found.units if found.in_one_piece else sum(wording.units(line) + 1 for line in arrived)
    found.was_cut = bool(lost) and any(SHORTENED in part for part in holding)
    return found


def _is_there(line: str, rows: set[str], is_first: bool) -> bool:
    # The client puts words of its own before the first line.
    return line in rows or (is_first and any(row.endswith(line) for row in rows))


def _clean(text: str) -> str:
    """A text as it is after a way through JSON: what is no character is a replacement mark."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")


def texts(request: dict[str, object]) -> list[str]:
    """Every text that the model reads in a request, its tools' descriptions apart; any shape of messages will do."""
    found: list[str] = []
    waiting: list[object] = [request.get("messages"), request.get("system")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            waiting += reversed(list(value.values()))
    return found


def files(heard: list[str]) -> list[tuple[str, str]]:
    """The instruction files in a request: (path, text), as the client introduces them: `Contents of PATH (what it is):`."""
    found = []
    for text in heard:
        rows = text.split("\n")
        starts = [at for at, row in enumerate(rows) if row.startswith(_FILE) and row.endswith("):")]
        for at, end in zip(starts, [*starts[1:], len(rows)]):
            path = rows[at][len(_FILE) :].rpartition(" (")[0]
            found.append((path, "\n".join(rows[at + 1 : end])))
    return found
