"""rld doctor: what works, what does not, how to fix it."""

from __future__ import annotations

import click

from rld import checkup
from rld.cli import base
from rld.finding import FAIL, OK, WARN, Finding

_COLOURS = {OK: "green", WARN: "yellow", FAIL: "red"}


@click.command(epilog="Example: rld doctor")
@base.as_json
@base.verb
def command(here: base.Here, as_json: bool) -> None:
    """Say what works, what does not, and how to fix it. Exit status 1 when something is broken."""
    checks = checkup.run(here.project, base.PLUGIN)
    broken = sum(1 for check in checks if check.state == FAIL)
    if as_json:
        base.print_json({"ok": not broken, "checks": [check.as_dict() for check in checks]})
    else:
        base.say("rld %s, %s\n" % (base.version(), here.project.root))
        for check in checks:
            _say(check, max(len(each.name) for each in checks))
        look = sum(1 for check in checks if check.state == WARN)
        base.say("\n%d broken, %d to look at, %d fine" % (broken, look, len(checks) - broken - look))
    if broken:
        raise click.exceptions.Exit(1)


def _say(check: Finding, width: int) -> None:
    margin = " " * (width + 9)
    state = click.style("%-4s" % check.state, fg=_COLOURS[check.state])
    rows = check.message.split("\n") + (["→ " + check.fix] if check.fix else [])
    base.say("  %s  %-*s %s" % (state, width, check.name, ("\n" + margin).join(rows)))
