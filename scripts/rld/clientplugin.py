"""What the client says about the plugin: is it installed for a project, is it switched on?

Its files are another program's: they are read defensively, and what they do not say is unknown.
"""

from __future__ import annotations

import os
from pathlib import Path

from rld import clientsettings
from rld.clientsettings import PLUGIN
from rld.project import Project


def register() -> Path:
    return clientsettings.config_folder() / "plugins" / "installed_plugins.json"


def installation(project: Project) -> dict[str, str]:
    """The installation that holds for a project: `scope`, `version`, `installPath`; {} when there is none."""
    plugins = clientsettings.read(register()).get("plugins")
    found = plugins.get(PLUGIN) if isinstance(plugins, dict) else None
    here = {os.path.realpath(folder) for folder in (project.root, project.top) if folder}
    for entry in found if isinstance(found, list) else [found]:
        if isinstance(entry, dict):
            folder = entry.get("projectPath")
            if not folder or os.path.realpath(str(folder)) in here:
                return {str(key): str(value) for key, value in entry.items()}
    return {}


def enabled(project: Project) -> tuple[bool | None, str]:
    """Is the plugin switched on, and by which file? (None, "") when no file says so; the strongest file wins."""
    answer: tuple[bool | None, str] = (None, "")
    for path in clientsettings.files(project):
        plugins = clientsettings.read(path).get("enabledPlugins")
        if isinstance(plugins, dict) and isinstance(plugins.get(PLUGIN), bool):
            answer = (plugins[PLUGIN], str(path))
    return answer
