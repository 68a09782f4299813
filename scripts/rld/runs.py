"""The run of this worktree: which journal is open, and what its front matter says.

The journal is the truth; `<state>/runs/<worktree>.json` only remembers which one it is and what hooks need at every
call. It is written by `rld run start`, and again by whoever finds an open journal without it (another clone).
"""

from rld import jsontext, rawfile
from rld.project import Project, is_absolute, slashes

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


def _kept(path: str) -> "dict[str, str]":
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
    kept = _kept(_pointer(project))
    return Run(kept["journal"], kept) if kept and rawfile.exists(project.path(kept["journal"])) else None


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
    """The open run of this worktree, as its journal says now.

    A lone open journal that nobody is at is taken up. Two are nobody's guess, and neither is what another worktree is at.
    """
    run = _looked_up(project)
    if run is None:
        candidates = open_runs(project, worklog)
        if len(candidates) == 1 and not _is_elsewhere(project, candidates[0].journal):
            run = candidates[0]
            if rawfile.exists(project.git or project.state):
                remember(project, run)
    return run


def _looked_up(project: Project) -> "Run | None":
    """The remembered run, with what its journal says: that may have changed by hand or by a pull."""
    run = current(project)
    if run is None or _still_says(project, run):
        return run
    run = read(project, run.journal) or run
    if run.status not in OPEN:
        forget(project)
        return None
    remember(project, run)
    return run


def _still_says(project: Project, run: Run) -> bool:
    """Is the front matter plainly what is remembered? Hooks have no time to load what reads it in every form."""
    head = rawfile.read_text(project.path(run.journal), _HEAD) or ""
    for name, value in (("plan", run.plan), ("verify", run.verify), ("tag", run.tag), ("status", run.status)):
        at = head.find("\n%s:" % name)
        row = head[at + len(name) + 2 :].partition("\n")[0] if at >= 0 else ""
        if row.partition(" #")[0].strip().strip("'") != value:
            return False
    return True


def _is_elsewhere(project: Project, journal: str) -> bool:
    """Is another worktree that has this journal in its tree at it?"""
    for name in rawfile.names(project.state + "/runs") if project.git else []:
        key = name[: -len(".json")]
        if name.endswith(".json") and not name.endswith(".state.json") and key != project.key:
            if _kept("%s/runs/%s" % (project.state, name)).get("journal") == journal:
                inside = project.root[len(project.top) :]
                if rawfile.exists("%s%s/%s" % (_top_of(project, key), inside, journal)):
                    return True
    return False


def _top_of(project: Project, key: str) -> str:
    """The folder of a worktree."""
    if key == "main":
        return project.git.rpartition("/")[0]
    folder = "%s/worktrees/%s" % (project.git, key)
    link = slashes((rawfile.read_text(folder + "/gitdir", 4096) or "").strip()).rpartition("/")[0]
    return link if is_absolute(link) else folder + "/" + link
