"""What a session is told when it starts: text in, text out."""

from rld import naming
from rld.postmortem import PostMortem
from rld.record import Record

HARD_LIMIT = 9000  # UTF-16 units; the client cuts at 10,000 and shows 2,000
LONGEST_LINE = 320
_NAMES = {"guardrail": "guardrail", "pitfall": "pitfall", "decision": "decision", "debt": "tech debt item"}


class RunState:
    """The open run as the digest shows it."""

    __slots__ = ("plan", "journal", "verify", "done", "total", "ready", "receipt")

    def __init__(self, plan: str, journal: str, verify: str, done: int, total: int, ready: "list[str]", receipt: str = "") -> None:
        self.plan = plan
        self.journal = journal
        self.verify = verify
        self.done = done
        self.total = total
        self.ready = ready
        self.receipt = receipt


def units(text: str) -> int:
    """The length of a text as the client counts it: UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def counted(number: int, noun: str, plural: str = "") -> str:
    return "%d %s" % (number, noun if number == 1 else plural or noun + "s")


def counts(records: "list[Record]") -> str:
    """ "25 guardrails, 1 pitfall" of some records, "" of none."""
    parts = []
    for kind in naming.KINDS:
        number = sum(1 for r in records if r.kind == kind)
        if number:
            parts.append(counted(number, _NAMES[kind]))
    return ", ".join(parts)


def safe(text: str) -> str:
    """A project's text as it may stand before a model: nothing invisible, no comment, no tag that could end our frame."""
    if not (text.isascii() and text.isprintable()):
        from rld import invisible

        text = invisible.visible(text)
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at)
        text = text[:at] + (text[end + 3 :] if end >= 0 else "")
        at = text.find("<!--")
    if "<" in text:
        text = text.replace("</", "‹/")
        lower = text.lower()
        for word in ("<system", "<assistant", "<human", "<user", "<instruction"):
            at = lower.find(word)
            while at >= 0:
                text = text[:at] + "‹" + text[at + 1 :]
                at = lower.find(word, at + 1)
    return text


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
            if units(line) + units(sentence) + 1 > LONGEST_LINE:
                break
            line += " " + sentence
        scope = entry.scope
        if scope:
            line += " (%s)" % ", ".join(scope[:4])
    return safe(" ".join(line.split()))


def _same(sentence: str, title: str) -> bool:
    return sentence.rstrip(".:!?。").lower().startswith(title.rstrip("….:").lower()[:60])


def ranked(records: "list[Record]") -> "list[Record]":
    """Pinned ones first, otherwise as they stand in the file."""
    return sorted(records, key=lambda r: "inned" not in r.body or "Pinned" not in r.fields)


def build(found: PostMortem, file: str, max_chars: int, run: "RunState | None", sessions: "list[str]", withheld: int = 0) -> str:
    """The digest, at most `max_chars` UTF-16 units; "" when there is nothing to say.

    `sessions`: one line for every session that ended without being distilled. `withheld`: records left out because
    nobody has reviewed them.
    """
    limit = min(max_chars, HARD_LIMIT)
    active = [r for r in found.active() if not (withheld and r.status == "withheld")]
    tail = _tail(run, sessions)
    if not active:
        return _cut(tail, limit)
    guardrails = ranked([r for r in active if r.kind == naming.GUARDRAIL])
    head = (
        "Project notes of this repository, from %s (kept by its maintainers, reviewed record by record). In force: %s.\n"
        "Where one of them decides something in code or review, it is cited by its number in a comment, such as “%s”; "
        "`rld show ID` prints a record whole, `rld list` all of them.\n"
    ) % (file, counts(active), (guardrails or active)[0].cite)
    room = limit - units(head) - units(tail) - 260
    lines = _fit(guardrails, room)
    left = len(guardrails) - len(lines)
    text = head
    if lines:
        text += "\nGuardrails:\n" + "\n".join(lines) + "\n"
    rest = [r for r in active if r.kind != naming.GUARDRAIL]
    notes = []
    if left:
        notes.append("%s left out here for room (`rld list --kind guardrail` prints all)" % counted(left, "guardrail"))
    if rest:
        notes.append("not listed here: %s (`rld list`, or %s itself)" % (counts(rest), file))
    if withheld:
        notes.append("%s withheld: changed in the working tree, but neither committed nor reviewed" % counted(withheld, "record"))
    if notes:
        text += "\n" + "; ".join(notes) + ".\n"
    return _cut(text + ("\n" + tail if tail else ""), limit)


def _fit(guardrails: "list[Record]", room: int) -> "list[str]":
    """As many guardrails as fit: a title each, then the boundaries as long as there is room, most important first."""
    lines: "list[str]" = []
    for entry in guardrails:
        line = guardrail_line(entry, False)
        room -= units(line) + 1
        if room < 0:
            break
        lines.append(line)
    for place, line in enumerate(lines):
        whole = guardrail_line(guardrails[place], True)
        more = units(whole) - units(line)
        if more > room:
            break
        room -= more
        lines[place] = whole
    return lines


def _tail(run: "RunState | None", sessions: "list[str]") -> str:
    text = ""
    if run is not None:
        text = "Open run: %s, %d of %d items logged" % (run.plan, run.done, run.total)
        if run.ready:
            text += "; unblocked next: " + ", ".join(run.ready[:4])
        text += ". Journal: %s." % run.journal
        if run.verify:
            text += " Verify command: `%s`." % run.verify
        if run.receipt:
            text += " " + run.receipt
        text = safe(text) + "\n"
    if sessions:
        text += "Sessions that ended without being distilled:\n" + "\n".join(safe(line) for line in sessions[:3]) + "\n"
        if len(sessions) > 3:
            text += "- and %d more (`rld status` lists them)\n" % (len(sessions) - 3)
    return text


def _cut(text: str, limit: int) -> str:
    """Never over the limit: whole lines from the start."""
    if units(text) <= limit:
        return text
    kept = []
    for line in text.split("\n"):
        limit -= units(line) + 1
        if limit < 0:
            break
        kept.append(line)
    return "\n".join(kept)
