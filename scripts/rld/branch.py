"""Where the present branch stands, read from git's own files: no process is started."""

from rld import rawfile
from rld.project import Project


def head(project: Project) -> str:
    """Something that changes whenever the branch or its last commit does; "" without git."""
    if not project.git:
        return ""
    text = (rawfile.read_text(own_folder(project) + "/HEAD", 4096) or "").strip()
    name = text[5:].strip() if text.startswith("ref: ") else ""
    return "%s %s" % (text, commit(project, name)) if name else text


def own_folder(project: Project) -> str:
    """The git folder of this worktree."""
    return project.git if project.key == "main" else project.git + "/worktrees/" + project.key


def commit(project: Project, name: str) -> str:
    """The commit of a branch such as `refs/heads/main`, "" when there is no such branch."""
    loose = rawfile.read_text(project.git + "/" + name, 4096)
    if loose:
        return loose.strip()
    packed = rawfile.read_text(project.git + "/packed-refs") or ""
    at = packed.find(" %s\n" % name)
    return packed[packed.rfind("\n", 0, at) + 1 : at] if at >= 0 else ""
