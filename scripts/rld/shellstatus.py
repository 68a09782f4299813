"""What the exit status of a shell line tells about one wanted command in it.

The line is run in the mind: a command that is not understood may succeed or fail, and for each way the line
can go it is kept what the wanted command did. A state is (last status was 0, what the wanted command did,
errexit, pipefail); there are at most 24, so the work grows with the line and not with the ways through it.
"""

from .prefixes import shell_script, without_prefixes
from .shellfacts import (
    can_fail,
    exit_is_zero,
    keeps_status,
    own_words,
    reads_to_the_end,
    refuse_unruly,
    set_options,
    sets_variables,
    was_unopened,
)
from .shelltree import Group, Pipeline, Simple, Statement, read
from .shellwords import Unreadable
from .wanted import Wanted, commands

NOT_RUN, PASS, FAIL = 0, 1, 2
MAX_SHELLS = 3  # of `bash -c` within `bash -c`

State = tuple[bool, int, bool, bool]
States = set[State]

# The client runs a line as one member of a `&&` list, where a shell ignores errexit: `set -e` is without
# effect unless the line starts a shell of its own (anthropics/claude-code#90611; Pitfall 19).
_CLIENT_IGNORES_ERREXIT = True


class Line:
    """A shell line gone through for one wanted command.

    `ends` holds how it can end, as (status was 0, what the wanted command did); `others` the words of the
    other commands that can have failed; `hint` a reason in plain words why it proves nothing, or "".
    """

    __slots__ = (
        "ends",
        "others",
        "hint",
        "_wanted",
        "_output",
        "_exits",
        "_ran_here",
        "_touched",
        "_memo",
        "_scripts",
        "_depth",
    )

    def __init__(self, statements: "list[Statement]", wanted: Wanted, output: "str | None" = None) -> None:
        """`output` is what a failed line printed, None when it succeeded. Raises `Unreadable`."""
        self.others: "list[list[str]]" = []
        self.hint = ""
        self._wanted = wanted
        self._output = output
        self._exits: States = set()
        self._ran_here = False
        self._touched = False  # whether something ran that can have set a variable
        self._memo: "dict[tuple[int, State, bool], tuple[States, bool]]" = {}
        self._scripts: "list[list[Statement]]" = []  # kept, because `_memo` knows them by their id
        self._depth = 0
        wanted.refuse_steering(statements)
        live = self._program(statements, {(True, NOT_RUN, False, False)}, _CLIENT_IGNORES_ERREXIT)
        self.ends = {state[:2] for state in live | self._exits}

    # Each of these takes the states before a part of the line and gives those after it. `shielded` tells that
    # errexit is ignored there. States in which the shell has ended go to `_exits`.

    def _program(self, statements: "list[Statement]", states: States, shielded: bool) -> States:
        at = 0
        while at < len(statements):
            statement = statements[at]
            if self._wanted.is_list(statements, at) and not (shielded and self._wanted.errexit):
                states = self._ran_list(states, shielded)
                at += len(self._wanted.statements)
                continue
            if statement.background:
                if self._wanted.is_within([statement]):
                    self.hint = self.hint or "it is left running in the background"
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
            ways, source = (
                {(True, ok, seen)},
                -1,
            )  # whether all succeeded, the last one, what the wanted command did
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
        """Under pipefail too the status means little when a reader of the output stops early."""
        for part in parts:
            name = part.raw[0][:40] if isinstance(part, Simple) and part.raw else "a group"
            if not pipefail:
                self.hint = "its exit status is lost in a pipe into '" + name + "'"
            elif not reads_to_the_end(part):
                raise Unreadable("'" + name + "' can end the pipe early")

    def _alone(self, node: "Simple | Group | list[Statement]", state: "State", shielded: bool) -> "tuple[States, bool]":
        """Outcomes in a shell of its own, which keeps its options; whether the wanted command ran there."""
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
            if words[1] == "exec":
                raise Unreadable("it uses 'exec' twice")
            run = Simple()
            run.words, run.assigns, run.redirs = words[1:], command.assigns, command.redirs
            self._exits |= self._command(run, states, shielded)
            return set()
        for inner, _ in without_prefixes(words):
            script = shell_script(inner)
            if script:
                return self._shell(script[0], script[1], states) | self._unopened(command, states)
        return self._other(command, states, shielded)

    def _shell(self, options: "dict[str, bool]", script: str, states: States) -> States:
        if self._depth == MAX_SHELLS:
            raise Unreadable("it starts shells within shells")
        statements = read(script)
        self._wanted.refuse_steering(statements)
        self._scripts.append(statements)
        self._depth += 1
        flags = options.get("errexit", False), options.get("pipefail", False)
        after: States = set()
        for _, seen, errexit, pipefail in states:
            outcomes, _ = self._alone(statements, (True, seen, *flags), False)
            after |= {(end[0], end[1], errexit, pipefail) for end in outcomes}
        self._depth -= 1
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
        return {(False, *state[1:]) for state in states if was_unopened(command, self._output or "")}

    def _other(self, command: Simple, states: States, shielded: bool) -> States:
        words = own_words(command)
        name = words[0] if words else ""
        refuse_unruly(words)
        if name == "exit":
            return self._exit(words[1:], states)
        if name == "set":
            return self._set(words, states, shielded)
        self._touched = self._touched or sets_variables(name)
        if name != "false" and not can_fail(name, command, self._output):
            return {(True, *state[1:]) for state in states}
        self.others.append(command.words)
        return {(ok, *state[1:]) for state in states for ok in (name != "false", False)}

    def _exit(self, arguments: "list[str]", states: States) -> States:
        zero = exit_is_zero(arguments)
        if keeps_status(arguments):
            self._exits |= states
        else:
            ways = (True, False) if zero is None else (zero,)
            self._exits |= {(ok, *state[1:]) for state in states for ok in ways}
        return set()

    def _set(self, words: "list[str]", states: States, shielded: bool) -> States:
        options = set_options(words)
        if options.get("errexit") and shielded:
            self.hint = self.hint or "'set -e' has no effect in a line that the client runs"
        return {
            (True, seen, options.get("errexit", errexit), options.get("pipefail", pipefail))
            for _, seen, errexit, pipefail in states
        }
