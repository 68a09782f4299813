"""What was measured before: one line of JSON a run, in a file that is committed."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from typing import Any

from costs.stage import ROOT
from costs.timing import Row

FILE = ROOT / "benchmarks/history.jsonl"
MOVED = 0.10  # of a ratio: less is noise


def record(rows: list[Row], counted: dict[str, float], rounds: int, load: tuple[float, float, float]) -> None:
    """Append a run. `load`: that of the machine when the run began."""
    run: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": _machine(),
        "kernel": platform.release(),
        "rounds": rounds,
        "load": [round(each, 2) for each in load],
        "ratios": {row.situation.key: row.ratio for row in rows},
    }
    if counted:
        run["instructions"] = counted
    FILE.parent.mkdir(exist_ok=True)
    with open(FILE, "a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")


def runs() -> list[dict[str, Any]]:
    """Every run on record, oldest first."""
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else ""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def table(found: list[dict[str, Any]], last: int) -> str:
    """The last runs beside each other; a figure that moved by more than a tenth from the run before has a mark."""
    shown = found[-last:]
    if not shown:
        return "no run is on record: scripts/bench --record"
    before = found[-last - 1] if len(found) > last else None
    lines = ["%2d  %s  %-12s Python %-7s load %.2f  %s" % (
        at, run["date"], run["commit"], run["python"], run["load"][0], run["machine"],
    ) for at, run in enumerate(shown, 1)]  # fmt: skip
    for what, title in (("ratios", "CPU"), ("instructions", "instructions")):
        keys = list(dict.fromkeys(key for run in shown for key in run.get(what, {})))
        if keys:
            lines += ["", title.ljust(20) + "".join("%9d " % at for at in range(1, len(shown) + 1))]
        for key in keys:
            cells = [_cell(run, old, what, key) for old, run in zip([before, *shown], shown)]
            lines.append(key.ljust(20) + "".join(cells).rstrip())
    return "\n".join(lines)


def _cell(run: dict[str, Any], old: dict[str, Any] | None, what: str, key: str) -> str:
    now = run.get(what, {}).get(key)
    if now is None:
        return "        - "
    then = (old or {}).get(what, {}).get(key)
    mark = "" if not then or abs(now / then - 1) <= MOVED else "%+.0f%%" % (100 * (now / then - 1))
    return "%5s%5.2f" % (mark, now)


def _commit() -> str:
    """The commit that is measured, with a `+` when files differ from it; "" without git."""
    words = ["git", "describe", "--always", "--dirty=+", "--abbrev=8", "--exclude=*"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False, text=True)
    return done.stdout.strip()


def _machine() -> str:
    """What the processor calls itself, and how many there are."""
    name = platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), name)
    return "%s x %s" % (os.cpu_count(), name)
