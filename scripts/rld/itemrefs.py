"""How a text names plan items: "Tasks 1-3, 5 and 7", "T001-T004", "U2", "Step 2.1", "#3"."""

from rld.itemids import WORDS, code_end, key, number_end, order, split_id

EARLIER = "*"  # "all previous tasks"; no id looks like this

# In the value of a dependency field: what follows these is no dependency.
_STOP = frozenset(
    "none nothing no nil not parallel independent enables enabling unblocks unblocking blocks before see "
    "without except excluding unlike".split()
)
_AND = ("and ", "or ", "plus ")
_RANGES = ("-", "–", "—", "−", "..", " - ", " – ", " to ", " through ", " thru ")
_CLEAR = "#,.;:&+/)(]–—-|*_`，、；（）"
_MOST = 200_000  # ids that all ranges of a plan together may stand for


class Names:
    """The ids of one plan, and what its text calls them."""

    __slots__ = ("exact", "keys", "prefixes", "words", "aliases", "groups", "ranges", "left")

    def __init__(self, ids: "list[str]", words: "set[str]", groups: "dict[str, list[str]] | None" = None) -> None:
        """`ids` in plan order; `words`: what the plan calls its items ("task"); `groups`: numbers that stand
        for items."""
        self.exact: "dict[str, str]" = {}
        self.keys: "dict[str, str]" = {}
        self.prefixes: "set[str]" = set()
        for name in ids:
            prefix, number = split_id(name)
            self.exact.setdefault(name.lower(), name)
            self.keys.setdefault(key(prefix, number), name)
            self.prefixes.add(prefix.replace("-", "").lower())
        self.groups = groups or {}
        self.words = set(WORDS) if not words or "step" in words else set(WORDS) - {"step"}
        # "T3" is what people write for Task 3, also where the heading says "Task 3".
        self.aliases = {word[0] for word in words or self.words} | set(words or self.words)
        self.ranges: "dict[str, tuple[list[list[tuple[int, str, str]]], list[str]]]" = {}
        self.left = _MOST

    def value(self, text: str) -> "list[str]":
        """The ids that the value of a dependency field names, known or not; EARLIER for all items before.

        What stands in parentheses is an explanation. Free text names nothing.
        """
        text = _plain(text)
        found: "list[str]" = []
        size = len(text)
        at = 0
        fresh = True  # a bare number counts at the start of an entry only
        while at < size:
            char = text[at]
            if char.isalnum() or char == "#":
                ids, end = self.series(text, at, fresh)
                if end > at:
                    found.extend(ids)
                    at = end
                    fresh = False
                    continue
                end = at + 1
                while end < size and text[end].isalnum():
                    end += 1
                word = text[at:end].lower()
                if word in _STOP:
                    break
                if word == "all" and _means_earlier(text[end : end + 40].lower()):
                    return [EARLIER]
                fresh = word in ("and", "or", "plus")
                at = end
            else:
                if char in "。" or (char == "." and text[at + 1 : at + 2] in ("", " ") and found):
                    break
                fresh = fresh or char in ",;&+/，、；"
                at += 1
        return found

    def leading(self, text: str, bare: bool = False) -> "tuple[list[str], int]":
        """The ids a text begins with, and where they end: "**Tasks 1 and 2** (…)". A bare number must stand
        for itself."""
        at = 0
        while at < len(text) and text[at] in " *_`[(":
            at += 1
        ids, end = self.series(text, at, bare)
        return ids, end if end > at else 0

    def series(self, text: str, at: int, bare: bool) -> "tuple[list[str], int]":
        """Ids joined by commas, "and", "&", "+" or "/" from `at` on, and where they end; ([], at) when there
        are none."""
        found: "list[str]" = []
        end = at
        word = False
        while True:
            ids, stop, word = self._one(text, at, bare, word)
            if stop == at:
                return found, end
            found.extend(ids)
            end = stop
            at = _joined(text, end)
            if at < 0:
                return found, end

    def _one(self, text: str, at: int, bare: bool, word: bool) -> "tuple[list[str], int, bool]":
        """One id or range: (ids, end, was there a word such as "Tasks" before it, here or earlier in the
        series)."""
        start = _word_end(text, at, self.words)
        named = start > at
        if not named:
            start = at
            if text[at : at + 1] == "#":
                start += 1
        letters, end = code_end(text, start)
        if end == start:
            letters = start
            end = number_end(text, start)
            if end == start or not (named or word or bare or start > at):
                return [], at, word
            if not (named or word) and not _clear(text, end):
                return [], at, word
        ids = self._long(text, start, end)
        if ids:
            return ids, start + len(ids[0]), word or named
        prefix, number = text[start:letters], text[letters:end]
        last, last_end = _range_end(text, end, prefix)
        if last:
            ids = self._range(prefix, number, last)
            end = last_end
        else:
            ids = self._resolve(prefix, number, named or word, hashed=start > at and not named)
        if not ids and prefix and not named:
            return [], at, word  # a code of something else
        return ids, end, word or named

    def _long(self, text: str, start: int, end: int) -> "list[str]":
        """Ids whose tail looks like a range: T0-2."""
        if text[end : end + 1] == "-":
            last = number_end(text, end + 1)
            name = self.exact.get(text[start:last].lower(), "") if last > end + 1 else ""
            return [name] if name else []
        return []

    def known(self, prefix: str, number: str) -> str:
        """The id of the item so called, or ""."""
        name = self.exact.get((prefix + number).lower(), "") or self.keys.get(key(prefix, number), "")
        letters = prefix.replace("-", "").lower()
        if not name and letters in self.aliases:
            name = self.keys.get(key("", number), "")
        if not name and not letters and len(self.prefixes) == 1:
            name = self.keys.get(key(next(iter(self.prefixes)), number), "")
        return name

    def _resolve(self, prefix: str, number: str, word: bool, hashed: bool = False) -> "list[str]":
        name = self.known(prefix, number)
        if name:
            return [name]
        if not prefix and number in self.groups:
            return self.groups[number]
        letters = prefix.replace("-", "").lower()
        if word or (letters in self.prefixes and not hashed):
            return [prefix + number]  # an item this plan does not have
        return []

    def _range(self, prefix: str, first: str, last: str) -> "list[str]":
        letters = prefix.replace("-", "").lower()
        if letters not in self.prefixes:
            letters = "" if letters in self.aliases else letters
            if not letters and letters not in self.prefixes and len(self.prefixes) == 1:
                letters = next(iter(self.prefixes))
        if letters not in self.ranges:
            names = [split_id(name) + (name,) for name in self.exact.values()]
            rows = sorted((order(n), name) for p, n, name in names if p.replace("-", "").lower() == letters)
            self.ranges[letters] = ([order for order, _ in rows], [name for _, name in rows])
        orders, ids = self.ranges[letters]
        low = _bisect(orders, order(first), False)
        high = _bisect(orders, order(last), True)
        if high - low > self.left:
            self.left = -1
            return []
        self.left -= max(0, high - low)
        return ids[low:high] or self._resolve(prefix, first, True) + self._resolve(prefix, last, True)


def _bisect(orders: "list[list[tuple[int, str, str]]]", order: "list[tuple[int, str, str]]", behind: bool) -> int:
    low, high = 0, len(orders)
    while low < high:
        middle = (low + high) // 2
        if orders[middle] < order or (behind and orders[middle] == order):
            low = middle + 1
        else:
            high = middle
    return low


def _word_end(text: str, at: int, words: "set[str]") -> int:
    """Where the number after a word such as "Tasks" begins; `at` when there is no such word."""
    end = at
    while end < at + 6 and text[end : end + 1].isalpha():
        end += 1
    word = text[at:end].lower()
    if word not in words and (word[-1:] != "s" or word[:-1] not in words):
        return at
    last = end
    while last < end + 3 and text[last : last + 1] in (" ", "#", "-", "\xa0"):
        last += 1
    if last == end or text[end:last] == "-" and text[at:end].isupper():
        return at  # "TASK-001" is a code
    return last


def _joined(text: str, at: int) -> int:
    """Where the next member of a series begins, or -1."""
    at = _skip(text, at)
    seen = False
    if text[at : at + 1] and text[at] in ",&+/，、":
        at = _skip(text, at + 1)
        seen = True
    for word in _AND:
        if text.startswith(word, at):
            return _skip(text, at + len(word))
    if seen and text[at : at + 1] == "&":
        return _skip(text, at + 1)
    return at if seen else -1


def _range_end(text: str, at: int, prefix: str) -> "tuple[str, int]":
    """The last number of a range whose first ended at `at`, and where the range ends; ("", at) when it is no
    range."""
    for mark in _RANGES:
        if text.startswith(mark, at):
            start = at + len(mark)
            letters, end = code_end(text, start)
            if end == start:
                letters, end = start, number_end(text, start)
            same = text[start:letters] in ("", prefix)
            if end > start and same and (mark[0] != " " or _clear(text, end) or mark[1].isalpha()):
                return text[letters:end], end
    return "", at


def _clear(text: str, end: int) -> bool:
    """Does a bare number that ends here stand for itself, not for an amount ("2 weeks")?"""
    at = _skip(text, end)
    return at >= len(text) or text[at] in _CLEAR or text.startswith(_AND, at)


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] == " ":
        at += 1
    return at


def _means_earlier(text: str) -> bool:
    words = text.replace(",", " ").replace(".", " ").split()[:3]
    return any(word in ("previous", "prior", "above", "preceding", "earlier") for word in words)


def _plain(text: str) -> str:
    """A field's value without explanations in parentheses and bold marks; up to the next label, cell or
    closing bracket."""
    made: "list[str]" = []
    depth = brackets = 0
    size = len(text)
    at = 0
    while at < size:
        char = text[at]
        if char in "(（":
            depth += 1
        elif char in ")）":
            depth -= 1
            if depth < 0:
                break
            made.append(" ")
        elif depth:
            pass
        elif char == "[":
            brackets += 1
            made.append(" ")
        elif char == "]":
            brackets -= 1
            if brackets < 0:
                break
        elif char == "*" and text.startswith("**", at):
            if _is_label(text, at + 2):
                break
            at += 1
        elif char == "|":
            break
        elif char not in "`*_":
            made.append(char)
        at += 1
    return "".join(made).strip(" ")


def _is_label(text: str, at: int) -> bool:
    """Is what stands in bold from `at` on a label, "**Files:**" or "**Files**:"?"""
    end = text.find("**", at, at + 60)
    return end > at and (text[end - 1] == ":" or text[end + 2 : end + 3] == ":")
