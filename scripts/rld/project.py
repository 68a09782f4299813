"""Where the project is: its root, its worktree and the folder for what git must not carry."""

from rld import rawfile

POST_MORTEM = "POST_MORTEM.md"
SETTINGS = ".rld.yml"
LOCAL = ".rld"
_SIGNS = (POST_MORTEM, SETTINGS, LOCAL)


class Project:
    """A project on disk; paths use forward slashes.

    `root`: the nearest folder from the working directory upwards that holds a sign of the method, at most the top of
    the worktree. `top`: the top of the git worktree, "" without git. `state`: where evidence, receipts and locks live
    (`<common git dir>/rld`, so that worktrees share it; `.rld` without git). `key` tells worktrees apart.
    `muted`: hooks say nothing (see mute).
    """

    __slots__ = ("root", "top", "git", "state", "key", "muted")

    def __init__(self, root: str, top: str, git: str, state: str, key: str) -> None:
        self.root = root
        self.top = top
        self.git = git
        self.state = state
        self.key = key
        self.muted = False

    def path(self, relative: str) -> str:
        return relative if is_absolute(relative) else self.root + "/" + relative

    def relative(self, path: str) -> str:
        """A path below the root as people write it, or "" for one outside."""
        path = slashes(path)
        if not is_absolute(path):
            path = self.root + "/" + path
        parts: "list[str]" = []
        for part in path.split("/"):
            if part == "..":
                if parts:
                    parts.pop()
            elif part != "." and (part or not parts):
                parts.append(part)
        path = "/".join(parts)
        return path[len(self.root) + 1 :] if path.startswith(self.root + "/") else ""


def slashes(path: str) -> str:
    """A Windows path with forward slashes; others as they are."""
    return path.replace("\\", "/") if path[1:2] == ":" or path.startswith("\\\\") else path


def is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] in (":/", ":\\")


def find(folder: str) -> "Project | None":
    """The project around a folder (absolute path); None when the folder is not there."""
    folder = slashes(folder).rstrip("/") or "/"
    if not is_absolute(folder) or not rawfile.is_folder(folder):
        return None
    signed = ""
    here = folder
    while True:
        base = "" if here == "/" else here
        if not signed and any(rawfile.exists(base + "/" + sign) for sign in _SIGNS):
            signed = here
        if rawfile.exists(base + "/.git"):
            common, key = _git_folder(base + "/.git")
            if common:
                return Project(signed or here, here, common, common + "/rld", key)
        above = here.rpartition("/")[0]
        if above == here or not above or above.endswith(":"):
            break
        here = above
    root = signed or folder
    return Project(root, "", "", root + "/" + LOCAL, "main")


def _git_folder(path: str) -> "tuple[str, str]":
    """(common git folder, worktree key) behind a `.git` folder or file; ("", "") when it leads nowhere."""
    if rawfile.is_folder(path):
        return path, "main"
    text = rawfile.read_text(path, 4096) or ""
    if not text.startswith("gitdir:"):
        return "", ""
    folder = _join(path.rpartition("/")[0], slashes(text[7:].strip()))
    common = rawfile.read_text(folder + "/commondir", 4096)
    if common is not None:
        return _join(folder, slashes(common.strip())), folder.rpartition("/")[2]
    return (folder, "main") if rawfile.is_folder(folder) else ("", "")


def _join(base: str, path: str) -> str:
    if is_absolute(path):
        return path.rstrip("/")
    while path.startswith("../"):
        base = base.rpartition("/")[0]
        path = path[3:]
    if path in ("..", "."):
        return base.rpartition("/")[0] if path == ".." else base
    return base + "/" + path.rstrip("/")


def uses_method(project: Project) -> bool:
    """Does the project use rld at all: a post-mortem, settings, or something of ours in its git folder?"""
    return any(rawfile.exists(project.root + "/" + sign) for sign in _SIGNS) or rawfile.exists(project.state)
