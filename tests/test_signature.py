"""Symptoms in outputs: a table of real-looking outputs, and what a symptom field is read as."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import postmortem, signature

CASES = Path(__file__).parent / "cases/symptoms"
PITFALLS = postmortem.parse((CASES / "POST_MORTEM.md").read_text(encoding="utf-8")).active("pitfall")


def labelled():
    """(name, the numbers of the pitfalls it shows, the output) of each case."""
    for path in sorted((CASES / "outputs").glob("*.txt")):
        head, _, output = path.read_text(encoding="utf-8").partition("\n---\n")
        numbers = head.removeprefix("pitfalls: ")
        yield path.stem, set() if numbers == "none" else set(numbers.split(", ")), output


def shown(output):
    read = signature.Output(output)
    return {entry.number for entry in PITFALLS if read.shows(entry.symptom)}


def shows(output, symptom):
    return signature.Output(output).shows(symptom)


def test_no_output_is_taken_for_another_failure_and_nine_in_ten_are_recognised():
    cases = list(labelled())
    assert len(cases) == 60 and len(PITFALLS) == 40
    assert set().union(*(numbers for _, numbers, _ in cases)) == {entry.number for entry in PITFALLS}
    right, wrong, missed = 0, [], []
    for name, numbers, output in cases:
        found = shown(output)
        right += len(found & numbers)
        wrong += ["%s is no pitfall %s" % (name, number) for number in sorted(found - numbers)]
        missed += ["%s is pitfall %s" % (name, number) for number in sorted(numbers - found)]
    table = "right %d, wrong %d, missed %d\n%s" % (right, len(wrong), len(missed), "\n".join(wrong + missed))
    assert not wrong, table
    assert right / (right + len(missed)) >= 0.9, table


def test_a_symptom_is_found_behind_much_other_output():
    """The cause stands near one of the ends; what is between them may be long."""
    name, numbers, output = next(case for case in labelled() if case[1] == {"19"})
    assert shown("at step 3\n" * 20_000 + output) == numbers
    assert shown(output + "at step 3\n" * 20_000) == numbers


SAME = {
    "other numbers": ("worker 12 gave up its lease after 300 ms", "worker 7 gave up its lease after 4 ms"),
    "an id": ("job 3f2a9c1e lost its lease", "job 77ab01cd lost its lease"),
    "a pod's name": ("`pod api-7d9f8b6c5-x2x4z lost its lease`", "pod api-5c6b8f9d7-a9a1b lost its lease"),
    "a day and a time": ("lease lost at 2026-03-02T08:11:52Z by planner", "lease lost at 2027-11-12T18:01:02Z by planner"),
    "another folder": ("cannot open /home/a/plans/deck.lock", "cannot open /srv/b/deck.lock"),
    "a folder of Windows": (r"cannot open C:\plans\deck.lock", "cannot open /srv/b/deck.lock"),
    "case and quotes": ("`Deck 'Upper' is booked`", "deck “upper” is BOOKED"),
    "severity": ("`ERROR: lease table is locked`", "FATAL: lease table is locked"),
    "colours": ("`lease table is locked`", "\x1b[31;1mlease\x1b[0m table \x1b]8;;x\x07is\x1b[m locked"),
    "a line end between": ("`lease table is locked by planner`", "lease table is\n    locked by planner"),
    "an ellipsis": ("`lease of … is held by another planner`", "lease of deck 9 (upper) is held by another planner"),
    "three dots": ("`the lease ... planner`", "the lease of deck 9 is with a planner"),
    "a placeholder": ("`deck <name> has no lease`", "deck 'upper aft' has no lease"),
    "double marks": ("``the bound `Deck: Lease` is not met``", "error: the bound `Deck: Lease` is not met"),
    "prose around marks": ("`rld-plan go` hangs, then says `lease table is locked`", "lease table is locked"),
    "prose around quotes": ('it hangs, later "lease table is locked"', "lease table is locked"),
    "prose before a colon": ("The planner dies: lease table is locked", "lease table is locked"),
    "two short words": ("`LeaseLost` with the reason `PlannerGone`", "State: LeaseLost\n  Reason: PlannerGone"),
    "words of an error's code": ("`ERR_LEASE_TABLE_LOCKED`", "code: 'ERR_LEASE_TABLE_LOCKED'"),
    "an exception alone": ("`LeaseTableLockedError`", "planner.LeaseTableLockedError: deck 9".replace("planner.", "")),
    "a long one, quoted loosely": (
        "`planner failed to lease and hold on deck upper aft`",
        "The planner failed to lease and hold on the deck that was asked for, upper aft, in time.",
    ),
    "Japanese": ("`計画サーバーに接続できません`", "エラー：計画サーバーに接続できませんでした"),
}
OTHER = {
    "another order": ("`lease table is locked by planner`", "planner is locked by lease table"),
    "another error code": ("`error TS4111: Property comes from an index`", "error TS4112: Property comes from an index"),
    "another exit code": ("`planner ended with exit code 137`", "planner ended with exit code 1"),
    "another port of this machine": ("`cannot reach localhost:5432`", "cannot reach localhost:6379"),
    "another package": ("`cannot find module '@deck/plan'`", "cannot find module '@deck/lease'"),
    "a file instead of a package": ("`Can't resolve 'lease'`", "Can't resolve './lease'"),
    "another name": ("`relation \"decks\" does not exist`", 'relation "deck_log" does not exist'),
    "the command that was run": ("`docker compose up planner` says `lease table is locked`", "hint: docker compose up planner"),
    "only one of two short words": ("`LeaseLost` with the reason `PlannerGone`", "State: LeaseLost"),
    "pieces far apart": ("`lease of … planner`", "lease of deck\n" + "so it goes\n" * 60 + "planner"),
    "a file that is mentioned": ("`planner.override.yml`", "reading planner.override.yml"),
    "loosely, but in another order": (
        "`planner failed to lease and hold on deck upper aft`",
        "the deck upper aft failed to hold on and lease planner",
    ),
}
SAYS_NOTHING = ["exit code 1", "`Error: failed`", "`command not found`", "`Cannot find module`", "`AssertionError`", "`connection refused`",
                "`ECONNREFUSED`", "`404`", "`npm test`", "``", "`…`", "", "Permission denied", "`undefined`", "`TypeError: undefined`"]  # fmt: skip


@pytest.mark.parametrize(("symptom", "output"), SAME.values(), ids=SAME)
def test_the_same_failure_in_other_clothes(symptom, output):
    assert shows(output, symptom)


@pytest.mark.parametrize(("symptom", "output"), OTHER.values(), ids=OTHER)
def test_another_failure_that_looks_alike(symptom, output):
    assert signature.distinctive(symptom) or "." in symptom
    assert not shows(output, symptom)


@pytest.mark.parametrize("symptom", SAYS_NOTHING)
def test_what_is_in_every_output_is_no_symptom(symptom):
    assert not signature.distinctive(symptom)
    assert not shows("npm test: Error: failed, exit code 1, command not found; connection refused (ECONNREFUSED) 404\n" + symptom, symptom)


@pytest.mark.parametrize("entry", PITFALLS, ids=lambda entry: entry.number)
def test_every_symptom_is_found_in_its_own_words(entry):
    told = entry.symptom.replace("…", "deck").replace("`", " ")
    assert shows("$ run\n" + told + "\nexit", entry.symptom)


texts = st.text(st.sampled_from("ab `'\"/\\.…<>:0123\x1b[]\n-_@イE"), max_size=120) | st.text(max_size=80)


@settings(max_examples=300, deadline=None)
@given(texts, texts)
def test_no_text_makes_it_fail(symptom, output):
    shows(output, symptom)
    assert all(word == word.strip() and " " not in word for word in signature.words(output))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("lease deck table 7 planner ./a/b.ts is E0123 the locked".split()), max_size=12))
def test_words_do_not_depend_on_line_ends_or_marks(said):
    plain = signature.words(" ".join(said))
    assert signature.words("\n\t".join(said)) == plain == signature.words(" ".join('"%s",' % word for word in said))


HUGE = {
    "ticks": "`" * 200_000, "runs of ticks": "` `` ``` " * 20_000, "escapes": "\x1b[" * 100_000, "one word": "a" * 400_000,
    "slashes": "/" * 400_000, "first words": "container " * 40_000, "dots": "..." * 100_000, "digits": "1-" * 200_000, "angles": "<" * 300_000,
}  # fmt: skip


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_time_does_not_grow_with_the_text(text):
    began = time.process_time()
    for entry in PITFALLS[:5]:
        shows(text + entry.symptom, entry.symptom)
    shows("container failed " * 30_000, text)
    shows(text, text)
    assert time.process_time() - began < 1
