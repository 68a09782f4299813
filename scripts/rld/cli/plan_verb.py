"""rld plan: read a plan of any kind."""

from __future__ import annotations

import click

from rld import errors, graph, plan, progress, runs, textfile
from rld.cli import base
from rld.errors import Problem, Refused


@click.group(epilog="Example: rld plan next docs/plans/store.md")
def command() -> None:
    """Read a plan: its items, what blocks what, what can be done next."""


def _load(here: base.Here, file: str | None) -> tuple[str, plan.Plan, set[str]]:
    """The plan's path, the plan, and the items that its journal says are done."""
    run = runs.find(here.project, here.settings.worklog)
    if file is None:
        if run is None:
            raise Refused("no run is open: name the plan, `rld plan next PLAN`")
        file = run.plan
    path = here.path(file)
    if not path.is_file():
        raise Refused(Problem("there is no such plan", file=file))
    found = plan.parse(textfile.read(path))
    done = {item.id for item in found.items if item.done}
    if run is not None and here.shown(path) == run.plan:
        done |= set(progress.Progress(here.project, run).done)
    return here.shown(path), found, done


@command.command("next", epilog="Example: rld plan next docs/plans/store.md --json")
@click.argument("file", metavar="[PLAN]", required=False)
@base.as_json
@base.verb
def next_command(here: base.Here, file: str | None, as_json: bool) -> None:
    """List the items that can be done now: quick wins first, then what unblocks most. Without PLAN: the open run's."""
    path, found, done = _load(here, file)
    answer = graph.answer(found, done)
    if as_json:
        base.print_json(answer)
        return
    base.report(errors.from_tuples(path, found.problems))
    if not found.items:
        raise click.exceptions.Exit(1)
    items = {item.id: item for item in found.items}
    states = graph.states(found.items, done)
    ready = graph.ready(found.items, done)
    for id in ready:
        base.say(
            "  ready    %-6s %s%s"
            % (
                id,
                items[id].title,
                "  (quick win)" if items[id].quick_win and "quick win" not in items[id].title.lower() else "",
            )
        )
    for id, state in states.items():
        if state == "blocked":
            waits = ", ".join(parent for parent in items[id].depends_on if states.get(parent) != "done")
            base.say("  blocked  %-6s %s  (waits for %s)" % (id, items[id].title, waits or "itself"))
    finished = sum(1 for state in states.values() if state == "done")
    base.say("%d done, %d ready, %d blocked." % (finished, len(ready), len(states) - finished - len(ready)))


@command.command(epilog="Example: rld plan check docs/plans/store.md")
@click.argument("file", metavar="[PLAN]", required=False)
@base.as_json
@base.verb
def check(here: base.Here, file: str | None, as_json: bool) -> None:
    """Name what is wrong with a plan: cycles, unknown parents, duplicates. Exit status 1 when something is."""
    path, found, _ = _load(here, file)
    problems = errors.from_tuples(path, found.problems)
    if as_json:
        base.print_json({"ok": not problems, "items": len(found.items), "problems": [p.as_dict() for p in problems]})
    else:
        base.report(problems)
        base.say("%s: %d items, %d problems." % (path, len(found.items), len(problems)))
    if problems:
        raise click.exceptions.Exit(1)
