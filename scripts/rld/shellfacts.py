"""What is known of common shell commands: whether they can fail, and whether they change what comes after."""

from .prefixes import shell_options
from .shelltree import Group, Simple
from .shellwords import EXPANSION, QUOTED_EXPANSION, Unreadable

# Good enough to say what failed, not to say what succeeded.
_HARDLY_FAILS = ("true", ":", "echo", "printf", "pwd", "sleep", "export", "umask")
_FAILS_ALOUD = ("cd", "pushd", "popd", "tee", "tail", "cat", "mkdir")  # never without "NAME: …" in the output
_SETS_VARIABLES = ("export", "printf")
_CHANGES_THE_RULES = (
    "alias eval trap shopt setopt unsetopt emulate enable return break continue hash coproc logout bind fc"
).split()
_SOURCED_SAFELY = ("activate", "nvm.sh")
_READS_TO_THE_END = "tee tail cat grep egrep fgrep sort uniq wc tr cut nl ts".split()
_REDIRECTION_FAILED = (
    "No such file",
    "no such file",
    "ermission denied",
    "Is a directory",
    "annot create",
    "ambiguous",
)


def own_words(command: Simple) -> "list[str]":
    """The command's words without those that only make the shell look in another place for it."""
    words, at = command.words, 0
    while at < len(words) and words[at] in ("command", "builtin", "time"):
        at += 1
        while at < len(words) and words[at].startswith("-"):
            at += 1
    return words[at:]


def refuse_unruly(words: "list[str]") -> None:
    """Raises `Unreadable` for a command after which the line may mean something else."""
    name = words[0] if words else ""
    if (EXPANSION in name or QUOTED_EXPANSION in name) and "/" not in name:
        raise Unreadable("a variable can be any command")
    if name in _CHANGES_THE_RULES:
        raise Unreadable("'" + name + "' can change how the line goes on")
    if name in ("source", "."):
        base = "".join(words[1:2]).rpartition("/")[2]
        if base not in _SOURCED_SAFELY and not base.startswith(".env"):
            raise Unreadable("it runs a script that can end the line")


def can_fail(name: str, command: Simple, output: "str | None") -> bool:
    """Whether a command named so can have failed; `output` is what a failed line printed, else None."""
    if not name:
        return opens_files(command) or any("$(" in word or "`" in word for word in command.assigns)
    if output is None:
        return name not in ("true", ":") or bool(command.redirs)
    if name in _HARDLY_FAILS:
        return opens_files(command)
    if name in _FAILS_ALOUD:
        return bool(command.redirs) or name + ":" in output
    return True


def sets_variables(name: str) -> bool:
    return name not in _HARDLY_FAILS + _FAILS_ALOUD or name in _SETS_VARIABLES


def opens_files(command: "Simple | Group") -> bool:
    return any(operator not in (">&", "<&") and target != "/dev/null" for operator, target in command.redirs)


def was_unopened(command: "Simple | Group", output: str) -> bool:
    """Whether a redirection can be what failed: the command did not run then, and the shell said so."""
    return opens_files(command) and any(text in output for text in _REDIRECTION_FAILED)


def reads_to_the_end(part: "Simple | Group") -> bool:
    """Whether a reader of a pipe reads all of it, so that what writes into it is not cut short."""
    words = part.words if isinstance(part, Simple) else []
    if not words or words[0] not in _READS_TO_THE_END:
        return False
    return "grep" not in words[0] or not any(_ends_early(word) for word in words[1:])


def _ends_early(option: str) -> bool:
    if option.startswith("--"):
        return option.partition("=")[0] in ("--quiet", "--silent", "--max-count")
    return option.startswith("-") and any(letter in option for letter in "qmlL")


def exit_is_zero(arguments: "list[str]") -> "bool | None":
    """Whether `exit` with these arguments ends with 0; None when that is not known. Raises `Unreadable`."""
    if len(arguments) > 1:
        raise Unreadable("'exit' has too many arguments")
    status = "".join(arguments)
    return int(status) % 256 == 0 if status.isdecimal() and len(status) < 9 else None


def keeps_status(arguments: "list[str]") -> bool:
    """Whether `exit` with these arguments hands the last status on."""
    return arguments in ([], [EXPANSION + "$?"], [QUOTED_EXPANSION + "$?"])


def set_options(words: "list[str]") -> "dict[str, bool]":
    """The options that `set` switches. Raises `Unreadable`."""
    options, script = shell_options(words) or ({}, "")
    if script is not None:
        raise Unreadable("'set' can change how the line goes on")
    return options
