"""rld plan: read a plan of any kind."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

import click

from rld import errors, graph, graphdraw, graphexport, plan, progress, runs, textfile
from rld.cli import base
from rld.errors import Problem, Refused


@click.group(epilog="Example: rld plan next docs/plans/store.md")
def command() -> None:
    """Read a plan: its items, what blocks what, what can be done next."""


def _load(here: base.Here, file: str | None) -> tuple[str, plan.Plan, set[str]]:
    """The plan's path, the plan, and the items that its journal says are done, also those that the plan does not have."""
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


@command.command("graph", epilog="Example: rld plan graph docs/plans/store.md --format mermaid")
@click.argument("file", metavar="[PLAN]", required=False)
@click.option(
    "--format", "form", type=click.Choice(["text", "mermaid", "dot", "svg"]), default="text", show_default=True,
    help="svg takes graphviz.",
)  # fmt: skip
@base.verb
def graph_command(here: base.Here, file: str | None, form: str) -> None:
    """Draw what depends on what, and what is done, ready or waiting. Without PLAN: the open run's."""
    path, found, done = _load(here, file)
    base.report(errors.from_tuples(path, found.problems, "warning" if found.items else "error"))
    if not found.items:
        raise click.exceptions.Exit(1)
    picture = graphdraw.Picture(found.items, done, _beyond(here, path, found))
    if form == "text":
        for state, line in graphdraw.draw(picture, _width(), graphdraw.Pen(_can_draw_lines())):
            click.secho(line.encode("utf-8", "replace").decode("utf-8"), **_STYLES.get(state, {}))
    elif form == "mermaid":
        click.echo(graphexport.mermaid(picture), nl=False)
    elif form == "dot":
        click.echo(graphexport.dot(picture), nl=False)
    else:
        click.echo(_svg(graphexport.dot(picture)), nl=False)


_STYLES: dict[str, dict[str, Any]] = {
    graphdraw.DONE: {"dim": True}, graphdraw.READY: {"bold": True}, graphdraw.CYCLE: {"fg": "red"},
}  # fmt: skip


def _beyond(here: base.Here, path: str, found: plan.Plan) -> list[tuple[str, str]]:
    """(id, title) of what the plan's journal has and the plan has not."""
    run = runs.find(here.project, here.settings.worklog)
    if run is None or run.plan != path:
        return []
    state = progress.Progress(here.project, run)
    return [(id, next(entry.title for entry in state.book.entries if entry.item == id)) for id in state.added]


def _width() -> int:
    return max(60, shutil.get_terminal_size((100, 0)).columns)


def _can_draw_lines() -> bool:
    """Does the locale say UTF-8? One that says nothing is taken for a modern terminal."""
    # Not LC_CTYPE: Python sets that itself where the locale is C.
    named = os.environ.get("LC_ALL") or os.environ.get("LANG") or "UTF-8"
    return os.name == "nt" or "utf8" in named.lower().replace("-", "")


def _svg(text: str) -> str:
    program = shutil.which("dot")
    if program is None:
        raise Refused(
            "svg takes graphviz, and its program `dot` is not on the PATH: install it, or use --format mermaid, "
            "which many Markdown viewers draw"
        )
    done = subprocess.run([program, "-Tsvg"], input=text.encode("utf-8", "replace"), capture_output=True, check=False)
    if done.returncode:
        raise Refused("graphviz could not draw it: %s" % done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "replace")
