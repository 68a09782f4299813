"""What one check of `rld doctor` found."""

from __future__ import annotations

OK, WARN, FAIL = "ok", "warn", "fail"


class Finding:
    """`state` is ok, warn or fail, `message` says what is so, `fix` the way out ("" when ok)."""

    __slots__ = ("fix", "message", "name", "state")

    def __init__(self, state: str, message: str, fix: str = "") -> None:
        self.name = ""
        self.state = state
        self.message = message
        self.fix = fix

    def as_dict(self) -> dict[str, str]:
        return {"name": self.name, "state": self.state, "message": self.message, "fix": self.fix}
