"""What a heading opens: a section of records, the section of one session, or neither."""

from rld import naming
from rld.naming import DEBT, DECISION, GUARDRAIL, PITFALL, REPEALED, SESSIONS

# The words that decide the kind of a section (first match wins), and the others that its heading may be made of.
_DECIDING = (
    ("guardrail", GUARDRAIL), ("guardrails", GUARDRAIL), ("pitfall", PITFALL), ("pitfalls", PITFALL),
    ("troubleshooting", PITFALL), ("lessons", PITFALL), ("learnings", PITFALL), ("gotchas", PITFALL),
    ("fallstricke", PITFALL), ("pièges", PITFALL), ("pieges", PITFALL), ("trampas", PITFALL), ("armadilhas", PITFALL),
    ("ловушки", PITFALL), ("грабли", PITFALL), ("踩坑记录", PITFALL), ("常见陷阱", PITFALL), ("落とし穴", PITFALL),
    ("leitplanken", GUARDRAIL), ("garde-fous", GUARDRAIL), ("backlog", DEBT), ("debt", DEBT), ("tech-debt", DEBT),
    ("architectural", DECISION), ("architecture", DECISION), ("decisions", DECISION), ("repair", PITFALL),
    ("sessions", SESSIONS), ("repealed", REPEALED), ("rules", GUARDRAIL),
)  # fmt: skip
WORDS = dict(_DECIDING)
_RANKS = {word: place for place, (word, _) in enumerate(_DECIDING)}
FILLING = frozenset(
    "production rule and & the guides guide changes decision future residual tech technical learned known log "
    "ledger records list deferred code our + global final hard".split()
)
# Behind at most two words that we do not know, these still say what a heading is about: "Hard-won rules".
_NOUNS = ("guardrails", "pitfalls", "lessons", "learnings", "gotchas", "decisions", "backlog", "debt", "rules")
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_STOPS = (":", "(", "：", "（", " – ", " — ", " - ", " for ", " of ", " in ")
# What stands among the lessons of a report and is none: praise, advice, a manual.
ASIDES = ("what went well", "what worked", "recommendations", "action items", "next steps", "how to use")


def section(heading: str, level: int = 0) -> str:
    """The kind of records below this heading: one of KINDS, SESSIONS, REPEALED, or "" when it names no section.

    `level`: of a heading that stands in no section yet. A title may then name its project first ("Ferry — Pitfalls"),
    a deeper heading may begin with words that we do not know, and a translation may have our words in brackets.
    """
    text = naming.bare(heading).lower().replace(".md", "")
    mark = " — " if level == 1 else "(" if level and not text.isascii() else ""
    inner = text.replace("（", "(").partition(mark)[2].rstrip(")） ") if mark else ""
    if inner and section(inner):
        text = inner
    for stop in _STOPS:
        text = text.partition(stop)[0]
    words = text.replace("/", " ").replace(",", " ").split()
    loose = level > 1 and words and words[-1] in _NOUNS and not ("&" in text or "and" in words or "/" in text)
    strange = 0 if loose else 2
    found = ""
    for word in words:
        kind = WORDS.get(word, "")
        if not kind and word not in FILLING:
            strange += 1
            if strange > 2:
                return ""
        if kind and (not found or _RANKS[word] < _RANKS[found]):
            found = word
    return WORDS.get(found, "")


def is_session(heading: str) -> bool:
    """Is this the heading of one session: a date, a work type, or a number as in "Session 7" and "Run five"?"""
    word, _, rest = naming.bare(heading).lower().partition(" ")
    which = rest.partition(" ")[0].strip("#:.,()")
    counted = word in ("session", "run") and (which.replace(".", "").isdecimal() or which in _COUNTED)
    return bool(counted or naming.session_date(heading) or naming.work_type(heading))
