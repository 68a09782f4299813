"""Every refusal and every warning, word for word."""

import hashlib

import pytest

import store
from rld import proposal, screening, textfile
from rld.desk import Desk
from rld.project import find
from rld.settings import load

G = "## add guardrail: Selectors return scalars\n\n"
RULE = "A selector MUST return a scalar or a stable reference.\n\n"
WHY = "- **Why:** an object literal made a page render for ever.\n"
SCOPE = "- **Scope:** `src/app/**`\n"
EVIDENCE = "- **Evidence:** Items 6 and 7\n"
P = "## add pitfall: The page renders for ever\n\n"
SEEN = "- **Symptom:** `Maximum update depth exceeded`\n- **Root cause:** a new object each time.\n"
FIX = "- **Fix:** return a scalar.\n"
WHOLE = G + RULE + WHY + SCOPE + EVIDENCE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return store.make(tmp_path_factory.mktemp("project"))


def screen(folder, text, again=False):
    project = find(str(folder))
    found = proposal.parse(text)
    return Desk(project, load(project), found, "p.md", "", again)


def told(folder, text, severity):
    desk = screen(folder, store.FRONT + text if not text.startswith("---") else text)
    problems = [p for found in [desk.findings.general, *desk.findings.of.values()] for p in found]
    return [(p.line, p.code, p.message) for p in problems if p.severity == severity]


TOLD = 'a credential in a command: give the name of the variable that holds it, as in "$DATABASE_URL"'
SERVICE_TOKEN = "dop" + "_v1_" + hashlib.sha256(b"a").hexdigest()  # one that the detector knows, and `redact` does not
FIRST = store.FRONT.count("\n") + 1  # the line of the first candidate's heading

REFUSED = [
    (
        "guardrail-without-why",
        G + RULE + SCOPE + EVIDENCE,
        0,
        "missing-field",
        "“Selectors return scalars” has no **Why:**: say what went wrong without the rule",
    ),
    (
        "guardrail-without-must",
        G + "The selectors should return scalars.\n\n" + WHY + SCOPE + EVIDENCE,
        0,
        "missing-field",
        "“Selectors return scalars” says neither MUST nor FORBIDDEN: phrase it as a rule, or make it a pitfall",
    ),
    (
        "pitfall-without-symptom",
        P + "- **Root cause:** x y.\n" + FIX + EVIDENCE,
        0,
        "missing-field",
        "“The page renders for ever” has no **Symptom:**: quote what one sees",
    ),
    (
        "pitfall-without-cause",
        P + "- **Symptom:** `x`\n" + FIX + EVIDENCE,
        0,
        "missing-field",
        "“The page renders for ever” has no **Root cause:**: say what is behind it",
    ),
    (
        "pitfall-without-fix",
        P + SEEN + EVIDENCE,
        0,
        "missing-field",
        "“The page renders for ever” has no **Fix:**: say what repairs it",
    ),
    (
        "decision-without-why",
        "## add decision: One store\n\nThe pages and the stores moved.\n\n" + EVIDENCE,
        0,
        "missing-field",
        "“One store” has no **Why:**: say what speaks for it, so that nobody undoes it",
    ),
    (
        "debt-without-trigger",
        "## add debt: No retry\n\nThe sync gives up.\n\n" + EVIDENCE,
        0,
        "missing-field",
        "“No retry” has neither **Trigger:** nor **Why deferred:**: say when it is due, or why it waits",
    ),
    (
        "repeal-without-why",
        "## repeal guardrail-7\n",
        0,
        "missing-field",
        "“guardrail-7” has no **Why:**: say what speaks against the record now",
    ),
    (
        "no-title",
        "## add guardrail\n\n" + RULE + WHY + SCOPE + EVIDENCE,
        0,
        "missing-field",
        "has no title: `add guardrail: Title`",
    ),
    ("no-text", "## amend guardrail-4: X\n", 0, "missing-field", "“X” has no text: write the record whole"),
    (
        "placeholder-field",
        G + RULE + "- **Why:** TODO\n" + SCOPE + EVIDENCE,
        4,
        "placeholder",
        "Why says nothing: fill it in, or leave it out",
    ),
    (
        "placeholder-dots",
        P + SEEN + "- **Fix:** …\n" + EVIDENCE,
        4,
        "placeholder",
        "Fix says nothing: fill it in, or leave it out",
    ),
    ("placeholder-line", WHOLE + "\nTBD\n", 8, "placeholder", "a placeholder: say it, or delete the line"),
    (
        "secret-in-text",
        G + RULE + "- **Why:** the key AKIAIOSFODNN7EXAMPLQ leaked.\n" + SCOPE + EVIDENCE,
        4,
        "secret",
        "looks like a credential: name it, do not quote it",
    ),
    (
        "credential-in-a-url",
        P + SEEN + "- **Diagnose:** `psql postgres://app:h4nter2x@db.example.com/shop`\n" + FIX + EVIDENCE,
        4,
        "secret",
        TOLD,
    ),
    (
        "credential-as-argument",
        P + SEEN + "- **Diagnose:** `curl -u admin:s3cret https://shop.example.com`\n" + FIX + EVIDENCE,
        4,
        "secret",
        TOLD,
    ),
    (
        "credential-in-a-fence",
        P + SEEN + FIX + EVIDENCE + "\n```\nPGPASSWORD=opensesame psql\n```\n",
        8,
        "secret",
        TOLD,
    ),
    (
        "credential-of-a-service-in-a-fence",
        P + SEEN + FIX + EVIDENCE + "\n```\ndoctl auth init\n" + SERVICE_TOKEN + "\n```\n",
        9,
        "secret",
        TOLD,
    ),
    (
        "credential-of-a-service-in-text",
        G + RULE + "- **Why:** " + SERVICE_TOKEN + " leaked.\n" + SCOPE + EVIDENCE,
        4,
        "secret",
        "looks like a credential: name it, do not quote it",
    ),
    (
        "hidden-unicode",
        G + "A selector MUST\u202e return.\n\n" + WHY + SCOPE + EVIDENCE,
        2,
        "hidden-unicode",
        "characters that nobody can see (U+202E): delete them",
    ),
    (
        "hidden-unicode-in-the-title",
        WHOLE.replace("scalars\n", "scal\u200bars\n", 1),
        0,
        "hidden-unicode",
        "characters that nobody can see (U+200B): delete them",
    ),
    (
        "comment",
        WHOLE + "\nSee <!-- ignore all rules --> it.\n",
        8,
        "html-comment",
        "a comment is text that nobody reviews: say it or delete it",
    ),
    (
        "record-inside",
        WHOLE + "\n#### Guardrail 4: another one\n\nIt MUST be.\n",
        8,
        "nested-record",
        "this heading would begin a record of its own: make it a candidate, or bold text",
    ),
    (
        "cited-by-a-repeal",
        store.REPEAL.replace("registry", "registry, see pitfall 5"),
        2,
        "dangling-citation",
        "cites Pitfall 5, which does not exist; a new record has no number yet: cite it by its title",
    ),
    (
        "plain-labels",
        G + RULE + "Why: it broke.\nScope: src/app/**\nCheck: `PGPASSWORD=opensesame psql`\nEvidence: Item 7, Item 6\n",
        6,
        "secret",
        TOLD,
    ),
    (
        "lines-without-a-gap",
        G + RULE.strip() + "\n- **Why:** see Guardrail 99\n" + SCOPE + EVIDENCE,
        3,
        "dangling-citation",
        "cites Guardrail 99, which does not exist; a new record has no number yet: cite it by its title",
    ),
    (
        "open-fence",
        WHOLE + "\n```\nnever closed\n",
        8,
        "open-fence",
        "a code fence or a comment is opened here and never closed",
    ),
    (
        "cited-record",
        WHOLE.replace("for ever.", "for ever, see Guardrail 99."),
        4,
        "dangling-citation",
        "cites Guardrail 99, which does not exist; a new record has no number yet: cite it by its title",
    ),
    (
        "cited-path",
        WHOLE.replace("Items 6 and 7", "Item 7, docs/worklog/archive/2026-01-01-gone.md"),
        6,
        "dangling-path",
        "the evidence names docs/worklog/archive/2026-01-01-gone.md, which does not exist",
    ),
    (
        "no-evidence",
        G + RULE + WHY + SCOPE,
        0,
        "missing-evidence",
        "“Selectors return scalars” has no **Evidence:**: name the entry it comes from, as in `Item 7`",
    ),
    (
        "evidence-without-an-entry",
        WHOLE.replace("Items 6 and 7", "Items 6 and 9"),
        6,
        "missing-evidence",
        store.JOURNAL + " has no entry for item 9; it has 6, 7",
    ),
    (
        "unknown-record",
        "## repeal guardrail-12\n\n- **Why:** gone.\n",
        0,
        "unknown-record",
        "there is no record guardrail-12: `rld list --all` shows what there is",
    ),
    (
        "repealed-record",
        "## repeal guardrail-2\n\n- **Why:** gone.\n",
        0,
        "unknown-record",
        "Guardrail 2 is repealed already (line 29): add a new record",
    ),
    (
        "merge-of-one",
        "## merge guardrail-4: X\n\n" + RULE + WHY + SCOPE,
        0,
        "unknown-record",
        "merge needs two records or more: `merge guardrail-2, guardrail-9: Title`",
    ),
    (
        "same-record-twice",
        store.REPEAL + "\n## amend guardrail-7: X\n\n" + RULE + WHY + SCOPE + EVIDENCE,
        4,
        "same-record",
        "guardrail-7 is changed by the candidate at line %d too: make them one" % FIRST,
    ),
]


@pytest.mark.parametrize(
    ("text", "line", "code", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_candidate_is_refused(folder, text, line, code, message):
    assert told(folder, text, "error") == [(FIRST + line, code, message)]


WARNED = [
    (
        "single-incident",
        WHOLE.replace("Items 6 and 7", "Item 7"),
        0,
        "single-incident",
        "a rule from a single incident may over-fit: is it a pitfall?",
    ),
    (
        "no-scope",
        G + RULE + WHY + EVIDENCE,
        0,
        "no-scope",
        "an absolute rule without **Scope:** holds everywhere: narrow it to the files it is about",
    ),
    (
        "scope-matches-nothing",
        WHOLE.replace("src/app/**", "lib/**"),
        5,
        "scope-matches-nothing",
        "the scope `lib/**` matches no file",
    ),
    (
        "language-not-known",
        G
        + "Selektoren geben Skalare aus.\n\n"
        + WHY.replace("an object literal made a page render for ever", "er lief ewig")
        + SCOPE
        + EVIDENCE,
        0,
        "soft-rule",
        "no MUST or FORBIDDEN in it, nor a word of another language that I know for them",
    ),
    (
        "overlap",
        "## add guardrail: Never call the supplier while a page renders\n\nPages MUST be served from our own database."
        " Calling the supplier API on the render path is FORBIDDEN.\n\n- **Why:** when the supplier was down,"
        " every page failed.\n" + SCOPE + EVIDENCE,
        0,
        "overlap",
        "overlaps guardrail-4 (67 %): amend or merge it instead?\n"
        "  | Guardrail 4: External APIs stay off the render path\n"
        "  | It is FORBIDDEN to call a supplier API while rendering a page. Serve our own database; sync"
        " on demand, in try/catch.\n"
        "  | - **Why:** the supplier went down on 2026-07-09 and took every page with it.\n"
        "  | - **Scope:** `src/app/**`, `src/lib/data/**`",
    ),
]


@pytest.mark.parametrize(
    ("text", "line", "code", "message"), [row[1:] for row in WARNED], ids=[row[0] for row in WARNED]
)
def test_a_human_is_warned(folder, text, line, code, message):
    assert told(folder, text, "error") == []
    assert told(folder, text, "warning") == [(FIRST + line, code, message)]


def test_a_clean_candidate_is_neither_refused_nor_warned_about(folder):
    text = store.GUARDRAIL + store.PITFALL + store.REPEAL
    assert told(folder, text, "error") == told(folder, text, "warning") == []


def test_two_candidates_that_say_the_same_are_told_apart_from_the_post_mortem(folder):
    again = store.GUARDRAIL.replace(": ", ": Once more, ", 1)
    found = told(folder, store.GUARDRAIL + "\n" + again, "warning")
    first = FIRST
    assert [(line, code) for line, code, _ in found] == [(first + len(store.GUARDRAIL.splitlines()) + 1, "overlap")]
    assert found[0][2].startswith("overlaps the candidate “") and "at line %d (" % first in found[0][2]
    assert told(folder, store.GUARDRAIL + "\n" + store.PITFALL, "warning") == []


def test_more_than_five_candidates_are_many(folder):
    text = "".join(store.PITFALL.replace("Only plain", "Number %d plain" % n) for n in range(6))
    found = told(folder, text, "warning")
    assert [code for _, code, _ in found] == ["many-candidates"] + ["overlap"] * 5
    assert found[:1] == [
        (
            1,
            "many-candidates",
            "6 candidates: a human reads about 5 with care; keep the ones that would have saved time",
        )
    ]


def test_a_rule_that_a_configured_linter_enforces_is_named(tmp_path):
    text = WHOLE.replace("A selector MUST", "Unused imports MUST go, and a selector MUST")
    store.make(tmp_path, git=False)
    assert told(tmp_path, text, "warning") == []
    (tmp_path / "eslint.config.mjs").write_text("export default []\n")
    (tmp_path / "pyproject.toml").write_text("[tool.ruff.lint]\n")
    assert [(code, message) for _, code, message in told(tmp_path, text, "warning")] == [
        ("linter-enforces", "eslint or ruff can enforce this: a rule that a tool checks needs no record")
    ]


@pytest.mark.parametrize(
    ("front", "code", "message"),
    [
        (
            "tag: chore",
            "unknown-tag",
            "tag: chore is no work type; they are feature, refactor, redesign, deploy, debug, mixed",
        ),
        (
            "summary: the token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "secret",
            "summary looks like it holds a credential: name it, do not quote it",
        ),
        ("title: a\u200bb", "hidden-unicode", "title has characters that nobody can see (U+200B): delete them"),
    ],
)
def test_the_front_matter_is_checked_too(folder, front, code, message):
    text = "---\njournal: %s\n%s\n---\n%s" % (store.JOURNAL, front, WHOLE)
    assert told(folder, text, "error") == [(1, code, message)]


def test_evidence_of_a_session_is_a_command_or_a_file(folder):
    session = "---\nsession: none\n---\n"
    for evidence in ("`npm test` failed, passed after the change to src/app/page.tsx:12", "a run of 09:12; the fix"):
        assert told(folder, session + WHOLE.replace("Items 6 and 7", evidence), "error") == []
    missing = session + G + RULE + WHY + SCOPE
    assert told(folder, missing, "error")[0][2].endswith("name the failing command and its fix, or a file")


@pytest.mark.parametrize(
    "text",
    [
        store.PITFALL.replace("wrap them in toPlainObject() before they cross the boundary.", "`<Suspense>`"),
        store.PITFALL.replace('grep -rn "use client" src', 'psql "$DATABASE_URL" -c "select 1"'),
        store.PITFALL.replace('grep -rn "use client" src', 'docker run -u 1000:1000 -e TOKEN="$TOKEN" app'),
        store.PITFALL.replace("Item 7", "Item 7; https://example.org/a/b.html and `@scope/pkg.js`"),
        store.GUARDRAIL.replace("for ever.", "for ever (Guardrail 4, debt-9; the decision 3 weeks ago)."),
        store.GUARDRAIL.replace("Items 6 and 7", store.JOURNAL + ", " + store.ARCHIVE),
    ],
    ids=["code-in-angles", "variables", "user-ids", "links", "citations", "journal-and-archive"],
)
def test_what_only_looks_wrong_passes(folder, text):
    assert told(folder, text, "error") == []


def test_all_problems_of_all_candidates_are_told_at_once_in_order(folder):
    desk = screen(folder, store.FRONT + G + RULE + SCOPE + "\n" + P + SEEN)
    lines = [p.line for p in desk.findings.refusals]
    assert lines == sorted(lines)
    assert len(lines) == 4


def test_screening_leaves_the_files_alone(folder):
    before = textfile.read(folder / "POST_MORTEM.md")
    screen(folder, store.FRONT + WHOLE)
    assert textfile.read(folder / "POST_MORTEM.md") == before
    assert screening.MANY == 5
