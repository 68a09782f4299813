"""Text that is safe to keep and to show: without credentials, and without what a reader cannot see.

Both work in linear time on any text.
"""

from .invisible import hidden_at, visible

__all__ = ["found", "hidden_at", "redact", "visible"]

MASK = "«redacted»"

_ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_UPPER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_URLSAFE = _ALNUM | frozenset("_-")
_BASE64 = _ALNUM | frozenset("+/=")
_NAME = _URLSAFE | frozenset(".")

_BEGIN, _END = "-----BEGIN ", "-----END "

# How issuers' tokens begin, the characters that follow, and how many there are at least.
_TOKENS = (
    ("ghp_", _ALNUM, 20),
    ("gho_", _ALNUM, 20),
    ("ghu_", _ALNUM, 20),
    ("ghs_", _ALNUM, 20),
    ("ghr_", _ALNUM, 20),
    ("github_pat_", _URLSAFE, 20),
    ("glpat-", _URLSAFE, 16),
    ("npm_", _ALNUM, 30),
    ("hf_", _ALNUM, 30),
    ("AKIA", _UPPER, 16),
    ("ASIA", _UPPER, 16),
    ("AIza", _URLSAFE, 30),
    ("sk-ant-", _URLSAFE, 16),
    ("sk-", _URLSAFE, 20),
    ("sk_live_", _ALNUM, 16),
    ("rk_live_", _ALNUM, 16),
    ("sk_test_", _ALNUM, 16),
    ("xoxa-", _URLSAFE, 10),
    ("xoxb-", _URLSAFE, 10),
    ("xoxp-", _URLSAFE, 10),
    ("xoxr-", _URLSAFE, 10),
    ("xoxs-", _URLSAFE, 10),
    ("pypi-", _URLSAFE, 40),
)
_SECRET_WORDS = ("password", "passwd", "passphrase", "secret", "credential", "credentials", "apikey")
_KEY_WORDS = ("key", "token", "auth")
_HARMLESS_KEYS = (
    "primary foreign cache sort partition public unique group hot row column index map object dict json react next csrf"
).split()
_REFERENCES = ("$", "<", "%", "{", "*", "«", "(", "[", "=", ">", ":")  # or no value at all
_NO_SECRETS = ("none", "null", "nil", "undefined", "true", "false", "")
_SCHEMES = ("bearer", "basic", "token", "digest", "negotiate")


def redact(text: str) -> str:
    """The text with every credential-shaped string replaced by «redacted»."""
    out, at = [], 0
    for start, end in found(text):
        if start >= at:
            out += [text[at:start], MASK]
        at = max(at, end)
    return "".join(out) + text[at:]


def found(text: str) -> "list[tuple[int, int]]":
    """Where the credential-shaped strings start and end, in order; they may overlap."""
    spans: "list[tuple[int, int]]" = []
    _private_keys(text, spans)
    _tokens(text, spans)
    _web_tokens(text, spans)
    _url_passwords(text, spans)
    lowered = _lower(text)
    _schemes(text, lowered, spans)
    _assignments(text, lowered, spans)
    return sorted(spans)


def _run(text: str, at: int, allowed: "frozenset[str]") -> int:
    """Where the run of allowed characters from `at` ends."""
    while at < len(text) and text[at] in allowed:
        at += 1
    return at


def _private_keys(text: str, spans: "list[tuple[int, int]]") -> None:
    """PEM blocks, also those cut off at either end: a tail of output seldom holds all of one."""
    if "PRIVATE KEY" not in text:
        return
    start = text.find(_BEGIN)
    cut = text.find(_END)
    if cut >= 0 and not 0 <= start < cut and _is_key_label(text, cut + len(_END)):
        spans.append((_body_before(text, cut), _line_end(text, cut)))
    while start >= 0:
        after = start + len(_BEGIN)
        if _is_key_label(text, after):
            end = text.find(_END, after)
            if end < 0:
                spans.append((start, _body_after(text, _line_end(text, start))))
                return
            close = text.find("-----", end + len(_END))
            after = len(text) if close < 0 else close + len("-----")
            spans.append((start, after))
        start = text.find(_BEGIN, after)


def _is_key_label(text: str, at: int) -> bool:
    label, closed, _ = text[at : at + 50].partition("-----")
    return bool(closed) and "PRIVATE KEY" in label and "\n" not in label


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _body_before(text: str, at: int) -> int:
    while at > 0 and (text[at - 1] in _BASE64 or text[at - 1] in "\r\n"):
        at -= 1
    return at


def _body_after(text: str, at: int) -> int:
    while at < len(text):
        end = _line_end(text, at + 1)
        line = text[at:end].strip()
        if _run(line, 0, _BASE64) < len(line) and not line.startswith(("Proc-Type:", "DEK-Info:")):
            break
        at = end
    return at


def _tokens(text: str, spans: "list[tuple[int, int]]") -> None:
    for prefix, allowed, least in _TOKENS:
        start = text.find(prefix)
        while start >= 0:
            body = start + len(prefix)
            end = _run(text, body, allowed)
            begins = start == 0 or text[start - 1] not in _ALNUM
            if begins and end - body >= least and (prefix != "sk-" or _has_digit(text[body:end])):
                spans.append((start, end))
            start = text.find(prefix, end)


def _has_digit(text: str) -> bool:
    """A long hyphenated name has none, a random string nearly always."""
    return any(char.isdigit() for char in text)


def _web_tokens(text: str, spans: "list[tuple[int, int]]") -> None:
    """JSON web tokens: three base64 parts, the first two of which are objects."""
    start = text.find("eyJ")
    while start >= 0:
        first = _run(text, start, _URLSAFE)
        second = _run(text, first + 1, _URLSAFE)
        end = second
        if text.startswith(".eyJ", first):
            if text.startswith(".", second):
                end = _run(text, second + 1, _URLSAFE)
            spans.append((start, end))
        else:
            end = first
        start = text.find("eyJ", end)


def _url_passwords(text: str, spans: "list[tuple[int, int]]") -> None:
    start = text.find("://")
    while start >= 0:
        start += 3
        end = start
        while end < len(text) and text[end] not in "/ \t\r\n\"'<>`":
            end += 1
        user, at, _ = text[start:end].rpartition("@")
        name, colon, password = user.partition(":")
        if at and password and not password.startswith(_REFERENCES):
            spans.append((start + len(name) + 1, start + len(user)))
        elif at and not colon and len(name) >= 20 and MASK not in name:
            spans.append((start, start + len(user)))
        start = text.find("://", end)


def _lower(text: str) -> str:
    """Lower case, of the same length."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if char < "\x80" else char for char in text)
    return lowered


def _schemes(text: str, lowered: str, spans: "list[tuple[int, int]]") -> None:
    """`Authorization: Bearer …`, and the scheme with its credential anywhere."""
    start = lowered.find("authorization")
    while start >= 0:
        at = named = start + len("authorization")
        while at < named + 10 and text[at : at + 1] and text[at] in "\"':= \t":
            at += 1
        end = _run(text, at, _ALNUM)
        if lowered[at:end] in _SCHEMES and text[end : end + 1] == " ":
            at = end + 1
        end = at
        if ":" in text[named:at] or "=" in text[named:at]:
            while end < len(text) and text[end] not in "\r\n\"'`":
                end += 1
            if not text.startswith(_REFERENCES, at):
                spans.append((at, end))
        start = lowered.find("authorization", end)
    start = lowered.find("bearer ")
    while start >= 0:
        at = start + len("bearer ")
        end = _run(text, at, _BASE64 | _NAME)
        if end - at >= 16 and _has_digit(text[at:end]):
            spans.append((at, end))
        start = lowered.find("bearer ", end)


def _assignments(text: str, lowered: str, spans: "list[tuple[int, int]]") -> None:
    """`NAME=value` and `NAME: value` where the name is that of a secret."""
    for word in _SECRET_WORDS + _KEY_WORDS:
        hit, end = lowered.find(word), 0
        while hit >= 0:
            after = _run(text, hit, _NAME)
            name = text[_name_start(text, hit) : after]
            at = _separator(text, after)
            if at:
                sure = text[at] == "=" or text[after] in "\"'" or name.isupper()
                start = _past_blanks(text, at + 1)
                # A value may hold such names itself: its end is looked for once.
                if text[start : start + 1] in ("'", '"') or start >= end:
                    start, end = _value(text, start)
                value = text[start : min(end, start + 200)]
                if not value.startswith(_REFERENCES) and _is_secret(name, value, sure):
                    spans.append((start, end))
            hit = lowered.find(word, after)


def _name_start(text: str, at: int) -> int:
    """Where the name begins; no name is long."""
    start = at
    while start > 0 and at - start < 60 and text[start - 1] in _NAME:
        start -= 1
    return start


def _separator(text: str, at: int) -> int:
    """Where `=` or `:` stands after a name, perhaps behind a quote and blanks; 0 if it does not."""
    if text[at : at + 1] in ("'", '"'):
        at += 1
    at = _past_blanks(text, at)
    return at if text[at : at + 1] in ("=", ":") else 0


def _past_blanks(text: str, at: int) -> int:
    end = at
    while end < at + 3 and text[end : end + 1] in (" ", "\t"):
        end += 1
    return end


def _value(text: str, start: int) -> "tuple[int, int]":
    if text[start : start + 1] in ("'", '"') and start < len(text):
        quote = text[start]
        start += 1
        end = start
        while end < len(text) and text[end] not in (quote, "\n"):
            end += 2 if text[end] == "\\" else 1
        return start, min(end, len(text))
    end = start
    while end < len(text) and text[end] not in " \t\r\n,;&)}]\"'`":
        end += 1
    return start, end


def _is_secret(name: str, value: str, sure: bool) -> bool:
    words = _words(name)
    if not words or value.lower() in _NO_SECRETS:
        return False
    if words[-1] in _SECRET_WORDS or (name.isupper() and any(word in _SECRET_WORDS for word in words)):
        return True
    if words[-1] not in _KEY_WORDS or (len(words) > 1 and words[-2] in _HARMLESS_KEYS):
        return False
    if len(words) > 1 or name.isupper():
        return sure or _is_dense(value, 8)
    return _is_dense(value, 12)


def _is_dense(value: str, least: int) -> bool:
    """Whether it is long, with letters and digits: no word of a sentence."""
    return len(value) >= least and _has_digit(value) and any(char.isalpha() for char in value)


def _words(name: str) -> "list[str]":
    """The words of a name in any case style, in lower case."""
    out, before = [], ""
    for char in name:
        out.append(" " if char in "_-." else " " + char if char.isupper() and before.islower() else char)
        before = char
    return "".join(out).lower().split()
