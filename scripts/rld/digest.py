"""What a session is told when it starts: text in, text out."""

from rld import naming, wording
from rld.postmortem import PostMortem
from rld.record import Record

HARD_LIMIT = 9000  # UTF-16 units; the client cuts at 10,000 and shows 2,000
LONGEST_LINE = 320
_FOR_THE_REST = 1500  # units that titles of other kinds may take before guardrails say their boundaries
_FOR_NOTES = 330  # units kept for headlines and for what was left out
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
        if said and _same(said[0], entry.title):
            said = said[1:]
        if said and not line.endswith((".", "!", "?", "…", "。")):
            line += "."
        for sentence in said:
            if wording.units(line) + wording.units(sentence) + 1 > LONGEST_LINE:
                break
            line += " " + sentence
        scope = entry.scope
        if scope:
            line += " (%s)" % ", ".join(scope[:4])
    return wording.safe(" ".join(line.split()))


def _same(sentence: str, title: str) -> bool:
    return sentence.rstrip(".:!?。").lower().startswith(title.rstrip("….:").lower()[:60])


def ranked(records: "list[Record]") -> "list[Record]":
    """Pinned ones first, otherwise as they stand in the file."""
    return sorted(records, key=lambda r: "inned" not in r.body or "Pinned" not in r.fields)


def build(found: PostMortem, file: str, max_chars: int, tail: str, withheld: int = 0) -> str:
    """The digest, at most `max_chars` UTF-16 units; "" when there is nothing to say.

    `tail`: what comes behind the records (see startnotes). `withheld`: records left out because nobody has reviewed
    them; they are no longer active.
    """
    limit = min(max_chars, HARD_LIMIT)
    active = found.active()
    if not active:
        return wording.cut(tail, limit)
    guardrails = ranked([r for r in active if r.kind == naming.GUARDRAIL])
    rest = [r for kind in naming.KINDS[1:] for r in active if r.kind == kind]
    head = (
        "Project notes of this repository, from %s (kept by its maintainers, reviewed record by record). In force: %s.\n"
        "Where one of them decides something in code or review, it is cited by its number in a comment, such as “%s”; "
        "`rld show ID` prints a record whole, `rld list` all of them.\n"
    ) % (file, counts(active), (guardrails or active)[0].cite)
    room = limit - wording.units(head) - wording.units(tail) - _FOR_NOTES
    lines, used = _titles(guardrails, room)
    room -= used
    more, used = _titles(rest, min(room, _FOR_THE_REST))
    _add_boundaries(guardrails, lines, room - used)
    text = head + _listed("Guardrails", lines) + _listed("Pitfalls, decisions and tech debt, by title", more)
    out = guardrails[len(lines) :] + rest[len(more) :]
    if out:
        text += "\nLeft out here for room: %s; `rld list` prints them, and %s is the whole.\n" % (counts(out), file)
    if withheld:
        text += "\nWithheld: %s, changed in the working tree but neither committed nor reviewed.\n" % wording.counted(
            withheld, "record"
        )
    return wording.cut(text + ("\n" + tail if tail else ""), limit)


def short(found: PostMortem, file: str, max_chars: int) -> str:
    """The digest of a subagent: guardrails only, "" when there are none."""
    guardrails = ranked(found.active(naming.GUARDRAIL))
    if not guardrails:
        return ""
    head = "Guardrails of this repository, from %s (`rld show ID` prints one whole):\n" % file
    lines, used = _titles(guardrails, max_chars - wording.units(head) - 120)
    _add_boundaries(guardrails, lines, max_chars - wording.units(head) - 120 - used)
    text = head + "\n".join(lines) + "\n"
    if len(lines) < len(guardrails):
        text += "Left out here for room: %s.\n" % counts(guardrails[len(lines) :])
    return wording.cut(text, max_chars)


def _listed(headline: str, lines: "list[str]") -> str:
    return "\n%s:\n%s\n" % (headline, "\n".join(lines)) if lines else ""


def _titles(records: "list[Record]", room: int) -> "tuple[list[str], int]":
    """A line with number and title for each record, as many as fit, and the units they take."""
    lines: "list[str]" = []
    used = 0
    for entry in records:
        line = record_line(entry, False)
        if used + wording.units(line) + 1 > room:
            break
        used += wording.units(line) + 1
        lines.append(line)
    return lines, used


def _add_boundaries(guardrails: "list[Record]", lines: "list[str]", room: int) -> None:
    """Say what a guardrail demands behind its title, most important first, as long as there is room."""
    for place, line in enumerate(lines):
        whole = record_line(guardrails[place], True)
        room -= wording.units(whole) - wording.units(line)
        if room < 0:
            break
        lines[place] = whole
