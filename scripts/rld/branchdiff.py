"""What the present branch changed, for hooks: asked of git only when the records do not all fit into the digest, since
its two processes are 0.4 of a bare interpreter start."""

from rld import branch, gitblob, rawfile
from rld.project import Project

_USUAL = ("refs/heads/main", "refs/heads/master")
# Beyond this size of git's index (about 50,000 files) `git status` may take longer than a session should wait.
_LARGE_INDEX = 5 << 20
MOST = 500


def changed(project: Project) -> "list[str]":
    """The files that differ from where the branch left the default branch, committed or not, relative to the root."""
    if not project.git:
        return []
    found: "list[str]" = []
    default = _default(project)
    # On the default branch itself, which most sessions start on, git would have nothing to tell.
    if default and branch.commit(project, default) != branch.head(project).rpartition(" ")[2]:
        found += _names(gitblob.ask(project, "diff", "--name-only", "-z", "--relative", default + "...HEAD"))
    if _size(branch.own_folder(project) + "/index") < _LARGE_INDEX:
        asked = gitblob.ask(
            project, "--no-optional-locks", "status", "--porcelain", "-z", "--no-renames", "--ignore-submodules"
        )
        below = project.root[len(project.top) :].lstrip("/")
        below = below + "/" if below else ""
        found += [name[3 + len(below) :] for name in _names(asked) if name[3:].startswith(below)]
    return list(dict.fromkeys(found))[:MOST]


def _default(project: Project) -> str:
    """The default branch: the remote's, or one with a usual name; "" when there is none."""
    text = (rawfile.read_text(project.git + "/refs/remotes/origin/HEAD", 4096) or "").strip()
    if text.startswith("ref: refs/"):
        return text[5:]
    return next((name for name in _USUAL if branch.commit(project, name)), "")


def _names(answer: "bytes | None") -> "list[str]":
    return [name for name in (answer or b"").decode("utf-8", "replace").split("\0") if name]


def _size(path: str) -> int:
    try:
        return int(rawfile.stat(path).st_size)
    except (OSError, ValueError):
        return 0
