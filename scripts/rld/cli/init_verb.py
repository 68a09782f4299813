"""rld init: set a project up."""

from __future__ import annotations

import os
import shlex

import click

from rld import clientplugin, clientsettings, diffs, locking, scaffold
from rld.cli import base
from rld.project import LOCAL, Project


@click.command(epilog="Example: rld init --dry-run")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--no-allow", is_flag=True, help="Leave out the rules that let the everyday verbs run without a prompt.")
@click.option("--team", metavar="SOURCE", help="Name the plugin's marketplace for the team: OWNER/REPO or a git URL.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@base.verb
def command(here: base.Here, directory: str | None, no_allow: bool, team: str | None, dry_run: bool) -> None:
    """Set a project up: post-mortem, worklog, .rld.yml, pointer, permission rules.

    Shows every change. What is there already stays as it is, and running it twice changes nothing. Without DIR, the
    project around the folder you are in; with DIR, that very folder.
    """
    if directory is not None:
        here = _very_folder(os.path.join(click.get_current_context().params["folder"], directory))
    source = clientsettings.team_source(team) if team else None
    # Worked out once before anything is touched: not even a lock is made where something is refused.
    found = scaffold.plan(here.project, here.settings, not no_allow, source)
    if found.changes and not dry_run:
        with locking.hold(here.project, "init"):
            found = scaffold.plan(here.project, here.settings, not no_allow, source)
            _show(found)
            found.write()
    else:
        _show(found)
    if not found.changes:
        base.say("Nothing to do: %s is set up." % here.project.root)
    elif dry_run:
        base.say("Nothing was written (--dry-run).")
    else:
        _say_next(found, team)


def _very_folder(folder: str) -> base.Here:
    """The project whose root is this folder, also below another one that has a post-mortem."""
    here = base.Here(folder)
    around = here.project
    root = os.path.abspath(folder).replace(os.sep, "/").rstrip("/") or "/"
    here.project = Project(root, around.top, around.git, around.state if around.git else root + "/" + LOCAL, around.key)
    return here


def _show(found: scaffold.Scaffold) -> None:
    for change in found.changes:
        base.say_diff(diffs.unified(change.name, change.before, change.after))
    if found.changes:
        base.say("")
    for note in found.notes:
        base.say(note)


def _say_next(found: scaffold.Scaffold, team: str | None) -> None:
    names = " ".join(shlex.quote(c.name) for c in found.changes if not c.name.startswith(LOCAL + "/"))
    base.say("Set up %s. Next:" % found.project.root)
    if clientplugin.installation(found.project):
        base.say("  1. The plugin is installed here; those who clone the repository install it themselves:")
    else:
        base.say("  1. Install the plugin:")
    # What --team puts down is not enough: a plugin that only the project's settings switch on may load no hooks at all.
    base.say("       claude plugin marketplace add %s" % shlex.quote(team or str(base.PLUGIN)))
    base.say("       claude plugin install %s --scope project" % clientsettings.PLUGIN)
    base.say('  2. In a session: /run-plan PLAN "VERIFY COMMAND"; after unplanned work, /distill')
    base.say("  3. Commit these files: git add %s" % names)
