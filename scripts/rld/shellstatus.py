"""What the exit status of a shell line tells about one wanted command in it.

The line is run in the mind: a command that is not understood may succeed or fail, and for each way the line can go it
is kept what the wanted command did. A state is (last status was 0, what the wanted command did, errexit, pipefail);
there are at most 24, so the work grows with the line and not with the ways through it.
"""

from .prefixes import peel, shell_options, shell_script
from .shelltree import Group, Pipeline, Simple, Statement, Unreadable, read
from .wanted import Wanted, commands

NOT_RUN, PASS, FAIL = 0, 1, 2
MAX_SHELLS = 3  # of `bash -c` within `bash -c`

States = set[tuple[bool, int, bool, bool]]

# The client runs a line as one member of a `&&` list, where a shell ignores errexit: `set -e` is without effect
# unless the line starts a shell of its own (anthropics/claude-code#90611).
_CLIENT_IGNORES_ERREXIT = True

_CANNOT_FAIL = ("true", ":", "echo", "printf", "pwd", "sleep", "export", "umask")
_FAILS_ALOUD = ("cd", "pushd", "popd", "tee", "tail", "cat", "mkdir")  # never without "NAME: …" in the output
_SETS_VARIABLES = ("export", "printf")
_CHANGES_THE_RULES = (
    "alias eval trap shopt setopt unsetopt emulate enable return break continue hash coproc logout bind fc"
).split()
_SOURCED_SAFELY = ("activate", "nvm.sh")
_READS_TO_THE_END = "tee tail cat grep egrep fgrep sort uniq wc tr cut nl ts".split()
# Variables that hand a runner options which the line does not show.
_STEERING = "PYTEST_ADDOPTS MAKEFLAGS GNUMAKEFLAGS MFLAGS GOFLAGS MAVEN_ARGS BASH_ENV SHELLOPTS BASHOPTS".split()
_REDIRECTION_FAILED = ("No such file", "no such file", "ermission denied", "Is a directory", "annot create", "ambiguous")


class Line:
    """A shell line gone through for one wanted command.

    `ends` holds how it can end, as (status was 0, what the wanted command did); `others` the words of the other
    commands that can have failed; `hint` a reason in plain words why the wanted command proves nothing, or "".
    """

    __slots__ = ("ends", "others", "hint", "_wanted", "_output", "_exits", "_ran_here", "_touched", "_memo", "_scripts")

    def __init__(self, statements: "list[Statement]", wanted: Wanted, output: "str | None" = None) -> None:
        """`output` is what a failed line printed, None when it succeeded. Raises `Unreadable`."""
        self.others: "list[list[str]]" = []
        self.hint = ""
        self._wanted = wanted
        self._output = output
        self._exits: States = set()
        self._ran_here = False
        self._touched = False  # whether something ran that can have set a variable
        self._memo: "dict[tuple[int, tuple[bool, int, bool, bool], bool], tuple[States, bool]]" = {}
        self._scripts: "list[list[Statement]]" = []
        self._refuse_steering(statements)
        live = self._program(statements, {(True, NOT_RUN, False, False)}, _CLIENT_IGNORES_ERREXIT)
        self.ends = {state[:2] for state in live | self._exits}

    def _refuse_steering(self, statements: "list[Statement]") -> None:
        own = [word for command in commands(self._wanted.statements) for word in command.assigns + command.words]
        for command in commands(statements):
            for word in command.assigns + command.words:
                for name in word.split("=")[:-1]:
                    name = name[2:] if name.startswith("-e") else name
                    if (name in _STEERING or name.lower().startswith("npm_config_")) and word not in own:
                        raise Unreadable("the variable " + name + " can change what is run")

    # Each of these takes the states before a part of the line and gives those after it. `shielded` tells that errexit
    # is ignored there. States in which the shell has ended go to `_exits`.

    def _program(self, statements: "list[Statement]", states: States, shielded: bool) -> States:
        at = 0
        while at < len(statements):
            statement = statements[at]
            if self._wanted.is_list(statements, at) and not (shielded and self._wanted.errexit):
                states = self._ran_list(states, shielded)
                at += len(self._wanted.statements)
                continue
            if statement.background:
                self._note([statement], "it is left running in the background")
                states = {(True, *state[1:]) for state in states}
            else:
                states = self._chain(statement.members, states, shielded)
            at += 1
        return states

    def _chain(self, members: "list[tuple[str, Pipeline]]", states: States, shielded: bool) -> States:
        at = 0
        while at < len(members):
            operator, pipeline = members[at]
            going = {state for state in states if not operator or state[0] == (operator == "&&")}
            if self._wanted.is_chain(members, at):
                at += len(self._wanted.chain)
                done = self._ran_list(going, shielded or at < len(members))
            else:
                at += 1
                # Errexit counts for the last member only.
                done = self._pipeline(pipeline, going, shielded or at < len(members))
            states = (states - going) | done
        return states

    def _pipeline(self, pipeline: Pipeline, states: States, shielded: bool) -> States:
        part = pipeline.parts[0]
        if self._wanted.is_pipeline(pipeline):
            return self._errexit(self._ran(states), shielded or pipeline.negated)
        shielded = shielded or pipeline.negated
        if len(pipeline.parts) > 1:
            states = self._pipe(pipeline.parts, states, shielded)
        else:
            states = self._part(part, states, shielded)
            if isinstance(part, Group) and part.kind != "(":
                shielded = True  # what failed inside a group of this shell has been seen there
        if pipeline.negated:
            states = {(not state[0], *state[1:]) for state in states}
        return self._errexit(states, shielded)

    def _errexit(self, states: States, shielded: bool) -> States:
        ended = {state for state in states if not (shielded or state[0]) and state[2]}
        self._exits |= ended
        return states - ended

    def _pipe(self, parts: "list[Simple | Group]", states: States, shielded: bool) -> States:
        after: States = set()
        for ok, seen, errexit, pipefail in states:
            ways, source = {(True, ok, seen)}, -1  # whether all succeeded, the last one, what the wanted command did
            for number, part in enumerate(parts):
                following = set()
                for all_ok, _, seen_before in ways:
                    outcomes, ran = self._alone(part, (ok, seen_before, errexit, pipefail), shielded)
                    following |= {(all_ok and outcome[0], outcome[0], outcome[1]) for outcome in outcomes}
                    source = number if ran else source
                ways = following
            if 0 <= source < len(parts) - 1:
                self._readers(parts[source + 1 :], pipefail)
            after |= {(all_ok if pipefail else last, seen, errexit, pipefail) for all_ok, last, seen in ways}
        return after

    def _readers(self, parts: "list[Simple | Group]", pipefail: bool) -> None:
        """What reads the wanted command's output must read all of it, or the status means little even with pipefail."""
        for part in parts:
            words = part.words if isinstance(part, Simple) else []
            name = (words or ["a group"])[0]
            if not pipefail:
                self.hint = self.hint or "its exit status is lost in a pipe into '" + name + "'"
            elif name not in _READS_TO_THE_END or "grep" in name and any(_ends_early(word) for word in words[1:]):
                raise Unreadable("'" + name + "' can end the pipe early")

    def _alone(
        self, node: "Simple | Group | list[Statement]", state: "tuple[bool, int, bool, bool]", shielded: bool
    ) -> "tuple[States, bool]":
        """Outcomes in a shell of its own, which keeps its options to itself, and whether the wanted command ran there."""
        key = (id(node), state, shielded)
        if key not in self._memo:
            outside = self._exits, self._ran_here
            self._exits, self._ran_here = set(), False
            body = node.body if isinstance(node, Group) and node.kind[0] in "({" else node
            if isinstance(body, list):
                live = self._program(body, {state}, shielded)
            else:
                live = self._part(body, {state}, shielded)
            outcomes = {(end[0], end[1], state[2], state[3]) for end in live | self._exits}
            self._memo[key] = outcomes, self._ran_here
            self._exits, self._ran_here = outside
        self._ran_here = self._ran_here or self._memo[key][1]
        return self._memo[key]

    def _part(self, part: "Simple | Group", states: States, shielded: bool) -> States:
        if isinstance(part, Simple):
            return self._command(part, states, shielded)
        if part.kind == "(":
            after = {end for state in states for end in self._alone(part.body, state, shielded)[0]}
        elif part.kind == "{":
            after = self._program(part.body, states, shielded)
        else:
            after = self._compound(part, states, shielded)
        return after | self._unopened(part, states)

    def _compound(self, group: Group, states: States, shielded: bool) -> States:
        """An if or a loop: it may do anything its commands can, in any order, but not be the proof."""
        if self._wanted.is_within(group.body):
            raise Unreadable("it runs inside an if or a loop")
        after: States = set()
        for command in commands(group.body):
            if command.words[:1] not in (["break"], ["continue"]):
                after |= self._command(command, states, shielded)
        if {state[2:] for state in after} - {state[2:] for state in states}:
            raise Unreadable("it sets shell options inside an if or a loop")
        after = {(ok, *state[1:]) for state in states for ok in (True, False)}
        self._errexit(after, shielded)
        return after

    def _command(self, command: Simple, states: States, shielded: bool) -> States:
        words = command.words
        if self._wanted.is_command(command):
            return self._ran(states) | self._unopened(command, states)
        self._touched = self._touched or bool(command.assigns)
        if words[:1] == ["exec"] and len(words) > 1:
            run = Simple()
            run.words, run.assigns, run.redirs = words[1:], command.assigns, command.redirs
            self._exits |= self._command(run, states, shielded)
            return set()
        peeled: "tuple[list[str], list[str]] | None" = (words, [])
        while peeled:
            script = shell_script(peeled[0])
            if script:
                return self._shell(script[0], script[1], states) | self._unopened(command, states)
            peeled = peel(peeled[0])
        return self._other(command, states, shielded)

    def _shell(self, options: "dict[str, bool]", script: str, states: States) -> States:
        if len(self._scripts) == MAX_SHELLS:
            raise Unreadable("it starts shells within shells")
        statements = read(script)
        self._refuse_steering(statements)
        self._scripts.append(statements)
        flags = options.get("errexit", False), options.get("pipefail", False)
        after: States = set()
        for _, seen, errexit, pipefail in states:
            outcomes, _ = self._alone(statements, (True, seen, *flags), False)
            after |= {(end[0], end[1], errexit, pipefail) for end in outcomes}
        self._scripts.pop()
        return after

    def _ran(self, states: States) -> States:
        if self._wanted.expands and self._touched:
            raise Unreadable("its words hold variables that something before it can have set")
        self._ran_here = True
        return {(ok, PASS if ok else FAIL, *state[2:]) for state in states for ok in (True, False)}

    def _ran_list(self, states: States, shielded: bool) -> States:
        after = self._ran(states)
        self._errexit(after, shielded)  # which of its commands failed is not known: the shell may go on as well
        return after

    def _unopened(self, command: "Simple | Group", states: States) -> States:
        """A failed redirection fails the command before it runs; the shell says so."""
        if not _opens_files(command) or not any(text in (self._output or "") for text in _REDIRECTION_FAILED):
            return set()
        return {(False, *state[1:]) for state in states}

    def _other(self, command: Simple, states: States, shielded: bool) -> States:
        words = command.words
        while words and words[0] in ("command", "builtin", "time"):
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        name = words[0] if words else ""
        if name == "exit":
            return self._exit(words[1:], states)
        if name == "set":
            return self._set(words, states, shielded)
        if name in _CHANGES_THE_RULES or (("\0" in name or "\1" in name) and "/" not in name):
            raise Unreadable("'" + name.lstrip("\0\1") + "' can change how the line goes on")
        if name in ("source", "."):
            base = "".join(words[1:2]).rpartition("/")[2]
            if base not in _SOURCED_SAFELY and not base.startswith(".env"):
                raise Unreadable("it runs a script that can end the line")
        if name not in _CANNOT_FAIL + _FAILS_ALOUD or name in _SETS_VARIABLES:
            self._touched = True
        ways = [name != "false"]
        if self._can_fail(name, command) and ways[0]:
            ways.append(False)
            self.others.append(command.words)
        return {(ok, *state[1:]) for state in states for ok in ways}

    def _can_fail(self, name: str, command: Simple) -> bool:
        if not name:
            return _opens_files(command) or any("$(" in word or "`" in word for word in command.assigns)
        if name in _CANNOT_FAIL:
            return _opens_files(command)
        if name in _FAILS_ALOUD and self._output is not None:
            return bool(command.redirs) or name + ":" in self._output
        return True

    def _exit(self, arguments: "list[str]", states: States) -> States:
        if len(arguments) > 1:
            raise Unreadable("'exit' has too many arguments")
        status = "".join(arguments)
        if status.lstrip("\0\1") in ("", "$?"):
            self._exits |= states
        else:
            ways = (int(status) % 256 == 0,) if status.isdecimal() and len(status) < 9 else (True, False)
            self._exits |= {(ok, *state[1:]) for state in states for ok in ways}
        return set()

    def _set(self, words: "list[str]", states: States, shielded: bool) -> States:
        options, script = shell_options(words) or ({}, "")
        if script is not None:
            raise Unreadable("'set' can change how the line goes on")
        if options.get("errexit") and shielded:
            self.hint = self.hint or "'set -e' has no effect in a line that the client runs"
        return {
            (True, seen, options.get("errexit", errexit), options.get("pipefail", pipefail))
            for _, seen, errexit, pipefail in states
        }

    def _note(self, statements: "list[Statement]", hint: str) -> None:
        if not self.hint and self._wanted.is_within(statements):
            self.hint = hint


def _opens_files(command: "Simple | Group") -> bool:
    return any(operator not in (">&", "<&") and target != "/dev/null" for operator, target in command.redirs)


def _ends_early(option: str) -> bool:
    if option.startswith("--"):
        return option.partition("=")[0] in ("--quiet", "--silent", "--max-count")
    return option.startswith("-") and any(letter in option for letter in "qmlL")
