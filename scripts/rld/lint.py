"""What is wrong with a post-mortem, and what a record must say.

The same demands hold for a record in the file and for a candidate. A form that is not ours is never scolded.
"""

from rld import naming, redact
from rld.postmortem import PostMortem
from rld.record import ACTIVE, Record

# What a hard rule says, in capitals, in the languages that have them; and in those that have none.
_HARD = frozenset((
    "MUST FORBIDDEN NEVER PROHIBITED SHALL REQUIRED MANDATORY "
    "VERBOTEN MUSS MÜSSEN DARF DÜRFEN VERBODEN MOET MOETEN FÖRBJUDET MÅSTE FORBUDT SKAL "
    "INTERDIT INTERDITE DOIT DOIVENT OBLIGATOIRE PROHIBIDO PROHIBIDA DEBE DEBEN OBLIGATORIO "
    "PROIBIDO PROIBIDA DEVE DEVEM OBRIGATÓRIO VIETATO VIETATA DEVONO OBBLIGATORIO "
    "ZABRONIONE MUSI MUSZĄ YASAK ZORUNLU "
    "НЕЛЬЗЯ ЗАПРЕЩЕНО ЗАПРЕЩАЕТСЯ ДОЛЖЕН ДОЛЖНА ДОЛЖНО ДОЛЖНЫ ОБЯЗАН ОБЯЗАНА ОБЯЗАНЫ "
    "ЗАБОРОНЕНО ПОВИНЕН ПОВИННА ПОВИННО ПОВИННІ"
).split())  # fmt: skip
_HARD_WITHOUT_CAPITALS = (
    "必须", "必須", "禁止", "不得", "不可", "严禁", "嚴禁", "してはならない", "しなければ", "ねばならない", "べからず",
    "반드시", "금지", "해야 한다", "يجب", "ممنوع", "אסור", "חייב", "अनिवार्य", "वर्जित", "ต้อง", "ห้าม",
)  # fmt: skip
_ENGLISH = frozenset(("the", "and", "should", "never", "always", "avoid", "prefer", "must", "forbidden", "with"))
_REASONS = (
    "because", "since", "so that", "otherwise", "reason", "why", "in order to", "to avoid", "instead of", "thereby",
    "weil", "damit", "denn", "sonst", "porque", "para que", "parce que", "car ", "afin", "perché", "omdat",
    "потому", "чтобы", "иначе", "тому що", "因为", "以便", "ため", "ので", "때문",
)  # fmt: skip


def problems(found: PostMortem) -> "list[tuple[int, str, str]]":
    """What is wrong with a post-mortem as (line, code, message), in the order of the lines. Linear; never raises."""
    told = list(found.problems)
    text = found.text
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        for line, row in enumerate(text.split("\n"), 1):
            hidden = redact.hidden_at(row)
            if hidden:
                told.append((line, "hidden-unicode", hidden_message(hidden)))
    for entry in found.records:
        if entry.labelled and entry.status == ACTIVE and not _is_foreign(entry):
            for what in missing(entry):
                told.append((entry.line, "missing-field", "%s %s" % (entry.cite, what)))
    told.sort(key=lambda problem: problem[0])
    return told


def _is_foreign(entry: Record) -> bool:
    """Does a record answer the questions of another form, and none of ours?"""
    return len(entry.fields) > 1 and not any(key in naming.KEYS for key in entry.fields)


def hidden_message(names: "list[str]") -> str:
    return "characters that nobody can see (%s): delete them" % ", ".join(names)


def missing(entry: Record) -> "list[str]":
    """What a record of its kind must say and this one does not, each with the way out; [] when it is complete."""
    fields = entry.fields
    if entry.kind == naming.GUARDRAIL:
        told = _absent(fields, ("why", "say what went wrong without the rule"))
        if is_hard(entry) is False:
            told.append("says neither MUST nor FORBIDDEN: phrase it as a rule, or make it a pitfall")
        return told
    if entry.kind == naming.PITFALL:
        return _absent(
            fields,
            ("symptom", "quote what one sees"),
            ("root-cause", "say what is behind it"),
            ("fix", "say what repairs it"),
        )
    if entry.kind == naming.DECISION:
        if fields.get("why") or gives_reason(entry.body):
            return []
        return ["has no **Why:**: say what speaks for it, so that nobody undoes it"]
    if fields.get("trigger") or fields.get("why-deferred"):
        return []
    return ["has neither **Trigger:** nor **Why deferred:**: say when it is due, or why it waits"]


def _absent(fields: "dict[str, str]", *wanted: "tuple[str, str]") -> "list[str]":
    return [
        "has no **%s:**: %s" % (key.replace("-", " ").capitalize(), way_out)
        for key, way_out in wanted
        if not fields.get(key)
    ]


def is_hard(entry: Record) -> "bool | None":
    """Does a rule say MUST or FORBIDDEN, or the same in its language? None when its language cannot be told."""
    text = entry.title + "\n" + entry.body
    if "MUST" in text or "FORBIDDEN" in text:
        return True
    if any(word in text for word in _HARD_WITHOUT_CAPITALS) or any(word in _HARD for word in _words(text)):
        return True
    said = _words(entry.title + " " + entry.statement)
    return False if any(word.lower() in _ENGLISH for word in said) else None


def gives_reason(text: str) -> bool:
    """Does a text give a reason, or is it in a language that we cannot judge?"""
    lower = text.lower()
    if any(word in lower for word in _REASONS):
        return True
    return bool(text.strip()) and not any(word.lower() in _ENGLISH for word in _words(text))


def _words(text: str) -> "list[str]":
    return "".join([char if char.isalpha() else " " for char in text]).split()
