"""The right record at the right moment: what a file's records say when the file is opened, edited or named."""

from rld import evidence, hooksettings, jsontext, match, rawfile, stamp, window
from rld.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rld.record import Record

MOST_RECORDS = 5  # in one event,
MOST_UNITS = 2000  # and so many units
MOST_PATHS = 20  # of a prompt


def records_for(project: Project, session: str, paths: "list[str]", agent: str = "") -> str:
    """The records whose scope covers one of the paths (relative to the root), text and why; "" when there are none new.

    Each record once in a context window; `agent` is the id of the subagent whose window it is.
    """
    settings = hooksettings.load(project)
    text = rawfile.read_text(project.path(settings.post_mortem))
    paths = [path for path in paths if path and path != settings.post_mortem]
    if not text or not paths or not _may_cover(text, paths):
        return ""
    data = evidence.raw(project, session)
    # Most files are opened and edited many times, and the first time tells all there is: reading the records again would
    # cost 0.4 of a bare interpreter start.
    done = "%s %s %s" % (agent, stamp.of(project.path(settings.post_mortem)), " ".join(paths))
    if jsontext.dumps(done).encode("ascii") in (data if agent else data[max(data.rfind(b'"k": "start"'), 0) :]):
        return ""
    from rld import postmortem, review, wording

    found = postmortem.parse(text)
    told = window.told(data, agent)
    wanted = [
        entry
        for entry in found.active()
        if entry.id not in told and any(match.matches(entry.scope, path) for path in paths)
    ]
    if not wanted:
        evidence.note(project, session, "looked", done=done)
        return ""
    review.withhold(project, settings.post_mortem, found)
    room = min(MOST_UNITS, window.MOST_GIVEN - window.units(data))
    # A file's name is a cloned repository's text, too.
    named = wording.safe(" ".join(", ".join(paths[:3]).split()))[:300]
    head = "Records of this repository for %s, from %s:\n" % (named, settings.post_mortem)
    room -= wording.units(head)
    lines, ids = [], []
    for entry in sorted(wanted, key=lambda e: e.kind != "guardrail"):
        line = "- " + _told(entry)
        if entry.status != "active" or wording.units(line) + 1 > room:
            continue
        room -= wording.units(line) + 1
        lines.append(line)
        ids.append(entry.id)
        if len(ids) == MOST_RECORDS:
            break
    if not ids:
        return ""
    words = head + "\n".join(lines) + "\n"
    more = {"done": done} if len(ids) == len(wanted) else {}
    if agent:
        more["agent"] = agent
    evidence.note(project, session, "gave", ids=ids, size=wording.units(words), **more)
    return words


def _may_cover(text: str, paths: "list[str]") -> bool:
    """A look at the lines that speak of a scope: most calls end here, before the file is read as records."""
    at = text.find("cope")
    while at >= 0:
        end = text.find("\n", at)
        line = text[at + 4 : end if end >= 0 else len(text)]
        if "|" in line:
            return True  # a table may have a column for it
        for glob in line.split("`")[1::2] if "`" in line else line.lstrip("*_: ").split(","):
            head, _, rest = glob.strip().partition("/")
            # Most scopes begin with a plain folder, and most of them with another one.
            elsewhere = rest and head.isalnum() and not any(path.startswith(head + "/") for path in paths)
            if not elsewhere and any(match.matches([glob.strip()], path) for path in paths):
                return True
        at = text.find("cope", at + 4)
    return False


def _told(entry: "Record") -> str:
    """One record as it is told: what it demands, and why."""
    from rld import wording

    fields = entry.fields
    text = "%s: %s." % (entry.cite, entry.title.rstrip("."))
    said = entry.statement
    if said and not said.lower().startswith(entry.title.lower()[:60]):
        text += " " + said
    for label, key in (
        ("Why", "why"), ("Symptom", "symptom"), ("Fix", "fix"), ("Trigger", "trigger"), ("Why deferred", "why-deferred"),
    ):  # fmt: skip
        if fields.get(key):
            text += " %s: %s" % (label, " ".join(fields[key].split()))
    return wording.safe(" ".join(text.split()))[:900]


def paths_in(project: Project, prompt: str) -> "list[str]":
    """The files of the project that a prompt names, relative to its root."""
    found: "list[str]" = []
    for sign in "`\"'()<>[]{},;:@":
        prompt = prompt.replace(sign, " ")
    for word in prompt.split():
        word = word.rstrip(".!?")
        if ("/" in word or "." in word) and len(word) > 3 and len(found) < MOST_PATHS:
            relative = project.relative(word)
            if relative and relative not in found and rawfile.exists(project.path(relative)):
                found.append(relative)
    return found
