"""Proposing, deciding, and what is left of it when the machine dies in between."""

import os
import shutil
import stat
import subprocess
import sys
import threading

import pytest

import store
from rld import applying, evidence, ledger, postmortem, rawfile, rejections, runs, textfile, trust
from rld.project import find
from rld.settings import load

ALL = store.FRONT + store.GUARDRAIL + "\n" + store.PITFALL + "\n" + store.REPEAL


@pytest.fixture(autouse=True)
def no_session(monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return store.make(folder)


def law(folder):
    return postmortem.parse(textfile.read(folder / "POST_MORTEM.md"))


def files(folder):
    """Every file of the project but git's own."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() and ".git" not in p.parts)


def test_a_proposal_is_stored_ranked_and_nothing_else_changes(folder, capsys):
    before = files(folder), textfile.read(folder / "POST_MORTEM.md")
    text = store.FRONT + store.GUARDRAIL.replace("- **Scope:** `src/app/**`\n", "") + "\n" + store.PITFALL
    assert store.propose(folder, text) == 0
    out = capsys.readouterr().out
    assert out.startswith("Stored in %s: 2 candidates for POST_MORTEM.md, most important first.\n" % store.PROPOSAL)
    assert out.index('  1  add pitfall: "Only plain') < out.index("  2  add guardrail: Selectors")
    assert "     warning: an absolute rule without **Scope:**" in out
    assert "a human decides" in out and "rld review" in out
    assert (files(folder), textfile.read(folder / "POST_MORTEM.md")) == (
        sorted([*before[0], store.PROPOSAL]),
        before[1],
    )


def test_a_refused_proposal_is_not_stored(folder, capsys):
    assert store.propose(folder, store.FRONT + store.GUARDRAIL.replace("Items 6 and 7", "Item 12")) == 1
    assert "candidates.md:11: " in capsys.readouterr().err
    assert store.PROPOSAL not in files(folder)


def test_candidates_come_on_standard_input_too(folder):
    done = subprocess.run(
        [sys.executable, str(store.MAIN), "propose", "-C", str(folder)],
        input=ALL.encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert store.PROPOSAL in files(folder)


def test_a_new_proposal_of_the_same_source_replaces_the_old_one(folder, capsys):
    store.propose(folder, ALL)
    store.propose(folder, store.FRONT + store.PITFALL)
    assert "This replaces an earlier proposal of 3 candidates." in capsys.readouterr().out
    assert "Selectors" not in textfile.read(folder / store.PROPOSAL)


def test_accepted_records_are_written_and_the_journal_is_archived(folder, capsys):
    store.propose(folder, ALL)
    capsys.readouterr()
    assert store.rld(folder, "apply", "--accept", "1,3", "--reject", "2:a one-off") == 0
    out = capsys.readouterr().out
    found = law(folder)
    assert found.find("guardrail-8").title == "Selectors return scalars"
    assert found.find("guardrail-8").fields["evidence"] == store.ARCHIVE + ", Items 6 and 7"
    assert found.find("guardrail-7").status == "repealed"
    assert found.find("pitfall-1") is None
    assert "### 2026-07-08 [refactor] per-request store\n\nEvery page got a store of its own. Records:" in found.text
    assert store.PROPOSAL not in files(folder) and store.JOURNAL not in files(folder)
    assert "status: distilled            # open" in textfile.read(folder / store.ARCHIVE)
    assert "  1. Guardrail 8: Selectors return scalars\n  2. repealed Guardrail 7: Images" in out
    assert "Rejected, and remembered: “add pitfall:" in out
    assert "    Production guardrails  (2: 4, 8)" in out
    assert "the journal is archived as %s." % store.ARCHIVE in out
    assert "CLAUDE.md does not point to POST_MORTEM.md yet: `rld init` adds the line." in out


def test_a_present_pointer_is_not_mentioned(folder, capsys):
    (folder / "CLAUDE.md").write_text("Read POST_MORTEM.md first.\n", encoding="utf-8")
    store.propose(folder, ALL)
    store.rld(folder, "apply", "--accept", "1")
    assert "CLAUDE.md" not in capsys.readouterr().out


def test_what_is_not_decided_stays_with_its_number(folder, capsys):
    store.propose(folder, ALL)
    assert store.rld(folder, "apply", "--accept", "1") == 0
    assert "Still undecided in %s: 2, 3." % store.PROPOSAL in capsys.readouterr().out
    assert store.JOURNAL in files(folder)
    assert store.rld(folder, "apply", "--accept", "1") == 1
    assert "there is no candidate 1; it has 2, 3" in capsys.readouterr().err
    assert store.rld(folder, "apply", "--accept", "2", "--reject", "3:no") == 0
    assert store.ARCHIVE in files(folder)
    assert law(folder).text.count("per-request store\n") == 1


def test_rejecting_everything_leaves_the_post_mortem_alone(folder):
    before = textfile.read(folder / "POST_MORTEM.md")
    store.propose(folder, store.FRONT + store.PITFALL)
    assert store.rld(folder, "apply", "--reject", "1:known") == 0
    assert textfile.read(folder / "POST_MORTEM.md") == before
    assert store.ARCHIVE in files(folder)


def test_a_rejected_candidate_is_not_proposed_again(folder, capsys):
    store.propose(folder, store.FRONT + store.PITFALL + "\n" + store.REPEAL)
    store.rld(folder, "apply", "--reject", '1:"too obvious"')
    capsys.readouterr()
    again = store.FRONT + store.PITFALL.replace("query results", "results of queries")
    assert store.propose(folder, again) == 1
    assert "“too obvious”. If something has changed since, propose with --again" in capsys.readouterr().err
    assert store.propose(folder, again, "--again") == 0
    assert store.rld(folder, "apply", "--accept", "1") == 0


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "say what the human decided"),
        (["--accept", "x"], 2, "--accept takes numbers"),
        (["--reject", "2"], 2, "--reject takes a number and the reason"),
        (["--reject", "2: "], 2, "--reject takes a number and the reason"),
        (["--accept", "1", "--reject", "1:no"], 2, "1 is both accepted and rejected"),
        (["--accept", "9"], 1, "there is no candidate 9; it has 1, 2, 3"),
        (["--accept", "1", "nowhere.md"], 1, "there is no such proposal"),
    ],
)
def test_a_decision_that_cannot_be_meant_writes_nothing(folder, capsys, options, status, message):
    store.propose(folder, ALL)
    before = files(folder)
    assert store.rld(folder, "apply", *options) == status
    assert message in capsys.readouterr().err
    assert files(folder) == before


def test_without_a_proposal_the_way_to_one_is_told(folder, capsys):
    assert store.rld(folder, "apply", "--accept", "1") == 1
    assert "no proposal is waiting: `rld brief`" in capsys.readouterr().err


def test_of_two_proposals_one_must_be_named(folder, capsys):
    store.propose(folder, ALL)
    store.propose(folder, "---\nsession: none\n---\n" + store.REPEAL)
    assert store.rld(folder, "apply", "--accept", "1") == 1
    assert "2 proposals are waiting; name one: docs/worklog/" in capsys.readouterr().err
    assert store.rld(folder, "apply", "2026-07-08-per-request-store.proposal.md", "--accept", "1") == 0


def test_a_proposal_edited_into_something_refused_is_not_applied(folder, capsys):
    store.propose(folder, ALL)
    path = folder / store.PROPOSAL
    path.write_text(
        path.read_text(encoding="utf-8").replace("made a page", "made AKIAIOSFODNN7EXAMPLQ a page"), encoding="utf-8"
    )
    assert store.rld(folder, "apply", "--accept", "1") == 1
    assert store.PROPOSAL in capsys.readouterr().err
    assert law(folder).find("guardrail-8") is None


def test_numbers_are_given_when_they_are_applied(folder):
    store.propose(folder, ALL)
    path = folder / "POST_MORTEM.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("## Tech debt", "### Guardrail 8: By hand\n\nIt MUST.\n\n- **Why:** x\n\n## Tech debt"),
        encoding="utf-8",
    )
    store.rld(folder, "apply", "--accept", "1")
    assert law(folder).find("guardrail-9").title == "Selectors return scalars"


def test_a_number_that_code_cites_is_taken(folder):
    (folder / "src/app/cart.tsx").write_text("// guardrail 8 and Guardrail 9 of old\n", encoding="utf-8")
    store.propose(folder, ALL)
    store.rld(folder, "apply", "--accept", "1")
    assert law(folder).find("guardrail-10") is not None


def test_a_project_without_a_post_mortem_and_without_git_gets_one(tmp_path):
    store.make(tmp_path, {"POST_MORTEM.md": None}, git=False)
    store.propose(tmp_path, store.FRONT + store.GUARDRAIL)
    store.rld(tmp_path, "apply", "--accept", "1")
    assert textfile.read(tmp_path / "POST_MORTEM.md").startswith(
        "# Post-mortem\n\n## Production guardrails\n\n### Guardrail 5: "
    )


def test_line_ends_bom_and_odd_bytes_are_kept(folder):
    old = (
        b"\xef\xbb\xbf"
        + store.FILES["POST_MORTEM.md"].replace("\n", "\r\n").encode().replace(b"twice", b"tw\xffce").rstrip()
    )
    (folder / "POST_MORTEM.md").write_bytes(old)
    store.propose(folder, store.FRONT + store.GUARDRAIL)
    store.rld(folder, "apply", "--accept", "1")
    new = (folder / "POST_MORTEM.md").read_bytes()
    head, _, tail = new.partition(b"\r\n\r\n### Guardrail 8: ")
    assert old.startswith(head) and len(head) > 400
    assert old.partition(b"\r\n\r\n## Tech debt")[2].partition(b"\r\n\r\n## Repealed")[0] in tail
    assert new.count(b"\n") == new.count(b"\r\n") and not new.endswith(b"\n")


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links and modes")
def test_a_link_and_a_mode_survive(folder):
    (folder / "law").mkdir()
    (folder / "POST_MORTEM.md").rename(folder / "law/real.md")
    (folder / "law/real.md").chmod(0o640)
    (folder / "POST_MORTEM.md").symlink_to("law/real.md")
    store.propose(folder, ALL)
    store.rld(folder, "apply", "--accept", "1")
    assert (folder / "POST_MORTEM.md").is_symlink()
    assert "Guardrail 8" in textfile.read(folder / "law/real.md")
    assert stat.S_IMODE((folder / "law/real.md").stat().st_mode) == 0o640


def test_what_was_applied_is_trusted_and_the_run_is_over(folder, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "5e551011")
    project = find(str(folder))
    runs.find(project, load(project).worklog)
    store.propose(folder, ALL)
    store.rld(folder, "apply", "--accept", "1,2,3")
    assert trust.known(project, (folder / "POST_MORTEM.md").read_bytes())
    assert runs.current(project) is None
    assert ledger.read(project, "5e551011").distilled


def test_a_session_is_distilled_under_its_own_name(folder, monkeypatch):
    project = find(str(folder))
    evidence.note(project, "1a2b3c4d5e6f", "edit", path="src/app/page.tsx")
    text = "---\nsession: 1a2b\ntag: debug\ntitle: the cart\n---\n" + store.GUARDRAIL
    assert store.propose(folder, text) == 0
    (path,) = [name for name in files(folder) if name.endswith("session-1a2b3c4d.proposal.md")]
    assert store.rld(folder, "apply", path, "--accept", "1") == 0
    assert ledger.read(project, "1a2b3c4d5e6f").distilled
    assert "[debug] the cart\n\nRecords: Guardrail 8." in law(folder).text
    assert store.JOURNAL in files(folder)


def test_two_applies_at_once_give_distinct_numbers(folder):
    store.propose(folder, ALL)
    store.propose(folder, "---\nsession: none\n---\n" + store.GUARDRAIL.replace("scalars", "plain values"))
    project = find(str(folder))
    paths = [name for name in files(folder) if name.endswith(".proposal.md")]
    results = []

    def apply(path):
        results.append(applying.decide(project, load(project), path, [1], {}, ""))

    threads = [threading.Thread(target=apply, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 2
    assert law(folder).find("guardrail-8") and law(folder).find("guardrail-9") and not law(folder).problems


class Killed(BaseException):
    pass


class Dying:
    """A module whose functions work until the n-th call, and never again: the process is dead from there."""

    calls = ("replace", "unlink", "fsync", "chmod", "fdopen", "open", "write", "mkdir")

    def __init__(self, module, life):
        self.module = module
        self.life = life

    def __getattr__(self, name):
        found = getattr(self.module, name)
        if name not in self.calls:
            return found

        def call(*args, **options):
            self.life["left"] -= 1
            if self.life["left"] < 0:
                raise Killed
            return found(*args, **options)

        return call


@pytest.mark.parametrize("options", [["--accept", "1,3", "--reject", "2:no"], ["--accept", "2"]], ids=["all", "some"])
def test_an_apply_killed_at_any_step_is_completed_by_a_rerun(tmp_path, capsys, options):
    origin = tmp_path / "origin"
    origin.mkdir()
    store.make(origin)
    store.propose(origin, ALL)
    calm = shutil.copytree(origin, tmp_path / "calm")
    assert store.rld(calm, "apply", *options) == 0
    expected = files(calm), textfile.read(calm / "POST_MORTEM.md")
    step = 0
    while True:
        folder = shutil.copytree(origin, tmp_path / ("killed-%d" % step))
        life = {"left": step}
        with pytest.MonkeyPatch.context() as patch:
            for module in (textfile, applying):
                patch.setattr(module, "os", Dying(os, life))
            patch.setattr(rawfile, "system", Dying(rawfile.system, life))
            try:
                assert store.rld(folder, "apply", *options) == 0
                survived = True
            except Killed:
                survived = False
        if survived:
            break
        assert store.rld(folder, "apply", *options) == 0, "step %d: %s" % (step, capsys.readouterr().err)
        project = find(str(folder))
        assert (files(folder), textfile.read(folder / "POST_MORTEM.md")) == expected, step
        assert len(rejections.all_of(project)) == options.count("--reject"), step
        assert trust.known(project, (folder / "POST_MORTEM.md").read_bytes()), step
        assert not list((folder / ".git/rld").rglob("*.tmp")), step
        assert os.listdir(folder / ".git/rld/apply") == [], step
        step += 1
        shutil.rmtree(folder)
    assert step > 12


def test_the_next_look_at_the_proposal_completes_it_too(folder, capsys):
    _kill_before_the_post_mortem(folder, ["--accept", "1"])
    assert law(folder).find("guardrail-8") is None
    assert store.rld(folder, "review") == 0
    assert (
        "An apply that was cut short is completed now: Guardrail 8: Selectors return scalars."
        in capsys.readouterr().out
    )
    assert law(folder).find("guardrail-8") is not None


def test_an_interrupted_apply_never_overwrites_what_somebody_wrote_since(folder, capsys):
    _kill_before_the_post_mortem(folder, ["--accept", "1"])
    path = folder / "POST_MORTEM.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nBy hand.\n", encoding="utf-8")
    assert store.rld(folder, "apply", "--accept", "1") == 0
    assert "By hand." in law(folder).text
    assert law(folder).find("guardrail-8") is not None


def _kill_before_the_post_mortem(folder, options):
    store.propose(folder, ALL)
    real = textfile.write

    def write(path, text, root):
        if str(path).endswith("POST_MORTEM.md"):
            raise Killed
        return real(path, text, root)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textfile, "write", write)
        with pytest.raises(Killed):
            store.rld(folder, "apply", *options)
