"""The characters of shell text: words, quotes, expansions, redirections, here-documents and comments.

Words come out with quoting removed. What the shell would still expand is marked, so that two words are equal
only when the shell would treat them alike: `EXPANSION` precedes an unquoted expansion or pattern character,
`QUOTED_EXPANSION` an expansion within double quotes. What cannot be followed is refused with `Unreadable`.
"""

EXPANSION = "\0"
QUOTED_EXPANSION = "\1"

_BLANK = " \t"
_META = " \t\n;&|()<>"
_SPECIAL = _META + "'\"\\$`*?[~{"
_OPERATORS = ("&>>", "<<<", "<<-", "<<", "<&", "<>", "<", "&>", ">>", ">&", ">|", ">")


class Unreadable(Exception):
    """The text cannot be followed; the message says why, in plain words."""


class Words:
    """A place in shell text, and what can be read from there. `program` comes with the grammar."""

    __slots__ = ("text", "at", "heredocs")

    def __init__(self, text: str) -> None:
        if EXPANSION in text or QUOTED_EXPANSION in text:
            raise Unreadable("it holds control characters")
        self.text = text
        self.at = 0
        self.heredocs: "list[tuple[str, bool, bool, list[tuple[str, str]]]]" = []

    def program(self, stops: "tuple[str, ...]") -> object:
        """Reads statements up to one of `stops`, consumed."""
        raise NotImplementedError

    def ahead(self, count: int = 1) -> str:
        return self.text[self.at : self.at + count]

    def skip(self, newlines: bool = False) -> None:
        """Passes over blanks, joined lines and comments, and over line ends when asked."""
        text = self.text
        while True:
            char = text[self.at : self.at + 1]
            if char and char in _BLANK:
                self.at += 1
            elif char == "\\" and text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif char == "\n" and newlines:
                self.at += 1
                self.heredoc_bodies()
            else:
                return

    def keyword(self) -> str:
        """The first characters of the word that stands here, not consumed: more than any keyword has."""
        end = self.at
        while end < len(self.text) and end - self.at < 9 and self.text[end] not in _META:
            end += 1
        return self.text[self.at : end]

    def word(self) -> "tuple[str, str]":
        """One word, expanded as far as quoting goes, and as written."""
        text, start = self.text, self.at
        out: "list[str]" = []
        while self.at < len(text):
            char = text[self.at]
            if char == "'":
                end = self.until("'", self.at + 1)
                out.append(text[self.at + 1 : end])
                self.at = end + 1
            elif char == '"':
                self.at += 1
                self.double_quoted(out)
            elif char == "\\":
                if self.at + 1 == len(text):
                    raise Unreadable("it ends in a backslash")
                if text[self.at + 1] != "\n":
                    out.append(text[self.at + 1])
                self.at += 2
            elif char == "$":
                self.dollar(out, EXPANSION)
            elif char == "`":
                self.backtick(out, EXPANSION)
            elif char in "<>" and text.startswith("(", self.at + 1):
                self.substitution(out, EXPANSION)
            elif char in _META:
                break
            elif char in _SPECIAL:
                out.append(EXPANSION + char)
                self.at += 1
            else:
                end = self.at + 1
                while end < len(text) and text[end] not in _SPECIAL:
                    end += 1
                out.append(text[self.at : end])
                self.at = end
        if self.at == start:
            raise Unreadable("a word is missing")
        if text.startswith("(", self.at):
            raise Unreadable("it defines a function or an array")
        raw = text[start : self.at]
        return (raw if raw == "[" else "".join(out)), raw

    def until(self, mark: str, start: int) -> int:
        end = self.text.find(mark, start)
        if end < 0:
            raise Unreadable("its quotes do not match")
        return end

    def double_quoted(self, out: "list[str]") -> None:
        text = self.text
        while True:
            start = self.at
            while self.at < len(text) and text[self.at] not in '"\\$`':
                self.at += 1
            out.append(text[start : self.at])
            char = text[self.at : self.at + 1]
            if char == "$":
                self.dollar(out, QUOTED_EXPANSION)
            elif char == "`":
                self.backtick(out, QUOTED_EXPANSION)
            elif char == "\\":
                escaped = text[self.at + 1 : self.at + 2]
                if escaped != "\n":
                    out.append(escaped if escaped and escaped in '"\\$`' else "\\" + escaped)
                self.at += 2
            elif char:
                self.at += 1
                return
            else:
                raise Unreadable("its quotes do not match")

    def dollar(self, out: "list[str]", mark: str) -> None:
        text, start = self.text, self.at
        following = text[start + 1 : start + 2]
        if following == "(":
            self.substitution(out, mark)
            return
        if following == "{":
            self.at = self.until("}", start) + 1
            if any(char in text[start + 2 : self.at] for char in "'\"`{\\("):
                raise Unreadable("an expansion is not followed")
        elif following == "[" or text.startswith("\\\n", start + 1) or (following in ("'", '"') and mark == EXPANSION):
            raise Unreadable("an expansion is not followed")
        elif following and following in "?$!#@*-0123456789":
            self.at += 2
        else:
            self.at += 1
            while self.at < len(text) and (text[self.at].isalnum() or text[self.at] == "_"):
                self.at += 1
        name = text[start : self.at]
        out.append(name if name == "$" else mark + name)

    def substitution(self, out: "list[str]", mark: str) -> None:
        """`$(…)`, `$((…))`, `<(…)`, `>(…)`: read to find the end; what runs there changes nothing outside."""
        start = self.at
        if self.text.startswith("$((", start):
            self.at += 1
            self.arithmetic()
        else:
            if self.heredocs:
                raise Unreadable("a substitution stands beside a here-document")
            self.at += 2
            self.program((")",))
            if self.heredocs:
                raise Unreadable("a here-document has no end")
        out.append(mark + self.text[start : self.at])

    def backtick(self, out: "list[str]", mark: str) -> None:
        start = self.at
        self.at = self.until("`", start + 1) + 1
        if "\\" in self.text[start : self.at]:
            raise Unreadable("its back-quotes are not followed")
        out.append(mark + self.text[start : self.at])

    def arithmetic(self) -> None:
        """Passes over `((…))`, with `self.at` at its first bracket."""
        self.at += 2
        depth = 2
        while depth:
            char = self.ahead()
            if not char or char in "'\"`;\n\\#" or self.text.startswith("$(", self.at):
                raise Unreadable("its arithmetic is not followed")
            depth += (char == "(") - (char == ")")
            self.at += 1
            if depth == 1 and not self.text.startswith(")", self.at):
                raise Unreadable("its brackets are ambiguous")

    def redirection(self, redirs: "list[tuple[str, str]]") -> bool:
        """Reads one redirection, if one stands here."""
        for operator in _OPERATORS:
            if self.text.startswith(operator, self.at):
                break
        else:
            return False
        after = self.at + len(operator)
        if operator in ("<", ">") and self.text.startswith("(", after):
            return False
        self.at = after
        self.skip()
        target, raw = self.word()
        if operator in ("<<", "<<-"):
            if not target or EXPANSION in target or QUOTED_EXPANSION in target or "\n" in raw:
                raise Unreadable("the end of a here-document is not followed")
            self.heredocs.append((target, operator == "<<-", raw != target, redirs))
        else:
            redirs.append((operator, target))
        return True

    def heredoc_bodies(self) -> None:
        """Jumps over the bodies that begin at this line."""
        text = self.text
        for mark, tabs, quoted, redirs in self.heredocs:
            hit = text.find(mark, self.at)
            while hit >= 0:
                before = hit - 1
                while tabs and text[before] == "\t":
                    before -= 1
                end = hit + len(mark)
                if text[before] == "\n" and text[end : end + 1] in ("", "\n"):
                    break
                hit = text.find(mark, hit + 1)
            if hit < 0:
                raise Unreadable("a here-document has no end")
            if not quoted and text[before - 1] == "\\" and before >= self.at:
                # A joined line is not the end: what follows would be text that looks like commands.
                raise Unreadable("the end of a here-document is not followed")
            redirs.append(("<<", text[self.at : hit]))
            self.at = end + 1
        self.heredocs = []
