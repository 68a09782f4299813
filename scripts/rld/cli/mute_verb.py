"""rld mute: hooks that say nothing for a while."""

from __future__ import annotations

import time

import click

from rld import mute, rawfile
from rld import project as projects
from rld.cli import base
from rld.errors import Refused

FOR = "1h"


@click.command(epilog="Example: rld mute 2h")
@click.argument("time_", metavar="[2h|30m|off]", default=FOR)
@click.option("--user", is_flag=True, help="In all projects, not only in this one.")
@base.verb
def command(here: base.Here, time_: str, user: bool) -> None:
    """Keep the hooks silent for a while: no text to the model, no line to you.

    For an hour when no time is given; `off` ends it. What sessions do is noted all the same, and the model's own edit
    of the post-mortem is still refused.
    """
    path = mute.of_user() if user else mute.of_project(here.project)
    if not path:
        raise Refused("there is no home folder to keep it in: set RLD_HOME")
    if not user and not projects.uses_method(here.project):
        raise Refused("this project does not use rld, so its hooks are silent anyway (--user mutes all projects)")
    if time_.lower() == "off":
        _clear(path)
        still = mute.until(here.project) > time.time()
        other = (
            "this project is muted on its own: `rld mute off`" if user else "all projects are: `rld mute off --user`"
        )
        base.say("Hooks are still silent, as %s" % other if still else "Hooks speak again.")
        return
    seconds = seconds_in(time_)
    if not seconds:
        raise click.BadParameter("%s is no time: write 2h, 30m, 1h30m or off" % time_, param_hint="TIME")
    moment = time.time() + seconds
    if not set_until(path, moment):
        raise Refused("%s cannot be written" % path)
    where = "in all projects" if user else "in this project"
    base.say("Hooks are silent %s until %s; `rld mute off%s` ends it." % (where, when(moment), " --user" * user))


def set_until(path: str, moment: float) -> bool:
    """Mute until a moment; False when it could not be written."""
    return rawfile.make_folder(path.rpartition("/")[0]) and rawfile.replace(path, b"%d\n" % int(moment))


def _clear(path: str) -> None:
    try:
        rawfile.system.unlink(path)
    except (OSError, ValueError):
        pass


def seconds_in(text: str) -> int:
    """ "2h", "30m", "1h30m", "1d" as seconds; 0 when it is none of that."""
    total = 0
    number = ""
    for char in text.strip().lower():
        if char in "0123456789" and len(number) < 4:
            number += char
        elif number and char in "dhm":
            total += int(number) * {"d": 86400, "h": 3600, "m": 60}[char]
            number = ""
        else:
            return 0
    return 0 if number else total


def when(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
