"""Well-known test runners, type checkers and linters, for projects that have not named a verify command."""

from .prefixes import shell_script, without_prefixes
from .shelltree import Statement, read
from .shellwords import Unreadable
from .wanted import commands

# First word -> what the first plain argument must be; nothing named means any.
_CHECKERS = {
    "pytest": "",
    "py.test": "",
    "tox": "",
    "nox": "",
    "mypy": "",
    "pyright": "",
    "ruff": "check",
    "tsc": "",
    "vue-tsc": "",
    "jest": "",
    "vitest": "",
    "mocha": "",
    "ava": "",
    "eslint": "",
    "rspec": "",
    "phpunit": "",
    "ctest": "",
    "playwright": "test",
    "cypress": "run",
    "npm": "test t tst",
    "pnpm": "test t",
    "yarn": "test",
    "bun": "test",
    "deno": "test check",
    "nx": "test",
    "turbo": "test",
    "cargo": "test nextest check clippy",
    "go": "test vet",
    "make": "test tests check",
    "just": "test tests check",
    "rake": "test spec",
    "gradle": "test check build",
    "gradlew": "test check build",
    "mvn": "test verify",
    "mvnw": "test verify",
    "dotnet": "test",
    "swift": "test",
    "mix": "test",
    "bazel": "test",
}
_PYTHON_MODULES = ("pytest", "unittest", "mypy", "nose2", "tox", "nox")
_SCRIPT_RUNNERS = ("npm", "pnpm", "yarn", "bun", "turbo", "composer")
_SCRIPTS = ("test", "check", "typecheck", "type-check", "lint", "verify")
_GOALS = ("make", "just", "gradle", "gradlew", "mvn", "mvnw")  # take any number of goals, in any place
_CHECKS_NOTHING = (
    "--version --help -h -V --collect-only --co --fixtures --markers --no-run --list --listTests --list-tests"
    " -list --watch --watchAll --dry-run --just-print --init --showConfig --setup-plan --if-present"
).split()
_CHECKS_NOTHING_HERE = (("make", "-n"), ("tsc", "-w"), ("mocha", "-w"), ("vitest", "watch"))


def known_runner(command: str) -> str:
    """The words, as written, of the last well-known test runner or checker that a line runs; "" if none.

    They can be given to `judge` as the verify command where a project has not named one.
    """
    try:
        statements = read(command)
    except Unreadable:
        return ""
    return _last_checker(statements, 1)


def _last_checker(statements: "list[Statement]", shells: int) -> str:
    found = ""
    for command in commands([statement for statement in statements if not statement.background]):
        for words, _ in without_prefixes(command.words):
            if _is_checker(words):
                found = " ".join(command.raw[-len(words) :])
                break
            script = shell_script(words)
            if script and shells:
                try:
                    found = _last_checker(read(script[1]), shells - 1) or found
                except Unreadable:
                    pass
    return found


def _is_checker(words: "list[str]") -> bool:
    """Whether the words run a well-known test runner, type checker or linter on the project."""
    name = words[0].rpartition("/")[2] if words else ""
    if any(word in _CHECKS_NOTHING or (name, word) in _CHECKS_NOTHING_HERE for word in words):
        return False
    plain = [
        word
        for before, word in zip(words, words[1:])
        if not word.startswith("-") and not (name in _GOALS and before in ("-C", "-f", "-p"))
    ]
    first, second = (plain + ["", ""])[:2]
    if name.startswith("python"):
        return (first, second) == ("manage.py", "test") or (first in _PYTHON_MODULES and words[1] == "-m")
    if name == "node":
        return "--test" in words
    if name in _SCRIPT_RUNNERS and first == "run":
        return second.partition(":")[0] in _SCRIPTS
    if name in ("yarn", "pnpm") and first.partition(":")[0] in _SCRIPTS:
        return True
    wanted = _CHECKERS.get(name, "-").split()
    if name in _GOALS:
        return any(word.rpartition(":")[2] in wanted for word in plain)
    return not wanted or first in wanted
