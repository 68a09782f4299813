"""The repair guide of a failure that the project knows."""

from rld import evidence, hooksettings, rawfile, signature, window, wording
from rld.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rld.record import Record

MOST = 2  # guides for one output
LONGEST = 1000  # units of one guide
_READERS = (
    "cat ", "bat ", "grep ", "rg ", "sed ", "awk ", "head ", "tail ", "less ", "diff ", "find ", "ls", "echo ", "printf ", "rld ",
    "git diff", "git log", "git show", "git grep", "git blame",
)  # fmt: skip


def guides(project: Project, session: str, output: str, agent: str = "") -> str:
    """The guides for the pitfalls whose symptom the output shows, "" when it shows none.

    A guide is given once in a context window (that of the subagent `agent`, if it is one's), as long as the session has
    room; every recurrence is noted.
    """
    settings = hooksettings.load(project)
    text = rawfile.read_text(project.path(settings.post_mortem))
    if not text or "ymptom" not in text:
        return ""
    shown = signature.Output(output)
    if "symptom:" in shown.lower:
        return ""  # somebody is reading the records themselves
    if not _may_show_one_of(text, shown):
        return ""
    from rld import postmortem, review

    found = postmortem.parse(text)
    known = [entry for entry in found.active("pitfall") if shown.shows(entry.symptom)]
    if not known:
        return ""
    review.withhold(project, settings.post_mortem, found)
    known = [entry for entry in known if entry.status == "active"]
    data = evidence.raw(project, session)
    told = window.told(data, agent)
    room = window.MOST_GIVEN - window.units(data)
    texts: "list[str]" = []
    for entry in known:
        text = guide(entry, settings.post_mortem)
        new = entry.id not in told and len(texts) < MOST and wording.units(text) <= room
        more: "dict[str, object]" = {"agent": agent} if agent else {}
        if new:
            texts.append(text)
            room -= wording.units(text)
            more["size"] = wording.units(text)
        evidence.note(project, session, "recur", id=entry.id, told=new and not project.muted, **more)
    return "\n".join(texts)


def _may_show_one_of(text: str, shown: signature.Output) -> bool:
    """A look at the symptoms, and at titles that quote one: most failures are new, and end here before the file is read
    as records, which is a fifth of a bare interpreter start."""
    at = text.find("ymptom")
    while at >= 0:
        end = text.find("\n\n", at)
        end = end if end >= 0 else len(text)
        line = text.find("\n- ", at, end)
        end = line if line >= 0 else end
        if shown.may_show(text[at + 6 : end]):
            return True
        at = text.find("ymptom", end)
    return any(shown.may_show(line) for line in text.split("\n") if '"' in line or "“" in line)


def guides_after_pass(project: Project, session: str, command: str, output: str, agent: str = "") -> str:
    """The same for a command that passed, such as one that prints a log. What reads sources or the history shows their
    words, not a failure."""
    last = command.rpartition("&&")[2].strip()
    if last.startswith(_READERS) and ".log" not in last:
        return ""
    return guides(project, session, output, agent)


def guide(entry: "Record", file: str) -> str:
    """One repair guide: cause, the command that diagnoses it, the fix."""
    fields = entry.fields
    lines = [
        "This output shows the symptom of %s in %s, a failure this project has met before: %s."
        % (entry.cite, file, entry.title)
    ]
    for label, key in (("Root cause", "root-cause"), ("Diagnose", "diagnose"), ("Fix", "fix")):
        if fields.get(key):
            lines.append("%s: %s" % (label, fields[key]))
    if len(lines) == 1:
        lines.append(entry.text)
    return wording.cut("\n".join(wording.safe(line) for line in lines), LONGEST) + "\n"
