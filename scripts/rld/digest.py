"""What a session is told when it starts: text in, text out."""

from rld import naming, ranking, wording
from rld.postmortem import PostMortem
from rld.record import Record

HARD_LIMIT = 9000  # UTF-16 units; the client cuts at 10,000 and shows 2,000
LONGEST_LINE = 320
_FOR_THE_REST = 1500  # units that titles of other kinds may take before guardrails say their boundaries
_FOR_NOTES = 400  # units kept for headlines and for what was left out
_SMALL = 1000  # below, how to cite gives way to the records
_FOR_COUNT = 120  # and for the latter in a subagent's digest
_NAMES = {"guardrail": "guardrail", "pitfall": "pitfall", "decision": "decision", "debt": "tech debt item"}


def counts(records: "list[Record]") -> str:
    """ "25 guardrails, 1 pitfall" of some records, "" of none."""
    parts = []
    for kind in naming.KINDS:
        number = sum(1 for r in records if r.kind == kind)
        if number:
            parts.append(wording.counted(number, _NAMES[kind]))
    return ", ".join(parts)


def record_line(entry: Record, whole: bool) -> str:
    """A record on one line: number, title and, when `whole`, the sentences that say the boundary."""
    line = (
        "- %s: %s" % (entry.cite, entry.title) if entry.number else "- %s: %s" % (entry.kind.capitalize(), entry.title)
    )
    if whole:
        said = [naming.strip_marks(s) for s in naming.sentences(entry.statement[: LONGEST_LINE * 4])]
        joint = "."
        if said:
            rest = _beyond(said[0], entry.title)
            if rest != said[0]:
                joint = " —" if " " in rest else "."
                said[:1] = [rest] if " " in rest else []
        if said and not line.endswith((".", "!", "?", "…", "。")):
            line += joint
        for sentence in said:
            if wording.units(line) + wording.units(sentence) + 1 > LONGEST_LINE:
                break
            line += " " + sentence
        scope = entry.scope
        if scope:
            line += " (%s)" % ", ".join(scope[:4])
    return wording.safe(" ".join(line.split()))


def _beyond(sentence: str, title: str) -> str:
    """What a sentence says that a title in front of it has not said: a bold lead is both, and the reason may follow it."""
    title = title.rstrip("….:!?。")
    if sentence[: len(title)].lower() == title.lower():
        return sentence[len(title) :].lstrip(" .:;,!?…。—–-")
    return sentence


class Digest:
    """A digest and how it came about.

    `ranked` holds the records in force with the reasons for their places; `shown` those of them that have a line,
    `whole` those whose line says more than the title; `by_branch`: was it asked what the branch
    changed? `limit` and `units` are in UTF-16 code units.
    """

    __slots__ = ("text", "limit", "ranked", "shown", "whole", "by_branch", "_scoped")

    def __init__(self, limit: int, ranked: "list[tuple[Record, str]]") -> None:
        self.text = ""
        self.limit = limit
        self.ranked = ranked
        self.shown: "list[Record]" = []
        self.whole: "list[Record]" = []
        self.by_branch = False
        self._scoped = -1

    @property
    def units(self) -> int:
        return wording.units(self.text)

    @property
    def left_out(self) -> "list[Record]":
        seen = {id(entry) for entry in self.shown}
        return [entry for entry, _ in self.ranked if id(entry) not in seen]

    @property
    def scoped(self) -> int:
        """How many of those left out come when files of their scope are opened."""
        if self._scoped < 0:
            self._scoped = sum(1 for entry in self.left_out if entry.scope)
        return self._scoped


def lay_out(
    found: PostMortem, file: str, max_chars: int, tail: str, withheld: int = 0, changed: "object" = None
) -> Digest:
    """The digest, at most `max_chars` UTF-16 units; its text is "" when there is nothing to say.

    `tail`: what comes behind the records (see startnotes). `withheld`: records left out because nobody has reviewed
    them; they are no longer active. `changed()` gives the files that the branch changed; it is asked only when not
    every guardrail gets a line.
    """
    limit = min(max_chars, HARD_LIMIT)
    active = found.active()
    made = Digest(limit, [])
    if not active:
        made.text = wording.cut(tail, limit)
        return made
    guardrails = [r for r in active if r.kind == naming.GUARDRAIL]
    head = (
        "Project notes of this repository, from %s (kept by its maintainers, reviewed record by record). In force: %s.\n"
    ) % (file, counts(active))
    notes = min(_FOR_NOTES, limit // 2)
    if limit >= _SMALL:
        head += (
            "Where one of them decides something in code or review, it is cited by its number in a comment, such as “%s”; "
            "`rld show ID` prints a record whole, `rld list` all of them.\n"
        ) % next((r.cite for r in guardrails + active if r.number), "Guardrail 4")
    room = limit - wording.units(head) - wording.units(tail) - notes
    others = [[r for r in active if r.kind == kind] for kind in naming.KINDS[1:]]
    places = ranking.as_written(guardrails)
    rest = [place for records in others for place in ranking.as_written(records)]
    lines, more, whole = _fill(places, rest, room)
    if whole < len(places) or len(more) < len(rest):
        made.by_branch = len(lines) < len(places) and changed is not None
        paths: "list[str]" = changed() if made.by_branch else []  # type: ignore[operator]
        places = ranking.rank(guardrails, paths)
        rest = [place for records in others for place in ranking.rank(records, paths)]
        lines, more, whole = _fill(places, rest, room)
    made.ranked = places + rest
    made.whole = [entry for entry, _ in places[:whole]]
    made.shown = [entry for entry, _ in places[: len(lines)] + rest[: len(more)]]
    text = head + _listed("Guardrails", lines) + _listed("Pitfalls, decisions and tech debt, by title", more)
    text += _left_out(made, file)
    if withheld:
        text += "\nWithheld: %s, changed in the working tree but neither committed nor reviewed.\n" % wording.counted(
            withheld, "record"
        )
    made.text = wording.cut(text + ("\n" + tail if tail else ""), limit)
    return made


def lay_out_short(found: PostMortem, file: str, max_chars: int) -> Digest:
    """The digest of a subagent: guardrails only; its text is "" when there are none."""
    guardrails = found.active(naming.GUARDRAIL)
    made = Digest(max_chars, ranking.as_written(guardrails))
    if not guardrails:
        return made
    head = "Guardrails of this repository, from %s (`rld show ID` prints one whole):\n" % file
    room = max_chars - wording.units(head) - _FOR_COUNT
    lines, _, whole = _fill(made.ranked, [], room)
    if whole < len(guardrails):
        made.ranked = ranking.rank(guardrails, [])
        lines, _, whole = _fill(made.ranked, [], room)
    made.whole = [entry for entry, _ in made.ranked[:whole]]
    made.shown = [entry for entry, _ in made.ranked[: len(lines)]]
    text = head + "\n".join(lines) + "\n"
    if made.left_out:
        text += "Left out here for room: %s.\n" % counts(made.left_out)
    made.text = wording.cut(text, max_chars)
    return made


def _left_out(made: Digest, file: str) -> str:
    """How many records have no line here, and when they will come."""
    records = made.left_out
    if not records:
        return ""
    text = "\nLeft out here for room: %s; `rld list` prints them, and %s is the whole." % (counts(records), file)
    if made.scoped:
        text += " %d of them come when files of their scope are opened." % made.scoped
    return text + "\n"


def _listed(headline: str, lines: "list[str]") -> str:
    return "\n%s:\n%s\n" % (headline, "\n".join(lines)) if lines else ""


def _fill(
    places: "list[tuple[Record, str]]", rest: "list[tuple[Record, str]]", room: int
) -> "tuple[list[str], list[str], int]":
    """The lines of the guardrails, those of the rest, and how many of the first say more than the title."""
    lines, used = _titles(places, room)
    more, also = _titles(rest, min(room - used, _FOR_THE_REST))
    return lines, more, _add_boundaries(places, lines, room - used - also)


def _titles(places: "list[tuple[Record, str]]", room: int) -> "tuple[list[str], int]":
    """A line with number and title for each record, as many as fit, and the units they take."""
    lines: "list[str]" = []
    used = 0
    for entry, _ in places:
        line = record_line(entry, False)
        if used + wording.units(line) + 1 > room:
            break
        used += wording.units(line) + 1
        lines.append(line)
    return lines, used


def _add_boundaries(places: "list[tuple[Record, str]]", lines: "list[str]", room: int) -> int:
    """Say what a guardrail demands behind its title, most important first, as long as there is room; for how many."""
    for place, line in enumerate(lines):
        whole = record_line(places[place][0], True)
        room -= wording.units(whole) - wording.units(line)
        if room < 0:
            return place
        lines[place] = whole
    return len(lines)
