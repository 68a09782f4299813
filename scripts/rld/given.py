"""What a session was given of the records, so that one that is resumed hears only of what changed since.

It is kept in the session's evidence as `guardrail-4:3f2a9c1b …`: ids and fingerprints, those that were shown first.
"""

from rld.record import Record

MOST = 150  # records that are kept one by one (about 3 KB);
REST = ">"  # of the others the highest number of a kind, since numbers are given out once


def note(records: "list[Record]", shown: "list[Record]") -> str:
    """The records in force as they are kept. `shown`: those of them that had a line in the digest."""
    seen = {entry.id for entry in shown}
    ordered = shown + [entry for entry in records if entry.id not in seen]
    return written([(entry, fingerprint(entry) if at < MOST else "") for at, entry in enumerate(ordered)], {})


def written(pairs: "list[tuple[Record, str]]", highest: "dict[str, int]") -> str:
    """Records and their fingerprints as they are kept; `highest`: the numbers from which on a record is new."""
    for entry, _ in pairs[MOST:]:
        highest[entry.kind] = max(highest.get(entry.kind, 0), number_of(entry))
    parts = ["%s:%s" % (entry.id, print_) for entry, print_ in pairs[:MOST]]
    return " ".join(parts + ["%s%s%d" % (kind, REST, number) for kind, number in highest.items()])


def fingerprint(entry: Record) -> str:
    """Eight characters that change with the record's words.

    The remainder of the text read as one number: linear, the same in every process (`hash` is not), and without an
    import, which would cost a hook more than the rest of this module.
    """
    data = ("%s\n%s" % (entry.title, entry.text)).encode("utf-8", "surrogatepass")
    return "%08x" % (int.from_bytes(data, "little") % 1073741789)


def number_of(entry: Record) -> int:
    number = entry.number or ""
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0
