"""Credentials in a text, by line: those that Kingfisher knows, and what `redact` takes for one beside a telling name.

Kingfisher is a program of its own, started with everything off that would open a connection; the text goes to its
standard input and to no file.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence

from rld import redact

# An inline "ignore" mark is for a file that its owner scans, not for a text that wants to get in.
_SCAN = "scan --no-validate --no-update-check --no-ignore --no-dedup --git-history none --quiet --format json".split()
_NOTHING, _SOMETHING = 0, 200  # its exit codes
_SECONDS = 60

# No issuer's token is shorter: where there is no such run there is nothing to ask about.
_LONG = re.compile(r"[\w+/=.-]{20}", re.ASCII)

# A credential given to a command as an argument, where no name says that it is one. `$NAME` and `<name>` are no values.
_ARGUMENT = re.compile(
    r"(?:--(?:password|pass|token|api-key|secret)(?:=|\s+)"
    r"|\b(?:curl|wget|http)\b[^|;&\n]*?\s(?:-u|--user)\s+['\"]?[\w.@-]+:"
    r"|\b(?:mysql|mysqldump)\b[^|;&\n]*?\s-p"
    r"|\b(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH)=)"
    r"['\"]?(?![\s$<{%*'\"-])[^\s'\"`]{3,}"
)

# Words and numbers, or code made of them, as in `password = getpass.getpass()`. What somebody generated or chose to be
# safe mixes letters with digits, has a sign that code seldom has, or a run of letters that is no word.
_WORDS = re.compile(
    r"[A-Za-z_][\w.]*\(.*"
    r"|(?=[\W\d_]*[^\W\d_])(?:[^\W\d_]{1,20}(?![^\W_])|\d+(?![^\W_])|[^\w@#%^&*+=~\\]|_)+",
    re.DOTALL,
)
# The first line of a private key, with words behind it instead of one.
_MENTION = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----(?:[^\w\s\\+/-]|[ \t]+[A-Za-z]{1,20}\b)")
_SHELL = re.compile(r"\b[A-Z_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY)=['\"]?\Z")


def lines(text: str) -> list[int]:
    """The lines, from 1, in which a credential begins."""
    return lines_of([text])[0]


def lines_of(texts: Sequence[str]) -> list[list[int]]:
    """The same of several texts, in the time of one: starting the detector is what takes time, a third of a second."""
    found = [_shaped(text) for text in texts]
    asked = [n for n, text in enumerate(texts) if _LONG.search(text)]
    owners = [(n, line) for n in asked for line in range(1, texts[n].count("\n") + 2)]
    if owners:
        for line in _detected("\n".join(texts[n] for n in asked)):
            n, own = owners[min(line, len(owners)) - 1]
            found[n].add(own)
    return [sorted(each) for each in found]


def in_command(row: str) -> bool:
    """Does a line give a command a credential in plain text?"""
    return bool(_shaped(row)) or _ARGUMENT.search(row) is not None


def prepare() -> None:
    """Let the detector compile its rules, which takes seconds, and keep them in the environment of the command line."""
    _detected("")


def _shaped(text: str) -> set[int]:
    """The lines where `redact` sees a credential; a word beside a name is for it to mask, and not for us to refuse."""
    found = set()
    for start, end in redact.found(text):
        words = _WORDS.fullmatch(text, start, end) and not _SHELL.search(text, max(0, start - 80), start)
        if not words and not _MENTION.match(text, start):
            found.add(text.count("\n", 0, start) + 1)
    return found


def _detected(text: str) -> set[int]:
    """The lines in which Kingfisher finds something. When it does not run, that is said, and nothing is found."""
    rules = os.path.join(sys.prefix, "kingfisher-rules")
    try:
        from kingfisher import get_binary_path

        done = subprocess.run(
            [get_binary_path(), *_SCAN, "--rule-cache-dir", rules, "-"],
            input=text.encode("utf-8", "replace"), capture_output=True, timeout=_SECONDS,
        )  # fmt: skip
        if done.returncode not in (_NOTHING, _SOMETHING):
            raise OSError(done.stderr.decode("utf-8", "replace").strip() or "exit code %d" % done.returncode)
        return {int(each["finding"]["line"]) for each in json.loads(done.stdout)["findings"]}
    except (ImportError, OSError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
        print("rld: the credential detector did not run, so fewer kinds are known: %s" % error, file=sys.stderr)
        return set()
