"""Linters and formatters a project has configured, and what they can enforce without a rule in words."""

from __future__ import annotations

import re
from pathlib import Path

_CONFIGS = (
    ("eslint.config.", "eslint"), (".eslintrc", "eslint"), ("biome.json", "biome"), (".prettierrc", "prettier"),
    ("prettier.config.", "prettier"), ("ruff.toml", "ruff"), (".ruff.toml", "ruff"), (".flake8", "flake8"),
    (".pylintrc", "pylint"), (".golangci.", "golangci-lint"), ("rustfmt.toml", "rustfmt"), (".rubocop.yml", "rubocop"),
    (".stylelintrc", "stylelint"), (".clang-format", "clang-format"), ("checkstyle.xml", "checkstyle"),
)  # fmt: skip
_TABLES = (("[tool.ruff", "ruff"), ("[tool.black", "black"), ("[tool.isort", "isort"), ("[tool.pylint", "pylint"))
_ENFORCED = re.compile(
    r"\b(?:unused (?:import|variable|argument|export)s?|import (?:order|sorting)|(?:sort|order) (?:the )?imports?"
    r"|indent(?:ation|ed)?|trailing (?:comma|space|whitespace)s?|semicolons?|(?:single|double) quotes|line length"
    r"|max(?:imum)? line|(?:code )?formatting|tabs (?:or|instead of|and) spaces|no-console|console\.log"
    r"|wildcard imports?|bare except|camelcase|snake_case|naming convention)\b",
    re.I,
)


def configured(root: str) -> list[str]:
    """The linters with a configuration at the top of a project."""
    found: list[str] = []
    for path in sorted(Path(root).iterdir()):
        for prefix, name in _CONFIGS:
            if path.name.startswith(prefix) and name not in found:
                found.append(name)
    for file, tables in (("pyproject.toml", _TABLES), ("package.json", (('"eslintConfig"', "eslint"),))):
        try:
            text = Path(root, file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found += [name for mark, name in tables if mark in text and name not in found]
    return found


def enforces(text: str, linters: list[str]) -> str:
    """The linters that can enforce a rule, as words; "" when none is configured or the rule is about something else."""
    return " or ".join(linters) if linters and _ENFORCED.search(text) else ""
