"""What a heading, a list item or a bold lead calls itself: kinds, numbers, titles, labels.

Everything here takes one line or paragraph of Markdown and gives words back.
"""

GUARDRAIL = "guardrail"
PITFALL = "pitfall"
DECISION = "decision"
DEBT = "debt"
KINDS = (GUARDRAIL, PITFALL, DECISION, DEBT)

SESSIONS = "sessions"
REPEALED = "repealed"

WORK_TYPES = ("feature", "refactor", "redesign", "deploy", "debug", "mixed")

_SPELLINGS = (
    ("why", "why,reason,warum,grund,pourquoi,por qué,por que,почему"),
    ("symptom", "symptom,symptoms,problem,symptôme,síntoma,sintoma,симптом,症状,现象,증상"),
    ("root-cause", "root cause,cause,ursache,cause racine,causa raíz,causa raiz,причина,根因,原因,원인"),
    ("fix", "fix,solution,lösung,solución,solução,решение,解法,해결"), ("diagnose", "diagnose,diagnosis"),
    ("scope", "scope"), ("evidence", "evidence"), ("check", "check"), ("valid-while", "valid while"),
    ("why-deferred", "why deferred"), ("trigger", "trigger"),
)  # fmt: skip
LABELS = {label: key for key, labels in _SPELLINGS for label in labels.split(",")}
KEYS = frozenset(LABELS.values())
_KIND_WORDS = {"guardrail": GUARDRAIL, "pitfall": PITFALL, "decision": DECISION, "debt": DEBT, "tech-debt": DEBT}
_KIND_LETTERS = ("g", "p", "d", "t")
_ABBREVIATIONS = ("e.g", "i.e", "etc", "vs", "cf", "approx", "resp", "z.B", "bzw", "d.h", "Art", "Nr")


def bare(text: str) -> str:
    """A heading without what stands around its words: emoji, its section number, brackets and marks."""
    text = strip_marks(text)
    number, rest = leading_number(skip_symbols(text))
    return skip_symbols(rest if number else text).rstrip(" ]").strip()


def skip_symbols(text: str) -> str:
    """The text from its first letter, digit or sign that belongs to a title on."""
    if text[:1].isalnum():
        return text
    at = 0
    while at < len(text) and not (text[at].isalnum() or text[at] in "\"'`(<$@/\\.~«“„「"):
        at += 1
    return text[at:]


def strip_marks(text: str) -> str:
    """Inline Markdown to plain text: emphasis, code marks, links and strike-through go, words stay."""
    if "`" in text or "*" in text or "~~" in text:
        text = text.replace("`", "").replace("**", "").replace("~~", "")
    if "*" in text:
        text = _drop_single_stars(text)
    at = text.find("](")
    while at >= 0:
        opening = text.rfind("[", 0, at)
        closing = text.find(")", at)
        if opening < 0 or closing < 0:
            break
        text = text[:opening] + text[opening + 1 : at] + text[closing + 1 :]
        at = text.find("](", opening)
    if text.startswith("__") and text.endswith("__"):
        text = text[2:-2]
    return text.strip()


def unstruck(text: str) -> str:
    """The text without strike-through. Where it begins struck, what is struck: the rest says what became of it."""
    if "~~" not in text:
        return text
    begin, inside = text.split("~~", 2)[:2]
    if not skip_symbols(begin) and leading_number(record_label(inside.strip("*_ "))[2])[1]:
        return begin + inside
    return text.replace("~~", "")


def _drop_single_stars(text: str) -> str:
    """Stars that hug a word are emphasis; a star with a space on both sides, or inside a path, is a star."""
    words = text.split(" ")
    for place, word in enumerate(words):
        if len(word) > 1 and "/" not in word:
            words[place] = word.strip("*") or word
    return " ".join(words)


def leading_number(text: str) -> "tuple[str, str]":
    """A number that leads a title, as written, and the title after it; ("", text) when there is none.

    "4. x", "4) x", "#4: x", "2.10 x", "4 — x", "Rule 4: x", "Lesson 4 – x" have one; "4 ways to fail" and
    "2026-07-08 x" have none.
    """
    start = 1 if text[:1] == "#" else 5 if text[:5] == "Rule " else 7 if text[:7] == "Lesson " else 0
    end = start
    while end < len(text) and (text[end].isdigit() and text[end].isascii()):
        end += 1
        if text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit():
            end += 1
    number = text[start:end]
    if not number:
        return "", text
    rest = text[end:]
    if not rest:
        return number, ""
    after = rest[1:2]
    if rest[0] in ".):" and after in ("", " ", "*"):
        return number, rest[1:].strip()
    if rest[0] == " " and rest[1:2] in ("—", "–", "-", ":", "|", "·"):
        return number, rest[2:].strip()
    if rest[0] == " " and ("." in number or start):
        return number, rest.strip()
    return "", text


def record_label(text: str) -> "tuple[str, str, str]":
    """(kind, number, title) of text such as "Guardrail 4: title" or "Tech debt #9 – title"; ("", "", text) for other text."""
    lower = text[:24].lower()
    if lower[:1] not in _KIND_LETTERS:
        return "", "", text
    if lower.startswith(("tech debt ", "technical debt ")):
        text = text[text.lower().index("debt") :]
        lower = text[:24].lower()
    word = lower.partition(" ")[0]
    kind = _KIND_WORDS.get(word, "")
    if kind:
        rest = text[len(word) :].lstrip(" ")
        number, colon, title = rest.partition(": ")
        if colon and number.isdigit() and number.isascii():
            return kind, number, title.lstrip()  # the canonical form, which is nearly all of them
        end = 1 if rest.startswith("#") else 0
        start = end
        while (
            end < len(rest)
            and rest[end].isascii()
            and (rest[end].isdigit() or (rest[end] == "." and rest[end + 1 : end + 2].isdigit()))
        ):
            end += 1
        after = rest[end : end + 1]
        if end > start and (not after or after in " :.)—–-("):
            title = rest[end:].lstrip(" :.)—–-")
            _, space, signs = rest[end : len(rest) - len(title)].rpartition(" ")  # they begin a title such as ".env"
            return kind, rest[start:end], (signs.lstrip(":)—–") if title and space else "") + title
    return "", "", text


def field_label(text: str) -> "tuple[str, str]":
    """(key, value) of a line such as "**Root cause:** text"; ("", text) when it has no label.

    Known labels get their kebab-case key also without bold; others must be bold and stay as written.
    """
    for mark in ("**", "__", "*", "_"):
        if text.startswith(mark):
            end = text.find(mark, len(mark))
            if end < 0:
                continue
            label = text[len(mark) : end]
            rest = text[end + len(mark) :]
            if label.endswith((":", "：")):
                label = label[:-1]
            elif rest.startswith((":", "：")):
                rest = rest[1:]
            else:
                return "", text
            label = label.strip()
            key = LABELS.get(label.lower(), "")
            if key or (label and mark in ("**", "__") and len(label) <= 40):
                return key or label, rest.strip()
            return "", text
    label, colon, rest = text[:40].replace("：", ":").partition(":")
    key = LABELS.get(label.strip().lower(), "") if colon else ""
    return (key, text[len(label) + 1 :].strip()) if key else ("", text)


def is_field(text: str) -> bool:
    """Does a list item say one field of a record? "**Why:** x" does; "**Keep on**: x" begins with what it demands."""
    label = field_label(text)[0]
    return bool(label) and (label in KEYS or bold_lead(text).endswith((":", "：")))


def column_key(header: str) -> str:
    """The field that a table's column holds."""
    text = strip_marks(header)
    return LABELS.get(text.lower(), text)


def bold_lead(text: str) -> str:
    """The bold words a paragraph begins with, or ""."""
    for mark in ("**", "__"):
        if text.startswith(mark):
            end = text.find(mark, 2)
            if end > 2:
                return text[2:end].strip()
    return ""


def first_sentence(text: str, longest: int = 200) -> str:
    """The first sentence of a paragraph, without its full stop; cut at a word after `longest` characters."""
    text = " ".join(text[: longest * 8].split())
    stop = _sentence_end(text, 0)
    text = strip_marks(text[:stop] if stop >= 0 else text).rstrip(".。:")
    if len(text) > longest:
        text = text[:longest].rpartition(" ")[0] or text[:longest]
        text += "…"
    return text


def _sentence_end(text: str, start: int) -> int:
    """Just behind the next sentence's last mark, or -1."""
    while True:
        found = -1
        for mark in (". ", "! ", "? ", "。", "！", "？", ".** ", ".* "):
            at = text.find(mark, start)
            if at >= 0 and (found < 0 or at + len(mark) < found):
                found = at + len(mark.rstrip(" "))
        if found < 0 or not text[max(0, found - 12) : found].rstrip(".").endswith(_ABBREVIATIONS):
            return found
        start = found


def sentences(text: str) -> "list[str]":
    """A paragraph in sentences, each with its last mark."""
    text = " ".join(text.split())
    found: "list[str]" = []
    begin = 0
    while begin >= 0:
        stop = _sentence_end(text, begin)
        found.append(text[begin : stop if stop >= 0 else len(text)].strip())
        begin = stop
    return [sentence for sentence in found if sentence]


def title_of(text: str) -> str:
    """The title of a list item or a table cell: its bold lead, else its first sentence, marks removed."""
    lead = bold_lead(text)
    return strip_marks(lead).rstrip(".:") if lead else first_sentence(text)


def session_date(heading: str) -> str:
    """The first YYYY-MM-DD of a heading, or ""."""
    at = heading.find("-")
    while at >= 4:
        date = heading[at - 4 : at + 6]
        if len(date) == 10 and date[7] == "-" and (date[:4] + date[5:7] + date[8:]).isdigit() and date.isascii():
            return date
        at = heading.find("-", at + 1)
    return ""


def work_type(heading: str) -> str:
    """The work type in brackets in a session's heading, or ""."""
    lower = heading.lower()
    return next((kind for kind in WORK_TYPES if "[%s]" % kind in lower), "")


def slug(text: str, longest: int = 60) -> str:
    """Words joined by hyphens, lower case: what an id is made of when there is no number."""
    words = "".join(c if c.isalnum() else " " for c in strip_marks(text).lower()).split()
    made = ""
    for word in words:
        if made and len(made) + len(word) >= longest:
            break
        made += ("-" if made else "") + word
    return made[:longest]
