"""What became of the records since a session was told of them."""

from rld import digest, given, postmortem, rawfile, review, wording
from rld.hooksettings import HookSettings
from rld.project import Project
from rld.record import Record


def since(project: Project, settings: HookSettings, had: str) -> "tuple[str, str, str]":
    """The words for the model, the line for the human, both "" when nothing changed; and what the session has now.

    `had`: what it was given, see `given`.
    """
    file = settings.post_mortem
    found = postmortem.parse(rawfile.read_text(project.path(file)) or "")
    withheld = review.withhold(project, file, found)
    new, other, gone = between(had, found.records)
    human = []
    if new or other or gone:
        counted = ((len(new), "new"), (len(other), "changed"), (len(gone), "no longer in force"))
        told = ", ".join("%d %s" % pair for pair in counted if pair[0])
        human.append("%s since this session was told of its records: %s" % (file, told))
    if withheld:
        human.append(
            "%s withheld, changed but neither committed nor reviewed (`rld trust` says they are fine)"
            % wording.counted(withheld, "record")
        )
    # What the session holds and is no longer true comes first.
    lines = ["- changed: " + digest.record_line(entry, True)[2:] for entry in other]
    lines += ["- no longer in force: %s" % wording.safe(_cite(found, id)) for id in gone]
    lines += ["- new: " + digest.record_line(entry, True)[2:] for entry in new]
    words = ""
    if lines:
        head = "%s changed since this session was told of its records (`rld show ID` prints one whole):\n" % file
        words = wording.cut(head + "\n".join(lines), min(settings.max_chars, digest.HARD_LIMIT) - 100) + "\n"
        left = len(lines) - words.count("\n- ")
        if left > 0:
            words += "Left out here for room: %s.\n" % wording.counted(left, "more change")
    return words, "; ".join(human), renewed(had, found.records)


def _cite(found: postmortem.PostMortem, id: str) -> str:
    entry = found.find(id)
    return entry.cite if entry is not None else id


def between(kept: str, records: "list[Record]") -> "tuple[list[Record], list[Record], list[str]]":
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
                if entry.kind not in highest or given.number_of(entry) > highest[entry.kind]:
                    new.append(entry)
            elif had[entry.id] != given.fingerprint(entry):
                other.append(entry)
        elif entry.status == "withheld":
            there.add(entry.id)
    return new, other, [id for id in had if id not in there]


def renewed(kept: str, records: "list[Record]") -> str:
    """What is kept once a session was told of all changes. A record that is withheld stays as the session knows it."""
    had, highest = _read(kept)
    known = {entry.id: entry for entry in records if entry.status in ("active", "withheld")}
    pairs = []
    for id, print_ in had.items():
        entry = known.pop(id, None)
        if entry is not None:
            pairs.append((entry, given.fingerprint(entry) if entry.status == "active" else print_))
    pairs += [(entry, given.fingerprint(entry)) for entry in known.values() if entry.status == "active"]
    return given.written(pairs, highest)


def _read(kept: str) -> "tuple[dict[str, str], dict[str, int]]":
    had: "dict[str, str]" = {}
    highest: "dict[str, int]" = {}
    for part in kept.split(" "):
        id, _, print_ = part.rpartition(":")
        kind, more, number = part.rpartition(given.REST)
        if id:
            had[id] = print_
        elif more and number.isdigit():
            highest[kind] = int(number)
    return had, highest
