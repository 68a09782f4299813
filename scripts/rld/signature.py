"""Does an error output show a symptom that a pitfall describes?

Both texts are brought to the same words first: case, colours, quotes, punctuation, numbers, where a file lies and the
words that only say how bad it is do not count; what a message is about (names, error codes, the port of this machine)
does. A symptom counts only when it says something of its own: "exit code 1" and "not found" are in every output.
"""

LEAST_LETTERS = 10  # in the words that are not generic,
FEWER_LETTERS = 6  # or so many when the symptom has three words or more,
ONE_WORD = 15  # or so many when it is one word, and one that only a machine would write
LOOSE_WORDS, LOOSE_LETTERS = 6, 24  # a symptom as long as this may be quoted with words left out
MOST_WORDS = 60  # of a symptom
GAP = 160  # characters that an ellipsis may stand for
_HEAD, _TAIL = 8_000, 16_000  # characters of an output that are looked at: the cause is near one of its ends

_DROPPED = frozenset("error errors err fatal warning warn npm".split())
_GENERIC = frozenset(
    "a access an and are argument as assertionerror at be been by can cannot code codes command connection could denied did directory do does due "
    "enoent eacces econnrefused econnreset etimedout exception exit exited exits expected failed failing fails failure failures file files for "
    "found from got had has have in into invalid is it its line lines loaded log logs message missing module name named no non not null object of on "
    "or out output permission process properties property read reading received refused required reset returned run running see status stderr "
    "stdout such syntaxerror test tests that the this timed timeout to type typeerror undefined unexpected unknown value was were while with without build".split()
)
# A code span that begins with one of these, without a colon, is what was run and not what it said.
_TOOLS = frozenset(
    "bundle bun cargo composer curl deno docker docker-compose dotnet flutter gcloud git go gradle helm kubectl make mvn mypy node npm npx pip "
    "pnpm podman poetry psql pytest python python3 rake rld ruff rustc sh ssh terraform tsc uv vite vitest yarn ./gradlew bash".split()
)
_KEEP_NUMBER_AFTER = frozenset("code status signal errno sqlstate http".split())
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "[::]"))
_QUOTES = "'\"`“”‘’«»"
_AROUND = _QUOTES + "()[]{}<>,;:!?.*#~"
_DIGITS = "0123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyz_."
_TABLE = {ord(char): " " for char in _QUOTES + "()[]{}<>|:;,!?=*#~^$%&+@\t\r\n…·•–—│└├─✖✗：（）、。「」"}
_ONLY_LETTERS = {number: " " for number in range(128) if not chr(number).isalpha()}
LONGEST_SYMPTOM = 2000  # characters


class Output:
    """An output, read as far as questions about it need."""

    __slots__ = ("text", "lower", "_words", "_joined")

    def __init__(self, text: str) -> None:
        self.text = text if len(text) <= _HEAD + _TAIL else text[:_HEAD] + "\n" + text[-_TAIL:]
        self.lower = self.text.lower()
        self._words: "list[str]" = []
        self._joined = ""

    def shows(self, symptom: str) -> bool:
        """Is one of the signatures of a symptom field in it?"""
        if not self.may_show(symptom):
            return False
        signatures = distinctive(symptom)
        if signatures and not self._joined:
            self._words = words(self.text)
            self._joined = " %s " % " ".join(self._words)
        return any(_stands_in(pieces, self._joined) or _is_quoted(pieces, self._words) for pieces in signatures)

    def may_show(self, symptom: str) -> bool:
        """A cheap look before the real one: does any longer word of the symptom stand in the output at all?"""
        symptom = symptom[:LONGEST_SYMPTOM]
        if "/" in symptom or "\\" in symptom:
            symptom = " ".join(map(_name, symptom.split()))
        said = symptom.lower().translate(_ONLY_LETTERS).split()
        longer = [word for word in said if len(word) > 4 and word not in _GENERIC]
        return not longer or any(word in self.lower for word in longer)


def words(text: str) -> "list[str]":
    """The words of an output or a symptom in the form in which they are compared."""
    if "\x1b" in text:
        text = _without_colours(text)
    found: "list[str]" = []
    for token in text.split():
        if token.isalpha():
            word = token.lower()
            if word not in _DROPPED and (len(word) > 1 or not word.isascii()):
                found.append(word)
            continue
        for word in _name(token).translate(_TABLE).split():
            word = word.strip(".-_/\\")
            if not word.isalpha() and any(digit in word for digit in _DIGITS):
                _add_numbered(word, found)
                continue
            word = word.lower()
            if word and word not in _DROPPED and (len(word) > 1 or not word.isascii()):
                found.append(word)
    return found


def _without_colours(text: str) -> str:
    """Text without the terminal's escape sequences."""
    parts = text.split("\x1b")
    for place in range(1, len(parts)):
        part = parts[place]
        if part[:1] == "[":
            parts[place] = part[1:].lstrip("0123456789;:?")[1:]
        elif part[:1] == "]":
            bell = part.find("\x07")
            parts[place] = part[bell + 1 :] if bell >= 0 else ""
        else:
            parts[place] = part[1:]
    return "".join(parts)


def _name(token: str) -> str:
    """What a token is about: of a path its last name, since the folder differs from one machine to the next."""
    if "/" not in token and "\\" not in token:
        return _port(token)
    path = token.replace("\\", "/").strip(_AROUND.replace(".", "")).rstrip("./")
    first, _, rest = path.partition("/")
    if not rest or "://" not in path and (first[:1] == "@" or "." in first.strip(".")):
        return path  # a package: `@scope/name`, `example.org/name/v2`
    last = path.rpartition("/")[2]
    port = _port(last)
    if port != last:
        return port
    for sign in "(:?#":
        last = last.partition(sign)[0]
    # "./crypto" is not the package "crypto"; with an extension it is a place like any other.
    return "rel/" + last if path[0] == "." and "." not in last else last


def _port(token: str) -> str:
    """`::1:5432` and `localhost:5432` are the same place, and not that of another port; ports that change are a number."""
    if ":" in token:
        host, _, port = token.strip(_AROUND.replace("[", "").replace(":", "")).rstrip(":").rpartition(":")
        if port.isdigit() and host.lower() in _LOOPBACK:
            return "loopback-" + ("port-" + port if len(port) < 6 and int(port) < 32768 else "0")
    return token


def _add_numbered(word: str, found: "list[str]") -> None:
    """Numbers, hexadecimal ones and ids are one word, whatever their value; error codes are not."""
    letters = word.rstrip(_DIGITS)
    is_code = len(word) - len(letters) > 2 and letters.isalpha() and letters.isupper() and len(letters) < 6
    if is_code or (not letters and found and found[-1] in _KEEP_NUMBER_AFTER) or word.startswith("loopback-port-"):
        found.append(word.lower())
        return
    for part in word.lower().split("-"):
        start = len(part) - len(part.lstrip(_LETTERS))
        if any(digit in part for digit in _DIGITS):
            part = part[:start] + "0" if start > 2 else "0"
        if part and not (part == "0" and found and found[-1] == "0"):
            found.append(part)


def distinctive(symptom: str) -> "list[list[str]]":
    """What of a symptom field can be looked for: each a list of pieces, words joined by spaces, that stand in an output
    one behind the other; [] when nothing says enough.

    What stands in code marks is what an output shows word for word, or else what stands in quotes; without either it
    is the whole text, and what follows its first colon.
    """
    symptom = symptom[:LONGEST_SYMPTOM]
    spans = [span for span in _spans(symptom) if not _is_command(span)]
    if not spans and "`" not in symptom:
        spans = _quoted(symptom) or [symptom, symptom.partition(": ")[2]]
    made = [pieces for pieces in (_pieces(span) for span in spans) if pieces]
    found = [pieces for pieces in made if _says_enough(pieces)]
    if not found and len(made) > 1 and "`" in symptom:
        together = [piece for pieces in made for piece in pieces]
        found = [together] if _says_enough(together) else []
    return found


def _spans(text: str) -> "list[str]":
    """The code spans of a Markdown text."""
    found = []
    at = text.find("`")
    while at >= 0:
        end = at
        while text[end : end + 1] == "`":
            end += 1
        marks = text[at:end]
        close = text.find(marks, end)
        while close >= 0 and text[close + len(marks) : close + len(marks) + 1] == "`":
            # A longer row of marks closes nothing.
            while text[close : close + 1] == "`":
                close += 1
            close = text.find(marks, close)
        if close < 0:
            at = text.find("`", end)
            continue
        found.append(text[end:close])
        at = text.find("`", close + len(marks))
    return found


def _quoted(text: str) -> "list[str]":
    """What stands in double quotes; quotes inside of quotes are part of it."""
    text = text.replace("“", '"').replace("”", '"')
    start, end = text.find('"'), text.rfind('"')
    return [text[start + 1 : end]] if 0 <= start < end else []


def _is_command(span: str) -> bool:
    said = span.split(None, 2)
    if not said or said[0].lower() not in _TOOLS:
        return False
    return len(said) < 2 or said[1].lower().strip("!:") not in _DROPPED


def _pieces(span: str) -> "list[str]":
    """The words of a span, cut where an ellipsis or a placeholder such as `<name>` stands for anything."""
    parts: "list[list[str]]" = [[]]
    for token in span.replace("...", " … ").replace("…", " … ").split():
        bare = token.strip(_QUOTES + ":,.()")
        if bare == "…" or (bare[:1] == "<" and bare[-1:] == ">"):
            parts.append([])
        else:
            parts[-1].append(token)
    return [" ".join(said) for said in (words(" ".join(part))[:MOST_WORDS] for part in parts) if said]


def _own(said: "list[str]") -> int:
    """How many letters there are in words that are not in every output."""
    return sum(sum(map(str.isalpha, word)) for word in said if word not in _GENERIC)


def _says_enough(pieces: "list[str]") -> bool:
    said = " ".join(pieces).split()
    letters = _own(said)
    if len(said) > 1 and letters >= (FEWER_LETTERS if len(said) > 2 else LEAST_LETTERS):
        return True
    if any(not word.isascii() and word not in _GENERIC for word in said) and letters >= 4:
        return True
    return letters >= ONE_WORD and ("_" in said[0] or said[0].endswith(("error", "exception")))


def _stands_in(pieces: "list[str]", joined: str) -> bool:
    """Do the pieces stand in the output, each within reach of the one before?"""
    first = pieces[0] if not pieces[0].isascii() else " %s " % pieces[0]
    at = joined.find(first)
    while at >= 0:
        end = at + len(first) - 1
        for piece in pieces[1:]:
            place = joined.find(" %s " % piece, end, end + GAP + len(piece))
            if place < 0:
                break
            end = place + len(piece) + 1
        else:
            return True
        at = joined.find(first, at + 1)
    return False


def _is_quoted(pieces: "list[str]", output: "list[str]") -> bool:
    """Does a long symptom stand in the output with words between its own, at most as many as it has?"""
    wanted = pieces[0].split()
    if len(pieces) > 1 or len(wanted) < LOOSE_WORDS or _own(wanted) < LOOSE_LETTERS or not set(wanted) <= set(output):
        return False
    for start, word in enumerate(output):
        if word == wanted[0]:
            place = 0
            for each in output[start : start + 2 * len(wanted)]:
                if each == wanted[place]:
                    place += 1
                    if place == len(wanted):
                        return True
    return False
