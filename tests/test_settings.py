"""`.rld.yml`: what it may hold, what is said when it is wrong, and that hooks read what PyYAML reads."""

import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from rld import hooksettings, plainyaml, project
from rld import settings as settings_module
from rld.errors import Refused
from rld.settings import DEFAULTS, TEMPLATE, Settings, load, parse


def problems(text: str) -> "list[tuple[int, str]]":
    with pytest.raises(Refused) as refused:
        parse(text)
    assert {problem.file for problem in refused.value.problems} == {".rld.yml"}
    assert {problem.code for problem in refused.value.problems} == {"settings"}
    return [(problem.line, problem.message) for problem in refused.value.problems]


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    found = project.find(str(tmp_path))
    assert found is not None
    values = load(found)
    assert (values.verify, values.post_mortem, values.worklog, values.archive) == (
        [],
        "POST_MORTEM.md",
        "docs/worklog",
        "docs/worklog/archive",
    )
    assert (values.entry_points, values.max_chars, values.stop, values.protect, values.approval) == (
        ["CLAUDE.md"], 6000, "warn", "deny", "each-item",
    )  # fmt: skip


READ_BY_BOTH = {
    "nothing": ("", {}),
    "only comments": ("# a\n\n  # b\n", {}),
    "a text": ("post_mortem: docs/PM.md\n", {"post_mortem": "docs/PM.md"}),
    "no final newline": ("stop: off", {"stop": "off"}),
    "CRLF and a BOM": ("\ufeffstop: warn\r\nprotect: ask\r\n", {"stop": "warn", "protect": "ask"}),
    "a document mark": ("# rld\n---\nstop: block-once\n", {"stop": "block-once"}),
    "off, which YAML calls false": ("stop: off\nprotect: No # quiet\n", {"stop": "off", "protect": "off"}),
    "off in quotes": ("stop: 'off'\n", {"stop": "off"}),
    "a comment behind a value": ("stop: warn   # as ever\n", {"stop": "warn"}),
    "a key without a value": ("verify:\npost_mortem: # later\nstop: warn\n", {"stop": "warn"}),
    "a command with colons and hashes in quotes": ('verify: "make test#1: all"\n', {"verify": "make test#1: all"}),
    "a command that has an ampersand": ("verify: npm run lint && npm test\n", {"verify": "npm run lint && npm test"}),
    "a flow list": ("verify: [npm test, 'npm run lint']  # two\n", {"verify": ["npm test", "npm run lint"]}),
    "an empty flow list": ("entry_points: []\n", {"entry_points": []}),
    "a block list": ("verify:\n  - npm test\n  # and\n  - make\n", {"verify": ["npm test", "make"]}),
    "a block list that is not indented": (
        "entry_points:\n- CLAUDE.md\n- AGENTS.md\n",
        {"entry_points": ["CLAUDE.md", "AGENTS.md"]},
    ),
    "a digest on the line": ("digest: {max_chars: 900}\n", {"digest": {"max_chars": 900}}),
    "a digest below": ("digest:\n  max_chars: 9000 # most\n", {"digest": {"max_chars": 9000}}),
    "no-break spaces in a comment": ("# valeur\xa0: par défaut\nstop: warn\n", {"stop": "warn"}),
}


@pytest.mark.parametrize(("text", "values"), READ_BY_BOTH.values(), ids=READ_BY_BOTH)
def test_cli_and_hooks_read_the_same(text: str, values: "dict[str, object]") -> None:
    assert parse(text) == values
    assert plainyaml.read(text) == values


REFUSED = {
    "an unknown key": ("stop: warn\nverfy: npm test\n", 2, "unknown key 'verfy'; the keys are verify, post_mortem,"),
    "a key that is a number": ("1: a\n", 1, "unknown key 1"),
    "a word that is no choice": ("# c\nstop: never\n", 2, "stop must be one of warn, block-once, off, not 'never'"),
    "off where it is no choice": ("approval: off\n", 1, "approval must be one of each-item, batch, not 'off'"),
    "yes": ("stop: yes\n", 1, "stop must be one of"),
    "a key that stands twice": ("stop: warn\nstop: off\n", 2, "stop stands twice"),
    "an unquoted colon": ("verify: make: all\n", 1, "needs quotes"),
    "a list in place of the map": ("- a\n", 1, "must be lines of `key: value`"),
    "a text in place of the map": ("hello\n", 1, "must be lines of `key: value`"),
    "too small a digest": ("digest: {max_chars: 499}\n", 1, "from 500 to 9000, not 499"),
    "too large a digest": ("digest: {max_chars: 9001}\n", 1, "from 500 to 9000, not 9001"),
    "a digest that is true": ("digest: {max_chars: true}\n", 1, "from 500 to 9000, not True"),
    "a digest without a space": ("digest: {max_chars:600}\n", 1, "digest takes one key"),
    "another key in the digest": ("digest: {max: 600}\n", 1, "digest takes one key, max_chars"),
    "a number as a command": ("verify: 5\n", 1, "verify must be text or a list of texts"),
    "a number in the list": ("verify: [make, 5]\n", 1, "verify must be text or a list of texts"),
    "an empty entry point": ('entry_points: [""]\n', 1, "entry_points must be text or a list of texts"),
    "a blank path": ("worklog: ' '\n", 1, "worklog must be a path"),
    "a list of paths": ("post_mortem: [a]\n", 1, "post_mortem must be a path"),
    "a date that is none": ("stop: warn\npost_mortem: 2026-99-99\n", 0, "is not YAML that settings can have"),
    "an empty int": ('verify: !!int ""\n', 0, "is not YAML that settings can have"),
    "a control character": ("stop: warn\nverify: a\x07b\n", 2, "is not YAML: special characters are not allowed"),
    "bytes that are not UTF-8": ("stop: warn\n# \udcff\n", 2, "is not YAML: special characters are not allowed"),
    "ten thousand brackets": ("verify: " + "[" * 10000, 0, "is not YAML that settings can have"),
}


@pytest.mark.parametrize(("text", "line", "words"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_file_is_refused_with_its_line_and_hooks_fall_back(text: str, line: int, words: str) -> None:
    found = problems(text)
    assert len(found) == 1
    assert found[0][0] == line
    assert words in found[0][1]
    assert plainyaml.read(text) is None


def test_all_problems_are_named_at_once() -> None:
    assert [line for line, _ in problems("stop: never\nverify: [1]\nfoo: bar\n")] == [1, 2, 3]


def test_lines_count_as_editors_count_them() -> None:
    # YAML also ends a line at U+2028, which no editor does.
    assert problems("# a\u2028b\nstop: never\n")[0][0] == 2


def test_the_template_sets_nothing_and_shows_every_default() -> None:
    assert parse(TEMPLATE) == {} == plainyaml.read(TEMPLATE)
    shown = "\n".join(line[2:] for line in TEMPLATE.split("\n\n")[1].split("\n"))
    assert parse(shown) == {**DEFAULTS, "verify": "npm test"}
    assert plainyaml.read(shown) == parse(shown)


def test_a_hook_gets_the_values_and_its_own_defaults(tmp_path: Path) -> None:
    (tmp_path / ".rld.yml").write_text(
        "verify: make\nworklog: log/\nstop: off\ndigest: {max_chars: 800}\n", encoding="utf-8"
    )
    found = project.find(str(tmp_path))
    assert found is not None
    values = hooksettings.load(found)
    assert (values.verify, values.worklog, values.stop, values.max_chars) == (["make"], "log", "off", 800)
    assert (values.post_mortem, values.protect, values.problem) == ("POST_MORTEM.md", "deny", "")
    assert load(found).worklog == "log"


@pytest.mark.parametrize(
    "text", ["", TEMPLATE, "\ufeff" + TEMPLATE.replace("\n", "\r\n")], ids=["empty", "as made", "BOM and CRLF"]
)
def test_a_hook_does_not_load_the_reader_for_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / ".rld.yml").write_bytes(text.encode("utf-8"))
    found = project.find(str(tmp_path))
    assert found is not None
    monkeypatch.setitem(sys.modules, "rld.plainyaml", None)
    monkeypatch.delattr("rld.plainyaml")
    values = hooksettings.load(found)
    assert (values.stop, values.max_chars, values.problem) == ("warn", 6000, "")
    (tmp_path / ".rld.yml").write_bytes(b"# c\nstop: off\n")
    with pytest.raises(ImportError):
        hooksettings.load(found)


def test_a_hook_that_cannot_read_them_uses_the_defaults_and_says_so(tmp_path: Path) -> None:
    (tmp_path / ".rld.yml").write_text("stop: never\n", encoding="utf-8")
    found = project.find(str(tmp_path))
    assert found is not None
    values = hooksettings.load(found)
    assert values.stop == "warn"
    assert ".rld.yml" in values.problem and "rld doctor" in values.problem and "\n" not in values.problem


# Files that are settings, and what typing errors make of them.
_LINES = st.sampled_from([
    "verify: npm test", "verify: 'a b' # c", "verify: [make, npm test]", "verify:\n  - make\n  - npm test",
    "verify:\n- make", 'post_mortem: "PM.md"', "post_mortem: docs/PM.md", "worklog: ./log", "entry_points: [CLAUDE.md]",
    "entry_points: []", "digest: {max_chars: 700}", "digest:\n  max_chars: 700", "stop: off", "stop: block-once",
    "protect: 'ask'", "protect:",
    "approval: batch  # c", "# c", "---", "",
])  # fmt: skip
_SLIPS = st.sampled_from([
    "", "a", "off", "Off", "oFF", "no", "600", "0600", "{", "}", "[", "]", ",", ":", ": ", " #", "#", "- ", "-", "'",
    '"', "\\", " ", "  ", "\t", ".5", "/x", "~", "null", "&a ", "*a", "!!str ", "|", ">", "%", "@", "`", "? ", "é",
    "\x85", "\u2028", "\xa0", "\r", "=", "<<", "y", "1e3", "2026-01-01", "\n", "\n ", "\n  - ",
])  # fmt: skip


@st.composite
def _files(draw: st.DrawFn) -> str:
    text = "\n".join(draw(st.lists(_LINES, max_size=4, unique_by=lambda line: line.partition(":")[0])))
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(text)))
        text = text[:start] + draw(_SLIPS) + text[start + draw(st.integers(0, 2)) :]
    return text


@given(_files())
@example("verify: x\n  - y")
@example("verify:\n- a\n  - b")
@example("verify:\n  - a\n - b")
@example("verify: [a]\n  - b")
@example("digest:\n  max_chars:600")
@example("verify: off")
@example("stop: oFF")
@example("post_mortem: .5")
@example("post_mortem: ''")
@example("verify: 'a\rb'")
@budget(max_examples=1000, deadline=None)
def test_what_hooks_accept_yaml_reads_the_same(text: str) -> None:
    values = plainyaml.read(text)
    if values is not None:
        assert parse(text) == values
        assert Settings(values).max_chars  # and they are usable


@given(st.text())
@budget(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    plainyaml.read(text)
    try:
        parse(text)
    except Refused as refused:
        assert all(problem.file == settings_module.SETTINGS for problem in refused.problems)
