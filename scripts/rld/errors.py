"""The one exception of the package: what is wrong, where, and the way out."""

from __future__ import annotations


class Problem:
    """One thing that is wrong: `file` and `line` say where ("" and 0 where there is no place), `code` is a stable
    kebab-case word, `message` says what is wrong and the way out. `severity` is "error" or "warning"."""

    __slots__ = ("code", "file", "line", "message", "severity")

    def __init__(
        self, message: str, *, file: str = "", line: int = 0, code: str = "refused", severity: str = "error"
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.code = code
        self.severity = severity

    def __str__(self) -> str:
        place = self.file + (":%d" % self.line if self.line else "")
        return "%s%s" % (place + ": " if place else "", self.message)

    def as_dict(self) -> dict[str, object]:
        return {
            "file": self.file,
            "line": self.line,
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
        }


class Refused(Exception):
    """The command cannot be done. Carries every problem found, so that people mend all of them at once."""

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = [Problem(p) if isinstance(p, str) else p for p in problems]
        super().__init__("; ".join(str(p) for p in self.problems))


def from_tuples(file: str, found: list[tuple[int, str, str]], severity: str = "error") -> list[Problem]:
    """The (line, code, message) problems of a pure module as problems of a file."""
    return [Problem(message, file=file, line=line, code=code, severity=severity) for line, code, message in found]
