"""The run of this worktree: which journal is open, and what its front matter says.

The journal is the truth; `<state>/runs/<worktree>.json` only remembers which one it is and what hooks need at every
call. It is written by `rld run start`, and again by whoever finds an open journal without it (another clone).
"""

from rld import jsontext, rawfile
from rld.project import Project

OPEN = ("open", "complete")
_HEAD = 4096  # bytes: front matter stands within


class Run:
    """An open run. `journal` and `plan` are relative to the root; `verify` is "" when the run names no command."""

    __slots__ = ("journal", "plan", "verify", "tag", "status")

    def __init__(self, journal: str, meta: "dict[str, str]") -> None:
        self.journal = journal
        self.plan = meta.get("plan", "")
        self.verify = meta.get("verify", "")
        self.tag = meta.get("tag", "")
        self.status = meta.get("status", "open")


def _pointer(project: Project) -> str:
    return "%s/runs/%s.json" % (project.state, project.key)


def current(project: Project) -> "Run | None":
    """The run that this worktree has open, None when there is none or its journal is not in this tree (another branch)."""
    text = rawfile.read_text(_pointer(project))
    if not text:
        return None
    try:
        value = jsontext.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("journal"), str):
        return None
    run = Run(value["journal"], {key: str(item) for key, item in value.items()})
    return run if rawfile.exists(project.path(run.journal)) else None


def remember(project: Project, run: Run) -> None:
    values = {"journal": run.journal, "plan": run.plan, "verify": run.verify, "tag": run.tag, "status": run.status}
    rawfile.make_folder(project.state + "/runs")
    rawfile.replace(_pointer(project), jsontext.dumps(values).encode("ascii"))


def forget(project: Project) -> None:
    """This worktree has no run any more."""
    try:
        rawfile.system.unlink(_pointer(project))
    except OSError:
        pass


def read(project: Project, journal: str) -> "Run | None":
    """The run of a journal file, whatever its status; None when the file cannot be read or is no journal."""
    from rld import header, lines  # only who looks for journals pays for reading them

    text = rawfile.read_text(project.path(journal), _HEAD)
    if text is None:
        return None
    meta, _ = header.read(lines.split(text))
    return Run(journal, meta) if meta else None


def open_runs(project: Project, worklog: str) -> "list[Run]":
    """The runs whose journals in the worklog folder are open or complete, oldest first."""
    found = []
    for name in rawfile.names(project.path(worklog)):
        if name.endswith(".md") and not name.endswith(".proposal.md"):
            run = read(project, worklog + "/" + name)
            if run is not None and run.status in OPEN and run.plan:
                found.append(run)
    return found


def find(project: Project, worklog: str) -> "Run | None":
    """The open run of this worktree; a lone open journal that nobody remembers is taken up. Two are nobody's guess."""
    run = current(project)
    if run is None:
        candidates = open_runs(project, worklog)
        if len(candidates) == 1:
            run = candidates[0]
            if rawfile.exists(project.git or project.state):
                remember(project, run)
    return run
