"""No credential and no hidden character gets through, and nothing else is lost."""

import random
import string
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld.redact import hidden_at, redact, visible

MASK = "«redacted»"
BODY = "Zx9" + "aB3dE6gH8jK1mN4pQ7rS" * 2
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nq83rT+/=\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_" + BODY[:36],
        "gho_" + BODY[:36],
        "ghs_" + BODY[:36],
        "github_pat_11AAAAAAA0" + BODY,
        "AKIAIOSFODNN7EXAMPLE",
        "ASIAQWERTYUIOPASDFGH",
        "sk-" + BODY,
        "sk-proj-" + BODY,
        "sk-ant-api03-" + BODY,
        "xoxb-1234567890-" + BODY,
        "xoxp-1234567890-" + BODY,
        "xoxa-2-" + BODY,
        "glpat-" + BODY[:20],
        "npm_" + BODY[:36],
        "AIza" + BODY[:35],
        "hf_" + BODY[:34],
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g",
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0",
        PEM,
        PEM.replace("RSA ", ""),
        PEM.replace("RSA ", "OPENSSH "),
        PEM.replace("\n", "\\n"),
    ],
)
@pytest.mark.parametrize("frame", ["{}", "error: {} is bad", "a\n{}\nb", "({})", "token '{}'.", "x={}"])
def test_issued_secrets_are_masked_wherever_they_stand(secret, frame):
    out = redact(frame.format(secret))
    assert secret not in out
    assert secret[-12:] not in out
    assert out == frame.format(MASK)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("API_KEY=abc123", "API_KEY=" + MASK),
        ("export STRIPE_SECRET='a b c'; x", "export STRIPE_SECRET='" + MASK + "'; x"),
        ("AWS_SECRET_ACCESS_KEY=wJalr/K7+bPx next", "AWS_SECRET_ACCESS_KEY=" + MASK + " next"),
        ("DB_PASSWORD=hunter2\nPORT=1", "DB_PASSWORD=" + MASK + "\nPORT=1"),
        ("DB_PASSWORD_TEST=hunter2", "DB_PASSWORD_TEST=" + MASK),
        ("TOKEN=abc", "TOKEN=" + MASK),
        ("password: hunter2", "password: " + MASK),
        ("Password = hunter2", "Password = " + MASK),
        ('{"password": "hunter\\"2", "a": 1}', '{"password": "' + MASK + '", "a": 1}'),
        ('"apiKey": "abc"', '"apiKey": "' + MASK + '"'),
        ("clientSecret='abc'", "clientSecret='" + MASK + "'"),
        ("--token=abc12345678x", "--token=" + MASK),
        ("--password=abc", "--password=" + MASK),
        ("GET /a?access_token=abc&b=c", "GET /a?access_token=" + MASK + "&b=c"),
        ("//registry/:_authToken=abc", "//registry/:_authToken=" + MASK),
        ("postgres://app:hunter2@db:5432/x", "postgres://app:" + MASK + "@db:5432/x"),
        ("redis://:hunter2@cache/0", "redis://:" + MASK + "@cache/0"),
        ("https://u:p@ss#w@host/a", "https://u:" + MASK + "@host/a"),
        ("https://%s@github.com/a" % BODY[:24], "https://" + MASK + "@github.com/a"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer " + MASK),
        ("authorization: Basic dXNlcjpwdw==", "authorization: Basic " + MASK),
        ("curl -H 'Authorization: token abc' x", "curl -H 'Authorization: token " + MASK + "' x"),
        ('{"Authorization": "Bearer abc"}', '{"Authorization": "Bearer ' + MASK + '"}'),
        ("Authorization: abc", "Authorization: " + MASK),
        ("sent Bearer %s" % BODY[:20], "sent Bearer " + MASK),
        ("cut -----BEGIN PRIVATE KEY-----\nMIIE\nabcd", "cut " + MASK),
        ("cut -----BEGIN PRIVATE KEY-----\nMIIE\nthe end, it is", "cut " + MASK + "\nthe end, it is"),
        ("MIIE\nabcd\n-----END PRIVATE KEY-----\nrest", MASK + "\nrest"),
        (PEM + "\nbetween\n" + PEM, MASK + "\nbetween\n" + MASK),
        ("API_KEY=" + "sk-" + BODY, "API_KEY=" + MASK),
        ("İ" * 9 + " Authorization: Bearer abc", "İ" * 9 + " Authorization: Bearer " + MASK),
    ],
)
def test_secrets_are_masked_by_the_names_they_stand_beside(text, masked):
    assert redact(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 failed, 10 passed in 0.41s",
        "SyntaxError: Unexpected token: }",
        "SyntaxError: Unexpected token '<'",
        "KeyError: 'price'",
        "Warning: each child should have a unique key",
        "sorted(rows, key=len)",
        "key: value",
        "PRIMARY_KEY=id",
        "cache-key: npm-linux-a1b2c3",
        "max_tokens=4096",
        "API_KEY=$API_KEY",
        "TOKEN=${{ secrets.TOKEN }}",
        "PASSWORD=<your password>",
        "password=None",
        "token == other",
        "Token::Comma",
        "const token = (x) => 1",
        "https://example.com:8080/a",
        "git@github.com:a/b.git",
        "ssh://git@github.com/a",
        "a/task-list-of-things-to-do.md",
        "sk-learn-is-a-long-hyphenated-name",
        "npm_config_registry",
        "npm_lifecycle_event",
        "authorization failed for user 7",
        "the bearer of this",
        "AKIA is a prefix",
        "eyJ is how base64 of an object begins",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "the PRIVATE KEY is missing",
        "commit 3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b",
        "déjà vu: ключ = значение",
    ],
)
def test_ordinary_text_is_left_alone(text):
    assert redact(text) == text


LOG_LINES = [
    PEM,
    "API_KEY=abc",
    "password: x1",
    "http://a:b@c/d",
    "http://a@c",
    "Bearer " + BODY,
    "sk-" + BODY,
]
LOG_LINES += ["Authorization: Bearer abc", "1 failed", "key: value", '"token": "abc123456789"', "a=b:c", ""]


@given(st.lists(st.sampled_from(LOG_LINES)).map("\n".join))
def test_redacting_twice_changes_nothing_more(text):
    once = redact(text)
    assert redact(once) == once


@given(st.text(alphabet=string.ascii_letters + " \n.,", max_size=300))
def test_plain_words_are_left_alone(text):
    assert redact(text) == text


# ---- what cannot be seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[1;38;5;9mx\x1b[K", "x"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9d0;title\x9ctext", "text"),
        ("\x1bPdata\x1b\\text", "text"),
        ("\x1b(Btext", "text"),
        ("\x1bctext", "text"),
        ("text\x1b", "text"),
        ("text\x1b[", "text"),
        ("\x1b]0;no end", "0;no end"),
        ("\x1b]0;no end\nnext", "0;no end\nnext"),
        ("a\r\nb\rc", "a\nbc"),
        ("a\tb\n", "a\tb\n"),
        ("a\x00\x07\x08\x7f\x85b", "ab"),
        ("safe\u202eevil\u202c", "safeevil"),
        ("a\u2066b\u2069", "ab"),
        ("a\u200bb\u200cc\u200dd", "abcd"),
        ("\ufeffa\u2060b\u00adc", "abc"),
        ("x" + "".join(chr(0xE0000 + ord(char)) for char in "rm -rf"), "x"),
        ("a\ufe0fb\U000e0101", "ab"),
        ("☀\ufe0f\ufe0f", "☀\ufe0f"),
        ("a\u3164b", "ab"),
    ],
)
def test_what_a_reader_cannot_see_goes(text, seen):
    assert visible(text) == seen


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "naïve café, ключ, 測試, ẵ",
        "non-breaking\u00a0space",
        "🎈 ❤️ ☀️ ©️ 1️⃣ #️⃣ ☎︎",
        "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 👩🏽‍🚀 🧑🏿‍🤝‍🧑🏻",
        "می‌خواهم",
        "क्‍ष न्‌",
        "葛\U000e0100城",
        "שלום\u200f!",
        "a\u2028b",
        "\ue0b0 private use",
        "\udce9 from a bad byte",
    ],
)
def test_what_scripts_and_emoji_need_stays(text):
    text = text.replace("न्‌", "न्‌क")
    assert visible(text) == text
    assert hidden_at(text) == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("", []),
        ("plain", []),
        ("tab\tand form feed\x0c, a line end\r", []),
        ("a\u202eb\u202cc\u202e", ["U+202E", "U+202C"]),
        ("a\U000e0072\U000e006d", ["U+E0072", "U+E006D"]),
        ("\x1b[31m", ["U+001B"]),
        ("a\u200bb", ["U+200B"]),
        ("a\u200db", ["U+200D"]),
        ("🎈\u200d", ["U+200D"]),
        ("🎈\u200c🎈", ["U+200C"]),
        ("a\ufe0f", ["U+FE0F"]),
        ("a\ufe00\U000e0123", ["U+FE00", "U+E0123"]),
        ("latin\u200e", ["U+200E"]),
        ("\u061ca", ["U+061C"]),
        ("\u00ad\u2060\ufeff", ["U+00AD", "U+2060", "U+FEFF"]),
    ],
)
def test_hidden_characters_are_named(line, names):
    assert hidden_at(line) == names


@given(st.text())
@settings(max_examples=300)
def test_what_is_visible_holds_no_control_and_stays_as_it_is(text):
    seen = visible(text)
    assert visible(seen) == seen
    assert all(unicodedata.category(char) != "Cc" or char in "\t\n" for char in seen)
    assert not any(hidden_at(line) for line in seen.split("\n"))


ODD = "\x1b\x9b\x9d\x9c\x07[]\\;m0 a\n\r\u200c\u200d\ufe0f\u202e🎈🏽नक\u061c\u200fא\U000e0041葛\U000e0100"


@given(st.text(alphabet=ODD, max_size=40))
@settings(max_examples=500)
def test_odd_mixtures_become_clean_at_once(text):
    seen = visible(text)
    assert visible(seen) == seen
    assert not any(hidden_at(line) for line in seen.split("\n"))
    assert hidden_at(text.replace("\n", "")) == [] or visible(text.replace("\n", "")) != text.replace(
        "\n", ""
    )


@given(st.text(alphabet=st.characters(whitelist_categories=["Lu", "Ll", "Nd", "Po", "Zs"])))
def test_letters_and_marks_of_any_script_stay(text):
    kept = [char for char in text if not hidden_at(char)]
    assert visible("".join(kept)) == "".join(kept)


# ---- cost

SHUFFLED = list("ab=:\"'KEYtoken://@-eyJ.\\ \n\x1b[]\u200d🎈")
random.Random(1).shuffle(SHUFFLED)


PIECES = ["KEY=", "key=", 'KEY="', "=", ":", "'", "://", "a:b@", "http://a:b@c ", "eyJ", "eyJ.eyJ.", "sk-"]
PIECES += ["ghp_a", "bearer ", "authorization: ", "-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY-----\n"]
PIECES += ["-----END ", "\x1b]", "\x1b[1", "\x90", "\u200d", "❤️‍🔥", "a\u202e", "A", "\n", "".join(SHUFFLED)]


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
@pytest.mark.parametrize("function", [redact, visible, hidden_at])
def test_twice_the_text_takes_about_twice_the_time(function, piece):
    def cost(count):
        text = piece * count
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            function(text)
            best = min(best, time.process_time() - start)
        return best

    assert cost(4000) < 8 * cost(1000) + 0.01
