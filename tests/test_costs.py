"""What hooks cost, by things that can be counted: modules, processes, instructions. Times are for scripts/bench (Decision 6)."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from costs import history, instructions, modules, session, timing
from costs.situations import FAR, SITUATIONS
from costs.stage import Broken, Scene, Stage

ROOT = Path(__file__).resolve().parent.parent
PYTHON = os.path.realpath(os.path.join(sys.base_prefix, "bin", "python3"))
# Beside our own modules: the scanner of JSON, and the checksum of a post-mortem that nobody looked at yet.
C_MODULES = {"! _json", "! _sha1"}

pytestmark = pytest.mark.skipif(not os.path.exists("/bin/sh"), reason="needs a POSIX sh")


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    return Stage(tmp_path_factory.mktemp("costs"), PYTHON)


@pytest.fixture(scope="module")
def scene_of(stage):
    """A situation, set up once and seen to be what it says."""
    made = {}

    def of(situation):
        if situation.key not in made:
            made[situation.key] = Scene(stage, situation)
            made[situation.key].check()
        return made[situation.key]

    return of


def named(situation):
    return situation.key


def test_every_hook_is_measured():
    hooks = json.loads((ROOT / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert {situation.event for situation in SITUATIONS} == set(hooks)


@pytest.mark.parametrize("situation", SITUATIONS, ids=named)
def test_a_hook_answers_what_its_situation_says(scene_of, situation):
    scene_of(situation).check()


def test_a_hook_that_answers_something_else_is_not_measured(stage, scene_of):
    log = scene_of(next(each for each in SITUATIONS if each.key == "end")).state / "errors.log"
    log.write_text("session_end.py ZeroDivisionError\n", encoding="utf-8")
    with pytest.raises(Broken, match="ZeroDivisionError"):
        Scene.check(scene_of(next(each for each in SITUATIONS if each.key == "end")))
    log.unlink()


# -- modules -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("situation", [each for each in SITUATIONS if modules.tells(each)], ids=named)
def test_a_hook_loads_no_more_modules_than_are_on_record(scene_of, situation):
    found = set(modules.loaded(scene_of(situation)))
    assert {name for name in found if name.startswith("! ")} <= C_MODULES
    more = found - set(modules.recorded()[situation.key])
    assert not more, "new here: %s. If it needs them: scripts/bench --modules --record" % ", ".join(sorted(more))


def test_the_record_of_modules_names_situations_and_modules_that_exist():
    recorded = modules.recorded()
    assert set(recorded) == {situation.key for situation in SITUATIONS if modules.tells(situation)}
    for name in {name for names in recorded.values() for name in names} - C_MODULES:
        path = ROOT / "scripts/rld" / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or path.is_dir(), name


# -- processes -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to see what is started")
@pytest.mark.parametrize("situation", SITUATIONS, ids=named)
def test_a_hook_starts_at_most_one_python_and_else_only_git(scene_of, situation):
    scene = scene_of(situation)
    trace = scene.folder / ".git/trace"
    tracer = ["strace", "-f", "-qq", "-e", "trace=execve", "-o", str(trace)]
    if subprocess.run([*tracer, "/bin/true"], capture_output=True).returncode:
        pytest.skip("strace may not trace here")
    scene.reset()
    scene.fire([*tracer, *scene.shell], scene.payload)
    rows = [row for row in trace.read_text("utf-8").splitlines() if "execve(" in row and row.endswith(" = 0")]
    started = [os.path.basename(row.split('"')[1]) for row in rows]
    shell, *others = started
    pythons = [name for name in others if name != "git"]
    assert (
        shell == "sh" and len(pythons) == (1 if situation.size else 0) and all(n.startswith("python") for n in pythons)
    )
    assert len(others) - len(pythons) <= (2 if situation.made_anew else 1 if situation.says else 0)


# -- instructions --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(bool(instructions.missing()), reason=instructions.missing())
def test_no_hook_takes_a_twentieth_more_instructions_than_are_on_record(stage, scene_of):
    scenes = [scene_of(situation) for situation in SITUATIONS if situation.counted]
    found = instructions.ratios(stage, scenes)
    limits = instructions.limits(instructions.build())
    assert set(found) == set(limits)
    over = ["%s %.3f > %.3f" % (key, found[key], limits[key]) for key in found if found[key] > limits[key]]
    assert not over, "%s. If it has to be: scripts/bench --instructions --record" % "; ".join(over)


def test_a_python_that_nobody_counted_has_the_widest_limits():
    recorded = instructions.recorded()
    unknown = instructions.limits("4.0.0, a compiler to come")
    for name in recorded:
        for key, limit in instructions.limits(name).items():
            assert recorded[name][key] < limit < unknown[key]


# -- times ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_hook_is_far_over_its_bar():
    command = [sys.executable, str(ROOT / "scripts/bench"), "--rounds", "5", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [row.split(" | ")[0].lstrip("| ") for row in done.stdout.splitlines()[2:]]
    assert rows == [situation.name for situation in SITUATIONS]


def test_noise_is_measured_again_and_what_stays_far_over_its_bar_fails(monkeypatch):
    slow, busy, fine = [situation for situation in SITUATIONS if situation.bar][:3]
    rows = [timing.Row(each, factor * each.bar, 1.0) for each, factor in ((slow, 2), (busy, 3), (fine, FAR - 0.1))]
    again = {slow.key: 2.5, busy.key: 1.1}
    asked = []

    def measure(stage, scenes, rounds):
        asked.extend(scene.situation for scene in scenes)
        return [timing.Row(scene.situation, again[scene.situation.key] * scene.situation.bar, 1.0) for scene in scenes]

    monkeypatch.setattr(timing, "measure", measure)
    scenes = [type("", (), {"situation": each})() for each in (slow, busy, fine)]
    found = timing.once_more(None, scenes, rows, 5)
    assert asked == [slow, busy]
    assert [row.situation for row in found if row.far] == [slow]
    assert [round(row.ratio / row.situation.bar, 2) for row in found] == [2, 1.1, FAR - 0.1]


def run_of(day, **ratios):
    named = {"date": "2026-01-0%d" % day, "commit": "c%d" % day, "python": "3.11.7", "machine": "m", "load": [0.1]}
    return {**named, "ratios": ratios}


def test_a_figure_that_moved_by_more_than_a_tenth_is_marked():
    runs = [run_of(1, stop=1.0, read=1.0), run_of(2, stop=1.2, read=1.05), run_of(3, stop=1.2, new=2.0)]
    text = history.table(runs, 2)
    rows = {row.split()[0]: row.split()[1:] for row in text.splitlines() if row}
    assert rows["stop"] == ["+20%", "1.20", "1.20"]
    assert rows["read"] == ["1.05", "-"] and rows["new"] == ["-", "2.00"]
    assert rows["1"][1] == "c2" and "c1" not in text


def test_every_line_of_the_history_is_a_run_of_known_situations():
    for run in history.runs():
        assert {"date", "commit", "python", "machine", "kernel", "rounds", "load", "ratios"} <= set(run)
        assert run["ratios"] and all(ratio > 0 for ratio in run["ratios"].values())


def test_a_session_is_two_hundred_calls_of_the_usual_kinds():
    kinds = [kind for kind, _ in session.calls()]
    shares = {name: sum(kind.startswith(name) for kind in kinds) for name in ("prompt", "Read", "Edit", "Bash", "Stop")}
    assert shares == {"prompt": 20, "Read": 60, "Edit": 40, "Bash": 70, "Stop": 9}
    assert kinds[0] == "SessionStart" and len(kinds) == session.BLOCKS * session.CALLS
    bare, ratios = [0.01] * 200, [1.0] * 20 + [1.1] * 180
    text = session.report(
        [session.Played(kinds, [0.01 * each for each in ratios], bare, 2048)], {"Read": 2048, "Stop": 3072}
    )
    assert "200 calls: 2.18 s of CPU, 10.9 ms and 1.09 bare interpreters a call" in text
    assert "last 20 calls beside the first 20: +10.0 %" in text
    assert "most memory: 3.0 MB (Stop)" in text and "evidence: 2.0 KB" in text
