"""The command line. One module per verb; a verb is loaded only when it is called."""

from __future__ import annotations

import errno
import importlib
import os
import sys
import traceback

import click

from rld.cli import base
from rld.errors import Refused

VERBS = (
    "init", "demo", "status", "plan", "run", "verify", "log", "journal", "brief", "propose", "review", "apply",
    "list", "show", "digest", "check", "trust", "repeal", "adopt", "collapse", "pointer", "mute", "doctor",
)  # fmt: skip


class Verbs(click.Group):
    """A group that imports the module of a verb when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command = importlib.import_module("rld.cli.%s_verb" % cmd_name).command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]}, epilog="Example: rld status")
@click.version_option(base.version(), "--version", message="rld %(version)s")
def cli() -> None:
    """Run, Log, Distill: a memory for AI-assisted development that a human edits and git carries."""


def main(argv: list[str] | None = None) -> int:
    """Run one command line; the exit status: 0 fine, 1 refused or problems found, 2 usage, 3 our own bug."""
    try:
        # Outside standalone mode click returns the status of an Exit instead of raising it (Pitfall 20).
        status = cli.main(args=argv, prog_name="rld", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        error.show()
        return 2
    except Refused as error:
        for problem in error.problems:
            click.echo("rld: %s" % problem, err=True)
        return 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("rld: stopped", err=True)
        return 130
    except BrokenPipeError:
        # `rld list | head` is no error.
        _give_up_stdout()
        return 0
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO):
            click.echo("rld: cannot write: %s. Make room, then run it again" % error.strerror, err=True)
            _give_up_stdout()
            return 1
        where = base.write_report(traceback.format_exc(), sys.argv[1:] if argv is None else argv)
        click.echo(
            "rld: this is a bug in rld, not in your files; nothing more was done. The report is in %s" % where, err=True
        )
        return 3


def _give_up_stdout() -> None:
    """What could not be written is not tried again when the interpreter ends, which would be a second message."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
