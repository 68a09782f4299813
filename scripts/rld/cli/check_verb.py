"""rld check: the linter for CI and pre-commit."""

from __future__ import annotations

import os

import click

from rld import checking, redact, wording
from rld.cli import base
from rld.errors import Problem


@click.command(epilog="Example: rld check --base origin/main")
@click.option("--base", "since", metavar="REF", default="", help="Look for citations only in what changed since REF.")
@base.as_json
@base.verb
def command(here: base.Here, since: str, as_json: bool) -> None:
    """Check post-mortem, proposals, journals, entry points, settings and citations.

    The exit status is 1 when there is an error; warnings alone do not change it. On GitHub Actions every problem becomes
    an annotation too.
    """
    checked = checking.check(here.project, since)
    errors = checked.errors
    if as_json:
        problems = [problem.as_dict() for problem in checked.problems]
        base.print_json({"ok": not errors, "problems": problems, "notes": checked.notes})
    else:
        for problem in checked.problems:
            _say(here, problem)
        for note in checked.notes:
            base.say("note: %s" % note)
        counts = wording.counted(errors, "error"), wording.counted(len(checked.problems) - errors, "warning")
        base.say("%s, %s. Checked: %s." % (*counts, ", ".join(checked.looked)))
    if errors:
        raise click.exceptions.Exit(1)


def _say(here: base.Here, problem: Problem) -> None:
    # Messages quote files, which must not steer the terminal.
    base.say(redact.visible("%s%s" % ("warning: " if problem.severity == "warning" else "", problem)))
    if os.environ.get("GITHUB_ACTIONS"):
        base.say(_annotation(here, problem))


def _annotation(here: base.Here, problem: Problem) -> str:
    """A problem as a command of GitHub's runner, which wants paths from the top of the repository."""
    where = []
    if problem.file:
        path = here.project.path(problem.file)
        top = here.project.top
        file = path[len(top) + 1 :] if top and path.startswith(top + "/") else problem.file
        where.append("file=%s" % _escaped(file).replace(":", "%3A").replace(",", "%2C"))
    if problem.line:
        where.append("line=%d" % problem.line)
    return "::%s %s::%s" % (problem.severity, ",".join(where), _escaped(redact.visible(problem.message)))


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
