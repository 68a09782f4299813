"""What became of the records since a session was told of them."""

from rld import digest, given, postmortem, rawfile, review, wording
from rld.hooksettings import HookSettings
from rld.project import Project


def since(project: Project, settings: HookSettings, had: str) -> "tuple[str, str, str]":
    """The words for the model, the line for the human, both "" when nothing changed; and what the session has now.

    `had`: what it was given, see `given`.
    """
    file = settings.post_mortem
    found = postmortem.parse(rawfile.read_text(project.path(file)) or "")
    withheld = review.withhold(project, file, found)
    new, other, gone = given.changes(had, found.records)
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
    return words, "; ".join(human), given.renewed(had, found.records)


def _cite(found: postmortem.PostMortem, id: str) -> str:
    entry = found.find(id)
    return entry.cite if entry is not None else id
