"""The digest of a session that starts, made anew from the post-mortem: the words for the model and the line for the human.

Apart from `events/session_start`, since most starts find the one of before and need none of this.
"""

from rld import branchdiff, digest, given, postmortem, rawfile, review, wording
from rld.digest import Digest
from rld.hooksettings import HookSettings
from rld.project import Project


def build(project: Project, settings: HookSettings, tail: str) -> "tuple[Digest, tuple[str, str, str]]":
    """The digest; and its words, the line for the human, and what is kept of the records for a resumed session.

    `tail`: what comes behind the records (see startnotes).
    """
    name = settings.post_mortem
    found = postmortem.parse(rawfile.read_text(project.path(name)) or "")
    withheld = review.withhold(project, name, found)
    made = digest.lay_out(found, name, settings.max_chars, tail, withheld, lambda: branchdiff.changed(project))
    parts = [_in_force(made, name)] if made.ranked else []
    if withheld:
        parts.append(_withheld(withheld))
    merges = [line for line, code, _ in found.problems if code == "conflict-marker"]
    if merges:
        parts.append("%s has an unresolved merge at line %d" % (name, merges[0]))
    if settings.problem:
        parts.append(settings.problem)
    return made, (made.text, "; ".join(parts), given.note(found.active(), made.shown))


def _in_force(made: Digest, file: str) -> str:
    """How many records are in force, and how many of them the session was told of."""
    counts = digest.counts([entry for entry, _ in made.ranked])
    out = made.left_out
    if not out:
        return "%s from %s in this session" % (counts, file)
    scoped = made.scoped
    text = "%s in force from %s: %d here" % (counts, file, len(made.shown))
    if scoped:
        text += ", %d come when their files are opened" % scoped
    return text + (", %d left out" % (len(out) - scoped) if len(out) > scoped else "")


def _withheld(number: int) -> str:
    return "%s withheld, changed but neither committed nor reviewed (`rld trust` says they are fine)" % wording.counted(
        number, "record"
    )
