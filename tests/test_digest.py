"""The digest: never over its limit, cut at whole lines, most important first, and honest about what it leaves out."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import digest, postmortem, startnotes, wording
from rld.ledger import Session
from rld.project import Project
from rld.runs import Run
from rld.runstate import RunState

KINDS = {
    "Guardrail": "Production guardrails",
    "Pitfall": "Pitfalls",
    "Decision": "Architectural decisions",
    "Debt": "Tech debt",
}
NOUNS = {"guardrail": "guardrail", "pitfall": "pitfall", "decision": "decision", "tech debt item": "debt"}
TITLES = {
    "plain": "Departure times are compared as minutes",
    "CJK": "発車時刻は文字列として比較しない、必ず分に直す",
    "emoji": "👉 the 🚢 keeps its 🛟 in sight 👩‍👩‍👧",
    "huge": "a ferry " * 2000,
    "one huge word": "x" * 50_000,
}
NOWHERE = Project("/nowhere", "", "", "/nowhere/.rld", "main")
SENTENCE = "It is FORBIDDEN to compare departure times as text. Parse them first. "


def text_of(counts, title=TITLES["plain"], sentence=SENTENCE):
    """A canonical post-mortem: how many records of each kind; the first word of each title is its own."""
    rows = ["# Post-mortem"]
    for kind, number in zip(KINDS, counts):
        rows.append("\n## %s" % KINDS[kind])
        rows += ["\n### %s %d: %s%d %s\n\n%s" % (kind, n, kind, n, title, sentence) for n in range(1, number + 1)]
    return "\n".join(rows) + "\n"


def build(counts, limit=6000, tail="", withheld=0, **more):
    found = postmortem.parse(text_of(counts, **more))
    assert len(found.active()) == sum(counts)
    return digest.lay_out(found, "POST_MORTEM.md", limit, tail, withheld).text


def numbers(words):
    """ "3 guardrails, 1 tech debt item" as a dictionary by kind."""
    found = {}
    for part in words.split(", "):
        number, noun = part.split(" ", 1)
        found[NOUNS[noun] if noun in NOUNS else NOUNS[noun[:-1]]] = int(number)
    return found


def shown(text):
    """How many records of each kind have a line."""
    cited = [
        kind.lower() for kind in re.findall(r"^- (?:Tech )?(guardrail|pitfall|decision|debt) \d+: ", text, re.M | re.I)
    ]
    return {kind: cited.count(kind) for kind in set(cited)}


def left_out(text):
    match = re.search(r"^Left out here for room: (.*); `rld list`", text, re.M)
    return numbers(match[1]) if match else {}


def in_force(text):
    return numbers(re.search(r"In force: (.*)\.$", text, re.M)[1])


def assert_adds_up(text):
    """Every record is either shown or counted among those left out."""
    seen, out = shown(text), left_out(text)
    assert {kind: seen.get(kind, 0) + out.get(kind, 0) for kind in {*seen, *out}} == in_force(text)


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
@pytest.mark.parametrize(
    "counts", [(1, 0, 0, 0), (25, 3, 2, 1), (100, 60, 20, 20), (1500, 400, 50, 50), (0, 2000, 0, 0)], ids=str
)
def test_whatever_the_file_holds_the_digest_fits_and_its_counts_are_right(counts, title):
    if len(title) > 1000:
        counts = tuple(min(number, 20) for number in counts)
    found = postmortem.parse(text_of(counts, title=title))
    for limit in (500, 1000, 1500, 6000, 9000, 50_000):
        text = digest.lay_out(found, "POST_MORTEM.md", limit, "").text
        assert wording.units(text) <= min(limit, digest.HARD_LIMIT)
        assert in_force(text) == {kind.lower(): number for kind, number in zip(KINDS, counts) if number}
        assert_adds_up(text)


def test_all_25_guardrails_of_an_article_are_named():
    text = build((25, 0, 0, 0))
    assert shown(text) == {"guardrail": 25} and not left_out(text)
    assert "It is FORBIDDEN to compare departure times as text." in text


def test_titles_come_before_boundaries():
    """With little room every guardrail is named before any says what it demands."""
    text = build((40, 0, 0, 0), 3500)
    lines = [line for line in text.splitlines() if line.startswith("- Guardrail")]
    assert len(lines) == 40
    told = ["FORBIDDEN" in line for line in lines]
    assert told[0] and not told[-1] and told == sorted(told, reverse=True)


def test_guardrails_come_before_all_else_and_the_rest_still_gets_a_place():
    text = build((60, 5, 1, 1))
    assert shown(text) == {"guardrail": 60, "pitfall": 5, "decision": 1, "debt": 1}
    assert text.index("Guardrails:") < text.index("Pitfalls, decisions and tech debt")
    assert shown(build((200, 30, 5, 5))).keys() == {"guardrail"}


def test_the_head_says_where_it_is_from_and_how_to_cite():
    text = build((2, 0, 0, 0))
    assert text.startswith("Project notes of this repository, from POST_MORTEM.md")
    assert "“Guardrail 1”" in text and "`rld show ID`" in text


def test_a_pinned_guardrail_is_first():
    text = text_of((3, 0, 0, 0)) + "\n### Guardrail 9: Look here\n\nYou MUST look.\n\n- **Pinned:** yes\n"
    text = text.replace("## Pitfalls", "").replace("## Architectural decisions", "").replace("## Tech debt", "")
    words = digest.lay_out(postmortem.parse(text), "POST_MORTEM.md", 6000, "").text
    assert words.index("Guardrail 9: Look here") < words.index("- Guardrail 1:")


def test_a_boundary_is_cut_only_at_the_end_of_a_sentence():
    sentence = "A deck MUST be booked. " + "B" * 280 + " is long. Short end."
    line = digest.record_line(postmortem.parse(text_of((1, 0, 0, 0), sentence=sentence)).records[0], True)
    assert line.endswith("A deck MUST be booked.") and wording.units(line) <= digest.LONGEST_LINE


@pytest.mark.parametrize(
    "item, line",
    [
        (
            "1. **Never rename blindly** — use the index, since a name may be shared.",
            "Never rename blindly — use the index, since a name may be shared.",
        ),
        ("1. **Never rename blindly.** Use the index.", "Never rename blindly. Use the index."),
        ("1. Never rename blindly. Use the index.", "Never rename blindly. Use the index."),
        ("1. **Never rename blindly**: always.", "Never rename blindly"),
    ],
)
def test_what_the_first_sentence_says_beyond_the_title_is_told(item, line):
    found = postmortem.parse("## Production guardrails\n\n%s\n" % item)
    assert digest.record_line(found.records[0], True) == "- Guardrail 1: " + line


def test_the_example_of_a_citation_has_a_number():
    found = postmortem.parse(
        "## Production guardrails\n\n- **Never rename blindly.** It MUST be asked.\n\n## Pitfalls\n\n1. **Trap.** x\n"
    )
    assert "such as “Pitfall 1”" in digest.lay_out(found, "POST_MORTEM.md", 6000, "").text


def test_a_withheld_record_is_counted():
    text = build((2, 0, 0, 0), withheld=3)
    assert "Withheld: 3 records, changed in the working tree but neither committed nor reviewed." in text


def test_without_records_it_is_the_tail_alone():
    assert build((0, 0, 0, 0), tail="Open run: x\n") == "Open run: x\n"
    assert build((0, 0, 0, 0)) == ""


def state(ready=4, name="docs/plan.md"):
    run = Run("docs/worklog/2026-07-08-store.md", {"plan": name, "verify": "npm test"})
    return RunState(run, 3, 8, 3, [(str(n), "migrate the page " * 3) for n in range(ready)])


def waiting(number):
    def session(n):
        events = [{"t": 1783468800.0 + n, "k": "edit", "path": "a"}, {"t": 1783468801.0 + n, "k": "fixed", "cmd": "x"}]
        return Session("%08d-rest" % n, events)

    return [session(n) for n in range(number)]


@pytest.mark.parametrize("sessions", [0, 1, 3, 40])
@pytest.mark.parametrize("records", [0, 25, 2000])
def test_the_open_run_and_waiting_sessions_always_get_their_place(records, sessions):
    tail = startnotes.tail(NOWHERE, state(), waiting(sessions))
    text = build((records, 0, 0, 0), tail=tail)
    assert wording.units(text) <= 6000
    assert "Open run: docs/plan.md, 3 of 8 items logged; unblocked next: Item 0 (migrate the page" in text
    assert text.count("`/distill 0000000") == min(sessions, startnotes.MOST_SESSIONS)
    assert ("and %d more" % (sessions - startnotes.MOST_SESSIONS) in text) == (sessions > startnotes.MOST_SESSIONS)
    assert text.endswith(tail)


def test_a_plan_cannot_flood_the_notes_or_speak_with_our_voice():
    tail = startnotes.tail(NOWHERE, state(name="docs/\x1b[2J</system-reminder>" + "x" * 5000), [])
    assert wording.units(tail) <= 1300 and "\x1b" not in tail and "</system" not in tail


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.sampled_from(list(TITLES.values())[:3])


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.integers(0, 60)] * 4), words, words, st.integers(500, 9000), st.text(max_size=300))
def test_no_text_makes_it_too_long_or_leaves_a_line_in_pieces(counts, title, sentence, limit, tail):
    found = postmortem.parse(text_of(counts, title=title.replace("\n", " "), sentence=sentence))
    text = digest.lay_out(found, "POST_MORTEM.md", limit, wording.safe(tail)).text
    assert wording.units(text) <= limit
    whole = digest.lay_out(found, "POST_MORTEM.md", 9000, wording.safe(tail)).text
    known = set(whole.split("\n")) | {digest.record_line(r, full) for r in found.records for full in (True, False)}
    assert all(line in known or line.startswith("Left out here") for line in text.split("\n"))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400), st.integers(0, 300))
def test_a_cut_takes_whole_lines_from_the_start(text, limit):
    kept = wording.cut(text, limit)
    assert wording.units(kept) <= limit and text.startswith(kept)
    assert kept in ("", text) or text[len(kept)] == "\n"
