"""What counts as a credential, and what only looks like one.

No credential stands here: each is put together from a form and letters drawn from a seed. Prefixes are cut in two, so
that scanners of this repository have nothing to report.
"""

import base64
import json
import random
import string
import subprocess
import sys
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rld import secrets
from rld.cli import log_verb
from rld.errors import Refused

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALL = LOWER + UPPER + DIGITS
URL = ALL + "_-"
B64 = ALL + "+/"
HEX = DIGITS + "abcdef"
B32 = UPPER + "234567"


def drawn(seed, length, alphabet=ALL):
    source = random.Random(seed)
    return "".join(source.choice(alphabet) for _ in range(length))


def checked(prefix, seed):
    """As GitHub and npm make them: the last six characters are a checksum of the others."""
    body, check = drawn(seed, 30), ""
    left = zlib.crc32(body.encode())
    while left:
        left, digit = divmod(left, 62)
        check = (DIGITS + UPPER + LOWER)[digit] + check
    return prefix + body + check.rjust(6, "0")


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def pem(label, width=64):
    rows = "\n".join(drawn(label + str(n), width, B64) for n in range(4))
    return "-----BEGIN %s-----\n%s\n-----END %s-----" % (label, rows, label)


def uuid(seed):
    return "-".join(drawn(seed + str(size), size, HEX) for size in (8, 4, 4, 4, 12))


SECRETS = {
    "aws-key-id": "the key AK" + "IA" + drawn("a", 16, B32) + " leaked",
    "aws-temporary-key-id": "AS" + "IA" + drawn("aa", 16, B32),
    "aws-secret": "aws_secret_access_key = " + drawn("b", 40, B64),
    "github-classic": "cloned with " + checked("gh" + "p_", "gp"),
    "github-oauth": checked("gh" + "o_", "go"),
    "github-user": checked("gh" + "u_", "gu"),
    "github-app": checked("gh" + "s_", "gs"),
    "github-refresh": "gh" + "r_" + drawn("gr", 76),
    "github-fine-grained": "github" + "_pat_" + drawn("f", 22) + "_" + drawn("g", 59),
    "gitlab-personal": "gl" + "pat-" + drawn("h", 20, URL),
    "gitlab-runner": "gl" + "rt-" + drawn("i", 20, URL),
    "gitlab-deploy": "gl" + "dt-" + drawn("i2", 20, URL),
    "gitlab-trigger": "gl" + "ptt-" + drawn("i3", 40, HEX),
    "gitlab-feed": "gl" + "ft-" + drawn("i4", 20, URL),
    "slack-bot": "xo" + "xb-%s-%s-%s" % (drawn("j", 12, DIGITS), drawn("j2", 12, DIGITS), drawn("j3", 24)),
    "slack-app": "xa"
    + "pp-1-A%s-%s-%s" % (drawn("l", 10, UPPER), drawn("l1", 13, DIGITS), drawn("l2", 64, HEX)),
    "slack-webhook": "https://hooks.slack" + ".com/services/T%s/B%s/%s"
    % (drawn("m", 10, UPPER + DIGITS), drawn("m2", 10, UPPER + DIGITS), drawn("m3", 24)),
    "stripe-live": "sk_" + "live_" + drawn("n", 24),
    "stripe-test": "sk_" + "test_" + drawn("n1", 24),
    "stripe-restricted": "rk_" + "live_" + drawn("n2", 24),
    "openai-project": "sk-" + "proj-" + drawn("o", 74, URL) + "T3Blbk" + "FJ" + drawn("o2", 74, URL),
    "openai-old": "sk-" + drawn("o3", 20) + "T3Blbk" + "FJ" + drawn("o4", 20),
    "anthropic": "sk-" + "ant-api03-" + drawn("p", 93, URL) + "AA",
    "google-api": "AI" + "za" + drawn("q", 35, URL),
    "hugging-face": "h" + "f_" + drawn("s", 34, LOWER + UPPER),
    "npm": checked("np" + "m_", "t"),
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + drawn("u", 120, URL),
    "sendgrid": "S" + "G." + drawn("v", 22, URL) + "." + drawn("v1", 43, URL),
    "twilio": "S" + "K" + drawn("y", 32, HEX),
    "square-access": "EAAA" + "E" + drawn("B1", 59, URL),
    "shopify": "shp" + "at_" + drawn("C", 32, HEX),
    "digitalocean": "dop" + "_v1_" + drawn("E", 64, HEX),
    "databricks": "da" + "pi" + drawn("F", 32, HEX),
    "doppler": "dp" + ".pt." + drawn("G", 43),
    "linear": "lin" + "_api_" + drawn("H", 40),
    "notion": "ntn" + "_" + drawn("I0", 11, DIGITS) + drawn("I", 35),
    "postman": "PMAK" + "-" + drawn("J", 24, HEX) + "-" + drawn("J1", 34, HEX),
    "grafana": "gls" + "a_" + drawn("L", 32) + "_" + drawn("L1", 8, HEX),
    "vault": "hv" + "s." + drawn("M", 95, URL),
    "terraform": drawn("N", 14) + ".atlas" + "v1." + drawn("N1", 67, URL),
    "docker": "dckr" + "_pat_" + drawn("O", 27, URL),
    "rubygems": "ruby" + "gems_" + drawn("P", 48, HEX),
    "dynatrace": "dt0" + "c01." + drawn("Q", 24, UPPER + DIGITS) + "." + drawn("Q1", 64, UPPER + DIGITS),
    "age": "AGE-SECRET-" + "KEY-1" + drawn("R", 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "azure-storage": "AccountName=shop;Account" + "Key=" + drawn("S", 86, B64) + "==;",
    "sentry": "sntryu" + "_" + drawn("sn", 64, HEX),
    "airtable": "pat" + drawn("at", 14) + "." + drawn("at1", 64, HEX),
    "figma": "fig" + "d_" + drawn("fi", 40, URL),
    "supabase": "sbp" + "_" + drawn("sb", 40, HEX),
    "pulumi": "pul" + "-" + drawn("pu", 40, HEX),
    "groq": "gsk" + "_" + drawn("gr", 52),
    "perplexity": "pplx" + "-" + drawn("pp", 48),
    "replicate": "r8" + "_" + drawn("re", 37),
    "atlassian": "ATATT" + "3xFfGF0" + drawn("at2", 180, URL) + "=" + drawn("at3", 8, DIGITS + "ABCDEF"),
    "brevo": "xkey" + "sib-" + drawn("br", 64, HEX) + "-" + drawn("br2", 16),
    "teams-webhook": "https://shop.webhook.office.com/webhookb2/%s@%s/IncomingWebhook/%s/%s"
    % (uuid("w"), uuid("x"), drawn("ty", 32, HEX), uuid("z")),
    "json-web-token": ".".join([part({"alg": "HS256", "typ": "JWT"}), part({"sub": "1234567890"}), drawn("jwt", 43, URL)]),
    "rsa-key": pem("RSA " + "PRIVATE KEY"),
    "openssh-key": pem("OPENSSH " + "PRIVATE KEY", 70),
    "key-on-one-line": pem("PRIVATE KEY").replace("\n", " "),
    "key-as-strings": '"%s"' % pem("PRIVATE KEY").replace("\n", '", "'),
    "key-in-json": '{"private_key": "%s"}' % pem("PRIVATE KEY").replace("\n", "\\n"),
    "key-in-base64": base64.b64encode(checked("gh" + "p_", "b64").encode()).decode(),
    "password-in-a-url": "postgres://app:%s@db.example.com:5432/shop" % drawn("U", 12),
    "bearer": "Authorization: Bearer " + drawn("V", 40),
    "shell-variable": "export DB_PASSWORD=" + drawn("W", 14),
    "shell-variable-of-letters": "DB_PASSWORD=opensesame npm start",
    "yaml": "password: " + drawn("W1", 14),
    "assigned": 'api_key = "%s"' % drawn("X", 32),
    "json": '{"clientSecret": "%s"}' % drawn("Y", 20),
    "with-signs": "password: correct+horse*battery",
    "long-letters": "secret: " + drawn("Z", 32, LOWER),
}  # fmt: skip

SHA1, SHA256 = drawn("sha1", 40, HEX), drawn("sha256", 64, HEX)
SHA512 = drawn("sha512", 86, B64) + "=="
HARMLESS = [
    "The tree %s passed; the commit %s did not." % (SHA1, drawn("other", 40, HEX)),
    "- **Receipt:** tree %s, 12 passed" % SHA1[:12],
    "tree=%s" % SHA1,
    "index %s..%s 100644" % (SHA1[:7], SHA256[:7]),
    "    --hash=sha256:%s \\" % SHA256,
    '"integrity": "sha512-%s",' % SHA512,
    "go.sum: h1:%s=" % drawn("go", 43, B64),
    'checksum = "%s"' % SHA256,
    "https://registry.example.com/left-pad/-/left-pad-1.3.0.tgz#%s" % SHA1,
    "docker.io/library/postgres@sha256:%s" % SHA256,
    'ETag: "%s"' % drawn("etag", 32, HEX),
    "id %s was stale" % uuid("id"),
    "session_id=%s" % uuid("session"),
    "traceparent: 00-%s-%s-01" % (drawn("trace", 32, HEX), drawn("span", 16, HEX)),
    "/_next/static/%s/_buildManifest.js" % drawn("build", 21, URL),
    "at a (/app/node_modules/.pnpm/next@14.2.3_%s/node_modules/next/server.js:1:2)" % drawn("pnpm", 26, LOWER + DIGITS),
    "data:image/png;base64,%s" % base64.b64encode(bytes(range(200))).decode(),
    "Error: invalid payload: %s" % base64.b64encode(b"what the server could not read, in base64").decode(),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI%s dev@host" % drawn("ssh", 43, B64),
    "SHA256:%s" % drawn("fingerprint", 43, B64),
    pem("PUBLIC KEY"),
    pem("CERTIFICATE"),
    "The file has to begin with -----BEGIN " + "PRIVATE KEY-----.",
    "-----BEGIN " + "PRIVATE KEY----- was missing",
    "0x%s" % SHA1,
    "arn:aws:iam::123456789012:role/deploy",
    "vpc-0a1b2c3d4e5f67890 and i-0abcd1234efgh5678",
    "8.8.8.8 answers, 203.0.113.7 does not; 12:34:56:78:9a:bc",
    "PASSWORD=$DB_PASSWORD",
    'export TOKEN="$(cat /run/secrets/token)"',
    "password: ${DB_PASSWORD}",
    "${{ secrets.NPM_TOKEN }}",
    "API_KEY=<your key>",
    "api_key: os.environ['API_KEY']",
    "const token = process.env.GITHUB_TOKEN;",
    "password = getpass.getpass()",
    "secret = request.form['secret']",
    "secret = base64.b64decode(value)",
    "self.token = token",
    "password=password, token=token",
    "login(username, password)",
    "password: string | null",
    "interface Auth { token: string; secret: string }",
    "const [token, setToken] = useState('')",
    "credentials: 'include'",
    'credentials: "same-origin"',
    "auth: { persistSession: false }",
    "cache key = user:42:profile",
    "KEY=value",
    "<li key={post.slug}>",
    "max_tokens=4096",
    "SECRET_NAME=projects/shop/secrets/db",
    "GOOGLE_APPLICATION_CREDENTIALS=/etc/keys/sa.json",
    "Authorization: Bearer $TOKEN",
    "curl -H 'Authorization: Bearer <token>' https://api.example.com",
    'curl -u "$USER:$PASS" https://x.example.com',
    "postgres://app:$PASSWORD@db/shop",
    "postgres://postgres:postgres@localhost:5432/shop",
    "mongodb://<user>:<password>@host/db",
    "https://user@example.com/path",
    "git@github.com:owner/repo.git",
    "mysql -u root -p shop",
    'docker run -e PASSWORD="$PASSWORD" app',
    "Unexpected token < in JSON at position 0",
    "The password field was empty: the form posts `password` as null.",
    "The token expired after 60 minutes and the refresh token was never asked for.",
    "password: changeme is the default of the image and must be replaced",
    "Secret: see 1Password, item “shop db”",
    "A key like `sk-…` must never be logged; AKIA… ids are public.",
    "xoxb-your-token and ghp_xxx are placeholders",
    "the sk-button-primary-large-rounded-corner class",
    "npm_config_registry and npm_lifecycle_event",
    "- **Check:** `grep -rn \"password\" src | head`",
    "| 2026-07-09T08:15:30.123456Z | docs/worklog/archive/2026-07-08-checkout.md | Item 7 |",
]  # fmt: skip


@pytest.fixture(scope="module")
def found():
    """The lines of every text above, found in one go: each secret stands on the third line of its text."""
    texts = ["- **Symptom:** it failed\n\n%s\nand so on" % secret for secret in SECRETS.values()]
    answers = secrets.lines_of([*texts, *HARMLESS])
    return dict(zip([*SECRETS, *HARMLESS], answers))


def test_the_tables_are_as_long_as_they_look():
    assert len(SECRETS) >= 60
    assert len(HARMLESS) == len(set(HARMLESS)) >= 70


@pytest.mark.parametrize("name", SECRETS)
def test_a_credential_is_found_on_its_line(found, name):
    assert found[name] == [3]


@pytest.mark.parametrize("row", HARMLESS, ids=range(len(HARMLESS)))
def test_what_only_looks_like_one_is_not_refused(found, row):
    assert found[row] == []
    assert not secrets.in_command(row)


@pytest.mark.parametrize(
    "row", ["deploy --password=opensesame", "deploy --token opensesame", "MYSQL_PWD=opensesame mysql"]
)
def test_a_word_is_a_credential_where_a_command_takes_it_for_one(row):
    assert secrets.in_command(row)
    assert not secrets.in_command(row.replace("opensesame", "$SESAME"))


TOKEN = "dop" + "_v1_" + drawn("token", 64, HEX)  # known to the detector alone


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("%s\n%s" % (TOKEN, TOKEN), [1, 2]),
        ("a\r\nb\r\n" + TOKEN, [3]),
        ("a\rb\x0bc\x0cd\u2028e\x85f\n" + TOKEN, [2]),
        ("äöü 日本\n```sh\nlogin %s\n```" % TOKEN, [3]),
        ("\x00\ud800\udcff\n" + TOKEN, [2]),
        ("PK\x03\x04\n" + TOKEN, [2]),
        ("\n" + TOKEN + " # kingfisher:ignore gitleaks:allow", [2]),
        ("", []),
    ],
    ids=["twice", "crlf", "other-line-ends", "fence", "not-unicode", "like-an-archive", "ignore-mark", "empty"],
)
def test_lines_are_counted_as_everywhere_else_and_nothing_hides_one(text, lines):
    assert secrets.lines(text) == lines


def test_several_texts_are_asked_about_at_once(monkeypatch):
    starts = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *given, **more: starts.append(given) or run(*given, **more))
    texts = ["short", TOKEN, "", "a\n%s\n" % TOKEN, "x" * 30, "\n\n" + TOKEN]
    assert secrets.lines_of(texts) == [[], [1], [], [2], [], [3]]
    assert len(starts) == 1
    assert secrets.lines_of(["no long word", ""]) == [[], []]
    assert len(starts) == 1


def test_the_detector_opens_no_connection_and_gets_the_text_by_no_file(monkeypatch):
    given = {}

    def run(command, **more):
        given.update(more, command=command)
        return subprocess.CompletedProcess(command, 0, b'{"findings": []}', b"")

    monkeypatch.setattr(subprocess, "run", run)
    assert secrets.lines("the token " + TOKEN) == []
    assert {"--no-validate", "--no-update-check", "--no-ignore"} <= set(given["command"])
    assert given["command"][-1] == "-"
    assert TOKEN.encode() in given["input"]


def fails_to_start(*_, **__):
    raise PermissionError(1, "Operation not permitted")


def stops(command, **_):
    return subprocess.CompletedProcess(command, 1, b"", b"Illegal instruction")


def babbles(command, **_):
    return subprocess.CompletedProcess(command, 0, b"not JSON", b"")


def hangs(command, **more):
    raise subprocess.TimeoutExpired(command, more["timeout"])


@pytest.mark.parametrize("run", [fails_to_start, stops, babbles, hangs])
def test_without_the_detector_that_is_said_and_what_rld_knows_itself_is_found(monkeypatch, capsys, run):
    monkeypatch.setattr(subprocess, "run", run)
    assert secrets.lines("%s\nDB_PASSWORD=%s" % (TOKEN, drawn("p", 20))) == [2]
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("rld: the credential detector did not run, so fewer kinds are known: ")
    assert said.err.count("\n") == 1


def test_an_entry_of_the_journal_with_one_is_refused():
    with pytest.raises(Refused) as refused:
        log_verb._refuse_secrets("[What Worked] all\nthe token %s" % TOKEN)
    assert [(p.line, p.code) for p in refused.value.problems] == [(2, "secret")]
    log_verb._refuse_secrets("\n".join(HARMLESS))


def test_the_compiled_rules_are_kept_with_the_environment(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    secrets.prepare()
    assert list((tmp_path / "kingfisher-rules").iterdir())


@given(st.lists(st.text(alphabet=st.characters(), max_size=15)))
def test_any_texts_have_lines_that_are_there(texts):
    for text, found in zip(texts, secrets.lines_of(texts)):
        assert all(1 <= line <= text.count("\n") + 1 for line in found)


@pytest.mark.parametrize("unit", ["a1", "1", "a_", "(", "a ", "a.1("])
def test_a_long_value_takes_no_long_time(unit):
    started = time.perf_counter()
    secrets.in_command('password = "%s"' % (unit * (200_000 // len(unit))))
    assert time.perf_counter() - started < 2
