"""The run of this worktree: which journal is open, and what its front matter says.

The journal is the truth; `<state>/runs/<worktree>.json` only remembers which one it is and what hooks need at every
call. It is written by `rld run start`, and again by whoever finds an open journal without it (another clone).
"""

from rld import jsontext, rawfile
from rld.project import Project

OPEN = ("open", "complete")
HEAD = 4096  # bytes: front matter stands within


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


def kept(path: str) -> "dict[str, str]":
    """What a worktree remembers, {} when it is nothing that can be read."""
    try:
        value = jsontext.loads(rawfile.read_text(path) or "")
    except ValueError:
        return {}
    if not isinstance(value, dict) or not isinstance(value.get("journal"), str):
        return {}
    return {str(key): str(item) for key, item in value.items()}


def current(project: Project) -> "Run | None":
    """The run that this worktree has open, None when there is none or its journal is not in this tree (another branch)."""
    values = kept(_pointer(project))
    return Run(values["journal"], values) if values and rawfile.exists(project.path(values["journal"])) else None


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


def find(project: Project, worklog: str) -> "Run | None":
    """The open run of this worktree, as its journal says now.

    A lone open journal that nobody is at is taken up. Two are nobody's guess, and neither is what another worktree is at.
    """
    run = _looked_up(project)
    if run is None and any(name.endswith(".md") for name in rawfile.names(project.path(worklog))):
        from rld import openruns

        run = openruns.lone(project, worklog)
        if run is not None and rawfile.exists(project.git or project.state):
            remember(project, run)
    return run


def _looked_up(project: Project) -> "Run | None":
    """The remembered run, with what its journal says: that may have changed by hand or by a pull."""
    run = current(project)
    if run is None or _still_says(project, run):
        return run
    from rld import openruns

    run = openruns.read(project, run.journal) or run
    if run.status not in OPEN:
        forget(project)
        return None
    remember(project, run)
    return run


def _still_says(project: Project, run: Run) -> bool:
    """Is the front matter plainly what is remembered? Hooks have no time to load what reads it in every form."""
    head = rawfile.read_text(project.path(run.journal), HEAD) or ""
    for name, value in (("plan", run.plan), ("verify", run.verify), ("tag", run.tag), ("status", run.status)):
        at = head.find("\n%s:" % name)
        row = head[at + len(name) + 2 :].partition("\n")[0] if at >= 0 else ""
        if row.partition(" #")[0].strip().strip("'") != value:
            return False
    return True
