"""Which modules a hook loads beyond those of a bare interpreter."""

from __future__ import annotations

import json
import subprocess
import sys

from costs.situations import Situation
from costs.stage import ROOT, Scene

FILE = ROOT / "benchmarks/modules.json"


def tells(situation: Situation) -> bool:
    """Do its modules say something that those of no other situation say?"""
    return situation.size > 0 and not situation.cold and not situation.shim


def loaded(scene: Scene) -> list[str]:
    """The modules in order of their names: ours without `rld.`, and others that are not built in."""
    scene.reset()
    flags = ("-I", "-S", "-X", "importtime")
    more = _named(scene, scene.python(*flags)) - _named(scene, [scene.stage.python, *flags, "-c", "pass"])
    more -= {"rld", *sys.builtin_module_names}
    return sorted(name[4:] if name.startswith("rld.") else "! " + name for name in more)


def _named(scene: Scene, command: list[str]) -> set[str]:
    done = subprocess.run(
        command, input=scene.payload, cwd=scene.folder, env=scene.env, capture_output=True, check=True
    )
    rows = [row for row in done.stderr.decode("utf-8").splitlines() if row.startswith("import time:")]
    return {row.rpartition("|")[2].strip() for row in rows} - {"imported package"}


def recorded() -> dict[str, list[str]]:
    """Situation to the modules that it may load."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {}


def record(found: dict[str, list[str]]) -> None:
    rows = ["  %s: %s" % (json.dumps(key), json.dumps(names)) for key, names in found.items()]
    FILE.write_text("{\n%s\n}\n" % ",\n".join(rows), encoding="utf-8")
