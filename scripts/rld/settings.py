"""`.rld.yml`: every key has a default, an unknown one is an error that lists the valid ones."""

from __future__ import annotations

from pathlib import Path

from rld import textfile
from rld.errors import Problem, Refused
from rld.project import SETTINGS, Project

DEFAULTS: dict[str, object] = {
    "verify": [],
    "post_mortem": "POST_MORTEM.md",
    "worklog": "docs/worklog",
    "entry_points": ["CLAUDE.md"],
    "digest": {"max_chars": 6000},
    "stop": "warn",
    "protect": "deny",
    "approval": "each-item",
}
CHOICES = {
    "stop": ("warn", "block-once", "off"),
    "protect": ("deny", "ask", "off"),
    "approval": ("each-item", "batch"),
}


class Settings:
    """The settings of a project. `verify` and `entry_points` are lists, `max_chars` counts UTF-16 units."""

    def __init__(self, values: dict[str, object]) -> None:
        merged = {**DEFAULTS, **values}
        self.verify: list[str] = _as_list(merged["verify"])
        self.post_mortem = str(merged["post_mortem"])
        self.worklog = str(merged["worklog"]).rstrip("/")
        self.entry_points: list[str] = _as_list(merged["entry_points"])
        digest = merged["digest"]
        assert isinstance(digest, dict)
        self.max_chars = int(digest.get("max_chars", 6000))
        self.stop = _word(merged["stop"])
        self.protect = _word(merged["protect"])
        self.approval = str(merged["approval"])

    @property
    def archive(self) -> str:
        return self.worklog + "/archive"


def _word(value: object) -> str:
    return "off" if value is False else str(value)


def _as_list(value: object) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list) else [str(value)]


def load(project: Project) -> Settings:
    """The project's settings. Raises Refused with file, line and way out when `.rld.yml` cannot be used."""
    path = Path(project.root, SETTINGS)
    return Settings(parse(textfile.read(path))) if path.exists() else Settings({})


def parse(text: str) -> dict[str, object]:
    """The values of a settings file. Raises Refused with every problem in it."""
    import yaml

    try:
        loaded = yaml.safe_load(text.lstrip("\ufeff"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 0
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise Refused(
            Problem("is not YAML: %s (a value with ': ' or '#' in it needs quotes)" % what, file=SETTINGS, line=line, code="settings")
        ) from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise Refused(Problem("must be lines of `key: value`", file=SETTINGS, line=1, code="settings"))
    problems = [problem for key, value in loaded.items() for problem in _check(text, key, value)]
    if problems:
        raise Refused(*problems)
    return {str(key): value for key, value in loaded.items() if value is not None}


def _check(text: str, key: object, value: object) -> list[Problem]:
    rows = text.splitlines()
    line = next((n for n, row in enumerate(rows, 1) if row.strip().startswith("%s:" % key)), 1)

    def bad(message: str) -> list[Problem]:
        return [Problem(message, file=SETTINGS, line=line, code="settings")]

    if key not in DEFAULTS:
        return bad("unknown key %r; the keys are %s" % (key, ", ".join(DEFAULTS)))
    if value is None:
        return []
    if key in CHOICES:
        # YAML 1.1 reads a bare `off` as false.
        word = "off" if value is False else value
        if word not in CHOICES[str(key)]:
            return bad("%s must be one of %s, not %r" % (key, ", ".join(CHOICES[str(key)]), value))
        return []
    if key == "digest":
        if not isinstance(value, dict) or set(value) - {"max_chars"}:
            return bad("digest takes one key, max_chars: `digest: {max_chars: 6000}`")
        size = value.get("max_chars", 6000)
        if not isinstance(size, int) or isinstance(size, bool) or not 500 <= size <= 9000:
            return bad("digest.max_chars must be a whole number from 500 to 9000, not %r" % size)
        return []
    if key in ("verify", "entry_points"):
        if isinstance(value, str) or (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            return []
        return bad("%s must be text or a list of texts" % key)
    if not isinstance(value, str) or not value.strip():
        return bad("%s must be a path" % key)
    return []
