"""The situations that hooks are measured in, with the bars of those that have one.

A figure is CPU of everything the hook starts, divided by that of a bare interpreter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from costs import material
from costs.material import LARGE, SMALL, VERIFY, bash, edit, failure, prompt, read, start, write

FAR = 1.5  # times its bar: what no noise of a busy machine explains

Call = tuple[str, "dict[str, object]"]  # an event, and the fields of its payload


@dataclass(frozen=True)
class Situation:
    """One call of a hook, and what came before it.

    `says`: words that are in the answer, "" for a hook that keeps silent. `size`: bytes of the post-mortem, 0 for a
    project that does not use the method. `run`: there is a plan and its open journal. `before`: calls of the same
    session. `made_anew`: why the digest is not the kept one: "change" (the post-mortem was changed and committed) or
    "state" (nothing is kept). `earlier`: how many sessions left evidence that waits to be distilled.
    `cold`: the compiled modules are deleted. `shim`: the `python3` on PATH is a slow script. `counted`: in CI, by
    instructions.
    """

    key: str
    name: str
    call: Call
    bar: float | None = None
    says: str = ""
    size: int = SMALL
    run: bool = False
    before: tuple[Call, ...] = field(default=())
    made_anew: str = ""
    earlier: int = 0
    cold: bool = False
    shim: bool = False
    counted: bool = False

    @property
    def event(self) -> str:
        return self.call[0]


def used(tool: dict[str, object]) -> Call:
    return "PostToolUse", tool


def failed(tool: dict[str, object]) -> Call:
    return "PostToolUseFailure", tool


def said(words: str) -> Call:
    return "UserPromptSubmit", prompt(words)


OUTPUT = "tests 31, pass 31\n"
ERROR = "  at line 3\n" * 40
SCOPED, OTHER = "planner/part3/main.py", "lib/main.py"
GUARDRAIL = "Guardrail 3"
NEWEST = "Guardrail %d" % (LARGE // 1000 - 1)  # of a large file only the newest ones have room

STARTED: Call = ("SessionStart", start())
BOUND = said("/run-plan docs/plan.md")
PASSED = used(bash(VERIFY, OUTPUT))
TURN: Call = ("Stop", {"stop_hook_active": False})
LESSON = (used(edit(OTHER)), failed(failure("make", ERROR)), used(bash("make")))


def _starts(key: str, file: str, how: str, bar: float | None = None, **more: object) -> Situation:
    """A session start; without `made_anew` there was one before, whose digest is kept."""
    values: dict[str, object] = {"says": GUARDRAIL, "before": () if "made_anew" in more else (STARTED,), **more}
    name = "SessionStart, %s post-mortem, %s" % (file, how)
    return Situation(key, name, STARTED, bar, **values)  # type: ignore[arg-type]


SITUATIONS = (
    Situation("not-used", "project that does not use the method", used(bash("ls")), 0.25, size=0),
    Situation("irrelevant", "PostToolUse, irrelevant call", used(bash("ls -la", OUTPUT)), 1.3, counted=True),
    Situation("verify", "PostToolUse, verify with an append", PASSED, 1.5, run=True, before=(STARTED,), counted=True),
    Situation(
        "nudge", "PostToolUse, verify in a run, with the nudge", PASSED,
        says="rld log --item 1", run=True, before=(STARTED, BOUND),
    ),
    Situation("read", "PostToolUse, Read of a file in no scope", used(read(OTHER)), 1.3),
    Situation("scoped", "PostToolUse, Read of a file in a scope, with its records", used(read(SCOPED)), says=GUARDRAIL),
    Situation(
        "scoped-again", "PostToolUse, Read of a file in a scope, once more", used(read(SCOPED)),
        before=(STARTED, used(read(SCOPED))),
    ),
    Situation("edit", "PostToolUse, Edit of a file in no scope, with an append", used(edit(OTHER))),
    Situation(
        "wide", "PostToolUse, Write of 200 KB (425 KB payload)", used(write(OTHER, "x = 1\n" * 33_000)), 1.6,
        counted=True,
    ),
    Situation(
        "failure", "PostToolUseFailure, 58 KB post-mortem", failed(failure(VERIFY, ERROR)), 1.6, counted=True
    ),
    Situation(
        "repair", "PostToolUseFailure, a known symptom, with its repair guide",
        failed(failure("make labels", ERROR + "label printer %s is offline" % material.word(60))), says="Pitfall %d" % 60,
    ),
    Situation(
        "protect", "PreToolUse, Edit of the post-mortem, denied", ("PreToolUse", edit("POST_MORTEM.md")), says='"deny"'
    ),
    Situation("markdown", "PreToolUse, Edit of another Markdown file", ("PreToolUse", edit("README.md"))),
    Situation("prompt", "UserPromptSubmit", said("go on")),
    Situation(
        "prompt-file", "UserPromptSubmit, names a file in a scope, with its records", said("look at %s again" % SCOPED),
        says=GUARDRAIL,
    ),
    Situation("stop", "Stop", TURN, 1.3, before=(used(edit(OTHER)),), counted=True),
    Situation(
        "stop-asks", "Stop, verified work without an entry", TURN,
        says='"block"', run=True, before=(STARTED, BOUND, PASSED),
    ),
    Situation(
        "subagent", "SubagentStart, 58 KB post-mortem",
        ("SubagentStart", {"agent_id": "a1", "agent_type": "Explore"}), says=GUARDRAIL,
    ),
    Situation(
        "compact", "PreCompact, with lessons", ("PreCompact", {"trigger": "auto"}), says="`make` failed", before=LESSON
    ),
    Situation("end", "SessionEnd", ("SessionEnd", {"reason": "other"}), before=(STARTED,)),
    _starts("start", "58 KB", "warm", 1.5, counted=True),
    _starts("start-cold", "58 KB", "cold", 2.2, cold=True, counted=True),
    _starts("start-anew", "58 KB", "changed since", made_anew="change", counted=True),
    _starts("start-first", "58 KB", "cold, the first of all", made_anew="state", cold=True),
    _starts("start-earlier", "58 KB", "20 earlier sessions", says="20 earlier sessions", earlier=20),
    _starts("start-large", "1 MB", "warm", 2.5, says=NEWEST, size=LARGE, counted=True),
    _starts("start-large-cold", "1 MB", "cold", 3.2, says=NEWEST, size=LARGE, cold=True),
    _starts("start-large-anew", "1 MB", "changed since", says=NEWEST, size=LARGE, made_anew="change"),
    Situation("resume", "SessionStart, resumed, nothing new", ("SessionStart", start("resume")), before=(STARTED,)),
    Situation("shim", "PostToolUse, `python3` is a slow shim", used(bash("ls", OUTPUT)), 1.5, shim=True),
)  # fmt: skip
