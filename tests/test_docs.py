"""The documents say what is so: verbs, settings, modules, hooks, links, commands, and words that must not be there."""

from __future__ import annotations

import ast
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from costs.situations import SITUATIONS
from rld import cli, hooksettings, settings, standin
from rld.cli import base

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
SCRIPTS = ROOT / "scripts"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

CONNECTING = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "asyncio", "webbrowser"}
# The one module that may: it listens on 127.0.0.1, for `rld doctor --client`, and opens no connection either.
LISTENING = SCRIPTS / "rld" / "standin.py"
OUTSIDE = {"os", "posix", "nt", "pathlib", "subprocess", "shutil", "tempfile", "time", "click", "yaml", "filelock"}

# What each checkout would have of its own: a place on one machine, a host that only the user's pip, uv or npm may name,
# a page that is not in the repository, a note to oneself. The last only as a comment, since placeholders are something
# that this project recognises. One letter is in brackets, as this file is looked at too.
FORBIDDEN = {
    "a path of one machine": r"(?<![\w.])/(?:wor[k]|roo[t])/",
    "a package index": r"pyp[i]\.org|pythonhoste[d]\.org|npmj[s]\.(?:org|com)",
    "a page that is not here": r"\b(?:DESIG[N]|PLATFOR[M]|PEER[S]|PERFORMANC[E])\.md",
    "a note to oneself": r"(?:#|//|<!--|\brem)\s*(?:TOD[O]|FIXM[E]|XX[X])\b",
}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next of its level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    body = text.split("\n%s\n" % heading, 1)[1]
    return re.split(r"^#{1,%d} " % level, body, maxsplit=1, flags=re.M)[0]


def first_cells(text: str) -> list[str]:
    """The first cell of each table row, without the head."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [row.split("|")[1].strip() for row in rows if not set(row) <= set("|- ")][1:]


def tracked() -> list[str]:
    """The files of the repository: what is committed, and what would be."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    names = [name for name in done.stdout.decode("utf-8").split("\0") if name and (ROOT / name).is_file()]
    if not names:
        pytest.skip("not a git checkout")
    return names


# -- README ----------------------------------------------------------------------------------------------------


def test_the_table_of_verbs_has_each_verb_once_and_no_other() -> None:
    rows = [re.match(r"`rld ([a-z]+)", cell) for cell in first_cells(section(text_of("README.md"), "## Verbs"))]
    assert [row.group(1) for row in rows if row] == list(cli.VERBS)


@pytest.mark.parametrize("verb", cli.VERBS)
def test_the_row_of_a_verb_names_only_options_it_has(verb: str) -> None:
    command = cli.cli.get_command(None, verb)  # type: ignore[arg-type]
    assert command is not None and command.help and "Example: rld " in (command.epilog or "")
    commands = [command, *getattr(command, "commands", {}).values()]
    known = {name for each in commands for parameter in each.params for name in parameter.opts}
    row = next(line for line in text_of("README.md").splitlines() if line.startswith("| `rld %s" % verb))
    assert set(re.findall(r"(?<![\w-])--[a-z-]+", row)) <= known
    subcommands = getattr(command, "commands", None)
    if subcommands:
        named = re.findall(r"[a-z]+", row.split("|")[1].replace("rld %s" % verb, ""))
        assert set(named) == set(subcommands)


def test_the_settings_shown_are_all_there_are_with_their_defaults() -> None:
    shown = FENCE.findall(section(text_of("README.md"), "## Settings"))[0][1]
    values = yaml.safe_load(shown)
    assert list(values) == list(settings.DEFAULTS)
    assert settings.parse(shown)  # valid as it stands
    assert {key: values[key] for key in values if key != "verify"} == {
        key: value for key, value in settings.DEFAULTS.items() if key != "verify"
    }
    for key, choices in settings.CHOICES.items():
        line = next(line for line in shown.splitlines() if line.startswith(key + ":"))
        assert line.split("#")[1].split(" | ") == [" " + choices[0], *choices[1:]]


def test_hooks_take_the_defaults_that_are_shown() -> None:
    hook, own = hooksettings.HookSettings(), settings.Settings({})
    for key in hook.__slots__:
        if key != "problem":
            assert getattr(hook, key) == getattr(own, key)


def test_the_table_of_hooks_has_each_event_once_and_no_other() -> None:
    events = json.loads(text_of("hooks/hooks.json"))["hooks"]
    listed = [cell.strip("`") for cell in first_cells(section(text_of("README.md"), "## Hooks").split("\n### ")[0])]
    assert len(listed) == len(set(listed)) and set(listed) == set(events)


def test_each_prompt_that_is_explained_is_a_command_and_the_other_way_round() -> None:
    cells = first_cells(section(text_of("README.md"), "## The prompts"))
    typed = {re.match(r"`/(?:rld:)?([a-z-]+)", cell).group(1) for cell in cells}  # type: ignore[union-attr]
    assert typed == {path.stem for path in ROOT.glob("commands/*.md")}
    for path in ROOT.glob("skills/*/SKILL.md"):
        assert "`%s`" % path.parent.name in text_of("README.md")


def test_the_first_two_commands_stand_alone_and_can_be_executed() -> None:
    fences = FENCE.findall(section(text_of("README.md"), "## Try it"))
    blocks = [body.strip() for language, body in fences if language == "sh"]
    assert blocks == ["bin/rld demo", "scripts/test"]
    for block in blocks:
        path = ROOT / block.split()[0]
        assert path.is_file()
        assert os.name == "nt" or os.access(path, os.X_OK)


def test_what_the_readme_shows_is_what_the_demo_prints() -> None:
    fences = FENCE.findall(section(text_of("README.md"), "## Try it"))
    shown = [body.splitlines() for language, body in fences if language == "text"]
    program = [sys.executable, "-I", "-X", "utf8", str(SCRIPTS / "rld_main.py"), "demo"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    told = [
        [row[6:] for row in itertools.takewhile(lambda row: row.startswith("    |"), part.splitlines()[1:])]
        for part in done.stdout.split("the model is told:")[1:]
    ]
    assert len(shown) == 2 and shown[0] in told[1:] and shown[1] == told[-1]


def test_every_rld_command_in_a_code_block_is_a_verb() -> None:
    for name in DOCUMENTS:
        for language, body in FENCE.findall(text_of(name)):
            if language == "sh":
                for verb in re.findall(r"^(?:bin/)?rld ([a-z]+)", body, re.M):
                    assert verb in cli.VERBS, name


def test_the_names_to_install_are_those_of_the_marketplace() -> None:
    catalogue = json.loads(text_of(".claude-plugin/marketplace.json"))
    name = "%s@%s" % (catalogue["plugins"][0]["name"], catalogue["name"])
    assert set(re.findall(r"rld@[\w-]+", text_of("README.md"))) == {name}


def test_the_cost_table_has_the_rows_that_the_bench_prints() -> None:
    """A row that was renamed, or a table that was never filled, is found; the figures are a machine's."""
    table = text_of("README.md").split("<!-- bench:")[1].split("<!-- /bench -->")[0]
    assert first_cells(table) == [situation.name for situation in SITUATIONS]
    for row in table.splitlines():
        if row.startswith("| ") and not row.startswith("| hook"):
            assert re.fullmatch(r"\| .+ \| \d+\.\d\d \| [\d.]* ?\|", row), row


def test_the_version_is_that_of_the_changelog() -> None:
    assert re.search(r"\b%s\b" % re.escape(base.version()), text_of("CHANGELOG.md"))
    assert 'version = "%s"' % base.version() in text_of("pyproject.toml")


def test_the_clients_named_are_those_that_the_tests_drive() -> None:
    session = text_of("tests/client/session.py")
    versions = re.search(r"^VERSIONS = (\(.*\))$", session, re.M)
    assert versions is not None
    named = set(re.findall(r"\b2\.1\.\d+\b", text_of("README.md")))
    assert named == set(ast.literal_eval(versions.group(1)))


# -- what the privacy section promises --------------------------------------------------------------------------


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_nothing_imports_what_could_open_a_connection() -> None:
    files = [*SCRIPTS.rglob("*.py"), *ROOT.glob("hooks/*.py")]
    assert len(files) > 50
    for path in files:
        if path != LISTENING:
            assert not imports_of(path) & CONNECTING, path


def test_the_one_module_that_listens_is_reached_from_this_machine_only() -> None:
    assert imports_of(LISTENING) & CONNECTING == {"http"}
    taken = re.findall(r"^(?:from|import) http.*$", LISTENING.read_text(encoding="utf-8"), re.M)
    assert taken == ["from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer"]
    with standin.StandIn() as model:
        assert model.server.socket.getsockname()[0] == "127.0.0.1"
    users = [path.stem for path in SCRIPTS.rglob("*.py") if re.search(r"^ *(from|import) .*\bstandin\b", path.read_text("utf-8"), re.M)]  # fmt: skip
    assert users == ["clientrun"], "only `rld doctor --client` starts it"


# -- ARCHITECTURE ----------------------------------------------------------------------------------------------


def test_every_module_of_the_core_has_a_row_and_every_row_a_module() -> None:
    text = section(text_of("ARCHITECTURE.md"), "## Modules").split("\n### Shells")[0]
    rows = re.findall(r"^\| `(\w+)` \|", text, re.M)
    modules = {path.stem for path in (SCRIPTS / "rld").glob("*.py")} - {"__init__"}
    assert len(rows) == len(set(rows))
    assert set(rows) == modules


def test_every_other_program_and_shell_is_mentioned() -> None:
    text = text_of("ARCHITECTURE.md")
    programs = ("rld_main.py", "bootstrap.py", "bench", "test")
    for name in (*("scripts/" + program for program in programs), "bin/rld", "hooks/launch"):
        assert (ROOT / name).is_file() and name in text
    for path in (SCRIPTS / "rld" / "cli").glob("*.py"):
        assert path.name.endswith("_verb.py") or "cli/%s`" % path.stem in text, path


def impure(name: str, seen: set[str]) -> set[str]:
    """What of the outside a module imports, itself or through the modules that it imports."""
    path = SCRIPTS / "rld" / (name + ".py")
    if name in seen or not path.is_file():
        return set()
    seen.add(name)
    found = {"%s imports %s" % (name, module) for module in imports_of(path) & OUTSIDE}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module == "rld" or (node.level and not module):
                names = [alias.name for alias in node.names]
            else:
                names = [module.rpartition(".")[2]] if node.level or module.startswith("rld.") else []
            for each in names:
                found |= impure(each, seen)
    return found


def test_a_module_called_pure_reaches_nothing_outside() -> None:
    called = []
    for part in re.split(r"^### ", section(text_of("ARCHITECTURE.md"), "## Modules"), flags=re.M):
        all_pure = part.partition("\n")[0].endswith("(pure)")
        rows = re.findall(r"^(\| `\w+` \| .*) \|$", part, re.M)
        called += [row.split("`")[1] for row in rows if all_pure or row.endswith("(pure)")]
    assert len(called) > 40
    assert {name: found for name in called for found in [impure(name, set())] if found} == {}


# -- all documents ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DOCUMENTS)
def test_relative_links_lead_to_files(name: str) -> None:
    for target in LINK.findall(FENCE.sub("", text_of(name))):
        if "://" not in target and not target.startswith("#"):
            assert (ROOT / name).parent.joinpath(target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_in_code_marks_exist(name: str) -> None:
    """Paths of this repository; those that a user's project has begin otherwise or hold a placeholder."""
    for path in re.findall(r"`((?:scripts|tests|hooks|commands|skills|bin|\.ci)/[\w./-]*)`", text_of(name)):
        assert "NAME" in path or (ROOT / path).exists(), path


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_committed_file_has(what: str) -> None:
    found = []
    for name in tracked():
        text = (ROOT / name).read_bytes().decode("utf-8", "replace")
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(FORBIDDEN[what], line):
                found.append("%s:%d: %s" % (name, number, line.strip()[:80]))
    assert found == []


def test_this_repository_passes_its_own_linter(capsys: pytest.CaptureFixture[str]) -> None:
    """The post-mortem, the entry point and every citation in code (decision 6 and the like) are what they should be."""
    status = cli.main(["check", "-C", str(ROOT)])
    assert status == 0, capsys.readouterr().out
