"""rld run: open, resume and end the run of a plan."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from rld import errors, evidence, header, journal, locking, naming, openruns, plan, progress, runs, runstate, textfile
from rld.cli import base
from rld.errors import Problem, Refused


@click.group(epilog='Example: rld run start docs/plans/store.md --verify "npm test"')
def command() -> None:
    """Open, resume and end the run of a plan."""


@command.command(epilog='Example: rld run start docs/plans/store.md --verify "npm test" --tag refactor')
@click.argument("plan_file", metavar="[PLAN]", required=False)
@click.option("--verify", metavar="CMD", help="The project's own test or build command.")
@click.option("--tag", type=click.Choice(naming.WORK_TYPES), help="The work type.")
@base.verb
def start(here: base.Here, plan_file: str | None, verify: str | None, tag: str | None) -> None:
    """Open the run of PLAN and its journal, or resume it. Without PLAN: resume the open run."""
    project = here.project
    with locking.hold(project, "run"):
        run = runs.find(project, here.settings.worklog)
        if plan_file is None:
            if run is None:
                raise Refused(*_no_run(here))
        else:
            path = _plan_path(here, plan_file)
            if run is not None and run.plan != path:
                raise Refused(
                    "the run of %s is open (journal %s): end it with `rld run finish` or `rld run abandon` first"
                    % (run.plan, run.journal)
                )
            if run is None:
                run = next((r for r in openruns.every(project, here.settings.worklog) if r.plan == path), None)
            if run is None:
                run = _open(here, path, verify, tag)
                base.say("Opened the run of %s; its journal is %s." % (run.plan, run.journal))
                runs.remember(project, run)
                _bind(here)
                _say_state(here, run)
                return
        if verify and verify != run.verify:
            set_meta(here, run, "verify", verify)
            run.verify = verify
        runs.remember(project, run)
    _bind(here)
    base.say("Resumed the run of %s; its journal is %s." % (run.plan, run.journal))
    _say_state(here, run)


def _no_run(here: base.Here) -> list[Problem]:
    several = openruns.every(here.project, here.settings.worklog)
    if len(several) == 1:
        return [
            Problem(
                "another worktree is at the run of %s: `rld run start %s` takes it up here" % ((several[0].plan,) * 2)
            )
        ]
    if several:
        names = "\n".join("  rld run start %s" % r.plan for r in several)
        return [Problem("%d runs are open here; say which one to resume:\n%s" % (len(several), names))]
    return [Problem('no run is open: `rld run start PLAN --verify "CMD"`')]


def _plan_path(here: base.Here, given: str) -> str:
    """The plan's path relative to the root; it may be given relative to the folder the caller is in."""
    for path in (Path(given), here.path(given)):
        if path.is_file():
            absolute = os.path.abspath(path).replace(os.sep, "/")  # a link keeps its own name
            return here.project.relative(absolute) or absolute
    raise Refused(Problem("there is no such plan", file=given))


def _open(here: base.Here, path: str, verify: str | None, tag: str | None) -> runs.Run:
    text = textfile.read(here.path(path))
    found = plan.parse(text)
    if not found.items:
        raise Refused(*errors.from_tuples(path, found.problems))
    base.report(errors.from_tuples(path, found.problems, "warning"))
    wanted = verify or (here.settings.verify or [""])[0]
    if not wanted:
        base.warn(
            'rld: warning: no verify command, so entries can only be claimed: `rld run start %s --verify "CMD"`' % path
        )
    today = time.strftime("%Y-%m-%d")
    stem = naming.slug(Path(path).stem)
    if naming.session_date(Path(path).stem):
        stem = stem.replace(naming.session_date(Path(path).stem), "").strip("-")
    name = "%s/%s-%s" % (here.settings.worklog, today, stem or "run")
    journal_path = name + ".md"
    count = 1
    while here.path(journal_path).exists():
        count += 1
        journal_path = "%s-%d.md" % (name, count)
    title = next(
        (row.lstrip("# ").strip() for row in text.splitlines() if row.startswith("# ")), stem.replace("-", " ")
    )
    new = journal.render_new(path, wanted, tag or "mixed", today, title)
    textfile.write(here.path(journal_path), new, here.project.root)
    return runs.Run(journal_path, {"plan": path, "verify": wanted, "tag": tag or "mixed", "status": "open"})


def _bind(here: base.Here) -> None:
    if base.session():
        evidence.note(here.project, base.session(), "bind")


def set_meta(here: base.Here, run: runs.Run, key: str, value: str) -> None:
    path = here.path(run.journal)
    textfile.write(path, header.with_value(textfile.read(path), key, value), here.project.root)


def _say_state(here: base.Here, run: runs.Run) -> None:
    runstate.read(here.project, run)  # so that the next hook finds it ready
    state = progress.Progress(here.project, run)
    base.say(
        "%d of %d items logged.%s"
        % (state.count, state.total, " Verify command: %s" % run.verify if run.verify else "")
    )
    for id in state.ready:
        base.say("  ready  %s" % state.named(id))
    blocked = len(state.missing) - len(state.ready)
    if blocked:
        base.say("  and %d more behind these (`rld plan next` names them)" % blocked)
    if not state.missing:
        base.say("Every item is logged: `rld run finish`, then /rld:compact.")


@command.command(epilog="Example: rld run finish")
@base.verb
def finish(here: base.Here) -> None:
    """Say that the plan is done: the journal is complete and waits to be compacted."""
    run = open_run(here)
    state = progress.Progress(here.project, run)
    with locking.hold(here.project, "run"):
        set_meta(here, run, "status", "complete")
        run.status = "complete"
        runs.remember(here.project, run)
    base.say("The run of %s is complete: %d of %d items logged." % (run.plan, state.count, state.total))
    for id in state.missing:
        base.say("  without an entry: %s" % state.named(id))
    base.say("Next: /rld:compact turns %s into records." % run.journal)


@command.command(epilog='Example: rld run abandon --reason "the plan was replaced"')
@click.option("--reason", required=True, help="Why; it is kept in the journal.")
@base.verb
def abandon(here: base.Here, reason: str) -> None:
    """Give the run up. The journal stays where it is and can still be distilled."""
    run = open_run(here)
    with locking.hold(here.project, "run"):
        set_meta(here, run, "status", "abandoned")
        set_meta(here, run, "reason", reason)
        runs.forget(here.project)
    base.say(
        "The run of %s is abandoned; %s stays, and `rld brief --journal %s` still reads it."
        % (run.plan, run.journal, run.journal)
    )


def open_run(here: base.Here) -> runs.Run:
    run = runs.find(here.project, here.settings.worklog)
    if run is None:
        raise Refused(*_no_run(here))
    return run
