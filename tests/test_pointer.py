"""The entry point: one pointer on the first line, leaked entries are named, nothing else is touched."""

import json
import pathlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import journal, pointer
from subset import assert_subset

CASES = sorted(
    path
    for path in (pathlib.Path(__file__).parent / "cases" / "entrypoint").glob("*.md")
    if not path.stem.endswith(".after")
)
POINTER = pointer.POINTER
RUSSIAN = "👉 ВАЖНО: СНАЧАЛА прочитай POST_MORTEM.md и соблюдай записанные там правила."
ENTRY = journal.render_entry("3", "hold a seat", {key: "text of %s" % key for key in journal.FIELDS})


def read(path):
    return path.read_bytes().decode("utf-8", "surrogateescape")


def codes(text, *post_mortem):
    return [(line, code) for line, code, _ in pointer.check(text, *post_mortem)]


def without_blank_lines_below_pointer(text):
    head, sign, tail = text.partition("👉")
    line, _, rest = tail.partition("\n")
    return head + sign + line + "\n" + rest.lstrip("\r\n")


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_an_entry_point_has_the_expected_problems(path):
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    found = [dict(zip(("line", "code", "message"), problem)) for problem in pointer.check(read(path))]
    assert_subset({"problems": found}, dict(expected, no_other_problems=True))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_the_pointer_is_inserted_as_expected(path):
    after = pointer.insert(read(path))
    expected = read(path.with_name(path.stem + ".after.md"))
    assert without_blank_lines_below_pointer(after) == without_blank_lines_below_pointer(expected)
    assert pointer.insert(after) == after
    assert not any(code.startswith("pointer") for _, code in codes(after))


def test_the_pointer_is_the_line_that_users_already_have():
    start, end = (
        "👉 IMPORTANT: Before writing any new code, adding features, or refactoring, you MUST",
        "there.",
    )
    assert (
        start + " first read POST_MORTEM.md and strictly follow the architectural rules and Production Guardrails"
        " recorded " + end
    ) == POINTER


PRESENT = [
    POINTER,
    RUSSIAN,
    "\n\n" + POINTER,
    "\ufeff" + POINTER,
    "---\na: b\n---\n\n" + RUSSIAN,
    "Read [the post-mortem](docs/POST_MORTEM.md) first.",
    "- post_mortem.md",
    "@POST_MORTEM.md",
    "必ずPOST_MORTEM.mdを読むこと。",
    "Read POST\\_MORTEM.md.",
    "<!-- markdownlint-disable -->\n" + POINTER,
    "<!--\na comment\n-->\n\n" + POINTER,
]
MISPLACED = [
    ("# Title\n\n" + POINTER + "\n", 3),
    ("# Title\n\n" + RUSSIAN + "\nRun with make.\n", 3),
    ("# Title\n> " + RUSSIAN + "\n", 2),
    ("# Title\n\n- a\n- " + POINTER + "\n", 4),
    ("# Title\n\nIMPORTANT: see POST_MORTEM.md.\n", 3),
    ("# Title\n\n**WICHTIG:** zuerst POST_MORTEM.md lesen.\n", 3),
    ("# Title\n\nBefore you write code, read `POST_MORTEM.md`.\n", 3),
    ("# Title\n\n必ず POST_MORTEM.md を読むこと。\n", 3),
    ("<!-- " + POINTER + " -->\n\n# Title\n\n" + POINTER, 5),
]
MISSING = [
    "",
    "\n\n",
    "\ufeff",
    "@AGENTS.md\n",
    "# Title\n",
    "<!-- " + POINTER + " -->\n",
    "<!--\n" + POINTER + "\n\n" + POINTER + "\n",
    "# Title <!-- POST_MORTEM.md -->\n",
    "# OLD_POST_MORTEM.md\n",
    "# Title\n\n- `POST_MORTEM.md`: what went wrong\n",
    "# Title\n\nAfter each run the lessons go to POST_MORTEM.md.\n",
    "# Title\n\nNOTE: lessons are in POST_MORTEM.md.\n",
    "# Title\n\n| file |\n|---|\n| 👉 POST_MORTEM.md |\n",
    "# Title\n\n```\n" + POINTER + "\n```\n",
    "---\nread: POST_MORTEM.md\n---\n# Title\n",
]


@pytest.mark.parametrize("text", PRESENT)
def test_a_pointer_counts_in_any_wording(text):
    assert codes(text) == []
    assert pointer.insert(text) == pointer.move_first(text) == text


@pytest.mark.parametrize("text", MISSING)
def test_a_missing_pointer_is_inserted(text):
    assert codes(text) == [(1, "pointer-missing")]
    assert pointer.move_first(text) == text
    after = pointer.insert(text)
    assert after.count(POINTER) == text.count(POINTER) + 1
    assert codes(after) == []


@pytest.mark.parametrize(("text", "line"), MISPLACED)
def test_a_misplaced_pointer_is_named_and_no_second_one_added(text, line):
    assert codes(text) == [(line, "pointer-not-first")]
    assert pointer.insert(text) == text
    after = pointer.move_first(text)
    assert codes(after) == []
    assert sorted(after.split()) == sorted(text.split())
    assert pointer.move_first(after) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "P\n"),
        ("\ufeff", "\ufeffP\n"),
        ("# T", "P\n\n# T"),
        ("\n# T\n", "P\n\n# T\n"),
        ("# T\r\n\r\nx\r\n", "P\r\n\r\n# T\r\n\r\nx\r\n"),
        ("a\r\nb\nc\n", "P\n\na\r\nb\nc\n"),
        ("\r\n# T\r\n", "P\r\n\r\n# T\r\n"),
        ("---\na: b\n---\n# T\n", "---\na: b\n---\nP\n\n# T\n"),
        ("---\na: b\n---\n\n# T\n", "---\na: b\n---\nP\n\n# T\n"),
        ("\ufeff---\r\na: b\r\n---", "\ufeff---\r\na: b\r\n---\r\nP\r\n"),
        ("---\n\n# T\n", "P\n\n---\n\n# T\n"),
        ("@AGENTS.md", "P\n\n@AGENTS.md"),
        ("\udcff\x0c\u2028x\n", "P\n\n\udcff\x0c\u2028x\n"),
    ],
)
def test_where_the_pointer_goes(before, after):
    assert pointer.insert(before) == after.replace("P", POINTER, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# T\n\nP\n\nx\n", "P\n\n# T\n\nx\n"),
        ("# T\nP\nx\n", "P\n\n# T\nx\n"),
        ("# T\r\n\r\nP", "P\r\n\r\n# T\r\n"),
        ("\ufeff# T\n\n  P\n", "\ufeffP\n\n# T\n"),
        ("---\na: b\n---\n# T\n\nP\n", "---\na: b\n---\nP\n\n# T\n"),
    ],
)
def test_moving_the_pointer(before, after):
    assert pointer.move_first(before.replace("P", RUSSIAN)) == after.replace("P", RUSSIAN)


def test_another_post_mortem_is_named_in_the_pointer():
    after = pointer.insert("# T\n", "docs/LESSONS.md")
    assert after.startswith("👉 IMPORTANT: ") and "first read docs/LESSONS.md and" in after.partition("\n")[0]
    assert codes(after, "docs/LESSONS.md") == []
    assert codes(after) == [(1, "pointer-missing")]
    assert codes("Read LESSONS.md\n", "docs/LESSONS.md") == []


LINES = st.sampled_from(
    [
        POINTER, RUSSIAN, "POST_MORTEM.md", "- POST_MORTEM.md", "> " + RUSSIAN, "<!--", "-->", "<!-- x -->",
        "---", "a: b", "# T", "```", "", "", "text", "\ufeff", "  ", "@AGENTS.md", "===", "### Item 3: x",
        *ENTRY.split("\n"), ENTRY.strip(),
    ]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r", ""])
TEXTS = st.lists(st.tuples(LINES | st.text(max_size=5), ENDS), max_size=14).map(
    lambda rows: "".join(map("".join, rows))
)


@settings(max_examples=1000, deadline=None)
@given(TEXTS)
def test_inserting_twice_is_inserting_once_and_keeps_every_character(text):
    after = pointer.insert(text)
    assert pointer.insert(after) == after
    assert "pointer-missing" not in [code for _, code in codes(after)]
    if after != text:
        at = after.index(POINTER)
        below = after[at + len(POINTER) :]
        assert any(text == after[:at] + below[size:] for size in (1, 2, 4)) or text + "\n" == after[:at]


def words_by_line(text):
    rows = (row.strip("\ufeff \t\r") for row in text.split("\n"))
    return sorted(row for row in rows if row)


@settings(max_examples=1000, deadline=None)
@given(TEXTS)
def test_moving_loses_nothing_but_blank_lines(text):
    after = pointer.move_first(text)
    assert words_by_line(after) == words_by_line(text)


# Leaked journals


def test_entries_with_rules_between_them_are_one_range():
    text = "# T\n\n" + ENTRY + "\n---\n\n" + ENTRY + "\nRun with make.\n\n" + ENTRY
    assert pointer.leaked(text) == [(3, 17), (21, 26)]
    assert pointer.clean(text) == "# T\n\nRun with make.\n"
    (message,) = {m for line, code, m in pointer.check(POINTER + "\n" + text) if line == 4}
    assert "lines 4-18" in message


@pytest.mark.parametrize(
    "text",
    [
        ENTRY.replace("text of rules", "TODO"),
        ENTRY.replace("text of rules", ""),
        ENTRY.rpartition("5.")[0],
        ENTRY.replace("### Item 3", "### An example"),
        "```\n" + ENTRY + "```\n",
        "<!--\n" + ENTRY + "-->\n",
        "".join("> %s\n" % row for row in ENTRY.split("\n")),
        "\n".join("    " + row for row in ENTRY.split("\n")),
    ],
)
def test_what_is_no_whole_entry_is_not_touched(text):
    assert pointer.leaked(text) == []
    assert pointer.clean(text) == text


PLAIN = ENTRY.strip()
BOLD = "\n\n".join("**[%s]**\n- x" % label for label in journal.LABELS.values())
HEADED = "\n\n".join("### %s\nx" % label for label in journal.LABELS.values())


@pytest.mark.parametrize(
    ("entry", "after"),
    [
        (PLAIN, "\n\nUse pnpm."),
        (PLAIN, "\n\n- Use pnpm."),
        (PLAIN, "\n6. Use pnpm."),
        (PLAIN, "\n\n```\nmake\n```"),
        (PLAIN, "\n\n---\nUse pnpm."),
        (PLAIN, "\n\n#### Setup\nUse pnpm."),
        ("### Task 3: x\n\n" + BOLD, "\n\nUse pnpm."),
        ("### Task 3: x\n\n" + BOLD, "\n\n> Use pnpm."),
        ("### Task 3: x\n\n" + BOLD + "\n\n- y", "\n\nUse pnpm."),
        ("## Task 3: x\n\n" + HEADED, "\n\nUse pnpm."),
        ("## Task 3: x\n\n" + HEADED, "\n\n- Use pnpm."),
        ("## Task 3: x\n\n" + HEADED, "\n\n#### Setup\nUse pnpm."),
    ],
)
def test_what_follows_an_entry_stays(entry, after):
    text = "# T\n\n%s%s\n" % (entry, after)
    assert pointer.leaked(text) == [(3, 2 + entry.count("\n") + 1)]
    assert "".join(pointer.clean(text).split()) == "#T" + "".join(after.split())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("E", ""),
        ("\ufeffE\n", "\ufeff"),
        ("E\n\n# T\n", "# T\n"),
        ("# T\n\nE", "# T\n"),
        ("# T\n\nE\n\n", "# T\n"),
        ("# T\nE\n# U\n", "# T\n# U\n"),
        ("# T\nE\n\n# U\n", "# T\n\n# U\n"),
        ("# T\n\n\nE\n\n\n# U\n\n", "# T\n\n\n# U\n\n"),
        ("# T\r\n\r\nE\r\n\r\n# U\r\n", "# T\r\n\r\n# U\r\n"),
        ("---\na: b\n---\nE\n\nx\n", "---\na: b\n---\n\nx\n"),
    ],
)
def test_cleaning_takes_the_blank_lines_with_it(before, after):
    end = "\r\n" if "\r\n" in before else "\n"
    assert pointer.clean(before.replace("E", PLAIN.replace("\n", end))) == after


@settings(max_examples=1000, deadline=None)
@given(TEXTS)
def test_cleaning_takes_nothing_but_the_ranges_it_names(text):
    ranges = pointer.leaked(text)
    after = pointer.clean(text)
    gone = {n for first, last in ranges for n in range(first, last + 1)}
    kept = [row for n, row in enumerate(text.removeprefix("\ufeff").split("\n"), 1) if n not in gone]
    assert [row for row in after.removeprefix("\ufeff").split("\n") if row.strip(" \t\r")] == [
        row for row in kept if row.strip(" \t\r")
    ]
    if not ranges:
        assert after == text
    for first, last in ranges:
        assert journal.done(journal.parse("\n".join(text.split("\n")[first - 1 : last])))


@pytest.mark.parametrize(
    "text",
    [
        "# T\n\n" + (ENTRY + "\ntext\n\n") * 5_000,
        "# T\n" + "POST_MORTEM.md" * 50_000,
        "# T\n" + "xPOST_MORTEM.md" * 50_000,
        "# T\n" + "<!-- a -->" * 50_000,
        "<!-- a -->\n" * 50_000,
        "# T\n" + "<!--" * 100_000,
    ],
    ids=["entries", "names", "other-names", "comments", "comment-lines", "openings"],
)
def test_checking_and_editing_are_linear(text):
    began = time.process_time()
    pointer.check(text)
    pointer.clean(pointer.move_first(pointer.insert(text)))
    assert time.process_time() - began < 4
