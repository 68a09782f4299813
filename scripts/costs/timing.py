"""CPU of hooks beside a bare interpreter, timed in the same round."""

from __future__ import annotations

import resource
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from costs.situations import FAR, Situation
from costs.stage import Scene, Stage

BARE = ("-I", "-S", "-c", "pass")
_WARMING = 2  # rounds that do not count
_BARE_EVERY = 8  # situations: a busy machine changes its mind within a round


@dataclass(frozen=True)
class Row:
    """What one situation costs: `ratio` to a bare interpreter, `wall` in milliseconds; medians of the rounds."""

    situation: Situation
    ratio: float
    wall: float

    @property
    def far(self) -> bool:
        """Is it so far over its bar that noise does not explain it?"""
        return self.situation.bar is not None and self.ratio > FAR * self.situation.bar


def cpu(command: list[str], payload: bytes, folder: Path, env: dict[str, str]) -> float:
    """Seconds of CPU (user and system) of a command and of everything it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as child:
        try:
            child.communicate(payload)
        except BrokenPipeError:
            pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def bare(stage: Stage) -> float:
    """Seconds of CPU of an interpreter that starts and does nothing."""
    return cpu([stage.python, *BARE], b"", stage.folder, stage.environment(stage.folder))


def measure(stage: Stage, scenes: list[Scene], rounds: int) -> list[Row]:
    """The rows of the scenes, each of which was checked before."""
    ratios: dict[str, list[float]] = {scene.situation.key: [] for scene in scenes}
    walls: dict[str, list[float]] = {scene.situation.key: [] for scene in scenes}
    for at in range(_WARMING + rounds):
        bases: list[float] = []
        spent: list[tuple[str, float, float]] = []
        for place, scene in enumerate(scenes):
            if place % _BARE_EVERY == 0:
                bases.append(bare(stage))
            scene.reset()
            began = time.perf_counter()
            used = cpu(scene.shell, scene.payload, scene.folder, scene.env)
            spent.append((scene.situation.key, used, time.perf_counter() - began))
        for key, used, wall in spent if at >= _WARMING else []:
            ratios[key].append(used / statistics.median(bases))
            walls[key].append(wall * 1000)
    found = []
    for scene in scenes:
        key = scene.situation.key
        found.append(
            Row(scene.situation, round(statistics.median(ratios[key]), 2), round(statistics.median(walls[key]), 1))
        )
    return found


def once_more(stage: Stage, scenes: list[Scene], rows: list[Row], rounds: int) -> list[Row]:
    """The rows, those that are far over their bars measured again: the better of two counts, as noise only adds."""
    far = [row.situation.key for row in rows if row.far]
    again = measure(stage, [scene for scene in scenes if scene.situation.key in far], 2 * rounds) if far else []
    better = {row.situation.key: row for row in again}
    return [min(row, better.get(row.situation.key, row), key=lambda each: each.ratio) for row in rows]
