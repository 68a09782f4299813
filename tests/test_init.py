"""`rld init`: what it makes, what it leaves alone, and what it refuses."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from rld import clientsettings, diffs, pointer, postmortem, scaffold, trust
from rld.cli import main
from rld.errors import Refused
from rld.pointer import POINTER
from rld.project import find

CASES = Path(__file__).parent / "cases" / "entrypoint"
MADE = {"POST_MORTEM.md", "docs/worklog/.gitkeep", ".rld.yml", "CLAUDE.md", ".claude/settings.json"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No settings of the developer's own."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    return folder


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository, and the folder that the test is in."""
    root = tmp_path / "a repo"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.chdir(root)
    return root


def files(root: Path) -> "dict[str, bytes]":
    """Every file of the tree but git's, links as they are."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(".git/") and (path.is_symlink() or path.is_file()):
            found[name] = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
    return found


def settings(root: Path) -> "dict[str, dict[str, list[str]]]":
    loaded = json.loads((root / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def refuses(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> str:
    """What init says when it refuses; nothing may have been written, in the state folder neither."""
    before = files(root)
    assert main(["init", *arguments]) == 1
    assert files(root) == before
    assert not (root / ".git" / "rld").exists()
    assert capsys.readouterr().out == ""
    main(["init", *arguments])
    return capsys.readouterr().err


def test_an_empty_repository_gets_everything(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    made = files(repo)
    assert set(made) == MADE
    assert made["CLAUDE.md"].decode("utf-8").split("\n")[0] == POINTER
    assert pointer.check(made["CLAUDE.md"].decode("utf-8")) == []
    found = postmortem.parse(made["POST_MORTEM.md"].decode("utf-8"))
    assert (found.records, found.problems) == ([], [])
    said = capsys.readouterr().out
    assert all("+++ " + name in said for name in MADE)
    assert "+" + POINTER in said
    assert "claude plugin install rld@run-log-distill --scope project" in said
    assert "/run-plan" in said
    assert "git add POST_MORTEM.md docs/worklog/.gitkeep .rld.yml CLAUDE.md .claude/settings.json" in said


def test_the_post_mortem_it_made_counts_as_reviewed(repo: Path) -> None:
    main(["init"])
    project = find(str(repo))
    assert project is not None
    assert trust.known(project, (repo / "POST_MORTEM.md").read_bytes())


def test_the_second_run_changes_nothing(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init", "--team", "acme/rld"])
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in repo.rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(["init", "--team", "acme/rld"]) == 0
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in repo.rglob("*") if path.is_file()} == before
    assert capsys.readouterr().out == "Nothing to do: %s is set up.\n" % repo.as_posix()


def test_a_dry_run_shows_the_same_and_writes_nothing(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--dry-run"]) == 0
    dry = capsys.readouterr().out
    assert files(repo) == {}
    assert not (repo / ".git" / "rld").exists()
    main(["init"])
    wet = capsys.readouterr().out
    assert dry.partition("Nothing was written")[0] == wet.partition("Set up")[0]


def test_without_git_the_state_folder_ignores_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    monkeypatch.chdir(root)
    assert main(["init"]) == 0
    made = files(root)
    assert made[".rld/.gitignore"] == b"*\n"
    assert {name for name in made if not name.startswith(".rld/")} == MADE
    subprocess.run(["git", "init", "-q"], check=True)
    status = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    ).stdout
    assert ".rld/" not in status


def test_a_folder_below_belongs_to_the_project_and_a_named_one_stands_alone(repo: Path) -> None:
    (repo / "apps" / "web").mkdir(parents=True)
    assert main(["init", "-C", "apps/web"]) == 0
    assert set(files(repo)) == MADE
    assert main(["init", "-C", "apps", "web"]) == 0
    assert set(files(repo)) == MADE | {"apps/web/" + name for name in MADE}
    found = find(str(repo / "apps" / "web"))
    assert found is not None and found.root == (repo / "apps" / "web").as_posix()


def test_a_folder_that_is_not_there_is_a_usage_error(repo: Path) -> None:
    assert main(["init", "nowhere"]) == 2
    assert files(repo) == {}


@pytest.mark.parametrize("text", ["", "# Mine\n\n1. never do x", "\ufeff\r\nanything \x00\r", "<<<<<<< a\n"])
def test_a_post_mortem_of_any_form_is_not_touched(repo: Path, text: str) -> None:
    (repo / "POST_MORTEM.md").write_bytes(text.encode("utf-8"))
    assert main(["init"]) == 0
    assert (repo / "POST_MORTEM.md").read_bytes() == text.encode("utf-8")
    project = find(str(repo))
    assert project is not None
    assert not trust.known(project, text.encode("utf-8"))  # nobody reviewed it


def test_it_follows_the_settings_that_are_there(repo: Path) -> None:
    (repo / ".rld.yml").write_text(
        "post_mortem: docs/PM.md\nworklog: log\nentry_points: [AGENTS.md]\n", encoding="utf-8"
    )
    assert main(["init"]) == 0
    assert set(files(repo)) == {".rld.yml", "docs/PM.md", "log/.gitkeep", "AGENTS.md", ".claude/settings.json"}
    assert "docs/PM.md" in (repo / "AGENTS.md").read_text(encoding="utf-8")


def test_a_worklog_with_journals_needs_no_placeholder(repo: Path) -> None:
    (repo / "docs" / "worklog").mkdir(parents=True)
    (repo / "docs" / "worklog" / "2026-07-08-store.md").write_text("# Journal\n", encoding="utf-8")
    assert main(["init"]) == 0
    assert not (repo / "docs" / "worklog" / ".gitkeep").exists()


# The entry point


@pytest.mark.parametrize("case", sorted(path.name[: -len(".after.md")] for path in CASES.glob("*.after.md")))
def test_the_pointer_goes_where_it_belongs_and_the_rest_stays(repo: Path, case: str) -> None:
    (repo / "CLAUDE.md").write_bytes((CASES / (case + ".md")).read_bytes())
    assert main(["init"]) == 0
    assert (repo / "CLAUDE.md").read_bytes() == (CASES / (case + ".after.md")).read_bytes()


def test_a_link_is_kept_and_its_target_edited(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / "AGENTS.md").write_bytes(b"# Agents\n")
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    assert main(["init"]) == 0
    assert files(repo)["CLAUDE.md"] == b"AGENTS.md"
    assert (repo / "AGENTS.md").read_bytes() == (POINTER + "\n\n# Agents\n").encode("utf-8")
    said = capsys.readouterr().out
    assert "CLAUDE.md is a link: the file that changes is AGENTS.md." in said
    assert "+++ AGENTS.md" in said and "+++ CLAUDE.md" not in said


def test_two_names_of_one_file_make_one_pointer(repo: Path) -> None:
    (repo / ".rld.yml").write_text("entry_points: [CLAUDE.md, AGENTS.md]\n", encoding="utf-8")
    (repo / "AGENTS.md").write_bytes(b"# Agents\n")
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    assert main(["init"]) == 0
    assert (repo / "AGENTS.md").read_text(encoding="utf-8").count("POST_MORTEM.md") == 1


def test_the_pointer_stands_above_an_import(repo: Path) -> None:
    (repo / "AGENTS.md").write_bytes(b"# Agents\n")
    (repo / "CLAUDE.md").write_bytes(b"@AGENTS.md\n")
    assert main(["init"]) == 0
    assert (repo / "CLAUDE.md").read_bytes() == (POINTER + "\n\n@AGENTS.md\n").encode("utf-8")
    assert (repo / "AGENTS.md").read_bytes() == b"# Agents\n"


def test_a_new_claude_md_imports_the_agents_md_that_it_would_hide(repo: Path) -> None:
    (repo / "AGENTS.md").write_bytes(b"# Agents\n")
    assert main(["init"]) == 0
    assert (repo / "CLAUDE.md").read_bytes() == (POINTER + "\n\n@AGENTS.md\n").encode("utf-8")
    assert (repo / "AGENTS.md").read_bytes() == b"# Agents\n"


def test_a_link_checked_out_as_text_stands_for_its_target(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / "AGENTS.md").write_bytes(b"# Agents\r\n")
    (repo / "CLAUDE.md").write_bytes(b"AGENTS.md")
    assert main(["init"]) == 0
    assert (repo / "CLAUDE.md").read_bytes() == b"AGENTS.md"
    assert (repo / "AGENTS.md").read_bytes() == (POINTER + "\r\n\r\n# Agents\r\n").encode("utf-8")
    assert (
        "CLAUDE.md is a link that was checked out as text: the file that changes is AGENTS.md."
        in capsys.readouterr().out
    )


@pytest.mark.parametrize("text", ["AGENTS.md", "AGENTS.md\n", "CLAUDE.md"], ids=["no such file", "a line", "itself"])
def test_a_short_text_that_is_no_link_is_a_text(repo: Path, text: str) -> None:
    if text.endswith("\n"):
        (repo / "AGENTS.md").write_bytes(b"# Agents\n")
    (repo / "CLAUDE.md").write_bytes(text.encode("utf-8"))
    assert main(["init"]) == 0
    assert (repo / "CLAUDE.md").read_bytes() == (POINTER + "\n\n" + text).encode("utf-8")


def test_a_pointer_further_down_is_not_doubled(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "# Mine\n\n%s\n" % POINTER
    (repo / "CLAUDE.md").write_text(text, encoding="utf-8")
    assert main(["init"]) == 0
    assert (repo / "CLAUDE.md").read_text(encoding="utf-8") == text
    assert "CLAUDE.md:3: " in capsys.readouterr().out


# What is refused


def test_a_link_to_nowhere_is_refused(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    said = refuses(capsys, repo)
    assert said.startswith(
        "rld: CLAUDE.md: is a link to AGENTS.md, which does not exist: create that file or delete the link"
    )


def test_a_link_out_of_the_repository_is_refused(
    repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outside.md").write_bytes(b"# Shared\n")
    (repo / "CLAUDE.md").symlink_to("../outside.md")
    said = refuses(capsys, repo)
    assert "CLAUDE.md: leads out of the repository" in said and "edit that file yourself" in said
    assert (tmp_path / "outside.md").read_bytes() == b"# Shared\n"


def test_after_the_edit_by_hand_the_same_link_is_fine(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text(POINTER + "\n", encoding="utf-8")
    (repo / "CLAUDE.md").symlink_to("../outside.md")
    assert main(["init"]) == 0
    assert (repo / "POST_MORTEM.md").exists()


def test_a_folder_that_is_a_link_leads_out_too(repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dotfiles").mkdir()
    (repo / ".claude").symlink_to("../dotfiles")
    assert ".claude/settings.json: leads out of the repository" in refuses(capsys, repo)
    assert list((tmp_path / "dotfiles").iterdir()) == []


def test_a_link_within_the_repository_but_above_the_project_is_followed(repo: Path) -> None:
    (repo / "apps" / "web").mkdir(parents=True)
    (repo / "AGENTS.md").write_bytes(b"# Agents\n")
    (repo / "apps" / "web" / "CLAUDE.md").symlink_to("../../AGENTS.md")
    assert main(["init", "apps/web"]) == 0
    assert (repo / "AGENTS.md").read_text(encoding="utf-8").startswith(POINTER)


def test_a_read_only_file_is_refused(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / "CLAUDE.md").write_bytes(b"# Mine\n")
    (repo / "CLAUDE.md").chmod(0o444)
    assert "CLAUDE.md: is read-only: make it writable" in refuses(capsys, repo)


def test_a_file_where_a_folder_must_be_is_refused(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / "docs").write_bytes(b"")
    assert "docs/worklog/.gitkeep: cannot be made" in refuses(capsys, repo)


def test_a_folder_without_permission_is_refused(
    repo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaffold.os, "access", lambda path, mode: False)  # root may write anywhere
    said = refuses(capsys, repo)
    assert "CLAUDE.md: cannot be written: you have no permission to write in %s" % repo in said


def test_settings_of_ours_that_are_wrong_stop_it(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / ".rld.yml").write_text("verfy: make\n", encoding="utf-8")
    assert ".rld.yml:1: unknown key 'verfy'" in refuses(capsys, repo)


def test_every_refusal_is_named_at_once(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    (repo / "docs").write_bytes(b"")
    (repo / ".claude").mkdir()
    (repo / ".claude" / "settings.json").write_bytes(b"{,}")
    assert [row.split(":")[1] for row in refuses(capsys, repo).splitlines()] == [
        " docs/worklog/.gitkeep", " CLAUDE.md", " .claude/settings.json",
    ]  # fmt: skip


# The client's settings


def test_everyday_verbs_run_and_the_humans_verbs_ask(repo: Path) -> None:
    main(["init"])
    rules = settings(repo)["permissions"]
    for verb in ("status", "run", "verify", "log", "plan", "journal", "brief", "propose", "list", "show", "doctor"):
        assert "Bash(rld %s:*)" % verb in rules["allow"]
    assert rules["ask"] == ["Bash(rld %s:*)" % verb for verb in ("apply", "trust", "repeal", "adopt", "collapse", "init")]
    assert not set(rules["allow"]) & set(rules["ask"])


def test_no_allow_leaves_only_the_questions(repo: Path) -> None:
    assert main(["init", "--no-allow"]) == 0
    assert settings(repo) == {"permissions": {"ask": list(clientsettings.ASK)}}


def test_the_users_settings_stay_as_they_were_written(repo: Path) -> None:
    (repo / ".claude").mkdir()
    before = (
        '\ufeff{\r\n\t"env": {"A": "1",   "B": "\\u00e9"},\r\n\r\n\t"permissions": {\r\n\t\t"deny": ["Read(.env)"],\r\n'
        '\t\t"allow": [\r\n\t\t\t"Bash(make:*)",\r\n\t\t\t"Bash(rld log:*)"\r\n\t\t]\r\n\t},\r\n\t"number": 1e5\r\n}'
    )
    (repo / ".claude" / "settings.json").write_bytes(before.encode("utf-8"))
    assert main(["init"]) == 0
    after = (repo / ".claude" / "settings.json").read_bytes().decode("utf-8")
    rest = [rule for rule in clientsettings.ALLOW if rule != "Bash(rld log:*)"]
    allow = "".join(',\r\n\t\t\t"%s"' % rule for rule in rest)
    ask = ",\r\n".join('\t\t\t"%s"' % rule for rule in clientsettings.ASK)
    assert after == before.replace(
        '"Bash(rld log:*)"\r\n\t\t]', '"Bash(rld log:*)"%s\r\n\t\t],\r\n\t\t"ask": [\r\n%s\r\n\t\t]' % (allow, ask)
    )


LAYOUTS = {
    "nothing": "",
    "blank lines": "\n\n",
    "an empty object": "{}",
    "an empty object on two lines": "{\n}\n",
    "empty lists": '{\n    "permissions": {\n        "allow": [],\n        "ask": [\n        ]\n    }\n}\n',
    "one line": '{"model": "x", "permissions": {"allow": ["Bash(make:*)"]}}',
    "one line without spaces": '{"permissions":{}}',
    "a list on one line": '{\n  "permissions": {"allow": ["Bash(make:*)"]}\n}\n',
    "tabs": '{\n\t"model": "x"\n}\n',
    "comma first": '{\n  "model": "x"\n, "permissions": {"ask": []}\n}\n',
    "brackets in texts": '{\n  "a]": "}{[\\"",\n  "permissions": {"ask": ["]"]}\n}\n',
    "a key twice": '{"permissions": {}, "permissions": {"allow": []}}',
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_any_layout_gets_the_rules_and_keeps_its_values(text: str) -> None:
    after = clientsettings.with_rules(text, True)
    rules = json.loads(after)["permissions"]
    had = (json.loads(text) if text.strip() else {}).get("permissions", {})
    assert rules["allow"] == had.get("allow", []) + list(clientsettings.ALLOW)
    assert rules["ask"] == had.get("ask", []) + list(clientsettings.ASK)
    assert _subsequence(text, after)
    assert clientsettings.with_rules(after, True) == after
    assert ("\n" in after.strip()) == ("\n" in text.strip() or text.strip() in ("", "{}"))


def _subsequence(text: str, after: str) -> bool:
    rest = iter(after)
    return all(char in rest for char in text if char not in " \t\r\n")


def test_a_new_file_looks_as_the_client_writes_it() -> None:
    after = clientsettings.with_rules("", True)
    assert after == json.dumps(json.loads(after), indent=2) + "\n"


def test_a_rule_that_the_user_put_elsewhere_stays_there() -> None:
    text = '{"permissions": {"ask": ["Bash(rld log:*)"], "deny": ["Bash(rld apply:*)", "Bash(rld run:*)"]}}'
    rules = json.loads(clientsettings.with_rules(text, True))["permissions"]
    assert "Bash(rld log:*)" not in rules["allow"] and "Bash(rld run:*)" not in rules["allow"]
    assert "Bash(rld apply:*)" not in rules["ask"] and "Bash(rld trust:*)" in rules["ask"]


WRONG = {
    "a comment": ('{\n  // mine\n  "a": 1\n}\n', 2, "is not valid JSON"),
    "a trailing comma": ('{"a": 1,}', 1, "is not valid JSON"),
    "a list": ("[]", 1, "holds no JSON object"),
    "permissions that are a list": ('{\n"permissions": []}', 2, "permissions is [], and `rld init` changes no value"),
    "rules that are a text": ('{"permissions": {"ask": "x"}}', 1, 'permissions.ask is "x"'),
    "brackets without end": ('{"a": ' + "[" * 100000, 0, "nested too deeply"),
}


@pytest.mark.parametrize(("text", "line", "words"), WRONG.values(), ids=WRONG)
def test_settings_that_cannot_be_added_to_are_refused(
    repo: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, words: str
) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude" / "settings.json").write_text(text, encoding="utf-8")
    said = refuses(capsys, repo)
    assert said.startswith("rld: .claude/settings.json%s: " % (":%d" % line if line else ""))
    assert words in said


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
_PERMISSIONS = st.fixed_dictionaries(
    {},
    optional={name: st.lists(st.sampled_from(clientsettings.ASK) | st.text(max_size=4)) for name in ("allow", "ask")},
)


@given(
    st.dictionaries(st.text(max_size=4), _JSON, max_size=3),
    _PERMISSIONS | st.none(),
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.booleans(),
    st.booleans(),
)
@budget(max_examples=150, deadline=None)
def test_whatever_was_there_is_there_afterwards(
    others: "dict[str, object]",
    permissions: "dict[str, list[str]] | None",
    indent: "int | str | None",
    ascii: bool,
    crlf: bool,
) -> None:
    value = dict(others) if permissions is None else {**others, "permissions": permissions}
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    if crlf:
        text = text.replace("\n", "\r\n")
    after = clientsettings.with_rules(text, True, {"source": "github", "repo": "a/b"})
    loaded = json.loads(after)
    rules = loaded.pop("permissions")
    assert loaded.pop("enabledPlugins") == {"rld@run-log-distill": True}
    assert loaded.pop("extraKnownMarketplaces") == {"run-log-distill": {"source": {"source": "github", "repo": "a/b"}}}
    value.pop("permissions", None)
    assert loaded == value and list(loaded) == list(value)
    for name in ("allow", "ask"):
        had = (permissions or {}).get(name, [])
        assert rules[name][: len(had)] == had
        added = rules[name][len(had) :]
        assert len(set(added)) == len(added) and not set(added) & set(had)
    assert set(clientsettings.ASK) <= set(rules["ask"])
    assert clientsettings.with_rules(after, True, {"source": "github", "repo": "a/b"}) == after
    assert "\r\n" not in text or "\n" not in after.replace("\r\n", "")


# A team


TEAMS = {
    "acme/rld": {"source": "github", "repo": "acme/rld"},
    "Acme-1/run_log.distill": {"source": "github", "repo": "Acme-1/run_log.distill"},
    "https://git.example.com/tools/rld.git": {"source": "git", "url": "https://git.example.com/tools/rld.git"},
    "ssh://git@git.example.com:2222/rld": {"source": "git", "url": "ssh://git@git.example.com:2222/rld"},
    "git@git.example.com:tools/rld.git": {"source": "git", "url": "git@git.example.com:tools/rld.git"},
    "file:///srv/git/rld.git": {"source": "git", "url": "file:///srv/git/rld.git"},
}


@pytest.mark.parametrize(("given", "source"), TEAMS.items(), ids=TEAMS)
def test_team_names_the_marketplace_and_switches_the_plugin_on(
    repo: Path, capsys: pytest.CaptureFixture[str], given: str, source: "dict[str, str]"
) -> None:
    assert main(["init", "--team", given]) == 0
    values = settings(repo)
    assert values["extraKnownMarketplaces"] == {"run-log-distill": {"source": source}}
    assert values["enabledPlugins"] == {"rld@run-log-distill": True}
    assert "claude plugin marketplace add %s\n" % given in capsys.readouterr().out


@pytest.mark.parametrize(
    "given",
    ["acme", "acme/", "/rld", "acme/..", "a/b/c", "-a/b", "../rld", "./rld", "http://x.example/rld", "https://me:secret@x.example/rld",
     "https://token@x.example/rld", "https://x.example/a b", "git://x.example/rld", "--upload-pack=x", "acme/rld@v1"],
)  # fmt: skip
def test_a_team_source_that_is_none_is_refused(repo: Path, capsys: pytest.CaptureFixture[str], given: str) -> None:
    assert "neither OWNER/REPO" in refuses(capsys, repo, "--team=" + given)


def test_another_marketplace_or_a_plugin_that_is_off_is_not_changed(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init", "--team", "acme/rld"])
    before = files(repo)
    capsys.readouterr()
    assert main(["init", "--team", "other/rld"]) == 1
    assert 'extraKnownMarketplaces.run-log-distill.source.repo is "acme/rld"' in capsys.readouterr().err
    assert files(repo) == before
    with pytest.raises(Refused, match="enabledPlugins.rld@run-log-distill is false"):
        clientsettings.with_rules(
            '{"enabledPlugins": {"rld@run-log-distill": false}}', True, {"source": "git", "url": "x"}
        )


# Around it


def test_no_path_of_the_plugin_gets_into_the_project(repo: Path) -> None:
    # The client deletes old versions of a plugin: anthropics/claude-code#46915.
    main(["init"])
    plugin = str(Path(scaffold.__file__).resolve().parents[2]).encode("utf-8")
    assert not any(plugin in data for data in files(repo).values())


def test_an_interrupted_run_is_completed_by_the_next(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = scaffold.textfile.write, []

    def failing(path: Path, text: str, root: Path) -> bool:
        calls.append(path)
        if len(calls) == 3:
            raise Refused("the disk is full")
        return real(path, text, root)

    monkeypatch.setattr(scaffold.textfile, "write", failing)
    assert main(["init"]) == 1
    monkeypatch.undo()
    monkeypatch.chdir(repo)
    assert main(["init"]) == 0
    assert set(files(repo)) == MADE


def test_an_installed_plugin_is_not_asked_for_again(repo: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "plugins").mkdir()
    entry = {"scope": "project", "projectPath": str(repo), "version": "0.1.0"}
    register = {"version": 2, "plugins": {"rld@run-log-distill": [entry]}}
    (home / "plugins" / "installed_plugins.json").write_text(json.dumps(register), encoding="utf-8")
    main(["init"])
    assert "The plugin is installed here" in capsys.readouterr().out


def test_diffs_show_new_files_changes_and_a_missing_newline() -> None:
    assert diffs.unified("a", "x\n", "x\n") == ""
    assert diffs.unified("a", None, "") == "--- /dev/null\n+++ a\n"
    assert diffs.unified("a", None, "x\n") == "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x\n"
    assert diffs.unified("a", "\ufeffx\r\ny", "\ufeffx\r\ny\r\n") == (
        "--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n"
    )


def test_a_worktree_shares_the_state_and_has_its_own_files(repo: Path, tmp_path: Path) -> None:
    for command in ("add -A", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m a", "worktree add -q ../wt"):
        subprocess.run(["git", *command.split()], check=True, capture_output=True)
    assert main(["init", "-C", str(tmp_path / "wt")]) == 0
    assert (tmp_path / "wt" / "POST_MORTEM.md").exists() and not (repo / "POST_MORTEM.md").exists()
    assert (repo / ".git" / "rld" / "known").exists()
