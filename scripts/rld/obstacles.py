"""What keeps the hooks silent in the user's own sessions of a project, as far as the client's files say it.

Those files are another program's: what they do not say is unknown, and no obstacle.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from rld import clientplugin, clientsettings, machine, mute
from rld.clientsettings import PLUGIN
from rld.finding import OK
from rld.project import Project


class Obstacle:
    """`why` it is silent and the way out, `fix`; `is_final`: it holds in every session, so that none need be started."""

    __slots__ = ("fix", "is_final", "why")

    def __init__(self, why: str, fix: str, is_final: bool = True) -> None:
        self.why = why
        self.fix = fix
        self.is_final = is_final


def find(project: Project, plugin: Path) -> list[Obstacle]:
    """Everything that is in the way. `plugin` is the folder of the running plugin."""
    found = [
        _variable(project), _muted(project), _switched_off(project), _all_hooks_off(project),
        _not_loaded(project, plugin), _untrusted(project),
    ]  # fmt: skip
    return [each for each in found if each is not None]


def managed_settings() -> list[Path]:
    """The settings files of an organisation, which hold in every run."""
    if os.path.exists("/System/Library/CoreServices/SystemVersion.plist"):
        folder = Path("/Library/Application Support/ClaudeCode")
    else:
        folder = Path("/etc/claude-code")
    return [folder / "managed-settings.json", *sorted(folder.glob("managed-settings.d/*.json"))]


def leads_away() -> str:
    """A managed settings file that could send the client's requests somewhere else, "" when there is none."""
    for path in managed_settings():
        values = clientsettings.read(path)
        variables = values.get("env")
        names = list(variables) if isinstance(variables, dict) else []
        if "apiKeyHelper" in values or any(
            name.startswith(("ANTHROPIC_", "CLAUDE_CODE_USE_")) or name.upper().endswith("_PROXY") for name in names
        ):
            return str(path)
    return ""


def _variable(project: Project) -> Obstacle | None:
    if os.environ.get("RLD_DISABLED"):
        return Obstacle("RLD_DISABLED is set, and every hook is silent", "unset RLD_DISABLED")
    for path in reversed(clientsettings.files(project)):
        variables = clientsettings.read(path).get("env")
        if isinstance(variables, dict) and "RLD_DISABLED" in variables:
            if not variables["RLD_DISABLED"]:
                return None
            return Obstacle("%s sets RLD_DISABLED, and every hook is silent" % path, "take it out of that file")
    return None


def _muted(project: Project) -> Obstacle | None:
    until = mute.until(project)
    if until <= time.time():
        return None
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
    return Obstacle("the hooks are muted until %s" % when, "rld mute off")


def _switched_off(project: Project) -> Obstacle | None:
    on, file = clientplugin.enabled(project)
    if on is not False:
        return None
    return Obstacle("%s switches the plugin off" % file, "claude plugin enable %s" % PLUGIN)


def _not_loaded(project: Project, plugin: Path) -> Obstacle | None:
    found = machine.installed(project, plugin)
    if found.state == OK or clientplugin.enabled(project)[0] is False:
        return None
    what = "not shown by this run, which had the plugin by --plugin-dir:\n%s" % found.message
    return Obstacle(what, found.fix, is_final=False)


def _all_hooks_off(project: Project) -> Obstacle | None:
    for path in managed_settings():
        values = clientsettings.read(path)
        for key in ("disableAllHooks", "allowManagedHooksOnly"):
            if values.get(key) is True:
                what = "%s says %s, and the client runs no hook of a plugin" % (path, key)
                return Obstacle(what, "ask whoever manages this machine")
    for path in reversed(clientsettings.files(project)):
        off = clientsettings.read(path).get("disableAllHooks")
        if off is True:
            return Obstacle("%s says disableAllHooks, and the client runs none" % path, "take it out of that file")
        if off is False:
            return None
    return None


def _untrusted(project: Project) -> Obstacle | None:
    """An interactive session runs no hook in a folder that the user was asked about and has not said yes to."""
    own = os.environ.get("CLAUDE_CONFIG_DIR")
    known = clientsettings.read((Path(own) if own else Path.home()) / ".claude.json").get("projects")
    if not isinstance(known, dict):
        return None
    # A yes for a folder above does not count for every client (2.1.332 asks all the same).
    for folder in {project.root, project.top, os.path.realpath(project.root)}:
        entry = known.get(folder)
        if isinstance(entry, dict) and entry.get("hasTrustDialogAccepted") is True:
            return None
    what = "the client has no yes of yours on record to trust this folder:\nan interactive session may ask, and runs no hook before your answer"
    return Obstacle(what, "start `claude` here once, and answer its question", is_final=False)
