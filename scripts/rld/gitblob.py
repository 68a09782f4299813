"""What git says, for hooks: git itself is cheap (0.2 of a bare interpreter start), importing `subprocess` to call it is
not (1.75)."""

from rld import rawfile
from rld.project import Project


def head(project: Project, path: str) -> "bytes | None":
    """The bytes of a file (relative to the root) in the last commit; None when there are none or git is missing."""
    return ask(project, "cat-file", "blob", "HEAD:./" + path)


def ask(project: Project, *words: str) -> "bytes | None":
    """What a git command prints, run in the root; None when it fails or git is missing."""
    command = ["git", "-C", project.root, *words]
    system = rawfile.system
    if not hasattr(system, "posix_spawnp"):
        return _by_subprocess(command)
    reading, writing = system.pipe()
    quiet = system.open("/dev/null", system.O_RDWR)
    try:
        actions = [
            (system.POSIX_SPAWN_DUP2, quiet, 0),
            (system.POSIX_SPAWN_DUP2, writing, 1),
            (system.POSIX_SPAWN_DUP2, quiet, 2),
            (system.POSIX_SPAWN_CLOSE, reading),
        ]
        try:
            child = system.posix_spawnp("git", command, _environment(), file_actions=actions)
        except OSError:
            return None
        finally:
            system.close(writing)
        parts = []
        while True:
            part = system.read(reading, 1 << 20)
            if not part:
                break
            parts.append(part)
        _, status = system.waitpid(child, 0)
        return b"".join(parts) if status == 0 else None
    finally:
        system.close(reading)
        system.close(quiet)


def _environment() -> "dict[bytes, bytes]":
    """Without GIT_*, which a hook of git sets for its own repository."""
    return {key: value for key, value in rawfile.environ.items() if not key.startswith(b"GIT_")}  # type: ignore


def _by_subprocess(command: "list[str]") -> "bytes | None":
    import os
    import subprocess

    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(command, env=env, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
