"""The quick cut at headings, held against the full scan."""

import pathlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import lines, outline
from test_lines import documents

ROOT = pathlib.Path(__file__).parent.parent


def headings_by_scan(text):
    return [
        (b.start, b.level, b.text)
        for b in lines.scan(lines.split(text), lines.front_matter(lines.split(text)))
        if b.kind is lines.HEADING and not b.quoted and not b.depth
    ]


def headings_by_cut(text):
    return [(p.line, p.level, p.title) for p in outline.cut(text) if p.level]


def assert_same(text):
    assert [(n, lv, t.replace("\t", " ")) for n, lv, t in headings_by_cut(text)] == [
        (n, lv, t.replace("\t", " ")) for n, lv, t in headings_by_scan(text)
    ]
    rows = text.split("\n")
    for part in outline.cut(text):
        body = part.body.split("\n") if part.body else []
        assert rows[part.body_line - 1 : part.body_line - 1 + len(body)] == body


@settings(max_examples=1000, deadline=None, derandomize=True, database=None)
@given(documents)
def test_the_cut_finds_the_headings_the_scan_finds(text):
    assert_same(text)


@pytest.mark.parametrize("path", sorted(ROOT.glob("tests/cases/postmortem/*.md")), ids=lambda p: p.stem)
def test_the_cut_agrees_on_files(path):
    assert_same(path.read_bytes().decode("utf-8", "replace").lstrip("\ufeff").replace("\r\n", "\n"))


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_text_is_cut(text):
    outline.cut(text)


@pytest.mark.parametrize("text", ["```\n# x\n" * 100_000, "# x\n```\n" * 100_000, "<!--\n# x\n" + "# y\n" * 200_000, "a\n===\n" * 100_000, "# `x`\n" * 200_000])
def test_cutting_is_linear(text):
    began = time.process_time()
    outline.cut(text)
    assert time.process_time() - began < 2
