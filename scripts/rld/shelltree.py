"""The grammar of shell text: a tree of the commands it runs and of how their exit statuses meet.

As much of POSIX and bash is read as that takes. Everything else is refused with `Unreadable`: a caller that
must not be fooled treats that as "cannot follow".
"""

from .shellwords import EXPANSION, Unreadable, Words

MAX_DEPTH = 20  # of groups and substitutions; the only recursion there is

_CLOSERS = ("then", "elif", "else", "fi", "do", "done", "esac", "}", "in")
_REFUSED = ("case", "select", "function", "coproc")
_OPENERS = ("{", "if", "while", "until", "for")
_COMPARISONS = (
    "=",
    "==",
    "!=",
    "<",
    ">",
    "=~",
    "-eq",
    "-ne",
    "-lt",
    "-le",
    "-gt",
    "-ge",
    "-nt",
    "-ot",
    "-ef",
)
_RESERVED = _CLOSERS + _REFUSED + _OPENERS + ("!", "[[")


class Simple:
    """A simple command: `NAME=value` prefixes, words, redirections (operator, target), words as written."""

    __slots__ = ("assigns", "words", "redirs", "raw")

    def __init__(self) -> None:
        self.assigns: "list[str]" = []
        self.words: "list[str]" = []
        self.redirs: "list[tuple[str, str]]" = []
        self.raw: "list[str]" = []


class Group:
    """A compound command: `kind` is "(", "{" or a keyword with its parts' shape, `body` all statements."""

    __slots__ = ("kind", "body", "redirs")

    def __init__(self, kind: str, body: "list[Statement]") -> None:
        self.kind = kind
        self.body = body
        self.redirs: "list[tuple[str, str]]" = []


class Pipeline:
    """Commands joined by `|`; `negated` when an odd number of `!` stands before them."""

    __slots__ = ("negated", "parts")

    def __init__(self, negated: bool, parts: "list[Simple | Group]") -> None:
        self.negated = negated
        self.parts = parts


class Statement:
    """Pipelines joined by `&&` and `||`, each with the operator before it; `background` when `&` ends it."""

    __slots__ = ("members", "background")

    def __init__(self) -> None:
        self.members: "list[tuple[str, Pipeline]]" = []
        self.background = False


def read(text: str) -> "list[Statement]":
    """The statements of a shell text. Raises `Unreadable`."""
    reader = _Reader(text)
    statements = reader.program(("",))
    if reader.heredocs:
        raise Unreadable("a here-document has no end")
    return statements


class _Reader(Words):
    __slots__ = ("depth", "stop")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.stop = ""

    def program(self, stops: "tuple[str, ...]") -> "list[Statement]":
        """Statements up to one of `stops`, consumed and kept in `self.stop`; "" is the end of the text."""
        if self.depth == MAX_DEPTH:
            raise Unreadable("it is nested too deeply")
        self.depth += 1
        statements = []
        while True:
            self.skip(newlines=True)
            self.stop = self.ahead()
            if self.stop and self.stop != ")":
                self.stop = self.keyword()
                if self.stop not in _CLOSERS:
                    statements.append(self.statement())
                    continue
            if self.stop not in stops:
                raise Unreadable("its brackets or keywords do not match")
            self.at += len(self.stop)
            self.depth -= 1
            return statements

    def statement(self) -> Statement:
        statement, operator = Statement(), ""
        while True:
            statement.members.append((operator, self.pipeline()))
            self.skip()
            operator = self.ahead(2)
            if operator not in ("&&", "||"):
                break
            self.at += 2
            self.skip(newlines=True)
        if operator in (";;", ";&"):
            raise Unreadable("it has a case separator outside a case")
        if operator[:1] in (";", "&"):
            self.at += 1
            statement.background = operator[0] == "&"
        elif operator[:1] not in ("", "\n", ")") and self.keyword() not in _CLOSERS:
            raise Unreadable("a command is followed by something unexpected")
        return statement

    def pipeline(self) -> Pipeline:
        negated, parts = False, []
        while self.keyword() == "!":
            negated = not negated
            self.at += 1
            self.skip()
        while True:
            parts.append(self.command())
            self.skip()
            if self.ahead() != "|" or self.text.startswith("||", self.at):
                return Pipeline(negated, parts)
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self.skip(newlines=True)

    def command(self) -> "Simple | Group":
        start = self.at
        if self.text.startswith("((", start):
            self.arithmetic()
            return self.redirected(_test("((", self.text[start : self.at]))
        if self.ahead() == "(":
            self.at += 1
            return self.redirected(Group("(", self.program((")",))))
        word = self.keyword()
        if word in _CLOSERS or word in _REFUSED or word == "!":
            raise Unreadable("it uses '" + word + "' in a way that is not followed")
        if word == "[[":
            self.condition()
            return self.redirected(_test("[[", self.text[start : self.at]))
        if word not in _OPENERS:
            return self.simple()
        self.at += len(word)
        if word == "{":
            return self.redirected(Group("{", self.program(("}",))))
        return self.redirected(self.compound(word))

    def compound(self, word: str) -> Group:
        parts = []
        if word == "if":
            parts.append(self.program(("then",)))
            while self.stop != "fi":
                parts.append(self.program(("then",) if self.stop == "elif" else ("elif", "else", "fi")))
        else:
            if word == "for":
                word += self.for_header()
            else:
                parts.append(self.program(("do",)))
            parts.append(self.program(("done",)))
        shape = "".join(":%d" % len(part) for part in parts)
        return Group(word + shape, [statement for part in parts for statement in part])

    def for_header(self) -> str:
        self.skip()
        words = self.simple().words
        self.skip(newlines=True)
        if self.ahead() == ";":
            self.at += 1
            self.skip(newlines=True)
        if self.keyword() != "do":
            raise Unreadable("it uses 'for' in a way that is not followed")
        self.at += len("do")
        return " " + " ".join(words)

    def redirected(self, command: "Simple | Group") -> "Simple | Group":
        """The compound command with the redirections that follow it."""
        while True:
            self.skip()
            start = self.at
            while "0" <= self.ahead() <= "9":
                self.at += 1
            if not self.redirection(command.redirs):
                self.at = start
                return command

    def condition(self) -> None:
        """Passes over a plain `[[ … ]]`: tests joined by `&&` and `||`."""
        self.at += len("[[")
        test: "list[str]" = []
        while True:
            self.skip()
            operator = self.ahead(2)
            if operator[:1] in ("<", ">"):
                self.at += 1
                test.append(operator[0])
                continue
            raw = operator if operator in ("&&", "||") else self.word()[1]
            if raw not in ("&&", "||", "]]"):
                test.append(raw)
                continue
            _refuse_odd(test[1:] if test[:1] == ["!"] else test)
            if raw == "]]":
                return
            self.at += len(operator)
            test = []

    def simple(self) -> Simple:
        command = Simple()
        while True:
            self.skip()
            if self.redirection(command.redirs):
                continue
            char = self.ahead()
            if not char or char in "\n;&|)":
                break
            word, raw = self.word()
            if raw.isascii() and raw.isdigit() and self.ahead() in ("<", ">") and self.redirection(command.redirs):
                continue
            name, assigned, _ = raw.partition("=")
            if assigned and not command.words and name.rstrip("+").isidentifier():
                command.assigns.append(word)
            else:
                command.words.append(word)
                command.raw.append(raw)
        if not (command.words or command.assigns or command.redirs):
            raise Unreadable("a command is missing")
        first = next((word for word in command.words if word not in ("time", "-p")), "")
        if first in _RESERVED:
            # Quoted, joined over a line end, or timed: whether the shell sees a keyword is too fine a point.
            raise Unreadable("it uses '" + first + "' in a way that is not followed")
        return command


def _refuse_odd(test: "list[str]") -> None:
    """`bash -c` may end with status 0 when it finds a mistake in a condition: only plain tests are read."""
    is_unary = len(test) == 2 and len(test[0]) == 2 and test[0][0] == "-"
    if not is_unary and not (len(test) == 3 and test[1] in _COMPARISONS):
        raise Unreadable("its condition is not followed")


def _test(name: str, text: str) -> Simple:
    """A condition or a calculation as a command: its name, and all of it as a word that the shell expands."""
    command = Simple()
    command.words = [name, EXPANSION + "$" + text]
    command.raw = [name, text]
    return command
