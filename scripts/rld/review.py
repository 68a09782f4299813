"""Which records of the working tree nobody has reviewed: a post-install script must not write law.

The file as a whole is known when its bytes are what `rld apply` or `rld trust` wrote or what the last commit holds.
Otherwise every record must stand, word for word, in one of those two.
"""

from rld import postmortem, rawfile, stamp, trust
from rld.postmortem import PostMortem
from rld.project import Project
from rld.record import Record

WITHHELD = "withheld"


def withhold(project: Project, file: str, found: PostMortem) -> int:
    """Mark the records that nobody has reviewed as withheld; how many they are.

    A project without git, without a commit of the file, or with a file outside the repository has nothing to compare
    with: its records stand.
    """
    if not project.top or not found.records:
        return 0
    path = project.path(file)
    if stamp.is_kept(project, path):
        return 0
    data = rawfile.read(path)
    if data is None:
        return 0
    if trust.known(project, data):
        stamp.keep(project, path)
        return 0
    from rld import gitblob

    committed = gitblob.head(project, file)
    if committed is None:
        return 0
    if committed.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n"):
        trust.note_known(project, data)
        stamp.keep(project, path)
        return 0
    reviewed = _words(committed) | _words(trust.last(project))
    count = 0
    for entry in found.records:
        if entry.status == "active" and _key(entry) not in reviewed:
            entry.status = WITHHELD
            count += 1
    return count


def _words(data: "bytes | None") -> "set[str]":
    if not data:
        return set()
    return {_key(entry) for entry in postmortem.parse(data.decode("utf-8", "surrogateescape")).records}


def _key(entry: Record) -> str:
    return "%s\n%s\n%s" % (entry.id, entry.title, entry.text)
