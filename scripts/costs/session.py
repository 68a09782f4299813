"""A session of 200 tool calls, played hook by hook: what it costs in all, and whether later calls cost more."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from costs import material, timing
from costs.material import SMALL, VERIFY, bash, edit, failure, prompt, read, start
from costs.situations import Call, Situation
from costs.stage import Scene, Stage

BLOCKS = 10
CALLS = 20  # of a block
_PEAK = Path(__file__).with_name("peak.py")


@dataclass(frozen=True)
class Played:
    """One session: per call the seconds of CPU of the hook and of a bare interpreter at the time; and what it left."""

    kinds: list[str]
    cpu: list[float]
    bare: list[float]
    evidence: int  # bytes

    @property
    def ratios(self) -> list[float]:
        return [used / base for used, base in zip(self.cpu, self.bare)]


def block(at: int) -> Iterator[tuple[str, Call]]:
    """Twenty calls: two prompts, six reads, four edits, seven commands, and the end of a turn."""
    part = at * 3 + 1
    scoped = ["planner/part%d/main.py" % (part + n) for n in range(3)]
    other = ["lib/block%d/%d.py" % (at, n) for n in range(6)]
    used = "PostToolUse"
    if not at:
        yield "SessionStart", ("SessionStart", start())
    yield "prompt", ("UserPromptSubmit", prompt("go on with the plan" if at else "/run-plan docs/plan.md"))
    yield "Read", (used, read(other[0]))
    yield "Read in a scope", (used, read(scoped[0]))
    yield "Read", (used, read(other[1]))
    yield "Edit", (used, edit(other[1]))
    yield "Bash", (used, bash("ls -la lib", "a\nb\n"))
    yield "Bash fails", ("PostToolUseFailure", failure("make block%d" % at, "  at line 3\n" * 30))
    yield "Edit", (used, edit(other[2]))
    yield "Bash", (used, bash("make block%d" % at, "ok\n"))
    yield "Bash", (used, bash("git status", "clean\n"))
    yield "prompt names a file", ("UserPromptSubmit", prompt("have a look at %s" % scoped[1]))
    yield "Read in a scope", (used, read(scoped[2]))
    yield "Read", (used, read(other[3]))
    yield "Read", (used, read(other[4]))
    yield "Edit", (used, edit(other[4]))
    yield "Edit in a scope", (used, edit(scoped[2]))
    yield "Bash verifies", (used, bash(VERIFY, "tests 31, pass 31\n"))
    yield "Bash", (used, bash("git diff --stat", " 4 files changed\n"))
    yield "Bash", (used, bash("grep -rn x lib", "lib/a.py:1\n" * 50))
    if at:
        yield "Stop", ("Stop", {"stop_hook_active": False})


def calls() -> list[tuple[str, Call]]:
    return [each for at in range(BLOCKS) for each in block(at)]


def _scene(stage: Stage, key: str) -> Scene:
    scene = Scene(
        stage, Situation(key, "a session", ("SessionStart", start()), size=SMALL, run=True, made_anew="state")
    )
    for at in range(BLOCKS):
        path = scene.folder / ("planner/part%d/main.py" % (at * 3 + 2))  # a prompt names it
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")
    return scene


def play(stage: Stage, sessions: int) -> list[Played]:
    """The session, several times from its beginning, on warm modules."""
    scene = _scene(stage, "session")
    found = []
    for turn in range(sessions + 1):
        scene.reset()
        played = Played([], [], [], 0)
        base = 0.0
        for at, (kind, call) in enumerate(calls()):
            if at % 5 == 0:
                base = statistics.median(timing.bare(stage) for _ in range(3))
            played.kinds.append(kind)
            played.cpu.append(
                timing.cpu(["/bin/sh", "-c", stage.command(call)], scene.of(call), scene.folder, scene.env)
            )
            played.bare.append(base)
        file = scene.state / "evidence" / (material.SESSION + ".jsonl")
        if turn:  # the first one compiled the modules
            found.append(Played(played.kinds, played.cpu, played.bare, file.stat().st_size))
    return found


def peaks(stage: Stage) -> dict[str, int]:
    """Kind of call to the most memory (KiB) of one of its hooks, the shell that becomes it included."""
    scene = _scene(stage, "session-peaks")
    scene.reset()
    result = stage.folder / "peak"
    found: dict[str, int] = {}
    for kind, call in calls():
        command = [stage.python, "-I", "-S", str(_PEAK), str(result), "/bin/sh", "-c", stage.command(call)]
        scene.fire(command, scene.of(call))
        found[kind] = max(found.get(kind, 0), int(result.read_text(encoding="ascii")))
    return found


def report(found: list[Played], peak: dict[str, int]) -> str:
    """The figures as text: medians of the sessions, call by call."""
    kinds = found[0].kinds
    ratios = [statistics.median(each) for each in zip(*(played.ratios for played in found))]
    seconds = [statistics.median(each) for each in zip(*(played.cpu for played in found))]
    lines = ["| call | times | CPU, bare interpreter = 1 | first 20 calls | last 20 calls |", "|---|---|---|---|---|"]
    for kind in dict.fromkeys(kinds):
        cells = []
        for part in (range(len(kinds)), range(CALLS), range(len(kinds) - CALLS, len(kinds))):
            values = [ratios[at] for at in part if kinds[at] == kind]
            cells.append("%.2f" % statistics.mean(values) if values else "")
        lines.append("| %s | %d | %s |" % (kind, kinds.count(kind), " | ".join(cells)))
    first, last = sum(ratios[1:CALLS]), sum(ratios[-CALLS:-1])  # without the start and the end of a turn
    largest = max(peak, key=lambda kind: peak[kind])
    return "\n".join([
        *lines, "",
        "%d calls: %.2f s of CPU, %.1f ms and %.2f bare interpreters a call" % (
            len(kinds), sum(seconds), 1000 * statistics.mean(seconds), statistics.mean(ratios),
        ),
        "last 20 calls beside the first 20: %+.1f %%" % (100 * (last / first - 1)),
        "most memory: %.1f MB (%s)" % (peak[largest] / 1024, largest),
        "evidence: %.1f KB" % (found[0].evidence / 1024),
    ])  # fmt: skip
