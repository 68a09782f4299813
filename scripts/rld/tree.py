"""The files of a project, with git or without."""

from __future__ import annotations

import os

from rld import gittree
from rld.project import LOCAL, Project

_SKIPPED = (LOCAL, ".git", "node_modules", ".venv", "venv", "dist", "build", "__pycache__")


def files(project: Project) -> list[str]:
    """Every file but the ignored ones, relative to the root; without git, what is usually generated is left out."""
    if project.top:
        return gittree.files(project)
    found = []
    for folder, below, names in os.walk(project.root):
        below[:] = [name for name in below if name not in _SKIPPED]
        found += [os.path.relpath(os.path.join(folder, name), project.root).replace(os.sep, "/") for name in names]
    return sorted(found)
