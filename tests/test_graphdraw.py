"""Drawings of a plan: what the lines say can be followed back to the plan, and no terminal is too small."""

import os
import pathlib
import re
import stat
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import store
from rld import graphdraw, graphexport, plan
from rld.graph import Item
from rld.graphdraw import CYCLE, Pen, Picture

GOLDEN = pathlib.Path(__file__).parent / "golden/graph"
CASES = pathlib.Path(__file__).parent / "cases/plan"
UNICODE, ASCII = Pen(True), Pen(False)


def picture(*rows, done=(), beyond=()):
    """A plan from "3<1,2": item 3 depends on 1 and 2."""
    items = []
    for n, row in enumerate(rows):
        name, _, above = row.partition("<")
        items.append(Item(name, "title of " + name, n + 1))
        items[-1].depends_on = above.split(",") if above else []
    return Picture(items, set(done), list(beyond))


def drawn(shown, width=100, pen=UNICODE):
    return "\n".join(line for _, line in graphdraw.draw(shown, width, pen)) + "\n"


# -- judged by eye, and kept -----------------------------------------------------------------------------------


GOLD = {
    "diamond": (("1", "3"), [("9", "a button that nobody planned")], UNICODE),
    "diamond-ascii": (("1", "3"), [("9", "a button that nobody planned")], ASCII),
    "sixty": ((), [], UNICODE),
}


@pytest.mark.parametrize("name", GOLD)
def test_a_drawing_is_the_one_that_was_judged(name):
    done, beyond, pen = GOLD[name]
    items = plan.parse((GOLDEN / (name.partition("-")[0] + ".md")).read_text(encoding="utf-8")).items
    assert drawn(Picture(items, set(done), beyond), 100, pen) == (GOLDEN / (name + ".txt")).read_text(encoding="utf-8")


def test_a_diamond_is_a_diamond():
    assert drawn(picture("1", "2<1", "3<1", "4<2,3", done=["1"])).split("\n")[:4] == [
        "✓    1  title of 1",
        "├─▶  2  title of 2  ← 1",
        "▶ │  3  title of 3  ← 1",
        "·─╯  4  title of 4  ← 2, 3",
    ]


def test_a_cycle_is_marked_where_it_begins_and_named_below():
    shown = drawn(picture("1<3", "2<1", "3<2", "4", "5<5", "6<77"))
    assert "↻  1  title of 1  ← 3↻" in shown and "↻ These wait for each other: 1 ← 3 ← 2 ← 1" in shown
    assert "title of 5  ← itself↻" in shown and "title of 6  ← 77?" in shown
    assert shown.endswith("▶ ready 1   · waiting 1   ↻ on a cycle 4\n")


def test_states_are_told_without_colour_and_the_legend_counts_them():
    shown = drawn(picture("1", "2<1", "3<2", done=["1"], beyond=[("X1", "more")]))
    assert [line[0] for line in shown.split("\n")[:3]] == ["✓", "▶", "·"]
    assert "Logged, not in the plan:\n✓  X1  more" in shown
    assert shown.endswith("✓ done 2   ▶ ready 1   · waiting 1\n")


def test_items_that_are_linked_with_nothing_do_not_look_like_a_chain():
    shown = drawn(picture("1", "2<1", "3", "4"))
    assert "Not linked with any other:\n▶  3  title of 3\n▶  4  title of 4\n" in shown
    assert drawn(picture("1", "2")).startswith("Not linked")
    assert "Not linked" not in drawn(picture("1", "2<1"))


def test_what_follows_from_other_dependencies_has_no_line_and_is_named():
    assert "·  3  title of 3  ← 1, 2" in drawn(picture("1", "2<1", "3<1,2"))


def test_a_title_cannot_steer_the_terminal():
    item = Item("1", "red \x1b[31malert\u202e\n now", 1)
    assert drawn(Picture([item], set(), [])).split("\n")[1] == "▶  1  red alert now"


def test_many_parents_are_counted_and_long_ones_cut():
    rows = [str(n) for n in range(100, 140)] + ["1<" + ",".join(str(n) for n in range(100, 140))]
    (line,) = [line for line in drawn(picture(*rows)).split("\n") if "title of 1 " in line]
    assert re.search(r"← 100, 101, 102, 103, \+36$", line)
    long = "T" * 80
    assert max(map(len, drawn(picture(long, "2<" + long), 60).split("\n"))) <= 60


# -- what the lines say ----------------------------------------------------------------------------------------


@st.composite
def graphs(draw, acyclic=False, most=14):
    size = draw(st.integers(1, most))
    rows = []
    for n in range(size):
        top = n if acyclic else size + 1  # the last stands for an id that nobody has
        above = draw(st.sets(st.integers(0, top - 1), max_size=4)) if top else set()
        rows.append("%d<%s" % (n, ",".join(map(str, sorted(above)))) if above else str(n))
    return draw(st.permutations(rows)) if acyclic else rows


def followed(lines, titles):
    """By id, the items that the rails lead from: (surely, or as one reads it when nothing follows from the one above)."""
    owner, found = {}, {}
    above = ""
    for line in lines[: lines.index("Not linked with any other:")] if "Not linked with any other:" in lines else lines:
        match = re.search(r"  (\d+) +title of ", line)
        if not match:
            owner, above = {}, ""
            continue
        rail, id = line[: match.start()].rstrip(), match.group(1)
        own = next(n for n, char in enumerate(rail) if char in "✓▶·↻")
        low, high = own, own
        while low > 0 and rail[low - 1] == "─":
            low -= 2
        while rail[high + 1 : high + 2] == "─":
            high += 2
        joined = {owner[n] for n in range(low, high + 1, 2) if n != own and rail[n] in "├┼┤╰┴╯"}
        from_above = {owner[own]} if own in owner else set()
        found[id] = (joined, from_above, above)
        owner = {n: who for n, who in owner.items() if n < len(rail) and rail[n] in "├┼┤│"}
        owner[own] = above = id
    return found


@settings(max_examples=400, deadline=None)
@given(graphs(acyclic=True))
def test_the_lines_lead_from_parents_to_children_and_nowhere_else(rows):
    shown = picture(*rows)
    lines = drawn(shown, 140).split("\n")
    parents = {id: set(node.parents) for id, node in shown.nodes.items()}
    ancestors = {}
    order = [match.group(1) for line in lines if (match := re.search(r"  (\d+) +title of ", line))]
    assert sorted(order) == sorted(parents)
    for id in order:
        assert parents[id] <= set(ancestors), "parents stand above their children"
        ancestors[id] = parents[id].union(*[ancestors[parent] for parent in parents[id]])
    needed = {
        id: {one for one in above if not any(one in ancestors[other] for other in above)}
        for id, above in parents.items()
    }
    followed_by = {parent for above in needed.values() for parent in above}
    for id, (joined, from_above, right_above) in followed(lines, shown.nodes).items():
        assert needed[id] <= joined | from_above
        extra = (joined | from_above) - needed[id]
        # Only what stands right below an item from which nothing follows could be misread, and then it has other lines.
        assert not extra or (extra == {right_above} and right_above not in followed_by and joined)


@settings(max_examples=200, deadline=None)
@given(graphs(), st.sets(st.integers(0, 13)), st.integers(60, 130), st.booleans())
def test_every_item_is_drawn_once_within_the_width(rows, done, width, unicode):
    shown = picture(*rows, done={str(n) for n in done})
    lines = graphdraw.draw(shown, width, Pen(unicode))
    items = [line for state, line in lines if state]
    assert len(items) == len(rows)
    assert all(sum(" title of %s" % id in line + " " for line in items) >= 1 for id in shown.nodes)
    assert all(graphdraw.columns(line) <= width for _, line in lines)
    assert unicode or all(line.isascii() for _, line in lines)
    marks = Pen(unicode).marks
    for state, line in lines:
        assert not state or marks[state] in line


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=80)), min_size=1, max_size=6), st.booleans())
def test_any_ids_and_titles_can_be_drawn(pairs, unicode):
    items = [Item(name, title, n) for n, (name, title) in enumerate(pairs)]
    for before, item in zip(items, items[1:]):
        item.depends_on = [before.id]
    shown = Picture(items, set(), [])
    for _, line in graphdraw.draw(shown, 80, Pen(unicode)):
        assert graphdraw.columns(line) <= 80
        assert unicode or line.isascii()
    graphexport.mermaid(shown)
    graphexport.dot(shown)


def test_wide_characters_take_two_columns():
    assert graphdraw.columns("予約 e\u0301") == 6
    assert graphdraw.cut("予約の画面", 7, "…") == "予約の…"
    assert graphdraw.cut("short", 5, "…") == "short"


@pytest.mark.parametrize("shape", ["chain", "hub", "ladder", "pairs", "one for all"])
def test_thousands_of_items_are_drawn_in_time(shape):
    size = 4000
    above = {
        "chain": lambda n: [n - 1],
        "hub": lambda n: [0],
        "ladder": lambda n: [n - 1, max(0, n - 50)],
        "pairs": lambda n: [n - 1] if n % 2 else [],
        "one for all": lambda n: list(range(n)) if n == size - 1 else [],
    }[shape]
    rows = ["%d<%s" % (n, ",".join(map(str, above(n)))) if n and above(n) else str(n) for n in range(size)]
    began = time.process_time()
    drawn(picture(*rows))
    assert time.process_time() - began < 3


# -- mermaid and graphviz --------------------------------------------------------------------------------------


def edges(text, arrow):
    """Edges by label, of either language."""
    names = dict(re.findall(r'^ +(\w+) ?\[(?:label=)?"\S+ (\w+)(?::|")', text, re.M))
    return sorted((names[one], names[other]) for one, other in re.findall(r"^ +(\w+) %s (\w+)" % arrow, text, re.M))


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_both_languages_have_every_dependency(rows):
    shown = picture(*rows)
    wanted = sorted(
        (parent, row.partition("<")[0]) for row in rows for parent in row.partition("<")[2].split(",") if parent
    )
    assert edges(graphexport.mermaid(shown), "-->") == wanted
    assert edges(graphexport.dot(shown), "->") == wanted


def test_mermaid_has_a_class_for_each_state_and_a_mark_in_the_label():
    text = graphexport.mermaid(picture("1", "2<1", "3<2,9", "4<4", done=["1"], beyond=[("1", "the same id")]))
    assert text.startswith("flowchart TD\n")
    assert '    i1["✓ 1: title of 1"]:::done\n' in text and '    i2["▶ 2: title of 2"]:::ready\n' in text
    assert '    i3["· 3: title of 3"]:::blocked\n' in text and '    i4["↻ 4: title of 4"]:::cycle\n' in text
    assert '"? 9: not in the plan"]:::unknown' in text and '    i5["✓ 1: the same id"]:::done\n' in text
    assert "    i4 --> i4\n" in text
    assert [line.split()[1] for line in text.split("\n") if "classDef" in line] == [
        "done",
        "ready",
        "blocked",
        CYCLE,
        "unknown",
    ]


def test_what_a_title_holds_cannot_leave_its_label():
    item = Item("1", 'say "hi" & <b>x</b> #35; `code` \\n end"]; click i1 \\', 1)
    shown = Picture([item], set(), [])
    (line,) = [line for line in graphexport.mermaid(shown).split("\n") if "i1[" in line]
    assert line.count('"') == 2 and "<" not in line[7:] and "`" not in line and line.endswith('"]:::ready')
    (line,) = [line for line in graphexport.dot(shown).split("\n") if "i1 [" in line]
    assert re.fullmatch(r' +i1 \[label="(?:[^"\\]|\\.)*", fillcolor="#\w+", color="#\w+"\];', line)


# -- the verb --------------------------------------------------------------------------------------------------


def rld(folder, *args, **env):
    command = [sys.executable, "-I", "-X", "utf8", str(store.MAIN), "plan", "graph", "-C", str(folder), *args]
    plain = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_CTYPE", "LANG", "COLUMNS")}
    return subprocess.run(command, env={**plain, **env}, capture_output=True, check=False, encoding="utf-8", timeout=60)


@pytest.mark.skipif(os.name == "nt", reason="locales of POSIX")
@pytest.mark.parametrize(
    ("env", "is_ascii"),
    [
        ({}, False),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LC_ALL": "C"}, True),
        ({"LANG": "en_US.ISO-8859-1"}, True),
        ({"LC_ALL": "C.utf8"}, False),
    ],
)
def test_a_terminal_that_cannot_show_lines_gets_plain_characters(tmp_path, env, is_ascii):
    done = rld(tmp_path, str(CASES / "05-dotted-ids-japanese.md"), **env)
    assert done.returncode == 0 and done.stdout.isascii() == is_ascii
    assert ("> ready 2" if is_ascii else "▶ ready 2") in done.stdout


def test_the_width_of_the_terminal_is_kept_to(tmp_path):
    for columns in ("70", "120"):
        lines = rld(tmp_path, str(GOLDEN / "sixty.md"), COLUMNS=columns).stdout.split("\n")
        assert max(map(len, lines)) <= int(columns)


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir() if ".expected." not in path.name))
@pytest.mark.parametrize("form", ["text", "mermaid", "dot"])
def test_every_case_is_drawn_or_named_as_no_plan(tmp_path, capsys, case, form):
    from rld import cli

    status = cli.main(["plan", "graph", "-C", str(tmp_path), str(CASES / case), "--format", form])
    said = capsys.readouterr()
    assert status == (1 if case.startswith("10-") else 0)
    assert "not a plan I can read" in said.err if status else said.out


def test_svg_without_graphviz_names_the_way_out(tmp_path):
    done = rld(tmp_path, str(GOLDEN / "diamond.md"), "--format", "svg", PATH=str(tmp_path))
    assert done.returncode == 1 and done.stdout == ""
    assert "graphviz" in done.stderr and "--format mermaid" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a script stands for a program")
@pytest.mark.parametrize("works", [True, False], ids=["drawn", "failed"])
def test_svg_comes_from_graphviz(tmp_path, works):
    program = tmp_path / "dot"
    program.write_text(
        '#!/bin/sh\n[ "$1" = -Tsvg ] && %s\n' % ("cat" if works else "{ echo 'syntax error' >&2; exit 3; }"),
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    done = rld(tmp_path, str(GOLDEN / "diamond.md"), "--format", "svg", PATH="%s:/usr/bin:/bin" % tmp_path)
    if works:
        assert done.returncode == 0 and done.stdout.startswith("digraph plan {")
    else:
        assert done.returncode == 1 and "graphviz could not draw it: syntax error" in done.stderr


def test_without_a_plan_it_is_the_open_run_s(tmp_path, capsys):
    (tmp_path / "p").mkdir()
    store.make(
        tmp_path / "p",
        {
            "docs/plans/per-request-store.md": "### Item 6: cart\n\n### Item 7: category\n\n### Item 8: search\n\nDepends on: Item 7\n"
        },
    )
    assert store.rld(tmp_path / "p", "status") == 0
    from rld import cli

    capsys.readouterr()
    assert cli.main(["plan", "graph", "-C", str(tmp_path / "p")]) == 0
    said = capsys.readouterr().out
    assert "✓  7  category\n▶  8  search  ← 7\n" in said and "✓ done 2   ▶ ready 1" in said
