"""The open journals of a project, when no run is remembered or the journal says something else by now.

Apart from `runs`, since most hooks never look for journals.
"""

from rld import header, lines, rawfile
from rld.project import Project, is_absolute, slashes
from rld.runs import HEAD, OPEN, Run, kept


def read(project: Project, journal: str) -> "Run | None":
    """The run of a journal file, whatever its status; None when the file cannot be read or is no journal."""
    text = rawfile.read_text(project.path(journal), HEAD)
    if text is None:
        return None
    meta, _ = header.read(lines.split(text))
    return Run(journal, meta) if meta else None


def every(project: Project, worklog: str) -> "list[Run]":
    """The runs whose journals in the worklog folder are open or complete, oldest first."""
    found = []
    for name in rawfile.names(project.path(worklog)):
        if name.endswith(".md") and not name.endswith(".proposal.md"):
            run = read(project, worklog + "/" + name)
            if run is not None and run.status in OPEN and run.plan:
                found.append(run)
    return found


def lone(project: Project, worklog: str) -> "Run | None":
    """The open run, when there is only one and no other worktree is at it."""
    found = every(project, worklog)
    return found[0] if len(found) == 1 and not _is_elsewhere(project, found[0].journal) else None


def _is_elsewhere(project: Project, journal: str) -> bool:
    """Is another worktree that has this journal in its tree at it?"""
    for name in rawfile.names(project.state + "/runs") if project.git else []:
        key = name[: -len(".json")]
        if name.endswith(".json") and not name.endswith(".state.json") and key != project.key:
            if kept("%s/runs/%s" % (project.state, name)).get("journal") == journal:
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
