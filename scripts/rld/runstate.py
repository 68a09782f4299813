"""How far the open run is, for hooks.

Reading a plan and a journal takes modules that a hook has no time to load (0.4 of a bare interpreter start, and five
times that when they are not compiled yet), so the answer is kept beside the run until one of the two files changes.
`rld run start` and `rld log`, which change them, leave it ready.
"""

from rld import jsontext, rawfile
from rld.project import Project
from rld.runs import Run

MOST_READY = 4


class RunState:
    """How far a run is: `done` of `total` items, `entries` in the journal, `ready` the (id, title) of what is unblocked."""

    __slots__ = ("plan", "journal", "verify", "done", "total", "entries", "ready")

    def __init__(self, run: Run, done: int, total: int, entries: int, ready: "list[tuple[str, str]]") -> None:
        self.plan = run.plan
        self.journal = run.journal
        self.verify = run.verify
        self.done = done
        self.total = total
        self.entries = entries
        self.ready = ready

    def named(self) -> "list[str]":
        return ["Item %s (%s)" % pair if pair[1] else "Item %s" % pair[0] for pair in self.ready]


def read(project: Project, run: Run) -> RunState:
    """How far the run is, from its journal and its plan."""
    path = "%s/runs/%s.state.json" % (project.state, project.key)
    stamp = "%s %s %s" % (run.journal, _stamp(project.path(run.journal)), _stamp(project.path(run.plan)))
    kept = _kept(path, stamp)
    if kept is None:
        kept = [stamp, *_replay(project, run)]
        if rawfile.is_folder(project.state + "/runs"):
            rawfile.replace(path, jsontext.dumps(kept).encode("ascii"))
    _, done, total, entries, ready = kept
    assert isinstance(done, int) and isinstance(total, int) and isinstance(entries, int) and isinstance(ready, list)
    return RunState(run, done, total, entries, [(str(id), str(title)) for id, title in ready])


def _stamp(path: str) -> str:
    try:
        found = rawfile.stat(path)
    except (OSError, ValueError):
        return "-"
    return "%d:%d:%d" % (found.st_size, found.st_mtime_ns, found.st_ino)


def _kept(path: str, stamp: str) -> "list[object] | None":
    try:
        value = jsontext.loads(rawfile.read_text(path) or "")
    except ValueError:
        return None
    return value if isinstance(value, list) and len(value) == 5 and value[0] == stamp else None


def _replay(project: Project, run: Run) -> "list[object]":
    from rld import graph, journal, plan

    book = journal.parse(rawfile.read_text(project.path(run.journal)) or "")
    logged = journal.done(book)
    items = plan.parse(rawfile.read_text(project.path(run.plan)) or "").items
    titles = {item.id: item.title for item in items}
    done = set(logged) | {item.id for item in items if item.done}
    extra = [id for id in logged if id not in titles]
    ready = [[id, titles[id]] for id in graph.ready(items, done)[:MOST_READY]]
    return [sum(1 for id in titles if id in done) + len(extra), len(titles) + len(extra), len(book.entries), ready]
