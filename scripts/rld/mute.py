"""Hooks that say nothing for a while, in one project or for one user: a file holds the moment until when.

What a session does is noted all the same, so that nothing is lost when it was only quiet.
"""

from rld import rawfile
from rld.project import Project

_FILE = "/muted"
_MAC = "/System/Library/CoreServices/SystemVersion.plist"


def until(project: Project) -> float:
    """The moment until which hooks are muted here, in seconds since the epoch; 0.0 when no file says so."""
    return max(_read(of_project(project)), _read(of_user()))


def of_project(project: Project) -> str:
    return project.state + _FILE


def of_user() -> str:
    """The file that mutes all projects of a user, in the folder that bin/rld keeps its data in; "" without one."""
    home = rawfile.env("HOME")
    if rawfile.env("RLD_HOME"):
        return rawfile.env("RLD_HOME") + _FILE
    if rawfile.env("OS") == "Windows_NT" and rawfile.env("LOCALAPPDATA"):
        return rawfile.env("LOCALAPPDATA") + "/rld" + _FILE
    if not home:
        return ""
    if rawfile.exists(_MAC):
        return home + "/Library/Application Support/rld" + _FILE
    return (rawfile.env("XDG_DATA_HOME") or home + "/.local/share") + "/rld" + _FILE


def kept(answer: object) -> object:
    """What of a hook's answer remains while it is muted: the guard of the post-mortem is no remark."""
    if isinstance(answer, dict):
        inner = answer.get("hookSpecificOutput")
        if isinstance(inner, dict) and "permissionDecision" in inner:
            return {"hookSpecificOutput": inner}
    return None


def _read(path: str) -> float:
    text = (rawfile.read(path, 32) or b"").strip() if path else b""
    return float(int(text)) if text.isdigit() and len(text) < 12 else 0.0
