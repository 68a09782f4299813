"""The two texts that ask for a journal entry."""

from rld import evidence, wording
from rld.runs import Run
from rld.runstate import RunState

MOST_FILES = 12


def after_verify(run: RunState, data: bytes, grade: str, tree: str = "") -> str:
    """What the model is told after a passing verify: the entry is missing, here are its facts.

    `data`: the session's evidence, for the files it changed since the last entry. `grade`: of the proof;
    `tree`: the beginning of the id of the tree it is bound to, if it is bound to one.
    """
    item, title = run.ready[0] if run.ready else ("N", "")
    files = edited_since_entry(data)
    changed = ", ".join(files[:MOST_FILES]) + (
        " and %d more" % (len(files) - MOST_FILES) if len(files) > MOST_FILES else ""
    )
    proof = "`%s` exit 0 (%s%s)" % (run.verify, grade, ", tree " + tree if tree else "")
    facts = "Item %s done.%s %s." % (item, " Changed: %s." % changed if changed else "", proof)
    return wording.safe(
        "The verify command of the open run passed, and the journal %s (%s) has no entry for that work. The plan's next unblocked "
        "item is Item %s%s. An entry is added with `rld log --item %s` and these five lines on standard input, in a quoted heredoc "
        "(<<'EOF') or with --file:\n[Verified Facts] %s\n[What Worked] …\n[Distilled Rules] …\n[Pitfalls & What to Avoid] …\n"
        "[What's Next] …\nAfter the entry a step of this run ends with a short report, and the human decides about the next item."
        % (
            run.journal,
            wording.counted(run.entries, "entry", "entries"),
            item,
            " (%s)" % title if title else "",
            item,
            facts,
        )
    )


def at_stop(run: Run) -> str:
    """Why a turn is held up once: the entry is missing, and nothing else is asked for."""
    return wording.safe(
        "A verify of the open run (`%s`) passed in this session, and its journal %s has no entry for that work. "
        "What is missing is that entry: `rld log --item N` with the five fields on standard input. "
        "Nothing else is open in this turn; the next item waits for the human." % (run.verify, run.journal)
    )


def edited_since_entry(data: bytes) -> "list[str]":
    """The files a session edited after its last journal entry, in order."""
    found: "list[str]" = []
    for event in evidence.events(data[max(data.rfind(b'"k": "logged"'), 0) :]):
        path = event.get("path")
        if event.get("k") == "edit" and isinstance(path, str) and path not in found:
            found.append(path)
    return found
