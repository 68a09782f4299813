"""`.rld.yml`: every key has a default, an unknown one is an error that lists the valid ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rld import textfile
from rld.errors import Problem, Refused
from rld.project import SETTINGS, Project, is_absolute, slashes

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
# What `rld init` writes: nothing is set, every key can be seen.
TEMPLATE = """\
# Settings of rld (Run, Log, Distill). All are optional, and these lines show the defaults.
# A hand edit takes effect with the next hook or command; the digest shows it at the next session start.

# verify: npm test              # none by default; a command or a list, the run's own verify command wins
# post_mortem: POST_MORTEM.md
# worklog: docs/worklog
# entry_points: [CLAUDE.md]
# digest: {max_chars: 6000}     # 500 to 9000
# stop: warn                    # warn | block-once | off
# protect: deny                 # deny | ask | off: the model's direct edits of the post-mortem
# approval: each-item           # each-item | batch: several items logged without a word from the human between them
"""


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
        self.stop = str(merged["stop"])
        self.protect = str(merged["protect"])
        self.approval = str(merged["approval"])

    @property
    def archive(self) -> str:
        return self.worklog + "/archive"


def _as_list(value: object) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list) else [str(value)]


def load(project: Project) -> Settings:
    """The project's settings. Raises Refused with file, line and way out when `.rld.yml` cannot be used."""
    path = Path(project.root, SETTINGS)
    return Settings(parse(textfile.read(path))) if path.exists() else Settings({})


def parse(text: str) -> dict[str, object]:
    """The values of a settings file; a key without a value is left out. Raises Refused with every problem in it."""
    text = text.lstrip("\ufeff")
    values: dict[str, object] = {}
    problems = []
    for line, key, value in _pairs(text):
        what = "%s stands twice" % key if key in values else _wrong(key, value)
        if what:
            problems.append(Problem(what, file=SETTINGS, line=line, code="settings"))
        # YAML 1.1 reads a bare `off` as false.
        values[str(key)] = "off" if value is False and key in CHOICES else value
    if problems:
        raise Refused(*problems)
    return {key: value for key, value in values.items() if value is not None}


def _pairs(text: str) -> list[tuple[int, object, object]]:
    """The line, key and value of each pair, in the order of the file; duplicates are kept."""
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None or (isinstance(node, yaml.ScalarNode) and loader.construct_document(node) is None):
            return []
        if not isinstance(node, yaml.MappingNode):
            raise Refused(Problem("must be lines of `key: value`", file=SETTINGS, line=1, code="settings"))
        return [
            (_line(text, key.start_mark), loader.construct_document(key), loader.construct_document(value))
            for key, value in node.value
        ]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error).splitlines()[0]
        hint = " (a value with ': ' or '#' in it needs quotes)" if mark else ""
        position = mark.index if mark else getattr(error, "position", 0)
        line = text.count("\n", 0, position) + 1
        raise Refused(Problem("is not YAML: %s%s" % (what, hint), file=SETTINGS, line=line, code="settings")) from None
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        # PyYAML's constructors raise these too, for a date such as 2026-99-99 or an empty !!int.
        raise Refused(
            Problem("is not YAML that settings can have: %s" % error, file=SETTINGS, code="settings")
        ) from None


def _line(text: str, mark: Any) -> int:
    # Not mark.line: YAML ends lines at characters where no editor does.
    return text.count("\n", 0, mark.index) + 1


def _wrong(key: object, value: object) -> str:
    """What is wrong with a value and the way out, "" when nothing is. None, no value, stands for the default."""
    if not isinstance(key, str) or key not in DEFAULTS:
        return "unknown key %r; the keys are %s" % (key, ", ".join(DEFAULTS))
    if value is None:
        return ""
    if key in CHOICES:
        word = "off" if value is False else value
        return "" if word in CHOICES[key] else "%s must be one of %s, not %r" % (key, ", ".join(CHOICES[key]), word)
    if key == "digest":
        if not isinstance(value, dict) or set(value) - {"max_chars"}:
            return "digest takes one key, max_chars: `digest: {max_chars: 6000}`"
        size = value.get("max_chars", 6000)
        if not isinstance(size, int) or isinstance(size, bool) or not 500 <= size <= 9000:
            return "digest.max_chars must be a whole number from 500 to 9000, not %r" % (size,)
        return ""
    texts = value if isinstance(value, list) and isinstance(DEFAULTS[key], list) else [value]
    if all(isinstance(text, str) and text.strip() for text in texts):
        outside = key in ("post_mortem", "worklog") and (
            is_absolute(slashes(str(value))) or ".." in Path(str(value)).parts
        )
        return "%s must be inside the project, not %s" % (key, value) if outside else ""
    return "%s must be %s" % (key, "text or a list of texts" if isinstance(DEFAULTS[key], list) else "a path")
