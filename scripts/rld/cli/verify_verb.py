"""rld verify: run the verify command and keep the proof."""

from __future__ import annotations

import sys
import time

import click

from rld import gittree, invisible, receipts, redact, runoutput, runs, verifier
from rld.cli import base
from rld.errors import Refused


@click.command(epilog="Example: rld verify")
@click.option("--limit", default=1800.0, show_default=True, metavar="SECONDS", help="End the command after this long.")
@click.option("--last", is_flag=True, help="Only say whether the last receipt still fits the tree.")
@base.as_json
@base.verb
def command(here: base.Here, limit: float, last: bool, as_json: bool) -> None:
    """Run the run's verify command (or that of .rld.yml) and store a receipt bound to the tree.

    CI=1 is set and stdin is closed; the exit status is 0 when the command passed and 1 when it did not.
    """
    run = runs.find(here.project, here.settings.worklog)
    wanted = run.verify if run is not None and run.verify else (here.settings.verify or [""])[0]
    if not wanted:
        raise Refused("no verify command is known: `rld run start PLAN --verify CMD`, or `verify: CMD` in .rld.yml")
    if last:
        _say_last(here, run or runs.Run("", {"verify": wanted}))
        return
    if not as_json:
        base.warn("rld: %s" % wanted)
    leave_out = receipts.own_files(here.settings)
    before = gittree.tree_id(here.project, leave_out)
    out = sys.stderr.buffer if as_json else sys.stdout.buffer

    def show(part: bytes) -> None:
        out.write(part)
        out.flush()

    done = verifier.run(wanted, here.project.root, limit, show)
    tree, changed = receipts.tested_tree(here.project, before, gittree.tree_id(here.project, leave_out))
    why = ""
    if done.timed_out:
        why = "ended after %g s (--limit)" % limit
    elif done.status == 0:
        why = runoutput.proves_nothing(done.tail, True)
    tail = redact.redact(invisible.visible(done.tail))[-8000:]
    receipt = receipts.Receipt(
        wanted, done.status, time.time(), round(done.seconds, 2), tree, receipts.VERIFIED, tail, why
    )
    receipts.store(here.project, receipt)
    if as_json:
        base.print_json({**receipt.as_dict(), "passed": receipt.passed})
    else:
        base.say(("" if done.tail.endswith("\n") or not done.tail else "\n") + _line(receipt))
    if receipt.passed and changed:
        what = "rld: %s changed while it ran, so this proves the files as they were before. If the command writes there"
        base.warn(what % receipts.some(changed) + " by itself, let git ignore it")
    if not receipt.passed:
        raise click.exceptions.Exit(1)


def _line(receipt: receipts.Receipt) -> str:
    took = "%.1f s" % receipt.seconds
    if receipt.passed:
        return "rld: passed in %s, %s" % (took, receipt.words())
    if receipt.why:
        return "rld: no proof: %s (%s)" % (receipt.why, took)
    return "rld: failed with exit status %d in %s" % (receipt.status, took)


def _say_last(here: base.Here, run: runs.Run) -> None:
    receipt, why = receipts.fitting(here.project, here.settings, run, base.session())
    if receipt is None:
        raise Refused(why + ": run `rld verify`")
    base.say("rld: %s fits the present tree" % receipt.words())
