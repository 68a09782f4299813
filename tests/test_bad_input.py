"""What people and scripts hand in that is not right: each is told with file, line and a way out, and no byte is lost."""

import json
import pathlib
import shutil

import pytest

import store

HEAD = "# Post-mortem\n\n## Production guardrails\n\n"
RULE = "### Guardrail 4: Stay off\n\nIt MUST stay off.\n\n- **Why:** it broke.\n\n"
WELL = store.FRONT + store.GUARDRAIL
LAW = store.FILES["POST_MORTEM.md"]
J = store.JOURNAL
P = store.PROPOSAL
MERGE = "an unresolved merge: decide between the two sides and delete the marker lines"
NUL = "a NUL character: is it UTF-16? Save the file as UTF-8"
OPEN = "a code fence or a comment is opened here and never closed, so nothing behind it can be read: close it"
FORM = "`add guardrail: Title`, `amend guardrail-4: Title`, `merge guardrail-2, guardrail-9: Title` or `repeal debt-7`"
NONE = "no candidate in it: a section each, its heading " + FORM


def twice(lines, name="Guardrail 4", way_out="give the newer one a free number"):
    where = ", ".join(map(str, lines))
    return [(line, "duplicate-number", "%s stands at lines %s: %s" % (name, where, way_out)) for line in lines]


def sides(one, other, begin="<<<<<<< HEAD\n", base=""):
    return HEAD + begin + one + base + "=======\n" + other + ">>>>>>> theirs\n"


OTHER = RULE.replace("4", "5")

# A post-mortem, its problems as `rld list --json` tells them, and whether they stop a write.
LAWS = {
    "same number twice": (HEAD + RULE + RULE, twice([5, 11]), True),
    "same number three times": (HEAD + RULE * 3, twice([5, 11, 17]), True),
    "same number in a list": (HEAD + "1. It MUST a.\n1. It MUST b.\n", twice([5, 6], "Guardrail 1"), True),
    "same dotted number": (
        HEAD + "### 2.1 It MUST\n\nx\n\n### 2.1 It MUST too\n\ny\n", twice([5, 9], "Guardrail 2.1"), True,
    ),
    "same number in a table": (
        HEAD + "| # | Rule |\n|---|---|\n| 3 | It MUST a |\n| 3 | It MUST b |\n", twice([7, 8], "Guardrail 3"), True,
    ),
    "in force and repealed": (
        HEAD + RULE + "## Repealed\n\n- Guardrail 4 (2026-01-01): gone\n",
        twice([5, 13], way_out="line 13 says it is repealed: delete one of them"), True,
    ),
    "same debt twice": (
        "## Tech debt\n\n1. Retry the sync\n1. Retry it twice\n", twice([3, 4], "Tech debt 1"), True,
    ),
    "merge": (sides(RULE, OTHER), [(5, "conflict-marker", MERGE)], True),
    "merge of three": (sides(RULE, OTHER, base="||||||| base\nx\n"), [(5, "conflict-marker", MERGE)], True),
    "merge with CRLF": (sides(RULE, OTHER).replace("\n", "\r\n"), [(5, "conflict-marker", MERGE)], True),
    "merge of the same record": (sides(RULE, RULE), [(5, "conflict-marker", MERGE), *twice([6, 13])], True),
    "two merges": (
        sides("", "") + RULE + "<<<<<<< HEAD\nq\n=======\nr\n>>>>>>> b\n",
        [(5, "conflict-marker", MERGE), (14, "conflict-marker", MERGE)], True,
    ),
    "merge as an example": (HEAD + RULE + "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n```\n", [], False),
    "merge without its end": (HEAD + RULE + "<<<<<<< HEAD\nx\n=======\ny\n", [(11, "conflict-marker", MERGE)], True),
    "merge without its middle": (HEAD + RULE + "<<<<<<< HEAD\nx\n", [(11, "conflict-marker", MERGE)], True),
    "open fence": (HEAD + RULE + "```\nopen\n", [(11, "open-fence", OPEN)], True),
    "fence closed by too little": (HEAD + RULE + "~~~~\nopen\n~~~\n", [(11, "open-fence", OPEN)], True),
    "open comment": (HEAD + RULE + "<!-- open\n", [(11, "open-fence", OPEN)], True),
    "open script": (HEAD + RULE + "<script>\nopen\n", [(11, "open-fence", OPEN)], True),
    "a NUL": (
        HEAD + RULE + "a\0b\n",
        [(11, "not-text", NUL), (11, "hidden-unicode", "characters that nobody can see (U+0000): delete them")], True,
    ),
    "no width": (
        HEAD + RULE.replace("off.", "o\u200bff."),
        [(7, "hidden-unicode", "characters that nobody can see (U+200B): delete them")], False,
    ),
    "written backwards": (
        HEAD + RULE.replace("MUST", "MUST\u202e"),
        [(7, "hidden-unicode", "characters that nobody can see (U+202E): delete them")], False,
    ),
    "tag characters": (
        HEAD + RULE.replace("broke", "broke\U000e0041"),
        [(9, "hidden-unicode", "characters that nobody can see (U+E0041): delete them")], False,
    ),
    "guardrail without why": (
        HEAD + "### Guardrail 4: Stay off\n\nIt MUST.\n",
        [(5, "missing-field", "Guardrail 4 has no **Why:**: say what went wrong without the rule")], False,
    ),
    "guardrail without must": (
        HEAD + "### Guardrail 4: Stay off\n\nYou should stay off the path.\n\n- **Why:** it broke.\n",
        [(5, "missing-field", "Guardrail 4 says neither MUST nor FORBIDDEN: phrase it as a rule, or make it a pitfall")],
        False,
    ),
    "guardrail without anything": (
        HEAD + "### Guardrail 4: Stay off\n",
        [(5, "missing-field", "Guardrail 4 has no **Why:**: say what went wrong without the rule")], False,
    ),
    "pitfall without anything": (
        "## Pitfalls\n\n### Pitfall 1: Trap\n\nText.\n",
        [
            (3, "missing-field", "Pitfall 1 has no **Symptom:**: quote what one sees"),
            (3, "missing-field", "Pitfall 1 has no **Root cause:**: say what is behind it"),
            (3, "missing-field", "Pitfall 1 has no **Fix:**: say what repairs it"),
        ],
        False,
    ),
    "decision without why": (
        "## Decisions\n\n### Decision 1: Moved\n\nThe pages and the stores moved.\n",
        [(3, "missing-field", "Decision 1 has no **Why:**: say what speaks for it, so that nobody undoes it")], False,
    ),
    "debt without trigger": (
        "## Tech debt\n\n### Debt 1: No retry\n\nThe sync gives up.\n",
        [(3, "missing-field", "Tech debt 1 has neither **Trigger:** nor **Why deferred:**: say when it is due, or why it waits")],
        False,
    ),
    "empty": ("", [], False),
    "blank": ("\n \n\t\n", [], False),
    "bytes of another encoding": ((HEAD + RULE).replace("broke", "brök").encode("latin-1"), [], False),
    "old line ends": (LAW.replace("\n", "\r"), [], False),
    "open front matter": ("---\ntitle: x\n" + HEAD + RULE, [], False),
    "number zero": (HEAD + RULE.replace("4", "0"), [], False),
    "negative number": (HEAD + RULE.replace("4", "-4"), [], False),
    "thousands of digits": (HEAD + RULE.replace("4", "9" * 5000), [], False),
    "thirty digits": (HEAD + RULE.replace("4", "9" * 30), [], False),
    "raised digits": (HEAD + "| # | Rule |\n|---|---|\n| ² | It MUST |\n", [], False),
    "record under another section": ("# P\n\n## Tech debt\n\n" + RULE, [], False),
    "record under no section": ("# P\n\n" + RULE, [], False),
    "record as a title": (RULE.replace("### ", "# "), [], False),
}  # fmt: skip


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    return store.make(tmp_path_factory.mktemp("bad"))


@pytest.fixture
def folder(origin, tmp_path, monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    monkeypatch.chdir(tmp_path)
    return pathlib.Path(shutil.copytree(origin, tmp_path / "project"))


def propose(folder, text=WELL):
    """Store a proposal from `candidates.md`, named from the folder it is in, so that messages are the same everywhere."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    (folder.parent / "candidates.md").write_bytes(data)
    return store.rld(folder, "propose", "candidates.md")


def rows(data):
    return [row for row in data.split(b"\n") if row.strip()]


@pytest.mark.parametrize(("law", "problems", "stops"), LAWS.values(), ids=LAWS)
def test_a_post_mortem_that_is_not_right(folder, capsys, law, problems, stops):
    path = folder / "POST_MORTEM.md"
    path.write_bytes(law if isinstance(law, bytes) else law.encode("utf-8"))
    before = path.read_bytes()
    assert store.rld(folder, "list", "--json") == 0
    told = json.loads(capsys.readouterr().out)["problems"]
    told = [(problem["line"], problem["code"], problem["message"]) for problem in told]
    # An open fence hides what follows, which is no problem for reading.
    assert told == [problem for problem in problems if problem[1] != "open-fence"]
    assert store.rld(folder, "status") == 0
    capsys.readouterr()
    status = propose(folder)
    said = capsys.readouterr().err
    if stops:
        wanted = [(line, message) for line, code, message in problems if code != "hidden-unicode"]
        assert status == 1
        assert said == "".join("rld: POST_MORTEM.md:%d: %s\n" % problem for problem in wanted)
        assert path.read_bytes() == before and not (folder / P).exists()
        return
    assert (status, said) == (0, "")
    assert store.rld(folder, "apply", "--accept", "1") == 0
    assert "Traceback" not in capsys.readouterr().err
    there = iter(rows(path.read_bytes()))
    last = rows(before)[-1:] or [b""]
    assert all(any(row == other or (row in last and other == row + b"\r") for other in there) for row in rows(before))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("mark", ["\ufeff", ""], ids=["marked", "unmarked"])
def test_a_post_mortem_in_another_encoding_is_not_written_to(folder, capsys, encoding, mark):
    path = folder / "POST_MORTEM.md"
    path.write_bytes((mark + LAW).encode(encoding))
    before = path.read_bytes()
    assert propose(folder) == 1
    assert capsys.readouterr().err == "rld: POST_MORTEM.md:1: %s\n" % NUL
    assert path.read_bytes() == before


def test_bytes_of_anything_are_not_written_to(folder, capsys):
    path = folder / "POST_MORTEM.md"
    path.write_bytes(bytes(range(256)) * 40)
    assert propose(folder) == 1
    assert capsys.readouterr().err == "rld: POST_MORTEM.md:1: %s\n" % NUL
    assert path.read_bytes() == bytes(range(256)) * 40


def _folder(path):
    path.unlink(missing_ok=True)
    path.mkdir()


def _link(to):
    def make(path):
        path.unlink(missing_ok=True)
        path.symlink_to(to)

    return make


@pytest.mark.parametrize(
    ("make", "verb", "message"),
    [
        (_folder, "propose", "cannot be read: is a directory"),
        (_folder, "list", "cannot be read: is a directory"),
        (_link("gone.md"), "apply", "is a link to gone.md, which does not exist"),
        (_link("../elsewhere.md"), "apply", "is a link out of the project, to %s: edit that file yourself"),
    ],
    ids=["folder-propose", "folder-list", "link-to-nothing", "link-out"],
)
def test_a_post_mortem_that_is_no_file_of_the_project(folder, capsys, make, verb, message):
    (folder.parent / "elsewhere.md").write_text(LAW, encoding="utf-8")
    try:
        make(folder / "POST_MORTEM.md")
    except OSError:
        pytest.skip("links cannot be made here")
    if verb != "list":
        status = propose(folder)
        if verb == "apply":
            assert status == 0
            capsys.readouterr()
            status = store.rld(folder, "apply", "--accept", "1")
    else:
        status = store.rld(folder, "list")
    said = capsys.readouterr().err.replace(str(folder) + "/", "")
    where = (folder.parent / "elsewhere.md").resolve()
    assert (status, said) == (1, "rld: POST_MORTEM.md: %s\n" % (message % where if "%s" in message else message))
    assert (folder.parent / "elsewhere.md").read_text(encoding="utf-8") == LAW
    # Nothing was begun, so nothing waits to be completed.
    assert not list((folder / ".git/rld").glob("apply/*"))


CANDIDATE = store.GUARDRAIL
C = "candidates.md"
# A proposal and what `rld propose` says to it.
PROPOSALS = {
    "empty": ("", [(1, NONE)]),
    "blank": ("\n\n", [(1, NONE)]),
    "prose": ("Here is what I think.\n", [(1, NONE)]),
    "front matter alone": (store.FRONT, [(1, NONE)]),
    "any bytes": (bytes(range(256)), [(1, NONE)]),
    "another encoding": (
        ("\ufeff" + WELL).encode("utf-16-le"), [(1, "is not UTF-8 but UTF-16: save it as UTF-8")],
    ),
    "thousands of digits": (store.FRONT + "## %s. repeal guardrail-7\n" % ("9" * 5000), [(1, NONE)]),
    "merge": (
        store.FRONT + "<<<<<<< HEAD\n%s=======\n%s>>>>>>> b\n" % (store.REPEAL, store.REPEAL.replace("7", "4")),
        [(5, MERGE)],
    ),
    "quoted": (store.FRONT + "> ## add guardrail: X\n", [(1, NONE)]),
    "in a list": (store.FRONT + "- ## add guardrail: X\n", [(1, NONE)]),
    "indented": (store.FRONT + "    ## add guardrail: X\n", [(1, NONE)]),
    "seven marks": (store.FRONT + "####### add guardrail: X\n", [(1, NONE)]),
    "old line ends": (WELL.replace("\n", "\r"), [(1, NONE)]),
    "unknown kind": (
        store.FRONT + "## add rule: X\n\nText.\n",
        [(5, "add what? The kinds are guardrail, pitfall, decision, debt: `add guardrail: Title`")],
    ),
    "unknown verb alone": (store.FRONT + "## remove guardrail-4\n", [(1, NONE)]),
    "unknown verb beside another": (
        WELL + "\n## remove guardrail-4\n", [(13, "“remove guardrail-4” is no candidate: begin its heading with " + FORM)],
    ),
    "amend nothing": (store.FRONT + "## amend: X\n\ny\n", [(5, "amend what? Name the record: " + FORM)]),
    "amend a kind": (store.FRONT + "## amend guardrail: X\n\ny\n", [(5, "amend what? Name the record: " + FORM)]),
    "repeal a range": (
        store.FRONT + "## repeal guardrail-4-7\n\n- **Why:** gone.\n",
        [(5, "guardrail-4-7: a range names no records; name each of them, as in `repeal guardrail-4, guardrail-7`")],
    ),
    "repeal what is not there": (
        store.FRONT + "## repeal guardrail-99\n\n- **Why:** gone.\n",
        [(5, "there is no record guardrail-99: `rld list --all` shows what there is")],
    ),
    "repeal what is repealed": (
        store.FRONT + "## repeal guardrail-2\n\n- **Why:** gone.\n",
        [(5, "Guardrail 2 is repealed already (line 29): add a new record")],
    ),
    "repeal twice": (
        store.FRONT + store.REPEAL + "\n" + store.REPEAL,
        [(9, "guardrail-7 is changed by the candidate at line 5 too: make them one")],
    ),
    "repeal without why": (
        store.FRONT + "## repeal guardrail-7\n",
        [(5, "“guardrail-7” has no **Why:**: say what speaks against the record now")],
    ),
    "merge one": (
        store.FRONT + "## merge guardrail-4, guardrail-4: X\n\nIt MUST.\n\n- **Why:** x y\n- **Evidence:** Item 7\n",
        [(5, "merge needs two records or more: `merge guardrail-2, guardrail-9: Title`")],
    ),
    "no why": (
        WELL.replace("**Why:**", "**Because:**"),
        [(5, "“Selectors return scalars” has no **Why:**: say what went wrong without the rule")],
    ),
    "no evidence": (
        WELL.replace("- **Evidence:** Items 6 and 7\n", ""),
        [(5, "“Selectors return scalars” has no **Evidence:**: name the entry it comes from, as in `Item 7`")],
    ),
    "evidence of another plan": (
        WELL.replace("Items 6 and 7", "Item 12"), [(11, J + " has no entry for item 12; it has 6, 7")],
    ),
    "no title": (WELL.replace(": Selectors return scalars", ""), [(5, "has no title: `add guardrail: Title`")]),
    "no text": (store.FRONT + "## add guardrail: X\n", [(5, "“X” has no text: write the record whole")]),
    "placeholder": (
        WELL.replace("for ever.", "for ever.\n\nTODO"), [(11, "a placeholder: say it, or delete the line")],
    ),
    "open fence": (
        WELL + "\n```\nx\n", [(13, "a code fence or a comment is opened here and never closed")],
    ),
    "comment": (WELL + "\nSee <!-- x --> it.\n", [(13, "a comment is text that nobody reviews: say it or delete it")]),
    "open comment": (
        WELL + "\n<!-- x\n",
        [
            (13, "a code fence or a comment is opened here and never closed"),
            (13, "a comment is text that nobody reviews: say it or delete it"),
        ],
    ),
    "credential": (
        WELL.replace("an object literal", "AKIAIOSFODNN7EXAMPLQ"),
        [(9, "looks like a credential: name it, do not quote it")],
    ),
    "a NUL": (
        WELL.replace("scalar or", "sc\0alar or"), [(7, "characters that nobody can see (U+0000): delete them")],
    ),
    "terminal codes": (
        WELL.replace("scalar or", "sc\x1b[2Jalar or"), [(7, "characters that nobody can see (U+001B): delete them")],
    ),
    "cited record": (
        WELL.replace("for ever.", "for ever (Pitfall 5)."),
        [(9, "cites Pitfall 5, which does not exist; a new record has no number yet: cite it by its title")],
    ),
    "cited path": (
        WELL.replace("Items 6 and 7", "Item 7; src/gone.ts"), [(11, "the evidence names src/gone.ts, which does not exist")],
    ),
    "work type": (
        "---\njournal: %s\ntag: chore\n---\n%s" % (J, CANDIDATE),
        [(1, "tag: chore is no work type; they are feature, refactor, redesign, deploy, debug, mixed")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "problems"), PROPOSALS.values(), ids=PROPOSALS)
def test_a_proposal_that_is_not_right(folder, capsys, text, problems):
    assert propose(folder, text) == 1
    assert capsys.readouterr().err == "".join("rld: %s:%d: %s\n" % (C, *problem) for problem in problems)
    assert not (folder / P).exists()
    assert (folder / "POST_MORTEM.md").read_text(encoding="utf-8") == LAW


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("docs/worklog/gone.md", "docs/worklog/gone.md: there is no such journal: `ls docs/worklog` shows them"),
        ("docs/worklog", "docs/worklog: there is no such journal: `ls docs/worklog` shows them"),
        ("../../etc/none.md", "../../etc/none.md: is outside the project, and no journal of it"),
        ("/etc/none.md", "/etc/none.md: is outside the project, and no journal of it"),
        (
            "Dockerfile",
            "Dockerfile: is no journal: it has neither front matter nor an entry, such as `### Item 7: title`",
        ),
        ("x" * 5000, "x" * 5000 + ": there is no such journal: `ls docs/worklog` shows them"),
    ],
)
def test_a_journal_that_is_not_there(folder, capsys, given, message):
    assert propose(folder, "---\njournal: %s\n---\n%s" % (given, CANDIDATE)) == 1
    assert capsys.readouterr().err == "rld: %s\n" % message


def test_a_file_outside_the_project_that_is_named_as_journal_stays_where_it_is(folder, capsys):
    outside = folder.parent / "diary.md"
    outside.write_text("# Mine\n", encoding="utf-8")
    text = CANDIDATE.replace("Items 6 and 7", "`npm test` failed; src/app/page.tsx")
    if propose(folder, "---\njournal: %s\n---\n%s" % (outside, text)) == 0:
        assert store.rld(folder, "apply", P.replace(pathlib.Path(P).name, "diary.proposal.md"), "--accept", "1") == 0
    assert outside.read_text(encoding="utf-8") == "# Mine\n"


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda text: b"", ":1: " + NONE),
        (lambda text: bytes(range(256)), ": there is no candidate 1; it has none"),
        (lambda text: text.replace(b"## 1. add", b"## 2. add"), ": there is no candidate 1; it has 2"),
        (
            lambda text: text.replace(b"**Why:**", b"**Because:**"),
            ":12: “Selectors return scalars” has no **Why:**: say what went wrong without the rule",
        ),
        (
            lambda text: text.replace(b"scalar or", "s\u200bcalar or".encode()),
            ":14: characters that nobody can see (U+200B): delete them",
        ),
        (lambda text: text + b"\n```\nopen\n", ":20: a code fence or a comment is opened here and never closed"),
        (
            lambda text: text.replace(b"add guardrail", b"add rule"),
            ":12: add what? The kinds are guardrail, pitfall, decision, debt: `add guardrail: Title`",
        ),
    ],
    ids=["emptied", "bytes", "renumbered", "why", "hidden", "fence", "kind"],
)
def test_a_stored_proposal_that_was_spoilt_by_hand(folder, capsys, spoil, problem):
    assert propose(folder) == 0
    (folder / P).write_bytes(spoil((folder / P).read_bytes()))
    kept = (folder / P).read_bytes()
    capsys.readouterr()
    assert store.rld(folder, "apply", "--accept", "1") == 1
    said = capsys.readouterr().err.splitlines()
    assert "rld: %s%s" % (P, problem) in said
    assert (folder / P).read_bytes() == kept
    assert (folder / "POST_MORTEM.md").read_text(encoding="utf-8") == LAW and (folder / J).exists()


@pytest.mark.parametrize("given", ["docs", "POST_MORTEM.md", "/nowhere.md", "nowhere.md", J + "x"])
def test_something_else_than_a_proposal_is_not_applied(folder, capsys, given):
    assert propose(folder) == 0
    capsys.readouterr()
    assert store.rld(folder, "apply", given, "--accept", "1") == 1
    assert "there is no" in capsys.readouterr().err
    assert (folder / "POST_MORTEM.md").read_text(encoding="utf-8") == LAW and (folder / P).exists()


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b"5", b"{}", b'{"after": 5}', b'{"nonsense": 1}', b"\xff\xfe", b"[" * 100_000],
    ids=lambda text: repr(text[:16]),
)
def test_a_record_of_an_apply_that_nobody_can_read_stops_an_apply_but_no_look(folder, capsys, text):
    assert propose(folder) == 0
    path = folder / ".git/rld/apply/main.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    capsys.readouterr()
    what = ": is no record of an apply that this version of rld can read: look at it, then delete it"
    assert store.rld(folder, "status") == 0
    assert "main.json" + what in capsys.readouterr().out
    assert store.rld(folder, "apply", "--accept", "1") == 1
    assert capsys.readouterr().err.endswith("main.json" + what + "\n")
    assert path.read_bytes() == text
    assert (folder / "POST_MORTEM.md").read_text(encoding="utf-8") == LAW and (folder / P).exists()
    path.unlink()
    assert store.rld(folder, "apply", "--accept", "1") == 0


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rejected.jsonl", b'{\n[]\nnull\n5\n{"id":5,"targets":7}\n\xff\n'),
        ("rejected.jsonl", b'{"torn": "by a crash'),
        ("known", b"\xff\0torn"),
        ("trusted.md", b"\xff\xfe"),
        ("runs/main.json", b"["),
        ("runs/main.json", b'{"journal": "../../../nowhere"}'),
        ("runs/main.json", b'{"journal": "a\\u0000b"}'),
        ("runs/main.state.json", b"null"),
        ("evidence/5e55.jsonl", b'{"t": "x", "k": 5}\n\xff\n[1]\n'),
        ("stamp-main", b"\xff"),
    ],
)
def test_a_spoilt_state_folder_stops_nobody(folder, capsys, name, data):
    path = folder / ".git/rld" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    for args in (["status"], ["status", "--json"]):
        assert store.rld(folder, *args) == 0, capsys.readouterr().err
    assert propose(folder, WELL + "\n" + store.PITFALL) == 0, capsys.readouterr().err
    status = store.rld(folder, "apply", "--accept", "1", "--reject", "2:known")
    if status:  # what is torn takes the next line along; the rerun has a line of its own
        assert "Run it again" in capsys.readouterr().err
        status = store.rld(folder, "apply", "--accept", "1", "--reject", "2:known")
    assert status == 0, capsys.readouterr().err


SETTINGS = {
    "foo: 1\n": "1: unknown key 'foo'; the keys are verify, post_mortem, worklog, entry_points, digest, stop, protect, approval",
    "- a\n": "1: must be lines of `key: value`",
    "verify: a\nverify: b\n": "2: verify stands twice",
    "post_mortem: 5\n": "1: post_mortem must be a path",
    "post_mortem: ''\n": "1: post_mortem must be a path",
    "post_mortem: ../x.md\n": "1: post_mortem must be inside the project, not ../x.md",
    "post_mortem: /etc/x.md\n": "1: post_mortem must be inside the project, not /etc/x.md",
    "worklog: ../..\n": "1: worklog must be inside the project, not ../..",
    "digest: 5\n": "1: digest takes one key, max_chars: `digest: {max_chars: 6000}`",
    "stop: maybe\n": "1: stop must be one of warn, block-once, off, not 'maybe'",
    "entry_points: {}\n": "1: entry_points must be text or a list of texts",
    "approval: yes\n": "1: approval must be one of each-item, batch, not True",
    "\0": "1: is not YAML: special characters are not allowed",
    "verify: npm test: x\n": "1: is not YAML: mapping values are not allowed here (a value with ': ' or '#' in it needs quotes)",
}


@pytest.mark.parametrize(("text", "problem"), SETTINGS.items())
def test_settings_that_are_not_right(folder, capsys, text, problem):
    (folder / ".rld.yml").write_text(text, encoding="utf-8")
    assert propose(folder) == 1
    assert capsys.readouterr().err == "rld: .rld.yml:%s\n" % problem
    assert not (folder / P).exists()
