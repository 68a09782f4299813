"""The client's settings, `.claude/settings.json`: rld's permission rules and its marketplace.

The file is never printed anew: what is missing is put into its text, and every character that was there stays.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from rld import textfile
from rld.errors import Problem, Refused
from rld.project import Project

FILE = ".claude/settings.json"
MARKETPLACE = "run-log-distill"
PLUGIN = "rld@" + MARKETPLACE
_ALLOWED = (
    "status",
    "run",
    "verify",
    "log",
    "plan",
    "journal",
    "brief",
    "propose",
    "review",
    "list",
    "show",
    "digest",
    "check",
    "doctor",
)
_ASKED = ("apply", "trust", "repeal", "adopt", "collapse", "init")
ALLOW = tuple("Bash(rld %s:*)" % verb for verb in _ALLOWED) + ("Bash(rld --version)",)
# Leaving these out of `allow` is not enough: in auto mode, which newer clients may start in, a command that no rule
# names is judged by a check on the server, and no human sees it. An `ask` rule opens the human's own dialog in every
# mode, and that dialog is the yes which long-term memory waits for.
ASK = tuple("Bash(rld %s:*)" % verb for verb in _ASKED)

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/(?!\.\.?$)[A-Za-z0-9._-]+")
_URL = re.compile(r"(https://|ssh://(\w[\w.-]*@)?|file:///)[^\s@]+|\w[\w.-]*@[\w.-]+:[^\s@]+", re.ASCII)
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


def team_source(given: str) -> dict[str, str]:
    """The source of a marketplace from OWNER/REPO on GitHub or a git URL. Raises Refused for anything else."""
    if _REPOSITORY.fullmatch(given):
        return {"source": "github", "repo": given}
    if _URL.fullmatch(given):
        return {"source": "git", "url": given}
    raise Refused(
        "--team %s is neither OWNER/REPO on GitHub nor a git URL (https://, ssh://, git@host:path) without a password"
        % given
    )


def with_rules(text: str, allow: bool, team: dict[str, str] | None = None) -> str:
    """The settings with rld's permission rules, and with its marketplace for a team; "" stands for a new file.

    A rule that the user has in any list already is not added to another one. Raises Refused when the text is no
    JSON object, or holds a value that would have to be changed.
    """
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    text = text[len(bom) :]
    if not text.strip():
        text = "{}\n"
    have = parse(text).get("permissions")
    rules = {name: _texts(have.get(name)) if isinstance(have, dict) else [] for name in ("allow", "ask", "deny")}
    wanted: dict[str, Any] = {"permissions": {}}
    if allow:
        wanted["permissions"]["allow"] = [rule for rule in ALLOW if rule not in rules["ask"] + rules["deny"]]
    wanted["permissions"]["ask"] = [rule for rule in ASK if rule not in rules["deny"]]
    if team:
        wanted["extraKnownMarketplaces"] = {MARKETPLACE: {"source": team}}
        wanted["enabledPlugins"] = {PLUGIN: True}
    return bom + _merged(text, _skip(text, 0), wanted, "")


def parse(text: str, file: str = FILE) -> dict[str, Any]:
    """A settings file's values. Raises Refused when it holds no JSON object."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        way_out = "mend it (JSON has no comments and no trailing commas) and run `rld init` again"
        raise Refused(
            Problem("is not valid JSON: %s; %s" % (error.msg, way_out), file=file, line=error.lineno)
        ) from None
    except RecursionError:
        raise Refused(Problem("is nested too deeply to be settings", file=file)) from None
    if not isinstance(value, dict):
        raise Refused(
            Problem("holds no JSON object: put `{…}` around what is there and run `rld init` again", file=file, line=1)
        )
    return value


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _merged(text: str, at: int, wanted: dict[str, Any], place: str) -> str:
    """The text with what is missing of `wanted` put into the object that opens at `at`; `place` names the object."""
    for key, value in wanted.items():
        found = [child for child in _children(text, at)[0] if child[0] == key]
        if not found:
            text = _with_child(text, at, key, value)
            continue
        start = found[-1][2]
        present, _ = _DECODER.raw_decode(text, start)
        if isinstance(value, dict) and isinstance(present, dict):
            text = _merged(text, start, value, place + key + ".")
        elif isinstance(value, list) and isinstance(present, list):
            for item in value:
                if item not in present:
                    text = _with_child(text, start, "", item)
        elif value != present:
            shown = json.dumps(present, ensure_ascii=False)
            what = "%s is %s, and `rld init` changes no value that is there: change it by hand to %s" % (
                place + key, shown[:80], json.dumps(value)
            )  # fmt: skip
            raise Refused(Problem(what, file=FILE, line=text.count("\n", 0, start) + 1))
    return text


def _children(text: str, at: int) -> tuple[list[tuple[str, int, int, int]], int]:
    """The members of the object or array that opens at `at`, and where it closes.

    A member is (key, start, start of the value, end); the key is "" in an array.
    """
    found = []
    is_object = text[at] == "{"
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        start, key = at, ""
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append((key, start, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found, at


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _with_child(text: str, at: int, key: str, value: object) -> str:
    """The text with one more member, laid out as its neighbours are, in the object or array that opens at `at`."""
    children, close = _children(text, at)
    newline = textfile.newline(text)
    unit = _indent(text)
    if children:
        gap = text[at + 1 : children[0][1]]
        inner = gap.rpartition("\n")[2]
        end = children[-1][3]
        on_lines = "\n" in gap
        before, after = (text[:end] + "," + (newline + inner if on_lines else " "), text[end:])
    else:
        line = text[text.rfind("\n", 0, at) + 1 : at]
        outer = line[: len(line) - len(line.lstrip(" \t"))]
        inner = outer + unit
        on_lines = "\n" in text.strip() or text.strip() == "{}"
        before, after = text[: at + 1], text[close:]
        if on_lines:
            before, after = before + newline + inner, newline + outer + after
    piece = json.dumps(value, ensure_ascii=False, indent=unit if on_lines else None).replace("\n", newline + inner)
    return before + (json.dumps(key) + ": " if key else "") + piece + after


def _indent(text: str) -> str:
    """One step of the text's indentation; two spaces when it has none."""
    children, _ = _children(text, _skip(text, 0))
    gap = text[: children[0][1]].rpartition("\n")[2] if children else ""
    return gap if gap and not gap.strip(" \t") else "  "


def config_folder() -> Path:
    """Where the client keeps the user's settings and plugins."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")


def files(project: Project) -> list[Path]:
    """The settings files that hold for a project, the weakest first. They need not exist."""
    return [
        config_folder() / "settings.json",
        Path(project.path(FILE)),
        Path(project.path(".claude/settings.local.json")),
    ]


def read(path: Path) -> dict[str, Any]:
    """A JSON object of the client as it is, {} when it cannot be read."""
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def rules(project: Project, kind: str) -> list[str]:
    """The permission rules of a kind ("allow", "ask", "deny") from all settings files of a project."""
    found = [read(path).get("permissions") for path in files(project)]
    return [rule for permissions in found if isinstance(permissions, dict) for rule in _texts(permissions.get(kind))]


def is_too_wide(rule: str) -> bool:
    """Does an allow rule cover a verb that only a human may say yes to?"""
    if rule in ("Bash", "Bash(*)", "Bash(rld:*)", "Bash(rld *)", "Bash(rld*)"):
        return True
    return any(rule.startswith("Bash(rld %s" % verb) for verb in _ASKED)
