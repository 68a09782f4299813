"""The block scanner, held against markdown-it-py."""

import pathlib
import re
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rld import lines

ROOT = pathlib.Path(__file__).parent.parent
ORACLE = MarkdownIt("commonmark").enable("table")


def oracle_spans(text):
    """(kind, first line, last line) of every heading, fence, code and HTML block as markdown-it-py sees them."""
    spans = []
    for token in ORACLE.parse(text):
        if token.type == "heading_open":
            spans.append((lines.HEADING, int(token.tag[1]), token.map[0] + 1, token.map[1]))
        elif token.type == "fence":
            spans.append((lines.FENCE, 0, token.map[0] + 1, token.map[1]))
    return spans


def our_spans(text):
    return [
        (block.kind, block.level, block.start, block.end)
        for block in lines.scan(lines.split(text))
        if block.kind in (lines.HEADING, lines.FENCE)
    ]


def assert_agrees(text):
    rows = lines.split(text)

    def trimmed(spans):
        """Whether the blank lines behind a fence that nobody closes belong to it is nobody's business."""
        found = []
        for kind, level, start, end in spans:
            end = min(end, len(rows))
            while end > start and not rows[end - 1].strip(" \t>"):
                end -= 1
            found.append((kind, level, start, end))
        return found

    assert trimmed(our_spans(text)) == trimmed(oracle_spans(text)), text


PIECES = [
    "# H", "## H ##", "### 4. Rule", "#nospace", "#", "####### seven", "===", "---", "- - -", "***", "text", "more text",
    "- item", "- ", "* star", "+ plus", "1. one", "2. two", "10) ten", "1234567890. no", "```", "````", "```sh", "~~~",
    "~~~ `x`", "``` a`b", "> quote", ">", "> ```", "> - x", "<!-- c", "-->", "<!-- one line -->", "<div>", "</div>",
    "<b>", "<b>x</b>", "<script>", "</script>", "<?php", "?>", "| a | b |", "|---|---|", "| - |", "a | b", "--- | ---",
    "**bold**", "", "", "", "\\# no", "&amp;", "_a_", ": x", "|", "--", "=", "-", "1.", "<a href='x'>", "<!X", "x --> y",
]
INDENTS = ["", "", "", " ", "  ", "   ", "    ", "      ", "\t", "- ", "> ", "1. ", "  - ", ">\t"]
line = st.builds(lambda indents, piece: "".join(indents) + piece, st.lists(st.sampled_from(INDENTS), max_size=3), st.sampled_from(PIECES))
documents = st.lists(line, max_size=14).map("\n".join)


@settings(max_examples=1500, deadline=None, derandomize=True, database=None)
@given(documents)
def test_headings_and_fences_agree_with_the_oracle(text):
    # Where the oracle leaves CommonMark 0.31: a quote mark behind four columns, and lazy lines of a quote that are
    # indented like code or are followed by an underline.
    plain = text.expandtabs(4)
    assume("    >" not in plain and not re.search(r">.*\n(.+\n)*? {4,}[^ ]", plain))
    assume(not re.search(r">.*\n[^>\n]+\n(.*>.*\n)*.*>[ \t]*(=+|-+)[ \t]*(\n|$)", text))
    assert_agrees(text)


@pytest.mark.parametrize("path", sorted(str(p.relative_to(ROOT)) for p in ROOT.rglob("*.md") if ".cache" not in p.parts))
def test_headings_and_fences_agree_on_our_own_files(path):
    text = (ROOT / path).read_bytes().decode("utf-8", "replace").lstrip("\ufeff").replace("\r\n", "\n")
    skip = lines.front_matter(lines.split(text))
    assert_agrees("\n".join(lines.split(text)[skip:]))


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text_is_scanned(text):
    count = len(lines.split(text))
    for block in lines.scan(lines.split(text)):
        assert 1 <= block.start <= block.end <= count


def test_form_feed_and_other_separators_end_no_line():
    assert lines.split("a\x0cb\x0bc\x85d\u2028e\r\nf\rg\nh") == ["a\x0cb\x0bc\x85d\u2028e", "f\rg", "h"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("---\nplan: a\n---\n# H", 3),
        ("\ufeff---\nplan: a\n---\n", 3),
        ("---\n---\nx", 2),
        ("---\nplan: Fix: cart\n# comment\nlist:\n  - a\n- b\n...\n", 7),
        ("---\n\nSome intro\n\n---\n\nMore", 0),
        ("---\nJust prose here\n---\n", 0),
        ("---\nplan: never closed\n", 0),
        ("text\n---\na: b\n---\n", 0),
        ("", 0),
    ],
)
def test_front_matter_is_told_from_a_rule(text, count):
    assert lines.front_matter(lines.split(text)) == count


def test_a_table_row_keeps_its_escaped_pipe():
    assert lines.cells(r"| 1 | a \| b | c |") == ["1", "a | b", "c"]


@pytest.mark.parametrize(
    "text",
    [">" * 100_000, "~~~\n```\n" * 50_000, "x" * 5_000_000, " " * 5_000_000 + "x", "- " * 100_000, "- a\n\n" * 100_000,
     "|a" * 1_000_000, "> " * 23 + "x\n" * 60_000, "| a |\n|---|\n| b |\n" * 60_000, "<a " * 500_000, "<!--\n" * 200_000],
    ids=["quotes", "open-fences", "one-line", "spaces", "nested-items", "loose-items", "pipes", "lazy", "tables", "tag", "comments"],
)  # fmt: skip
def test_nothing_is_quadratic(text):
    began = time.process_time()
    lines.scan(lines.split(text))
    assert time.process_time() - began < 2  # 0.4 on a quiet machine


def test_three_and_a_half_megabytes_take_under_a_second():
    one = (ROOT / "tests/cases/postmortem/01-canonical.md").read_text(encoding="utf-8")
    text = one * (3_600_000 // len(one) + 1)
    began = time.process_time()
    lines.scan(lines.split(text))
    assert time.process_time() - began < 1
