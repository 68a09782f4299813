"""Does an error output show a symptom that a pitfall describes?

Both texts are brought to the same words first: case, quotes, punctuation, numbers, hex and paths do not count. A
symptom counts only when it says something of its own: "error", "exit code 1" and "not found" are in every output.
"""

LEAST_LETTERS = 10  # in the words that are not generic,
FEWER_LETTERS = 6  # or so many when the symptom has three words or more

_GENERIC = frozenset(
    "a an and are as at be by can could did do does error errors err exception exit exited exits code codes fail failed failing fails "
    "failure failures fatal for from had has have in into is it its line lines no non not of on or out returned status stderr stdout test "
    "tests that the this to unexpected unknown was were warning warnings while with without command found such file files directory "
    "cannot could build run running process module message see log logs output".split()
)
_PATH = "path"
_LONGEST = 20_000  # characters of an output that are looked at


def _table() -> "dict[int, str]":
    spaced = {ord(char): " " for char in "\"'`“”‘’«»()[]{}<>|:;,!?=*#~^$%&+@\t\r\n…·•–—"}
    spaced.update({ord(char): "0" for char in "123456789"})
    return spaced


_TABLE = _table()


def words(text: str) -> "list[str]":
    """The words of an output or a symptom in the form in which they are compared."""
    found = []
    for token in text[:_LONGEST].split():
        # A path or a URL: where a file lies is never the symptom.
        if ("/" in token or "\\" in token) and len(token) > 2:
            token = _PATH
        found.append(token)
    plain = []
    for word in " ".join(found).lower().translate(_TABLE).split():
        word = word.strip(".-_/\\")
        if "0" in word:
            word = _number(word)
        if word:
            plain.append(word)
    return plain


def _number(word: str) -> str:
    """Numbers are one word, whatever their value; so are hexadecimal ones and ids made of them."""
    if not word.strip("0.-_abcdefx"):
        return "0"
    while "00" in word:
        word = word.replace("00", "0")
    return word


def distinctive(symptom: str) -> "list[str]":
    """The parts of a symptom field that can be looked for, each as words joined by spaces; [] when none says enough.

    What stands in code marks is what an output shows word for word; without code marks it is the whole text.
    """
    parts = symptom.split("`")[1::2] if symptom.count("`") > 1 else [symptom]
    found = []
    for part in parts:
        said = words(part)
        own = [word for word in said if word not in _GENERIC and word not in (_PATH, "0")]
        wide = any(not word.isascii() for word in own)
        letters = sum(len(word) for word in own)
        enough = letters >= LEAST_LETTERS or (len(said) >= 3 and letters >= FEWER_LETTERS)
        if (len(said) > 1 and enough) or (wide and letters >= 4) or letters >= 2 * LEAST_LETTERS:
            found.append(" ".join(said))
    return found


def shows(output: str, signatures: "list[str]") -> bool:
    """Is one of the signatures in the output? `output`: words joined by spaces."""
    padded = " %s " % output
    return any((" %s " % one) in padded or (not one.isascii() and one in output) for one in signatures)
