"""A command that is looked for in a shell line: the same words, whatever the quotes, spacing and prefixes."""

from .prefixes import shell_options, without_prefixes
from .shelltree import Group, Pipeline, Simple, Statement, read
from .shellwords import Unreadable

# Variables that hand a runner options which the line does not show.
_STEERING = "PYTEST_ADDOPTS MAKEFLAGS GNUMAKEFLAGS MFLAGS GOFLAGS MAVEN_ARGS BASH_ENV SHELLOPTS BASHOPTS".split()


class Wanted:
    """The command, read once. Raises `Unreadable`.

    `simple`, `pipeline` and `chain` hold it when it is no more than that; `statements` always do. `expands`
    tells whether its words hold variables or substitutions, `errexit` whether it relies on `set -e`.
    """

    __slots__ = ("statements", "chain", "pipeline", "simple", "expands", "errexit")

    def __init__(self, text: str) -> None:
        self.statements = read(text)
        if not self.statements or self.statements[-1].background:
            raise Unreadable("it is empty or ends in the background")
        self.chain = self.statements[0].members if len(self.statements) == 1 else []
        self.pipeline = self.chain[0][1] if len(self.chain) == 1 else None
        self.simple = None
        if self.pipeline and len(self.pipeline.parts) == 1 and not self.pipeline.negated:
            part = self.pipeline.parts[0]
            self.simple = part if isinstance(part, Simple) else None
        inside = commands(self.statements)
        words = [word for command in inside for word in command.assigns + command.words]
        self.expands = any(mark in word for word in words for mark in ("\0$", "\0`", "\0<", "\0>", "\1"))
        self.errexit = any(
            (shell_options(command.words) or ({}, ""))[0].get("errexit")
            for command in inside
            if command.words[:1] == ["set"]
        )

    def is_command(self, command: Simple) -> bool:
        return self.simple is not None and same_command(self.simple, command)

    def is_pipeline(self, pipeline: Pipeline) -> bool:
        return self.simple is None and self.pipeline is not None and _same_pipeline(self.pipeline, pipeline)

    def is_chain(self, members: "list[tuple[str, Pipeline]]", at: int) -> bool:
        """Whether the `&&` and `||` list at `at` means the same there as it does alone."""
        chain = self.chain
        there = members[at : at + len(chain)]
        if len(chain) < 2 or not _same_members(chain, there):
            return False
        return at == 0 or all(operator == "&&" for operator, _ in there)

    def is_list(self, statements: "list[Statement]", at: int) -> bool:
        length = len(self.statements)
        return length > 1 and _same_statements(self.statements, statements[at : at + length])

    def is_within(self, statements: "list[Statement]") -> bool:
        """Whether any command of it occurs anywhere in the statements."""
        pieces = commands(self.statements)
        return any(same_command(piece, command) for command in commands(statements) for piece in pieces)

    def refuse_steering(self, statements: "list[Statement]") -> None:
        """Raises `Unreadable` when the statements set a variable that changes what a runner does."""
        own = [word for command in commands(self.statements) for word in command.assigns + command.words]
        for command in commands(statements):
            for word in command.assigns + command.words:
                for name in word.split("=")[:-1]:
                    name = name[2:] if name.startswith("-e") else name
                    if (name in _STEERING or name.lower().startswith("npm_config_")) and word not in own:
                        raise Unreadable("the variable " + name + " can change what is run")


def commands(statements: "list[Statement]") -> "list[Simple]":
    """All simple commands of the statements, in order, those in groups included."""
    found = []
    nodes: "list[object]" = list(reversed(statements))
    while nodes:
        node = nodes.pop()
        if isinstance(node, Simple):
            found.append(node)
        elif isinstance(node, Group):
            nodes.extend(reversed(node.body))
        elif isinstance(node, Pipeline):
            nodes.extend(reversed(node.parts))
        elif isinstance(node, Statement):
            nodes.extend(pipeline for _, pipeline in reversed(node.members))
    return found


def same_command(wanted: Simple, command: Simple) -> bool:
    """Whether a command is the wanted one, perhaps behind prefixes that hand its exit status on."""
    if command.words[-1:] != wanted.words[-1:]:
        return False
    for words, handed in without_prefixes(command.words):
        if words == wanted.words:
            given = command.assigns + handed
            return all(assign in given for assign in wanted.assigns) and _inputs(wanted) == _inputs(command)
    return False


def _inputs(command: Simple) -> "list[tuple[str, str]]":
    return [redir for redir in command.redirs if redir[0][0] == "<" and redir[0] != "<&" and redir[1] != "/dev/null"]


def _same_statements(wanted: "list[Statement]", there: "list[Statement]") -> bool:
    return len(wanted) == len(there) and all(
        one.background == other.background and _same_members(one.members, other.members)
        for one, other in zip(wanted, there)
    )


def _same_members(wanted: "list[tuple[str, Pipeline]]", there: "list[tuple[str, Pipeline]]") -> bool:
    return (
        len(wanted) == len(there)
        and [operator for operator, _ in wanted[1:]] == [operator for operator, _ in there[1:]]
        and all(_same_pipeline(one[1], other[1]) for one, other in zip(wanted, there))
    )


def _same_pipeline(wanted: Pipeline, there: Pipeline) -> bool:
    return (
        wanted.negated == there.negated
        and len(wanted.parts) == len(there.parts)
        and all(_same_part(one, other) for one, other in zip(wanted.parts, there.parts))
    )


def _same_part(wanted: "Simple | Group", there: "Simple | Group") -> bool:
    if isinstance(wanted, Simple):
        return isinstance(there, Simple) and same_command(wanted, there)
    return (
        isinstance(there, Group)
        and (wanted.kind, wanted.redirs) == (there.kind, there.redirs)
        and _same_statements(wanted.body, there.body)
    )
