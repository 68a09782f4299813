"""Which files a scope's glob is about."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable


def matches_any(glob: str, files: Iterable[str]) -> bool:
    """Does a glob match one of the paths, or a folder above one?

    `**` crosses folders; a name alone is looked for anywhere.
    """
    pattern = _compiled(glob)
    return any(pattern.match(path) for path in files)


@functools.lru_cache(maxsize=256)
def _compiled(glob: str) -> re.Pattern[str]:
    glob = glob.removeprefix("./").lstrip("/")
    made = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at):
            made += "(?:.*/)?"
            at += 3
        elif glob.startswith("**", at):
            made += ".*"
            at += 2
        elif glob[at] == "*":
            made += "[^/]*"
            at += 1
        elif glob[at] == "?":
            made += "[^/]"
            at += 1
        elif glob[at] == "{" and "}" in glob[at:]:
            end = glob.index("}", at)
            made += "(?:%s)" % "|".join(re.escape(choice) for choice in glob[at + 1 : end].split(","))
            at = end + 1
        else:
            made += re.escape(glob[at])
            at += 1
    return re.compile(made.rstrip("/") + "(?:/.*)?$")
