"""Old session sections in one line each: what goes, what stays, and that no record changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import store
from rld import collapse, postmortem, proving, textfile, trust
from rld.errors import Refused
from rld.project import find

FILE = "POST_MORTEM.md"
RULES = """\
# Post-mortem

## Production guardrails

### Guardrail 4: External APIs stay off the render path

It is FORBIDDEN to call a supplier API while rendering a page.

- **Why:** the supplier went down.
"""
SESSIONS = """
## Sessions

### 2026-05-02 [debug] the cart that emptied itself

Three evenings went into a cookie that had two paths.

It was the proxy. Records: Guardrail 4,
Pitfall 12.

### 2026-07-08 [refactor] per-request store

One short paragraph. Records: Guardrail 4.

### 2026-08-01 [feature] gift cards

We talked about Guardrail 4 a lot, and about pitfall 12; nothing else came of it.
"""
TEXT = RULES + SESSIONS + "\n## Repealed\n\n- Guardrail 7 (2026-08-01): over-fitted.\n"
JOURNALS = ["docs/worklog/archive/2026-07-08-other.md", "docs/worklog/archive/2026-07-08-per-request-store.md"]
LEFT = """\
### 2026-05-02 [debug] the cart that emptied itself

Records: Guardrail 4, Pitfall 12. The text of this session is in the history of this file.

### 2026-07-08 [refactor] per-request store

Records: Guardrail 4. [Journal](docs/worklog/archive/2026-07-08-per-request-store.md)

### 2026-08-01 [feature] gift cards

"""


def made(text=TEXT, keep=1, journals=JOURNALS, file=FILE):
    return collapse.collapse(text, keep, journals, file)


def test_an_old_session_is_its_heading_its_records_and_a_link():
    done = made()
    assert LEFT in done.text and "nothing else came of it." in done.text
    assert done.sessions == [
        "2026-05-02 [debug] the cart that emptied itself",
        "2026-07-08 [refactor] per-request store",
    ]
    assert done.text.startswith(RULES) and done.text.endswith("- Guardrail 7 (2026-08-01): over-fitted.\n")


def test_doing_it_twice_is_doing_it_once():
    once = made(keep=0)
    again = made(once.text, keep=0)
    assert (again.text, again.sessions) == (once.text, [])
    assert "Records: Guardrail 4, Pitfall 12. The text" in once.text.partition("gift cards")[2], (
        "found where it was only told"
    )


def test_the_latest_are_those_with_the_latest_dates_wherever_they_stand():
    first, rest = SESSIONS.split("### 2026-05-02", 1)
    turned = RULES + first + "### 2027-01-01 [mixed] new\n\nA paragraph.\n\n### 2026-05-02" + rest
    assert [title[:10] for title in made(turned, keep=2).sessions] == ["2026-05-02", "2026-07-08"]
    assert [title[:10] for title in made(turned, keep=0).sessions] == [
        "2027-01-01",
        "2026-05-02",
        "2026-07-08",
        "2026-08-01",
    ]


def test_a_session_that_holds_records_is_left_as_it_is():
    own = "\n## 2026-03-02 [deploy] to the new host\n\n### Guardrails\n\n1. An image MUST be pinned.\n"
    assert made(RULES + own, keep=0).sessions == []


def test_a_link_leads_from_the_post_mortem_to_the_journal():
    told = made(file="docs/law/POST_MORTEM.md").text
    assert "[Journal](../../docs/worklog/archive/2026-07-08-per-request-store.md)" in told
    named = TEXT.replace("One short paragraph.", "See docs/worklog/archive/2026-07-08-other.md for it.")
    assert "[Journal](docs/worklog/archive/2026-07-08-other.md)" in made(named).text, "what the text names"
    assert "[Journal]" not in made(TEXT.replace("] per-request store", "] something")).text, (
        "two of that day, and neither fits"
    )


@pytest.mark.parametrize("form", ["\r\n", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_stay(form):
    there = (lambda text: text.replace("\n", "\r\n")) if form == "\r\n" else (lambda text: "\ufeff" + text)
    assert made(there(TEXT)).text == there(made().text)


def test_without_a_line_end_at_its_end_it_gets_none():
    text = (RULES + SESSIONS).rstrip("\n")
    assert made(text, keep=0).text == made(text + "\n", keep=0).text.rstrip("\n")


def test_what_stops_a_write_stops_it_with_its_line():
    with pytest.raises(Refused, match=r"POST_MORTEM\.md:11"):
        made(RULES + "\n<<<<<<< HEAD\n=======\n>>>>>>> other\n" + SESSIONS)


@given(
    st.lists(
        st.sampled_from(
            [
                RULES,
                SESSIONS,
                "## Notes\n",
                "- a\n",
                "```\n",
                "### 2026-01-01 x\n",
                "text\n",
                "\n",
                "1. It MUST.\n",
                "# 2.1 A\n",
            ]
        ),
        max_size=12,
    ),
    st.integers(0, 3),
)
def test_no_record_ever_changes(parts, keep):
    text = "".join(parts)
    try:
        done = made(text, keep)
    except Refused:
        return
    proving.prove_records(text, done.text, FILE)
    assert made(done.text, keep).text == done.text
    rest = iter(text.split("\n"))
    assert all(
        row in rest
        for row in done.text.split("\n")
        if row.strip() and "Records: " not in row and "this session is in" not in row
    )


# -- the verb --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project").mkdir()
    folder = store.make(tmp_path / "project")
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(SESSIONS)
    return folder


def test_it_shows_the_diff_and_writes_only_when_told(folder, capsys):
    store.rld(folder, "trust", "--yes")
    before = textfile.read(folder / FILE)
    capsys.readouterr()
    assert store.rld(folder, "collapse", "--keep", "1") == 0
    out = capsys.readouterr().out
    assert "-It was the proxy. Records: Guardrail 4," in out and "Nothing was written" in out
    assert textfile.read(folder / FILE) == before
    assert store.rld(folder, "collapse", "--keep", "1", "--write") == 0
    assert "2 sessions collapsed in POST_MORTEM.md." in capsys.readouterr().out
    assert trust.known(find(str(folder)), (folder / FILE).read_bytes()), "what was reviewed still is"
    assert store.rld(folder, "collapse", "--keep", "1", "--write") == 0
    assert "no session section to collapse besides the latest 1" in capsys.readouterr().out


def test_a_record_that_nobody_reviewed_still_waits(folder):
    text = textfile.read(folder / FILE).replace(
        "\n## Tech debt", "\n### Guardrail 8: A script's law\n\nIt MUST be.\n\n## Tech debt", 1
    )
    textfile.write(folder / FILE, text, str(folder))
    assert store.rld(folder, "collapse", "--keep", "0", "--write") == 0
    assert not trust.known(find(str(folder)), (folder / FILE).read_bytes())
    assert postmortem.parse(textfile.read(folder / FILE)).find("guardrail-8") is not None


def test_without_a_post_mortem_there_is_nothing_to_do(tmp_path, capsys):
    assert store.rld(tmp_path, "collapse") == 1
    assert "POST_MORTEM.md: is not there, so there is nothing to collapse" in capsys.readouterr().err
