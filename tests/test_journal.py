"""Journals: every form is read, ours is written, and nothing in a field can break out of it."""

import json
import pathlib
import time

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rld import journal
from subset import assert_subset

CASES = sorted((pathlib.Path(__file__).parent / "cases" / "journal").glob("*.md"))
FULL = {key: "text of %s" % key for key in journal.FIELDS}
NEW = journal.render_new("docs/plans/x.md", "make check", "feature", "2026-07-08", "x")
FIRST = NEW.count("\n") + 1  # the line behind it


def read(path):
    return path.read_bytes().decode("utf-8", "surrogateescape")


def answer(text):
    """What `rld journal check --json` says."""
    found = journal.parse(text)
    entries = [{key: getattr(e, key) for key in ("item", "title", "line", "fields")} for e in found.entries]
    problems = [dict(zip(("line", "code", "message"), problem)) for problem in journal.check(found)]
    return {"entries": entries, "problems": problems}


def codes(text):
    return [(line, code) for line, code, _ in journal.check(journal.parse(text))]


def one(text):
    (entry,) = journal.parse(text).entries
    return entry


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_a_journal_is_read_as_expected(path):
    expected = json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert_subset(answer(read(path)), expected)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_line_ends_change_nothing(path):
    text = read(path).replace("\r\n", "\n")
    assert answer(text.replace("\n", "\r\n")) == answer(text)


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("01-canonical", []),
        ("02-bold-labels-second-h1-beyond-the-plan", []),
        ("03-heading-fields", []),
        ("04-torn-last-entry", [(24, "torn-entry")]),
        (
            "05-placeholders-and-a-missing-field",
            [(19, "placeholder"), (21, "placeholder"), (24, "missing-field")],
        ),
        ("06-front-matter-traps", []),
        ("07-hand-off-without-entries", []),
    ],
)
def test_a_journal_has_these_problems_and_no_others(name, problems):
    (path,) = (path for path in CASES if path.stem == name)
    assert codes(read(path)) == problems


# Forms of labels


@pytest.mark.parametrize(
    "row",
    [
        "1. [Verified Facts] it runs",
        "1) [verified facts] it runs",
        "1. **[Verified Facts]** it runs",
        "1. **[Verified Facts]**: it runs",
        "1. **[Verified Facts]:** it runs",
        "1. **Verified Facts:** it runs",
        "1. **Verified Facts** — it runs",
        "1. Verified Facts: it runs",
        "- **[VERIFIED FACTS]** it runs",
        "* __Verified Facts__: it runs",
        "**[Verified Facts]** it runs",
        "**[Verified Facts]**\n\nit runs",
        "[Verified Facts]\nit runs",
        "1. ✅ **[Verified Facts]** it runs",
        "#### Verified Facts\nit runs",
        "#### [Verified Facts]\n\nit runs",
        "#### 1. Verified Facts\nit runs",
        "### Verified Facts\nit runs",
        "**[Verified Facts]** it runs\n---",
    ],
)
def test_a_label_is_read(row):
    assert one("### Item 7: x\n%s\n" % row).fields == {"facts": "it runs"}


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ("4. [Pitfalls & What to Avoid] x", "pitfalls"),
        ("4. [Pitfalls and What to Avoid] x", "pitfalls"),
        ("4. [Pitfalls &amp; What to Avoid] x", "pitfalls"),
        ("5. [What's Next] x", "next"),
        ("5. [What’s Next] x", "next"),
        ("5. [Whats next] x", "next"),
        ("5. [What is Next] x", "next"),
    ],
)
def test_a_label_may_be_spelled_in_another_way(row, key):
    assert one("### Item 7: x\n%s\n" % row).fields == {key: "x"}


@pytest.mark.parametrize(
    "row",
    [
        "- What worked was a parameter.",
        "- **What worked** was a parameter.",
        "- Verified Factsheets: three",
        "- [Verified Facts](#facts)",
        "> 1. [Verified Facts] quoted",
        "```\n1. [Verified Facts] in a fence\n```",
        "~~~~\n### Item 8: in a fence\n~~~\n1. [Verified Facts] x\n~~~~",
        "<!--\n1. [Verified Facts] in a comment\n-->",
        "- a\n  - [Verified Facts] of something inside",
        "    1. [Verified Facts] code",
    ],
)
def test_this_is_no_label(row):
    assert one("### Item 7: x\n\n%s\n" % row).fields == {}


def test_a_field_has_all_its_rows_without_their_indentation():
    text = "### Item 7: x\n2. [What Worked] one\n   two\nlazy\n\n   - a\n     - b\n"
    text += "3. [Distilled Rules]\n- c\n  - d\n"
    assert one(text).fields == {"worked": "one\ntwo\nlazy\n\n- a\n  - b", "rules": "- c\n  - d"}


def test_fields_know_their_lines_and_the_entry_its_range():
    text = "# J\n\n## Task 7: x\n\n**[What Worked]**\n- a\n\n**[What's Next]**\n- b\n\n---\n\n## More\n"
    entry = one(text)
    assert (entry.line, entry.end, entry.lines) == (3, 9, {"worked": 5, "next": 8})


def test_a_rule_ends_a_field():
    assert one("### Item 7: x\n5. [What's Next] y\n\n---\n\nA note.\n").fields == {"next": "y"}


def test_a_deeper_heading_is_text_of_a_heading_field():
    text = "## Task 1: x\n### What Worked\na\n#### Why\nb\n### Timings\nc\n### What's Next\nd\n"
    assert one(text).fields == {"worked": "a\n#### Why\nb", "next": "d"}


def test_a_label_that_stands_twice_has_both_texts():
    assert one("### Item 7: x\n- [What Worked] a\n- [What's Next] b\n- [What Worked] c\n").fields == {
        "worked": "a\nc",
        "next": "b",
    }


# Headings of entries


@pytest.mark.parametrize(
    ("heading", "item", "title"),
    [
        ("### Item 7: a title", "7", "a title"),
        ("## Task 7 — a title", "7", "a title"),
        ("## Task 7. a title", "7", "a title"),
        ("### Step 7) a title", "7", "a title"),
        ("### Unit 7 a title", "7", "a title"),
        ("### ✅ Item #7: a title", "7", "a title"),
        ("### [Item 7] a title", "7", "a title"),
        ("### **Item 7:** a `title`", "7", "a title"),
        ("### item 2.1: a title", "2.1", "a title"),
        ("### Task 7b: a title", "7b", "a title"),
        ("### Task T001: a title", "T001", "a title"),
        ("### Item bd-a3: a title", "bd-a3", "a title"),
        ("### Item pricing: a title", "pricing", "a title"),
        ("### Tasks 1-3: a title", None, None),
        ("### Item 1-3: a title", "1-3", "a title"),
        ("### Item 7", "7", ""),
        ("Item 7: a title\n---", "7", "a title"),
        ("# Item 7: a title", None, None),
        ("### Task list: a title", None, None),
        ("### Itemised 7", None, None),
        ("### Where We Stand", None, None),
    ],
)
def test_headings_of_entries(heading, item, title):
    found = [(entry.item, entry.title) for entry in journal.parse(heading + "\n").entries]
    assert found == ([(item, title)] if item else [])


def test_steps_inside_a_task_are_no_entries():
    text = "## Task 1: x\n### Step 1: y\n### What's Next\nz\n## Step 2: w\n### Item 3: v\n"
    assert [entry.item for entry in journal.parse(text).entries] == ["1", "2", "3"]
    assert journal.parse(text).entries[0].fields == {"next": "z"}


def test_entries_of_ours_below_entries_of_other_levels():
    text = "## Task 1: by hand\n\n" + journal.render_entry("2", "by us", FULL) + "\n## Task 3: by hand\n"
    assert [entry.item for entry in journal.parse(text).entries] == ["1", "2", "3"]
    assert journal.done(journal.parse(text)) == ["2"]


# Front matter


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("verify: npm test", "npm test"),
        ("verify:   npm test  ", "npm test"),
        ("verify: npm test  # the fast ones", "npm test"),
        ("verify: npm test#1", "npm test#1"),
        ("verify: fix: late mails.md", "fix: late mails.md"),
        ("verify: 'it''s # one'  # two", "it's # one"),
        ('verify: "a \\"b\\"\\tc\\u00e9 \\\\ # d" # e', 'a "b"\tcé \\ # d'),
        ('verify: "./my tests" --fast', '"./my tests" --fast'),
        ("verify: 'a' && 'b'", "'a' && 'b'"),
        ("verify: 'open", "'open"),
        ('verify: "', '"'),
        ("verify:", ""),
        ("verify: # nothing", ""),
        ("verify: npm run a &&\n  npm run b", "npm run a && npm run b"),
        ("verify: |\n  npm run a\n  npm run b", "npm run a\nnpm run b"),
        ("verify: >-\n  npm run a &&\n  npm run b", "npm run a && npm run b"),
        ("verify: a\n# verify: b", "a"),
        ("verify: a\nverify: b", "b"),
    ],
)
def test_a_value_of_the_front_matter_is_read_sensibly(line, value):
    found = journal.parse("---\non: 1\n%s\nlast: x\n---\n# Journal: t\n" % line)
    assert found.meta == {"on": "1", "verify": value, "last": "x"}
    assert (found.title, found.canonical) == ("t", True)


@pytest.mark.parametrize(
    ("line", "plan"),
    [
        ("**Plan:** `docs/plans/x.md`", "docs/plans/x.md"),
        ("План: `docs/plans/x.md`, вторая версия", "docs/plans/x.md"),
        ("- Implementation plan： `x.md`", "x.md"),
        ("Branch: a\n**Plan**: `x.md`", "x.md"),
        ("Plan: docs/plans/x.md", None),
        ("Plan: `npm test`", None),
        ("Explanation: `x.md`", None),
        ("> Plan: `x.md`", None),
        ("```\nPlan: `x.md`\n```", None),
        ("## Item 1\nPlan: `x.md`", None),
    ],
)
def test_without_front_matter_the_plan_is_what_the_text_names(line, plan):
    found = journal.parse("# Journal\n\n%s\n\n## Task 1: a\n" % line)
    assert found.meta == ({"plan": plan} if plan else {})
    assert not found.canonical


def test_a_new_journal_is_read_back():
    text = journal.render_new("docs/plans/fix: mails.md", "pytest -q # all", "debug", "2026-07-08", "late\nmails")
    found = journal.parse(text)
    assert found.meta == {
        "plan": "docs/plans/fix: mails.md",
        "verify": "pytest -q # all",
        "tag": "debug",
        "status": "open",
        "started": "2026-07-08",
    }
    assert (found.title, found.entries, journal.check(found)) == ("late mails", [], [])


def test_a_new_journal_quotes_nothing_without_need():
    assert journal.render_new("docs/plans/x.md", "npm run typecheck && npm test", "refactor", "2026-07-08", "a b") == (
        "---\n"
        "plan: docs/plans/x.md\n"
        "verify: npm run typecheck && npm test\n"
        "tag: refactor\n"
        "status: open            # open | complete | distilled | abandoned\n"
        "started: 2026-07-08\n"
        "---\n"
        "# Journal: a b\n"
    )


@settings(max_examples=300, deadline=None)
@given(st.text(), st.text(alphabet="ab01.:-#'\"\\ \t\n[]{}&*!|<=>%@`,?~ené\u2028\ud800", min_size=1))
def test_values_are_read_back_by_us_and_by_yaml(plan, verify):
    text = journal.render_new(plan, verify, "", "2026-07-08", "x")
    meta = journal.parse(text).meta
    assert (meta.get("plan", ""), meta["verify"]) == (plan, verify)
    if not any("\ud800" <= char <= "\udfff" for char in plan + verify):
        loaded = yaml.safe_load(text.split("---\n# Journal")[0][4:])
        assert (loaded.get("plan", ""), loaded["verify"]) == (plan, verify)


# Status


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\nplan: x\nstatus: open\n---\nt", "---\nplan: x\nstatus: complete\n---\nt"),
        ("---\nstatus: open   # open | complete\n---\n", "---\nstatus: complete   # open | complete\n---\n"),
        ("---\r\nstatus:  open\r\n---\r\nt\r\n", "---\r\nstatus:  complete\r\n---\r\nt\r\n"),
        ("---\nstatus:\n---\n", "---\nstatus: complete\n---\n"),
        ("---\nstatus: # none\n---\n", "---\nstatus: complete # none\n---\n"),
        ("---\nstatus: 'open'\n...\n", "---\nstatus: complete\n...\n"),
        ("---\nplan: x\n---\nt", "---\nplan: x\nstatus: complete\n---\nt"),
        ("---\r\nplan: x\r\n---", "---\r\nplan: x\r\nstatus: complete\r\n---"),
        ("---\n---\n", "---\nstatus: complete\n---\n"),
        ("# J\n", "---\nstatus: complete\n---\n# J\n"),
        ("\ufeff# J\r\n", "\ufeff---\r\nstatus: complete\r\n---\r\n# J\r\n"),
        ("---\ntext after a rule\n---\n", "---\nstatus: complete\n---\n---\ntext after a rule\n---\n"),
        ("", "---\nstatus: complete\n---\n"),
    ],
)
def test_a_status_is_set_in_one_line(before, after):
    assert journal.set_status(before, "complete") == after
    assert journal.set_status(after, "complete") == after
    assert journal.parse(after).meta["status"] == "complete"


PIECES = st.sampled_from(
    [
        "---", "...", "status: open", "status: 'a' # b", "status :x", "plan: x", "  more", "# c", "# J", "",
        "text", "\ufeff",
    ]
)  # fmt: skip
HEADS = st.lists(st.tuples(PIECES, st.sampled_from(["\n", "\r\n"])), max_size=8)


@settings(max_examples=500, deadline=None)
@given(HEADS.map(lambda rows: "".join(map("".join, rows))))
def test_setting_a_status_keeps_every_other_line(text):
    after = journal.set_status(text, "distilled")
    assert journal.parse(after).meta["status"] == "distilled"
    old, new = text.split("\n"), after.split("\n")
    added = len(new) - len(old)
    if added == 3:
        assert after.endswith("\n" + text.removeprefix("\ufeff"))
    elif added == 1:
        assert any(new[:n] + new[n + 1 :] == old for n in range(len(new)))
    elif added == 0:
        assert sum(a != b for a, b in zip(old, new)) <= 1
    else:  # the old value went on below its line
        assert set(old) - set(new) <= {row for row in old if row.startswith(("  more", "status"))}


# Problems


@pytest.mark.parametrize(
    "value",
    [
        "TODO", "todo.", "TBD", "(TBD)", "FIXME", "...", "…", "(Add summary)", "[Describe the pitfall]",
        "<what worked>", "<…>", "<pitfalls>", "{fill in}", "(to be filled in)", "TODO: fill in", "**TODO**",
        "a fact\n- TODO",
        "<Add the facts of this item here.>", "[…]", "a fact\n\n(add more)",
    ],
)  # fmt: skip
def test_a_placeholder_is_named_at_its_line(value):
    text = NEW + journal.render_entry("1", "x", dict(FULL, worked=value))
    assert codes(text) == [(FIRST + 2 + value.count("\n"), "placeholder")]


@pytest.mark.parametrize(
    "value",
    [
        "None.", "N/A", "none", "-", "(none)", "Removed the last TODO.", "TODO comments stay in cart.py",
        "TODO: remove the shim", "<https://example.org/a b>", "<details>\nmore\n</details>",
        "see `TODO` in x.py", "a\n...\nb", "(Added later by hand.)", "[a](b)", "```\nTODO\n```", "x = {}",
        "<div class=\"a\">",
    ],
)  # fmt: skip
def test_this_is_no_placeholder(value):
    assert codes(NEW + journal.render_entry("1", "x", dict(FULL, worked=value))) == []


def test_an_empty_field_is_a_missing_one():
    text = NEW + journal.render_entry("1", "x", dict(FULL, rules=" ")) + journal.render_entry("2", "y", {})
    found = journal.check(journal.parse(text))
    assert [problem[:2] for problem in found] == [(FIRST, "missing-field"), (FIRST + 6, "missing-field")]
    assert "[Distilled Rules]" in found[0][2]
    assert journal.done(journal.parse(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "## Task 1: x\n\n### Verified Facts\nTODO\n",
        "## Task 1: x\n\n1. [Verified Facts] TODO\n",
        "---\nplan: x\n---\n## Task 1: x\n### What's Next\nTBD\n",
        "## Task 1: x\n### Verified Facts\nno final line end",
        "## Task 1: x",
    ],
)
def test_a_foreign_form_is_never_scolded(text):
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("### Item 1: x\n1. [Verified Facts] a", "torn-entry"),
        ("### Item 1: x", "torn-entry"),
        ("### Item 1: x\n1. [Verified Facts] a\n", "missing-field"),
        ("### Item 1: x\n2. [What Worked] a", "missing-field"),
        ("### Item 1: x\n1. [Verified Facts] a\n\n## Notes\nb", "missing-field"),
    ],
)
def test_an_entry_is_torn_when_the_file_ends_in_it(text, code):
    assert codes(NEW + text) == [(FIRST, code)]


def test_both_sides_of_an_unresolved_merge_are_read():
    ours, theirs = journal.render_entry("1", "x", FULL), journal.render_entry("2", "y", FULL)
    text = NEW + "\n<<<<<<< HEAD\n" + ours + "=======\n" + theirs + ">>>>>>> other\n"
    found = journal.parse(text)
    assert journal.done(found) == ["1", "2"]
    assert [entry.fields for entry in found.entries] == [FULL, FULL]
    assert codes(text) == [(FIRST + 1, "conflict-marker")]


def test_conflict_markers_in_a_fence_are_an_example():
    text = NEW + "\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```\n"
    assert codes(text) == []


def test_an_item_logged_twice_is_done_once():
    entry = journal.render_entry("1", "x", FULL)
    assert journal.done(journal.parse(NEW + entry + journal.render_entry("2", "y", FULL) + entry)) == [
        "1",
        "2",
    ]


def test_lists_and_fences_stand_below_their_label():
    text = journal.render_entry("1", "x", dict(FULL, facts="- a\n- b", worked="- a", rules="```\nx\n```\n\ny"))
    assert text == (
        "### Item 1: x\n"
        "1. [Verified Facts]\n   - a\n   - b\n"
        "2. [What Worked] - a\n"
        "3. [Distilled Rules]\n   ```\n   x\n   ```\n\n   y\n"
        "4. [Pitfalls & What to Avoid] text of pitfalls\n"
        "5. [What's Next] text of next\n"
    )


# Properties

LINES = st.sampled_from(
    [
        "```", "~~~", "````sh", "<!--", "-->", "<div>", "### Item 9: fake", "## Task 8", "# H1", "- item",
        "1. [Verified Facts] fake", "**[What's Next]** fake", "[What Worked]", "  - nested", "    code",
        "\tcode", "---", "===", "***", "> q", "| a | b |", "|---|---|", "a | b", "--|--", "<<<<<<< HEAD",
        "=======",
        ">>>>>>> x", "", "", " ", "text", "text  ", ": x", "- - - - x", "6. six", "\ufeff",
        "---\nplan: x\n---",
    ]
)  # fmt: skip
VALUES = st.one_of(st.text(), st.lists(st.one_of(LINES, st.text(max_size=5)), max_size=8).map("\n".join))
FIELD_SETS = st.fixed_dictionaries(dict.fromkeys(journal.FIELDS, VALUES))
ENTRY = st.tuples(st.from_regex(r"\A([1-9][0-9]?(\.[1-9])?|T00[1-9]|[A-Z]{2}-[0-9])\Z"), FIELD_SETS)


def normal(value):
    """What a field may lose: white space at its ends and at the ends of its rows."""
    return "\n".join(row.rstrip(" \t\r") for row in value.replace("\r\n", "\n").strip().split("\n")).strip()


def render(entries):
    return NEW + "".join("\n" + journal.render_entry(item, "the title", fields) for item, fields in entries)


@settings(max_examples=500, deadline=None)
@given(st.lists(ENTRY, min_size=1, max_size=3))
def test_what_is_written_is_read_back(entries):
    found = journal.parse(render(entries))
    assert [entry.item for entry in found.entries] == [item for item, _ in entries]
    for entry, (_, fields) in zip(found.entries, entries):
        assert entry.fields == {key: normal(value) for key, value in fields.items()}
        assert entry.title == "the title"


@settings(max_examples=300, deadline=None)
@given(st.lists(ENTRY, min_size=1, max_size=2), st.data())
def test_what_a_cut_off_journal_says_done_is_done(entries, data):
    text = render(entries)
    whole = journal.done(journal.parse(text))
    cut = data.draw(st.integers(0, len(text)))
    assert journal.done(journal.parse(text[:cut])) == whole[: len(journal.done(journal.parse(text[:cut])))]


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_what_any_prefix_of_a_file_says_done_is_done(path):
    data = path.read_bytes()
    whole = journal.done(journal.parse(read(path)))
    for size in range(0, len(data), 7):
        found = journal.done(journal.parse(data[:size].decode("utf-8", "surrogateescape")))
        assert found == whole[: len(found)]


def test_the_beginning_of_a_rule_is_no_field():
    text = NEW + journal.render_entry("1", "x", dict(FULL, next=""))
    assert codes(text + "--") == [(FIRST, "torn-entry")]
    assert codes(text + "--\n") == []
    assert codes(text + "---\n") == [(FIRST, "missing-field")]


def test_an_entry_that_was_cut_off_is_not_done():
    text = NEW + journal.render_entry("1", "x", FULL)
    upto = text.index("[What's Next]")
    assert all(journal.done(journal.parse(text[:size])) == [] for size in range(upto))


FORMS = st.sampled_from(["### Item 1: a", "## Step 2", "### Verified Facts", "plan: |"])
ANY = st.lists(st.tuples(LINES | FORMS | st.text(max_size=8), st.sampled_from(["\n", "\r\n", "\r"])), max_size=20).map(
    lambda rows: "".join(map("".join, rows))
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(ANY, st.text()))
@example("---\n: x\n---\n")
def test_any_text_is_read(text):
    found = journal.parse(text)
    rows = text.count("\n") + 1
    for line, code, message in journal.check(found):
        assert 1 <= line <= rows and code and message
    for entry in found.entries:
        assert 1 <= entry.line <= entry.end <= rows
        assert entry.fields.keys() == entry.lines.keys()
        assert all(entry.line < line <= entry.end for line in entry.lines.values())


# Speed


def test_a_thousand_entries_are_read_in_a_tenth_of_a_second():
    value = "A sentence about what was done, with `code` in it, as long as such sentences are."
    text = render([(str(n), dict.fromkeys(journal.FIELDS, value)) for n in range(1000)])
    best = 1.0
    for _ in range(5):
        began = time.process_time()
        found = journal.parse(text)
        best = min(best, time.process_time() - began)
    assert len(journal.done(found)) == 1000
    assert best < 0.1


@pytest.mark.parametrize(
    "text",
    [
        "### Item 1: x\n" + "1. [What Worked] y\n" * 100_000,
        "### Item 1: x\n" + "#### What Worked\n##### z\n" * 50_000,
        "### Item 1: x\n" + "[" * 500_000,
        "### Item " + "1." * 300_000,
        "<<<<<<< a\n" * 100_000,
        "---\n" + "a: b\n" * 100_000,
        "---\na: '" + "''" * 300_000 + "\n---\n",
        "---\na: b\n" + "  c\n" * 200_000 + "---\n",
        "### Item 1: x\n[What Worked] a\n---\n" * 20_000,
    ],
    ids=["labels", "headings", "brackets", "id", "markers", "keys", "quotes", "continued", "underlined"],
)
def test_reading_is_linear(text):
    began = time.process_time()
    journal.check(journal.parse(text))
    assert time.process_time() - began < 4
