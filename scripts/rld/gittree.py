"""What git knows about the project. Every call runs without the caller's GIT_* variables, which a hook of git sets
(asottile/pre-commit met the bugs this causes)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from rld.errors import Problem, Refused
from rld.project import Project


def run(project: Project, *args: str, index: str = "") -> str | None:
    """The output of one git command in the project's root, stripped; None when git is missing or says no."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env["GIT_OPTIONAL_LOCKS"] = "0"
    if index:
        env["GIT_INDEX_FILE"] = index
    try:
        done = subprocess.run(
            ["git", "-C", project.root, *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError:
        return None
    return done.stdout.decode("utf-8", "surrogateescape").strip("\n") if done.returncode == 0 else None


def tree_id(project: Project, leave_out: list[str]) -> str:
    """The id of the tree that the working files make, untracked ones included, ignored ones and `leave_out` not.

    It is computed in a copy of the index, never an empty one, which would hash every file (19 times slower).
    "" without git.
    """
    if not project.top:
        return ""
    index = run(project, "rev-parse", "--git-path", "index")
    if index is None:
        return ""
    folder = ""
    try:
        folder = tempfile.mkdtemp(prefix="rld-index-")
        copy = os.path.join(folder, "index")
        source = Path(project.root, index)
        if source.exists():
            shutil.copyfile(source, copy)
            # A file that was edited in the second in which the index was written looks unchanged. Git knows such files by
            # the time of the index, so that the copy must not be younger (Pitfall 42).
            found = source.stat()
            os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))
        top = Project(project.top, project.top, project.git, project.state, project.key)
        prefix = os.path.relpath(project.root, project.top)
        pathspec = [os.path.normpath(os.path.join(prefix, path)).replace(os.sep, "/") for path in leave_out]
        if run(top, "add", "-A", "--", ".", *(":(exclude,top)" + path for path in pathspec), index=copy) is None:
            return ""
        # What was committed of ours would still be in the copied index.
        run(top, "rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", *pathspec, index=copy)
        return run(top, "write-tree", index=copy) or ""
    except OSError as error:
        what = "git's index cannot be copied here: %s" % (error.strerror or str(error)).lower()
        raise Refused(Problem(what, file=folder or tempfile.gettempdir())) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def changed_between(project: Project, old: str, new: str) -> list[str]:
    """The files that differ between two trees, relative to the top."""
    out = run(project, "diff-tree", "-r", "--name-only", "-z", old, new)
    return [name for name in (out or "").split("\0") if name]


def changed_files(project: Project) -> list[str]:
    """The files that differ from the last commit, untracked ones included, relative to the top of the worktree."""
    out = run(project, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    return [entry[3:] for entry in (out or "").split("\0") if len(entry) > 3]


def committed(project: Project, path: str) -> str | None:
    """The text of a file (relative to the root) as the last commit has it; None when it has none."""
    return run(project, "show", "HEAD:./" + path)


def files(project: Project) -> list[str]:
    """Tracked and untracked files that are not ignored, relative to the root."""
    out = run(project, "ls-files", "-co", "--exclude-standard", "-z")
    return sorted({name for name in (out or "").split("\0") if name})
