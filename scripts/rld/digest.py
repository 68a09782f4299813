"""What a session is told when it starts: text in, text out."""

from rld import naming, wording
from rld.postmortem import PostMortem
from rld.record import Record

HARD_LIMIT = 9000  # UTF-16 units; the client cuts at 10,000 and shows 2,000
LONGEST_LINE = 320
_NAMES = {"guardrail": "guardrail", "pitfall": "pitfall", "decision": "decision", "debt": "tech debt item"}


def counts(records: "list[Record]") -> str:
    """ "25 guardrails, 1 pitfall" of some records, "" of none."""
    parts = []
    for kind in naming.KINDS:
        number = sum(1 for r in records if r.kind == kind)
        if number:
            parts.append(wording.counted(number, _NAMES[kind]))
    return ", ".join(parts)


def guardrail_line(entry: Record, whole: bool) -> str:
    """One guardrail on one line: number, title and, when `whole`, the sentences that say the boundary."""
    line = "- %s: %s" % (entry.cite, entry.title) if entry.number else "- Guardrail: %s" % entry.title
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
    head = (
        "Project notes of this repository, from %s (kept by its maintainers, reviewed record by record). In force: %s.\n"
        "Where one of them decides something in code or review, it is cited by its number in a comment, such as “%s”; "
        "`rld show ID` prints a record whole, `rld list` all of them.\n"
    ) % (file, counts(active), (guardrails or active)[0].cite)
    room = limit - wording.units(head) - wording.units(tail) - 260
    lines = _fit(guardrails, room)
    left = len(guardrails) - len(lines)
    text = head
    if lines:
        text += "\nGuardrails:\n" + "\n".join(lines) + "\n"
    rest = [r for r in active if r.kind != naming.GUARDRAIL]
    notes = []
    if left:
        notes.append("%s left out here for room (`rld list --kind guardrail` prints all)" % wording.counted(left, "guardrail"))
    if rest:
        notes.append("not listed here: %s (`rld list`, or %s itself)" % (counts(rest), file))
    if withheld:
        notes.append("%s withheld: changed in the working tree, but neither committed nor reviewed" % wording.counted(withheld, "record"))
    if notes:
        text += "\n" + "; ".join(notes) + ".\n"
    return wording.cut(text + ("\n" + tail if tail else ""), limit)


def _fit(guardrails: "list[Record]", room: int) -> "list[str]":
    """As many guardrails as fit: a title each, then the boundaries as long as there is room, most important first."""
    lines: "list[str]" = []
    for entry in guardrails:
        line = guardrail_line(entry, False)
        room -= wording.units(line) + 1
        if room < 0:
            break
        lines.append(line)
    for place, line in enumerate(lines):
        whole = guardrail_line(guardrails[place], True)
        more = wording.units(whole) - wording.units(line)
        if more > room:
            break
        room -= more
        lines[place] = whole
    return lines
