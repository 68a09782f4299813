"""What a session was given of the records, so that one that is resumed hears only of what changed since.

It is kept in the session's evidence as `guardrail-4:3f2a9c1b …`: ids and fingerprints, those that were shown first.
"""

from rld.record import Record

MOST = 150  # records that are kept one by one (about 3 KB);
_REST = ">"  # of the others the highest number of a kind, since numbers are given out once


def note(records: "list[Record]", shown: "list[Record]") -> str:
    """The records in force as they are kept. `shown`: those of them that had a line in the digest."""
    seen = {entry.id for entry in shown}
    ordered = shown + [entry for entry in records if entry.id not in seen]
    return _written([(entry, fingerprint(entry)) for entry in ordered], {})


def renewed(kept: str, records: "list[Record]") -> str:
    """The same after a session was told of all changes. A record that is withheld stays as the session knows it."""
    had, highest = _read(kept)
    known = {entry.id: entry for entry in records if entry.status in ("active", "withheld")}
    pairs = []
    for id, print_ in had.items():
        entry = known.pop(id, None)
        if entry is not None:
            pairs.append((entry, fingerprint(entry) if entry.status == "active" else print_))
    pairs += [(entry, fingerprint(entry)) for entry in known.values() if entry.status == "active"]
    return _written(pairs, highest)


def _written(pairs: "list[tuple[Record, str]]", highest: "dict[str, int]") -> str:
    for entry, _ in pairs[MOST:]:
        highest[entry.kind] = max(highest.get(entry.kind, 0), _number(entry))
    parts = ["%s:%s" % (entry.id, print_) for entry, print_ in pairs[:MOST]]
    return " ".join(parts + ["%s%s%d" % (kind, _REST, number) for kind, number in highest.items()])


def _read(kept: str) -> "tuple[dict[str, str], dict[str, int]]":
    had: "dict[str, str]" = {}
    highest: "dict[str, int]" = {}
    for part in kept.split(" "):
        id, _, print_ = part.rpartition(":")
        kind, more, number = part.rpartition(_REST)
        if id:
            had[id] = print_
        elif more and number.isdigit():
            highest[kind] = int(number)
    return had, highest


def changes(kept: str, records: "list[Record]") -> "tuple[list[Record], list[Record], list[str]]":
    """(new records, changed ones, ids of those no longer in force) among all records of the file since they were kept.

    Records that are withheld have not changed as long as nobody reviewed them.
    """
    had, highest = _read(kept)
    new, other = [], []
    there = set()
    for entry in records:
        if entry.status == "active":
            there.add(entry.id)
            if entry.id not in had:
                if entry.kind not in highest or _number(entry) > highest[entry.kind]:
                    new.append(entry)
            elif had[entry.id] != fingerprint(entry):
                other.append(entry)
        elif entry.status == "withheld":
            there.add(entry.id)
    return new, other, [id for id in had if id not in there]


def fingerprint(entry: Record) -> str:
    """Eight characters that change with the record's words.

    The remainder of the text read as one number: linear, the same in every process (`hash` is not), and without an
    import, which would cost a hook more than the rest of this module.
    """
    data = ("%s\n%s" % (entry.title, entry.text)).encode("utf-8", "surrogatepass")
    return "%08x" % (int.from_bytes(data, "little") % 1073741789)


def _number(entry: Record) -> int:
    number = entry.number or ""
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
