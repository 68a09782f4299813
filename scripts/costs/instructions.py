"""Instructions of hooks beside a bare interpreter, counted by valgrind: the same on every run of a busy machine, too.

The interpreter is started with `-s -S` and a fixed hash seed instead of `-I`, which would ignore the seed; processes
that a hook starts are not counted.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from costs.stage import ROOT, Broken, Scene, Stage

FILE = ROOT / "benchmarks/instructions.json"
SLACK = 1.05  # times what is on record: the C library and the place of the files move a count by a hundredth
_FLAGS = ("-s", "-S")
_VALGRIND = ("valgrind", "--tool=callgrind", "--callgrind-out-file=" + os.devnull)
_COUNT = re.compile(rb"Collected : (\d+)")


def missing() -> str:
    """Why instructions cannot be counted here, "" when they can."""
    return "" if shutil.which(_VALGRIND[0]) else "valgrind is not installed"


def count(command: list[str], payload: bytes, folder: Path, env: dict[str, str]) -> int:
    done = subprocess.run(
        [*_VALGRIND, *command],
        input=payload,
        cwd=folder,
        env={**env, "PYTHONHASHSEED": "0"},
        capture_output=True,
        check=False,
    )
    found = _COUNT.search(done.stderr)
    if found is None:
        raise Broken("valgrind counted nothing: %s" % done.stderr.decode("utf-8", "replace")[-500:])
    return int(found.group(1))


def ratios(stage: Stage, scenes: list[Scene]) -> dict[str, float]:
    """Situation to its instructions, divided by those of a bare interpreter; two at once."""

    def one(scene: Scene | None) -> int:
        if scene is None:
            return count([stage.python, *_FLAGS, "-c", "pass"], b"", stage.folder, stage.environment(stage.folder))
        scene.reset()
        return count(scene.python(*_FLAGS), scene.payload, scene.folder, scene.env)

    with ThreadPoolExecutor(2) as pool:
        base, *counts = pool.map(one, [None, *scenes])
    return {scene.situation.key: round(each / base, 3) for scene, each in zip(scenes, counts)}


def build() -> str:
    """The Python that runs this, as it stands in the file: the same version built otherwise counts otherwise."""
    return "%s, %s" % (platform.python_version(), platform.python_compiler())


def recorded() -> dict[str, dict[str, float]]:
    """Build of Python to situation to ratio."""
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else "{}"
    return {name: dict(values) for name, values in json.loads(text).items()}


def record(name: str, found: dict[str, float]) -> None:
    """Put the ratios of a build of Python in place of those on record."""
    FILE.write_text(json.dumps({**recorded(), name: found}, indent=2) + "\n", encoding="utf-8")


def limits(name: str) -> dict[str, float]:
    """What may be counted at most on a build of Python; on one that nobody recorded, somewhat more than on any."""
    every = recorded()
    if name in every:
        return {key: ratio * SLACK for key, ratio in every[name].items()}
    keys = {key for values in every.values() for key in values}
    return {key: max(values.get(key, 0.0) for values in every.values()) * SLACK * SLACK for key in keys}
