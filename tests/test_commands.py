"""The slash commands and skills: what the client makes of them, and that no rule of the method got lost.

Their text is obeyed word by word, so the tables of rules below are the specification: a rule may be put in
better words (then change its phrase here), never dropped.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from rld import cli, graph, logbook, plan

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = sorted(ROOT.glob("commands/**/*.md"))
SKILLS = sorted(ROOT.glob("skills/*/SKILL.md"))
DISTILLING = ("compact", "distill")

# The client's own commands and their aliases, of all supported versions. A plugin command that names itself
# like one takes its place (anthropics/claude-code#76763, anthropics/claude-code#62409).
BUILT_IN = set(
    """
    add-dir advisor agents autofix-pr background batch branch btw bug cd chrome claude-api clear
    code-review color compact config context copy cost debug deep-research desktop diff doctor effort
    exit export fast feedback focus fork goal help hooks ide init insights install-github-app
    keybindings login logout loop mcp memory mobile model new passes permissions plan plugin pr-comments
    privacy-settings proactive quit recap release-notes reload-plugins reload-skills remote-control
    remote-env rename reset resume review rewind run sandbox schedule security-review settings simplify
    skills stats status statusline stop tasks team-onboarding teleport terminal-setup theme tui upgrade
    usage verify vim voice workflows
    """.split()
)
NEVER_UNASKED = ("apply", "trust", "repeal", "adopt", "collapse", "init")
INLINE = re.compile(r"(?:^|(?<=\s))!`([^`]+)`")


def read(path: Path) -> tuple[dict[str, Any], str]:
    """Front matter and body."""
    text = path.read_bytes().decode("utf-8")
    assert "\r" not in text and text.startswith("---\n")
    head, _, body = text[4:].partition("\n---\n")
    return yaml.safe_load(head), body


def body_of(name: str) -> str:
    """A command's body on one line, so that a pattern does not depend on where lines break."""
    return " ".join(read(ROOT / "commands" / (name + ".md"))[1].split())


def code_in(body: str) -> list[str]:
    """What stands in code fences, by line, and in code spans."""
    parts = re.split(r"^ *```.*$", body, flags=re.M)
    fenced = [line.strip() for part in parts[1::2] for line in part.split("\n")]
    spans = [" ".join(span.split()) for part in parts[::2] for span in re.findall(r"`([^`]+)`", part)]
    return fenced + spans


def allowed(meta: dict[str, Any]) -> list[str]:
    rules = meta.get("allowed-tools", [])
    return [rule.strip() for rule in (rules.split(",") if isinstance(rules, str) else rules)]


def called(path: Path) -> str:
    return path.parent.name if path.stem == "SKILL" else path.stem


def named(paths: list[Path]) -> Any:
    return pytest.mark.parametrize("path", paths, ids=[called(path) for path in paths])


# -- what the client reads -----------------------------------------------------------------------------------


def test_these_are_the_commands_and_skills() -> None:
    assert [path.stem for path in COMMANDS] == ["compact", "distill", "rld-status", "run-plan"]
    assert [path.parent.name for path in SKILLS] == ["case-law", "plan-appendix"]


def test_compact_has_no_name_as_it_would_hide_the_clients_own() -> None:
    assert "name" not in read(ROOT / "commands" / "compact.md")[0]


@named([path for path in COMMANDS if path.stem != "compact"])
def test_a_command_is_called_like_its_file_and_hides_no_built_in(path: Path) -> None:
    meta, _ = read(path)
    assert meta["name"] == path.stem
    assert meta["name"] not in BUILT_IN


@named(COMMANDS)
def test_only_the_human_can_start_a_command(path: Path) -> None:
    meta, _ = read(path)
    assert meta["disable-model-invocation"] is True
    assert 20 < len(meta["description"]) < 120
    # A hint in square brackets without quotes would be a list, not a text.
    assert isinstance(meta.get("argument-hint", ""), str)


@named(COMMANDS)
def test_what_needs_the_humans_yes_is_never_allowed_beforehand(path: Path) -> None:
    rules = allowed(read(path)[0])
    for rule in rules:
        match = re.fullmatch(r"Bash\(rld ((?:run )?[a-z]+):\*\)", rule)
        assert match, "%s is wider than one verb of rld" % rule
        assert match.group(1).split()[0] not in NEVER_UNASKED
        assert match.group(1) not in ("run", "run abandon")
    assert len(rules) == len(set(rules))


@named(COMMANDS)
def test_an_inline_command_cannot_make_the_whole_command_vanish(path: Path) -> None:
    """The client does that, without a word, when an inline one is not allowed, has an expansion, or fails."""
    meta, body = read(path)
    inline = INLINE.findall(body)
    assert len(inline) == body.count("!`"), "one of them is not recognised by the client"
    assert len(inline) == len(set(inline)), "the client replaces only the first of two equal ones"
    for line in inline:
        verb, _, rest = line.partition(" || ")
        assert rest == "true"
        assert not set(verb) & set("$`(){}<>|&;*?~\"'\\")
        assert "Bash(%s:*)" % verb in allowed(meta)


@named(COMMANDS)
def test_the_client_expands_nothing_but_the_arguments(path: Path) -> None:
    _, body = read(path)
    assert body.replace("$ARGUMENTS", "", 1).count("$") == 0
    assert not re.search(r"(?:^|\s)@\S", body), "the client would attach a file"
    assert "```!" not in body


@pytest.mark.parametrize("name", [*DISTILLING, "rld-status"])
def test_these_bring_the_state_of_things_with_them(name: str) -> None:
    wanted = "rld status || true" if name == "rld-status" else "rld brief || true"
    assert INLINE.findall(read(ROOT / "commands" / (name + ".md"))[1]) == [wanted]


@named(SKILLS)
def test_a_skill_says_in_its_description_when_to_use_it(path: Path) -> None:
    meta, body = read(path)
    assert set(meta) == {"name", "description"}
    assert meta["name"] == path.parent.name and meta["name"] not in BUILT_IN
    assert "Use " in meta["description"] and re.match(r"[A-Z][a-z]+s ", meta["description"]), "third person"
    assert len(meta["description"]) < 500
    assert body.count("\n") <= 90


@pytest.mark.parametrize("name", ["run-plan", *DISTILLING])
def test_a_command_stays_short_enough_to_be_obeyed(name: str) -> None:
    assert len(body_of(name)) < 5000


# -- what they tell the model to run -------------------------------------------------------------------------


def told() -> list[Any]:
    """Every call of rld that a text shows or allows."""
    found: dict[str, set[str]] = {}
    for path in COMMANDS + SKILLS:
        meta, body = read(path)
        rules = [rule[len("Bash(") : -len(":*)")] for rule in allowed(meta) if rule]
        for line in code_in(body) + rules:
            line = line.split(" || ")[0].split(" <<")[0]
            if line.startswith("rld "):
                found.setdefault(line, set()).add(called(path))
    return [pytest.param(line, id="%s: %s" % ("+".join(sorted(found[line])), line)) for line in sorted(found)]


@pytest.mark.parametrize("line", told())
def test_what_the_texts_call_exists(line: str) -> None:
    words = shlex.split(line)[1:]
    assert words[0] in cli.VERBS
    command: click.Command = cli.Verbs().get_command(click.Context(cli.cli), words.pop(0))  # type: ignore[assignment]
    if isinstance(command, click.Group) and words:
        assert words[0] in command.commands
        command = command.commands[words.pop(0)]
    options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_the_entry_that_run_plan_shows_has_the_five_fields() -> None:
    body = read(ROOT / "commands" / "run-plan.md")[1]
    shown = body.split("<<'EOF'\n")[1].split("\nEOF\n")[0]
    _, fields = logbook.read_fields(shown)
    assert all(len(fields[key]) > 20 for key in ("facts", "worked", "rules", "pitfalls", "next"))


TASKS = "# Plan\n\n" + "".join("### Task %d: part %d\n\nText.\n\n" % (n, n) for n in range(1, 6))
APPENDIX = {"1": [], "2": ["1"], "3": ["1"], "4": ["2", "3"], "5": []}


def skill_fence(info: str) -> str:
    body = read(ROOT / "skills" / "plan-appendix" / "SKILL.md")[1]
    return re.search(r"^( *)```%s\n(.*?)^\1```$" % info, body, re.S | re.M).group(2)  # type: ignore[union-attr]


@pytest.mark.parametrize("info", ["markdown", "text"])
def test_the_appendix_that_the_skill_shows_is_read_as_meant(info: str) -> None:
    shown = skill_fence(info)
    found = plan.parse(TASKS + (shown if info == "markdown" else "```text\n%s```\n" % shown))
    assert {item.id: item.depends_on for item in found.items} == APPENDIX
    assert found.problems == []
    if info == "markdown":
        assert graph.ready(found.items, set()) == ["5", "1"]


@pytest.mark.parametrize(
    "more, parents",
    [
        ("**Depends on:** Tasks 1-3, 5", ["1", "2", "3", "5"]),
        ("```mermaid\ngraph TD\nT1[Task 1] --> T2[Task 2]\nT2 --> T6[Task 6]\n```", ["2"]),
        ("| Task | Depends on |\n|---|---|\n| 6 | 2, 3 |", ["2", "3"]),
        ("Parallel to Task 2, enables Task 3, see also Task 4.", []),
    ],
    ids=["line", "mermaid", "table", "no-edges"],
)
def test_the_other_forms_that_the_skill_names_are_read(more: str, parents: list[str]) -> None:
    items = plan.parse(TASKS + "### Task 6: part 6\n\n" + more + "\n").items
    assert {item.id: item.depends_on for item in items}["6"] == parents


@pytest.mark.parametrize(
    "code, text",
    [
        ("cycle", "### Task 1: a\n\n**Depends on:** Task 2\n\n### Task 2: b\n\n**Depends on:** Task 1\n"),
        ("unknown-parent", "### Task 1: a\n\n**Depends on:** Task 9\n"),
        ("duplicate-item", "### Task 1: a\n\n### Task 1: b\n"),
        ("self-dependency", "### Task 1: a\n\n**Depends on:** Task 1\n"),
        ("no-items", "Words.\n"),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_the_skill_explains_the_problems_that_a_plan_can_have(code: str, text: str) -> None:
    assert [problem[1] for problem in plan.parse(text).problems if problem[1] == code]
    assert "| `%s` |" % code in read(ROOT / "skills" / "plan-appendix" / "SKILL.md")[1]


# -- the rules of the method ---------------------------------------------------------------------------------

RUN = {
    "the goal is code and experience": "two products of equal worth: the code, and the experience",
    "the run is opened with plan and verify command": '`rld run start PLAN --verify "VERIFY COMMAND"`',
    "without arguments the open run goes on": "No arguments: `rld run start` resumes",
    "a verify command is not invented": "ask for one; never invent it",
    "the appendix is studied first": "Read the plan whole, the dependency graph in its appendix first",
    "no child before its parents": "Never start a child before all of its parents are done",
    "check boxes are no state": "whatever the plan's check boxes say",
    "earlier entries bind": "Distilled Rules and Pitfalls of earlier entries bind",
    "the post-mortem binds": "records of POST_MORTEM.md that touch the item, and keep to them",
    "one item": "ONE item, never several",
    "quick wins first": "quick wins come first",
    "say what will change before changing it": (
        "Before you touch a file, tell the human which item … exactly what will change"
    ),
    "maker, verifier, distill, report": "**Maker.** … **Verifier.** … **Distill.** … **Report and wait.**",
    "nothing beyond the item": "code of this item alone",
    "checks are run": "Run `rld verify`",
    "checks are not weakened": "never weaken a test or the verify command",
    "nothing is logged before the checks pass": "Nothing enters the journal before the checks pass",
    "logged while it is fresh": "at once, while you still know what did not work",
    "short report": "Five lines at most",
    "wait": "end your turn. The next item starts only after the human approves it",
    "facts": "[Verified Facts] the item, the files changed for it, the checks that passed",
    "worked": "[What Worked] approaches worth repeating",
    "rules": "[Distilled Rules] provisional rules … (imports, dependency injection, state)",
    "pitfalls": "[Pitfalls & What to Avoid] every compile error, dependency conflict or bug … the way around",
    "next": "[What's Next] the next atomic item, its prerequisites",
    "a correction is an item": "a correction of a logged item too, is an item with a new number",
    "nothing is invented": "Where there was nothing, say so; invent nothing",
    "quoted heredoc": "Quote `'EOF'` and let nothing follow it on its line: no pipe, no redirect",
    "the way out when it is blocked": (
        "scratch file outside the project and use `rld log --item 7 --file PATH`"
    ),
    "claims are the human's": "only when the human says that the verify command cannot judge",
    "approval is quoted, not made up": "only words that the human wrote",
    "the way on": "`rld run finish`, then tell the human that `/rld:compact`",
}
SHARED = {
    "the model writes candidates": "You write candidates; the human decides",
    "the file is not edited": "Never edit POST_MORTEM.md yourself",
    "the order is fixed": "Keep the order of the steps",
    "work types": "[feature], [refactor], [redesign], [deploy], [debug] or [mixed]",
    "lessons go into the global sections": "lessons go into the global sections",
    "changes with their why": "(decision): what changed in the structure and why",
    "guardrails are hard and justified": (
        "(guardrail): … Hard standards, numbered by rld: one MUST or FORBIDDEN each, its reason"
    ),
    "guardrails have a scope": "its scope in paths",
    "repair guides": (
        "repair guide: symptom word for word, root cause, the exact commands that diagnose it, fix"
    ),
    "no credentials": "No credential in a command",
    "debt with a trigger": "(debt): … what should trigger",
    "amend before add": "amend or merge the record that is there before you add",
    "repeal": "repeal what this … disproved",
    "evidence": "Each candidate names its evidence",
    "no superstition from a single incident": (
        "What happened once is a pitfall; it is a guardrail when its cause is structural"
    ),
    "no limit, and no padding": (
        "No quota and no upper limit: take every insight without which a later session would go wrong"
    ),
    "the warning": "warns above about five: then test each again, and keep those that pass",
    "nothing learned is an answer": "Nothing learned: say so and propose nothing",
    "quoted heredoc": "quoted heredoc (`<<'EOF'`), with nothing after it on its line",
    "the way out when it is blocked": "scratch file outside the project and run `rld propose FILE`",
    "the human sees the table": "ranked table of `rld review` into your answer",
    "record by record": "a yes, or a no with its reason, for every record, and end your turn",
    "never for the human": "Never decide for the human",
    "silence is no answer": "without an answer is neither accepted nor rejected",
    "only then apply": 'Then run exactly what was said: `rld apply --accept 1,3 --reject 2:"reason"`',
    "the client's question is wanted": "The client asks the human about that command, and should",
    "the pointer": "the pointer to POST_MORTEM.md on its first line",
    "leaks are named": "leaked in … name each to the human with its line number",
    "only with a yes": "only the lines that get a yes",
    "configuration is no lesson": (
        "Path maps, environment constraints and conventions are configuration, not lessons: they stay"
    ),
    "over-cleaning": "Over-cleaning this file does more harm",
}
COMPACT = {
    "only when everything is done": (
        "Every item of the plan has an entry, and `rld verify` passes now … and stop"
    ),
    "state": "where mutable state is forbidden",
    "nobody undoes it": "so that no later session undoes it",
    "what the entry point holds": (
        "a short project description, the basic commands (run, test, build) and the pointer"
    ),
    "statuses, logs, steps": "Temporary statuses, log lines and plan steps that leaked in",
    "the journal is archived": "archives the journal",
    "the structure is shown": "Show how POST_MORTEM.md is built now: its sections, and the records in each",
}
DISTILL = {
    "the whole session": (
        "The entire session, not its last hour: the conversation, the files that changed … the bugs that "
        "were solved"
    ),
    "find or create": "Find POST_MORTEM.md (the first applied proposal creates it)",
    "integrate with care": "Integrate with care",
    "files, dependencies, patterns": "files split, dependencies replaced, patterns applied",
    "what rules are about": "rules for code, imports, state or the design system",
    "what traps are": "every bug, compile error or library conflict that was not obvious, why it happened",
    "loose ends": "loose ends to finish, refactor or cover with tests",
    "only present commands": "free of process logs, hold only commands that still work",
    "ranked summary": "short ranked summary, weightiest first: which rules and pitfalls went into memory",
    "an earlier session": "`rld brief --last` or `rld brief --session ID`",
    "no invented motive": "invent no motive",
}


def rules(**tables: dict[str, str]) -> Any:
    rows = [(name, rule, table[rule]) for name, table in tables.items() for rule in table]
    params = [pytest.param(name, phrase, id="%s: %s" % (name, rule)) for name, rule, phrase in rows]
    return pytest.mark.parametrize("name, phrase", params)


def says(text: str, phrase: str) -> bool:
    """Does a text say this? A dots character in the phrase stands for any words; capitals do not matter."""
    at = 0
    for part in phrase.lower().split(" … "):
        at = text.lower().find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


@rules(run_plan=RUN, compact={**SHARED, **COMPACT}, distill={**SHARED, **DISTILL})
def test_every_rule_of_the_method_is_there(name: str, phrase: str) -> None:
    assert says(body_of(name.replace("_", "-")), phrase)


@pytest.mark.parametrize("name", DISTILLING)
def test_the_steps_come_in_the_order_in_which_they_must_happen(name: str) -> None:
    heads = re.findall(r"^## (\d)\. (.*)$", read(ROOT / "commands" / (name + ".md"))[1], re.M)
    assert [number for number, _ in heads] == list("123456")
    wanted = ["Candidates", "Propose", "The human decides", "The entry point"]
    assert [title for _, title in heads][1:5] == wanted


CASE_LAW = {
    "read what matches": "records whose scope matches the files you will touch",
    "cite where it decides": "Cite where a record decided something … (Guardrail 4)",
    "and only there": "No citation for code that merely complies",
    "review": "This violates guardrail 3",
    "symptom first": "Before any guess, look for the error's own words among the symptoms",
    "diagnose before fixing": "run its Diagnose command first",
    "conflict": "show the human both, with numbers",
    "over-fitted": "generalises what one version of a library did",
    "no longer valid": "its `Valid while` is no longer true",
    "nothing left to guard": "the code it guards is gone | repeal",
    "propose": "`rld propose` in the form that `rld brief` prints",
    "never edit": "Never edit POST_MORTEM.md itself",
}
APPENDICES = {
    "any tool": "Whatever tool wrote the plan, leave its text as it is and append",
    "ids stay": "never renumber",
    "quick wins": "## Quick wins",
    "one verifiable change": "One item is one verifiable change",
    "checked": "`rld plan check PLAN`, then `rld plan next PLAN`",
}


@rules(case_law=CASE_LAW, plan_appendix=APPENDICES)
def test_every_rule_of_a_skill_is_there(name: str, phrase: str) -> None:
    body = read(ROOT / "skills" / name.replace("_", "-") / "SKILL.md")[1]
    assert says(" ".join(body.split()), phrase)
