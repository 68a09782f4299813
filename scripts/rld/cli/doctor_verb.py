"""rld doctor: what works, what does not, how to fix it."""

from __future__ import annotations

import click

from rld import checkup
from rld.cli import base
from rld.finding import FAIL, OK, WARN, Finding

_COLOURS = {OK: "green", WARN: "yellow", FAIL: "red"}


@click.command(epilog="Example: rld doctor --client")
@click.option(
    "--client", is_flag=True, help="Prove delivery too: run `claude` once here, against a stand-in for the model."
)
@base.as_json
@base.verb
def command(here: base.Here, client: bool, as_json: bool) -> None:
    """Say what works, what does not, and how to fix it. Exit status 1 when something is broken.

    With --client the `claude` on the PATH is run in the project with the running plugin, settings of its own, and a
    server on 127.0.0.1 in place of the model: which lines of the digest are in its request? It costs no tokens, and
    what the session noted is deleted.
    """
    checks = checkup.run(here.project, base.PLUGIN)
    delivered, answer = checkup.delivery(here.project, base.PLUGIN) if client else ([], None)
    broken = sum(1 for check in checks + delivered if check.state == FAIL)
    if as_json:
        more = {"client": answer} if client else {}
        base.print_json({"ok": not broken, "checks": [check.as_dict() for check in checks], **more})
    else:
        base.say("rld %s, %s\n" % (base.version(), here.project.root))
        width = max(len(each.name) for each in checks + delivered)
        for check in checks:
            _say(check, width)
        if client:
            base.say(
                "\nDelivery: what %s, with a stand-in for the model on 127.0.0.1, would have sent\n" % _client(answer)
            )
        for check in delivered:
            _say(check, width)
        look = sum(1 for check in checks + delivered if check.state == WARN)
        base.say("\n%d broken, %d to look at, %d fine" % (broken, look, len(checks + delivered) - broken - look))
    if broken:
        raise click.exceptions.Exit(1)


def _client(answer: dict[str, object] | None) -> str:
    return "client %s" % answer["version"] if answer and answer["version"] else "the client"


def _say(check: Finding, width: int) -> None:
    margin = " " * (width + 9)
    state = click.style("%-4s" % check.state, fg=_COLOURS[check.state])
    rows = check.message.split("\n") + (["→ " + check.fix] if check.fix else [])
    base.say("  %s  %-*s %s" % (state, width, check.name, ("\n" + margin).join(rows)))
