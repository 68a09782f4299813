"""Looking at a proposal: off a terminal a table with diffs, on a terminal a question for each candidate."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

import store
from rld import postmortem, rejections, textfile
from rld.project import find

MAIN = Path(__file__).resolve().parent.parent / "scripts/rld_main.py"
ALL = store.FRONT + store.GUARDRAIL + "\n" + store.PITFALL + "\n" + store.REPEAL


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    store.make(folder)
    store.propose(folder, ALL)
    capsys.readouterr()
    return folder


@pytest.fixture
def answer(monkeypatch):
    """Sit at a terminal and give these answers, one for each question."""

    def sit(*answers):
        waiting = list(answers)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(click.termui, "visible_prompt_func", lambda _: waiting.pop(0))
        return waiting

    return sit


def law(folder):
    return postmortem.parse(textfile.read(folder / "POST_MORTEM.md"))


def test_off_a_terminal_it_is_a_table_with_diffs(folder, capsys):
    before = textfile.read(folder / "POST_MORTEM.md")
    assert store.rld(folder, "review") == 0
    out = capsys.readouterr().out
    assert out.startswith(store.PROPOSAL + ": 3 candidates\n  1  add guardrail: Selectors return scalars\n")
    assert "     evidence: Items 6 and 7\n" in out
    assert "+### Guardrail 8: Selectors return scalars\n" in out
    assert "-### Guardrail 7: Images are pinned by digest\n" in out
    assert out.rstrip().endswith('`rld apply --accept 1,3 --reject 2:"reason"`.')
    assert textfile.read(folder / "POST_MORTEM.md") == before


def test_a_proposal_cannot_steer_the_terminal(folder, capsys):
    path = folder / store.PROPOSAL
    text = path.read_text(encoding="utf-8").replace("Selectors return", "Sel\x1b[2Jectors\u202e return")
    path.write_text(text.replace("MUST return", "MUST\x1b[8m return"), encoding="utf-8")
    assert store.rld(folder, "review") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\u202e" not in out
    assert "refused: characters that nobody can see (U+001B, U+202E): delete them" in out


def test_as_json_it_holds_the_same(folder, capsys):
    assert store.rld(folder, "review", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["file"] == store.PROPOSAL
    assert [(c["number"], c["verb"], c["kind"], c["targets"]) for c in said["candidates"]] == [
        (1, "add", "guardrail", []),
        (2, "add", "pitfall", []),
        (3, "repeal", "guardrail", ["guardrail-7"]),
    ]
    assert "+### Guardrail 8" in said["candidates"][0]["diff"] and said["candidates"][0]["problems"] == []


def test_on_a_terminal_each_candidate_is_asked_about(folder, answer, capsys):
    waiting = answer("y", "n", "too obvious", "l", "y")
    assert store.rld(folder, "review") == 0
    assert waiting == []
    assert law(folder).find("guardrail-8") is not None and law(folder).find("guardrail-7").status == "active"
    assert [r.reason for r in rejections.all_of(find(str(folder)))] == ["too obvious"]
    out = capsys.readouterr().out
    assert "1 of 3: add guardrail: Selectors return scalars" in out
    assert "Still undecided in %s: 3." % store.PROPOSAL in out


def test_nothing_is_written_without_a_last_yes(folder, answer):
    before = textfile.read(folder / "POST_MORTEM.md")
    answer("y", "q", "n")
    assert store.rld(folder, "review") == 0
    assert textfile.read(folder / "POST_MORTEM.md") == before
    assert (folder / store.PROPOSAL).exists()


def test_leaving_at_once_decides_nothing(folder, answer, capsys):
    answer("q")
    assert store.rld(folder, "review") == 0
    assert "Nothing was decided; the proposal stays." in capsys.readouterr().out


def test_a_scope_is_narrowed_before_the_yes(folder, answer):
    answer("s", "src/app/page.tsx", "y", "q", "y")
    store.rld(folder, "review")
    assert law(folder).find("guardrail-8").scope == ["src/app/page.tsx"]


def test_a_candidate_is_edited_and_checked_again(folder, answer, monkeypatch, capsys):
    texts = [
        "## add guardrail: Selectors\n\nThey MUST return scalars.\n",
        store.GUARDRAIL.replace("scalars", "plain values"),
    ]
    monkeypatch.setattr(click, "edit", lambda text, extension: texts.pop(0))
    answer("e", "y", "e", "y", "q", "y")
    store.rld(folder, "review")
    out = capsys.readouterr().out
    assert "refused: “Selectors” has no **Why:**" in out and "It cannot be applied as it is" in out
    assert law(folder).find("guardrail-8").title == "Selectors return plain values"


def test_an_edit_must_stay_one_candidate(folder, answer, monkeypatch, capsys):
    texts = [None, "nothing", store.GUARDRAIL + "\n" + store.REPEAL]
    monkeypatch.setattr(click, "edit", lambda text, extension: texts.pop(0))
    answer("e", "e", "e", "q")
    store.rld(folder, "review")
    out = capsys.readouterr().out
    assert "no candidate in it" in out and "it must stay one candidate" in out


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
def test_it_walks_the_candidates_on_a_real_terminal(folder):
    """As a person types it: yes, no with a reason, later, and the last yes."""
    import pty
    import select

    terminal, its_end = pty.openpty()
    command = [sys.executable, "-I", "-X", "utf8", str(MAIN), "review", "-C", str(folder)]
    child = subprocess.Popen(command, stdin=its_end, stdout=its_end, stderr=its_end, start_new_session=True)
    os.close(its_end)
    seen = b""
    typed = [
        (b"[q]uit:", b"y\n"),
        (b"[q]uit:", b"n\n"),
        (b"Why not", b"seen once\n"),
        (b"[q]uit:", b"l\n"),
        (b"Write this?", b"\n"),
    ]
    at = 0
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if typed and typed[0][0] in seen[at:]:
            at = len(seen)
            os.write(terminal, typed.pop(0)[1])
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
    status = child.wait(10)
    os.close(terminal)
    screen = seen.decode("utf-8", "replace")
    assert status == 0 and not typed, screen
    assert "Accepted: 1. Rejected: 2." in screen and "Still undecided" in screen
    assert law(folder).find("guardrail-8") is not None
    assert [each.reason for each in rejections.all_of(find(str(folder)))] == ["seen once"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_below_the_output_is_no_bug_of_ours(folder):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-I", "-X", "utf8", str(MAIN), "list", "-C", str(folder)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1, "rld: cannot write: No space left on device. Make room, then run it again\n"
    )  # fmt: skip
