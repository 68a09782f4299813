"""Is the post-mortem the very file that was found to be reviewed as a whole? What the system says about it tells, unread.

`<state>/stamp-<worktree>` holds the stamp of that file.
"""

from rld import rawfile
from rld.project import Project


def of(path: str) -> str:
    """What the system says about a file that changes whenever its bytes do; "" when there is no such file.

    The change time cannot be set back by whoever writes the file, and reading it costs nothing: hashing 1 MB takes
    half the time of starting Python.
    """
    try:
        found = rawfile.stat(path)
    except (OSError, ValueError):
        return ""
    return "%s %d %d %d %d" % (path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def is_kept(project: Project, path: str) -> bool:
    """Was this very state of the file found to be reviewed as a whole before?"""
    text = rawfile.read_text("%s/stamp-%s" % (project.state, project.key))
    return bool(text) and text == of(path)


def keep(project: Project, path: str) -> None:
    if rawfile.is_folder(project.state):
        rawfile.replace("%s/stamp-%s" % (project.state, project.key), of(path).encode("utf-8", "surrogateescape"))
