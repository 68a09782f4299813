"""The two texts that ask for a journal entry."""

from rld import evidence, graph, journal, plan, rawfile, wording
from rld.project import Project
from rld.runs import Run

MOST_FILES = 12


def after_verify(project: Project, run: Run, data: bytes, entries: int) -> str:
    """What the model is told after a passing verify: the entry is missing, here are its facts."""
    item, title = next_item(project, run)
    files = edited_since_entry(data)
    changed = ", ".join(files[:MOST_FILES]) + (" and %d more" % (len(files) - MOST_FILES) if len(files) > MOST_FILES else "")
    facts = "Item %s done.%s `%s` exit 0 (observed)." % (item, " Changed: %s." % changed if changed else "", run.verify)
    return wording.safe(
        "The verify command of the open run passed, and the journal %s (%s) has no entry for that work. The plan's next unblocked "
        "item is Item %s%s. An entry is added with `rld log --item %s` and these five lines on standard input, in a quoted heredoc "
        "(<<'EOF') or with --file:\n[Verified Facts] %s\n[What Worked] …\n[Distilled Rules] …\n[Pitfalls & What to Avoid] …\n"
        "[What's Next] …\nAfter the entry a step of this run ends with a short report, and the human decides about the next item."
        % (run.journal, wording.counted(entries, "entry", "entries"), item, " (%s)" % title if title else "", item, facts)
    )


def at_stop(run: Run) -> str:
    """Why a turn is held up once: the entry is missing, and nothing else is asked for."""
    return wording.safe(
        "A verify of the open run (`%s`) passed in this session, and its journal %s has no entry for that work. "
        "What is missing is that entry: `rld log --item N` with the five fields on standard input. "
        "Nothing else is open in this turn; the next item waits for the human." % (run.verify, run.journal)
    )


def next_item(project: Project, run: Run) -> "tuple[str, str]":
    """Id and title of the item that comes next by plan and journal; ("N", "") when the plan does not say."""
    text = rawfile.read_text(project.path(run.plan)) or ""
    items = plan.parse(text).items
    done = set(journal.done(journal.parse(rawfile.read_text(project.path(run.journal)) or "")))
    ready = graph.ready(items, done | {i.id for i in items if i.done})
    if not ready:
        return "N", ""
    return ready[0], next(i.title for i in items if i.id == ready[0])


def edited_since_entry(data: bytes) -> "list[str]":
    """The files a session edited after its last journal entry, in order."""
    found: "list[str]" = []
    for event in evidence.events(data[max(data.rfind(b'"k": "logged"'), 0) :]):
        path = event.get("path")
        if event.get("k") == "edit" and isinstance(path, str) and path not in found:
            found.append(path)
    return found
