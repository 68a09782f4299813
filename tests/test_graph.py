"""States, order and cycles of items, held against graphlib."""

import graphlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import graph
from rld.graph import BLOCKED, DONE, READY, Item, Plan


def items(*rows):
    """Items from "3<1,2" and, for a quick win, "3!<1,2"."""
    made = []
    for n, row in enumerate(rows):
        name, _, above = row.partition("<")
        item = Item(name.rstrip("!"), "", n + 1)
        item.quick_win = name.endswith("!")
        item.depends_on = above.split(",") if above else []
        made.append(item)
    return made


@st.composite
def plans(draw, acyclic=False):
    """Items with random parents, and a random set of what is done."""
    size = draw(st.integers(0, 9))
    made = []
    for n in range(size):
        others = st.integers(0, n - 1 if acyclic else size - 1) if n or not acyclic else st.nothing()
        item = Item(str(n), "", n + 1)
        item.depends_on = [str(m) for m in sorted(draw(st.sets(others, max_size=3)))] if n or not acyclic else []
        item.quick_win = draw(st.booleans())
        made.append(item)
    return made, {str(n) for n in draw(st.sets(st.integers(0, 9)))}


@settings(max_examples=300, deadline=None)
@given(plans(acyclic=True))
def test_ready_is_what_a_topological_sorter_offers(found):
    made, done = found
    # A sorter knows no item that is done before its parents; so whatever a done one waits for is done too.
    by_id = {item.id: item for item in made}
    done = {name for name in done if name in by_id}
    todo = list(done)
    while todo:
        for name in by_id[todo.pop()].depends_on:
            if name not in done:
                done.add(name)
                todo.append(name)
    sorter = graphlib.TopologicalSorter({item.id: item.depends_on for item in made})
    sorter.prepare()
    offered = set()
    while sorter.is_active():
        nodes = sorter.get_ready()
        for name in nodes:
            if name in done:
                sorter.done(name)
            else:
                offered.add(name)
        if not any(name in done for name in nodes):
            break
    states = graph.states(made, done)
    assert {name for name, state in states.items() if state == READY} == offered
    assert {name for name, state in states.items() if state == DONE} == done
    assert sorted(graph.ready(made, done)) == sorted(offered)
    assert graph.cycles(made) == []


@settings(max_examples=300, deadline=None)
@given(plans())
def test_a_cycle_is_found_exactly_where_there_is_one(found):
    made, done = found
    parents = {item.id: set(item.depends_on) for item in made}
    alone = {name for name, above in parents.items() if name in above}
    try:
        graphlib.TopologicalSorter({name: above - {name} for name, above in parents.items()}).prepare()
        cyclic = False
    except graphlib.CycleError:
        cyclic = True
    cycles = graph.cycles(made)
    assert bool(cycles) == cyclic
    states = graph.states(made, done)
    for way in cycles:
        assert len(way) == len(set(way)) > 1
        assert all(after in parents[name] for name, after in zip(way, way[1:] + way[:1]))
        assert all(states[name] == (DONE if name in done else BLOCKED) for name in way)
    for name, state in states.items():
        if state == READY:
            assert name not in alone and all(states[above] == DONE for above in parents[name])


@pytest.mark.parametrize(
    ("rows", "done", "ready", "blocked"),
    [
        ("1 2<1 3<2", "", "1", "2 3"),
        ("1 2<1 3<2", "1", "2", "3"),
        ("1 2<1 3<2", "1 2 3", "", ""),
        ("1 2<9 3<2", "", "1", "2 3"),
        ("1 2<9", "9", "1", "2"),
        ("1<1 2<1 3", "", "3", "1 2"),
        ("1<3 2<1 3<2 4", "", "4", "1 2 3"),
        ("1<2 2<1 3<1", "2", "", "1 3"),
        ("1<2 2<1 3<1", "1 2", "3", ""),
    ],
    ids=[
        "start",
        "next",
        "finished",
        "unknown",
        "unknown-though-logged",
        "self",
        "cycle",
        "half-done-cycle",
        "done-cycle",
    ],
)
def test_states(rows, done, ready, blocked):
    states = graph.states(items(*rows.split()), set(done.split()))
    assert [name for name, state in states.items() if state == READY] == ready.split()
    assert [name for name, state in states.items() if state == BLOCKED] == blocked.split()


@pytest.mark.parametrize(
    ("rows", "done", "order"),
    [
        ("1 2! 3 4! 5<1 6<5", "", "2 4 1 3"),
        ("1 2 3<2 4<3 5<1", "", "2 1"),
        ("1 2 3", "", "1 2 3"),
        ("1 2<1 3 4<2 5<2", "1", "3 2"),
        ("1! 2<1 3 4<2 5<2", "1", "2 3"),
        ("1 2 3<1 4<2 5<2", "4 5", "1"),
        ("1 2 3<1 4<2 5<2", "3 4 5", "1 2"),
    ],
    ids=[
        "quick-first",
        "what-unblocks-most",
        "plan-order",
        "roots-first",
        "marked-so-no-roots-first",
        "done-2",
        "only-open-ones-count",
    ],
)
def test_the_order_to_offer(rows, done, order):
    found = graph.ready(items(*rows.split()), set(done.split()))
    assert [name for name in found if name in order.split()] == order.split()


def test_a_task_files_own_done_counts():
    made = items("1", "2<1")
    made[0].done = True
    assert graph.states(made, set()) == {"1": DONE, "2": READY}


def test_items_with_one_id_share_a_state_and_wait_for_both():
    assert graph.states(items("1", "2", "3<1", "3<2"), {"1"}) == {"1": DONE, "2": READY, "3": BLOCKED}


def test_cycles_are_named_from_their_first_item_along_its_parents():
    made = items("11<14", "12<11", "13", "14<12", "15<14", "16<17", "17<16", "18<18")
    assert graph.cycles(made) == [["11", "14", "12"], ["16", "17"]]


def test_the_answer_has_the_shape_that_programs_rely_on():
    made = items("1", "2!<1")
    assert graph.answer(Plan(made, [(3, "cycle", "m")]), {"1"}) == {
        "items": [
            {"id": "1", "title": "", "depends_on": [], "state": "done", "quick_win": False, "line": 1},
            {"id": "2", "title": "", "depends_on": ["1"], "state": "ready", "quick_win": True, "line": 2},
        ],
        "ready": ["2"],
        "problems": [{"line": 3, "code": "cycle", "message": "m"}],
    }


@pytest.mark.parametrize("size", [2_000, 20_000])
def test_long_chains_need_no_recursion(size):
    made = items("0", *(f"{n}<{n - 1}" for n in range(1, size)))
    began = time.process_time()
    assert graph.ready(made, set()) == ["0"]
    made[0].depends_on = [str(size - 1)]
    assert len(graph.cycles(made)[0]) == size
    assert time.process_time() - began < 0.6
