"""What candidates are compared with: records in other words, citations, credentials, evidence."""

import pytest

from rld import citations, grounds, overlap, postmortem, proposal, secrets

LAW = """\
## Production guardrails

### Guardrail 1: No mutable module-level state in server components

It is FORBIDDEN to declare a mutable module-level object in server components or server actions.

- **Why:** a module initializes once per process: such an object is shared between all requests and all users.

### Guardrail 4: External APIs stay off the render path

It is FORBIDDEN to call a supplier API while rendering a page. Serve our own database; sync on demand, in try/catch.

- **Why:** the supplier went down on 2026-07-09 and took every page with it.
- **Scope:** `src/app/**`

## Pitfalls

### Pitfall 12: "Container failed to start on PORT=8080" was a segfault

- **Symptom:** `Container failed to start and listen on PORT=8080`
- **Root cause:** musl engines linked against OpenSSL 1.1; the image ships OpenSSL 3.
- **Fix:** base image node:20-slim

### Pitfall 13: 汇率没有更新

- **Symptom:** 页面显示昨天的汇率
- **Root cause:** 定时任务在夏令时停止
- **Fix:** 使用世界时间
"""


def closest(candidate):
    record = proposal.parse(candidate).candidates[0].record
    return [r.id for _, r in overlap.Overlap(postmortem.parse(LAW).records).closest(record)]


@pytest.mark.parametrize(
    ("candidate", "ids"),
    [
        pytest.param(
            "## add guardrail: Never call the supplier while a page renders\n\nPages MUST be served from our"
            " database. Calling the supplier's API on the render path is FORBIDDEN.\n\n"
            "- **Why:** when the supplier was down, pages failed.",
            ["guardrail-4"],
            id="the-same-rule-in-other-words",
        ),
        pytest.param(
            "## add pitfall: Segfault on alpine\n\n- **Symptom:** SIGSEGV when the container starts\n"
            "- **Root cause:** the musl engines need OpenSSL 1.1, the image has OpenSSL 3\n- **Fix:** use node:20-slim",
            ["pitfall-12"],
            id="another-symptom-of-one-cause",
        ),
        pytest.param(
            "## add pitfall: 汇率是旧的\n\n- **Symptom:** 页面显示昨天的汇率\n- **Root cause:** 任务在夏令时停止\n"
            + "- **Fix:** 世界时间",
            ["pitfall-13"],
            id="without-spaces",
        ),
        pytest.param(
            "## add guardrail: Migrations run before the deploy\n\nMigrations MUST run in a step of their own"
            " before the container starts.\n\n- **Why:** two instances ran them at once.",
            [],
            id="a-neighbour",
        ),
        pytest.param(
            "## add debt: Supplier sync has no retry\n\nThe sync gives up at the first error.\n\n"
            "- **Trigger:** it fails twice a week",
            [],
            id="the-same-subject",
        ),
        pytest.param("## add debt: x", [], id="nothing-said"),
    ],
)
def test_records_that_say_the_same_are_found(candidate, ids):
    assert closest(candidate) == ids


def test_a_record_is_wholly_like_itself():
    records = postmortem.parse(LAW).records
    for record in records:
        score, found = overlap.Overlap(records).closest(record)[0]
        assert found is record and score == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Guardrail 4, guardrail-12 and GUARDRAIL #3.", [("guardrail", "4"), ("guardrail", "12"), ("guardrail", "3")]),
        ("guardrails 2, 7 and 9.1", [("guardrail", "2"), ("guardrail", "7"), ("guardrail", "9.1")]),
        ("see pitfall 3.18. Then", [("pitfall", "3.18")]),
        ("(Guardrail 4, tech-debt #9)", [("guardrail", "4"), ("debt", "9")]),
        ("Tech debt 9; Debt 3", [("debt", "9"), ("debt", "3")]),
        ("Guardrail 4, 9 of them", [("guardrail", "4")]),
        ("the decision 3 weeks ago, decision 2026-07-08, Decision 2026-07-08", []),
        ("guardrail4 nonguardrail 4 guardrail 4th", []),
    ],
)
def test_citations_are_found(text, cited):
    assert [(kind, number) for _, kind, number in citations.find(text)] == cited


@pytest.mark.parametrize(
    ("command", "tells"),
    [
        ("psql postgres://app:h4nter2x@db/shop", True),
        ("curl -u bob:s3cret https://x", True),
        ("mysql -psecret shop", True),
        ("PGPASSWORD=opensesame psql", True),
        ("deploy --password hunter2", True),
        ('docker run -e DATABASE_URL="$DATABASE_URL" app', False),
        ("docker run -u 1000:1000 app", False),
        ('curl -u "$USER:$PASS" https://x', False),
        ("mysql -p shop", False),
        ("deploy --password $PASSWORD", False),
    ],
)
def test_a_command_that_tells_a_credential_is_known(command, tells):
    assert secrets.in_command(command) is tells


def test_a_key_over_several_lines_is_found_where_it_begins():
    text = "a\nb\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
    assert secrets.lines(text)[0] == 3
    assert secrets.lines("nothing here") == []


@pytest.mark.parametrize(
    ("evidence", "items", "paths"),
    [
        ("Item 7", ["7"], []),
        ("Items 3-5, 7 and 9; task T003", ["3", "4", "5", "7", "9", "T003"], []),
        ("item seven, steps to reproduce", [], []),
        ("docs/worklog/a.md, Item 2.1.", ["2.1"], ["docs/worklog/a.md"]),
        ("`src/app/page.tsx:12-14` (./b/c.py)", [], ["src/app/page.tsx", "b/c.py"]),
        ("https://a.b/c.html, @scope/x.js, and/or, CI/CD, /tmp/x.log, src/**/*.ts", [], []),
    ],
)
def test_what_evidence_names(evidence, items, paths):
    assert (grounds.items(evidence), grounds.paths(evidence)) == (items, paths)


def test_two_lessons_of_one_session_do_not_overlap_by_their_evidence():
    proof = "- **Evidence:** `npm test` failed with “seat sold twice”, passed after the change to src/app/page.tsx\n"
    texts = [
        "Holds MUST end.\n\n- **Why:** a tab died.\n" + proof,
        "Zones MUST be named.\n\n- **Why:** clocks changed.\n" + proof,
    ]
    one, other = (
        c.record
        for c in proposal.parse("".join("## add guardrail: %s\n\n%s\n" % pair for pair in zip("AB", texts))).candidates
    )
    assert overlap.Overlap([other]).closest(one, 0.2) == []
