"""What works in a project and what does not: the checks of `rld doctor`."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from rld import (
    clientsettings,
    evidence,
    hooksettings,
    hooktrial,
    lint,
    locking,
    machine,
    pointer,
    postmortem,
    textfile,
    wording,
)
from rld import settings as settings_module
from rld.errors import Refused
from rld.finding import FAIL, OK, WARN, Finding
from rld.project import SETTINGS, Project

RECENT_DAYS = 7
SHOWN_ERRORS = 3
MUCH_EVIDENCE = 50 << 20  # bytes


def run(project: Project, plugin: Path) -> list[Finding]:
    """Every check, in the order in which a person would look. `plugin` is the folder of the running plugin."""
    settings = _settings(project)
    trial = hooktrial.run(project, plugin)
    checks: list[tuple[str, Callable[[], Finding]]] = [
        ("environment", machine.environment),
        ("git", lambda: machine.git(project)),
        ("client", machine.client),
        ("plugin files", lambda: machine.plugin_files(plugin)),
        ("plugin", lambda: machine.installed(project, plugin)),
        ("switch", switch),
        ("python of hooks", lambda: machine.hook_python(project, trial)),
        ("session start", lambda: machine.session_start(trial)),
        ("settings", lambda: readable(project)),
        ("post-mortem", lambda: post_mortem(project, settings.post_mortem)),
        *(
            ("entry point", lambda name=name: entry_point(project, name, settings.post_mortem))
            for name in settings.entry_points
        ),
        ("permissions", lambda: permissions(project)),
        ("state folder", lambda: state_folder(project)),
        ("lock", lambda: lock(project)),
        ("hook errors", lambda: hook_errors(project)),
        ("evidence", lambda: evidence_size(project)),
    ]
    return [_guarded(name, check) for name, check in checks]


def _settings(project: Project) -> settings_module.Settings:
    """The settings, the defaults when they cannot be read, as hooks have it."""
    try:
        return settings_module.load(project)
    except Refused:
        return settings_module.Settings({})


def delivery(project: Project, plugin: Path) -> tuple[list[Finding], dict[str, object]]:
    """What a run of the client shows: findings, and the same for `--json`."""
    from rld import clienttrial, trialreport

    try:
        trial = clienttrial.run(project, plugin, _settings(project))
    except Refused as error:
        found = Finding(FAIL, "not tried: %s" % error)
        found.name = "digest"
        return [found], {"version": None, "delivered": False, "why": str(error)}
    return trialreport.findings(trial), trialreport.as_dict(trial)


def _guarded(name: str, check: Callable[[], Finding]) -> Finding:
    """A check that breaks is a finding, not the end of the others."""
    try:
        found = check()
    except Refused as error:
        found = Finding(FAIL, str(error), "mend that file")
    except Exception as error:
        found = Finding(
            FAIL, "could not be checked: %s: %s" % (type(error).__name__, error), "report this as a bug in rld"
        )
    found.name = name
    return found


def switch() -> Finding:
    if os.environ.get("RLD_DISABLED"):
        return Finding(
            WARN, "RLD_DISABLED is set: in sessions started from here every hook is silent", "unset RLD_DISABLED"
        )
    return Finding(OK, "RLD_DISABLED is not set")


def readable(project: Project) -> Finding:
    try:
        settings_module.load(project)
    except Refused as error:
        return Finding(
            FAIL,
            "; ".join(str(problem) for problem in error.problems),
            "mend %s; until then the defaults hold" % SETTINGS,
        )
    if hooksettings.load(project).problem:
        what = (
            "%s is right, but hooks have a simpler reader that does not know one of its forms, and use the defaults"
            % SETTINGS
        )
        return Finding(
            WARN, what, "write `key: value`, `key: [a, b]` or `- a` lines, and quote what has a special character"
        )
    return Finding(
        OK, SETTINGS + " is read" if Path(project.root, SETTINGS).exists() else "no %s: the defaults hold" % SETTINGS
    )


def post_mortem(project: Project, name: str) -> Finding:
    text = textfile.read_or_none(project.path(name))
    if text is None:
        return Finding(WARN, "there is no %s yet" % name, "`rld init` makes it, or the first `rld apply`")
    found = postmortem.parse(text)
    problems = lint.problems(found)
    if not problems:
        return Finding(OK, "%s is read, %s in force" % (name, wording.counted(len(found.active()), "record")))
    line, _, message = (found.problems or problems)[0]
    what = "%s:%d: %s" % (name, line, message) + (" (and %d more)" % (len(problems) - 1) if len(problems) > 1 else "")
    # What stops a write is broken; what is only incomplete still works.
    return Finding(FAIL if found.problems else WARN, what, "mend those lines; `rld list --json` names them all")


def entry_point(project: Project, name: str, post_mortem_name: str) -> Finding:
    text = textfile.read_or_none(project.path(name))
    if text is None:
        return Finding(WARN, "there is no %s, so nothing tells the agent of the post-mortem" % name, "rld init")
    found = pointer.check(text, post_mortem_name)
    if not found:
        return Finding(OK, "%s begins with the pointer" % name)
    return Finding(WARN, "\n".join("%s:%d: %s" % (name, line, message) for line, _, message in found), "edit %s" % name)


def permissions(project: Project) -> Finding:
    for path in clientsettings.files(project):
        text = (textfile.read_or_none(path) or "").lstrip("\ufeff")
        if text.strip():
            clientsettings.parse(text, str(path))
    asked = clientsettings.rules(project, "ask") + clientsettings.rules(project, "deny")
    unasked = [rule for rule in clientsettings.ASK if rule not in asked]
    allowed = [rule for rule in clientsettings.rules(project, "allow") if clientsettings.is_too_wide(rule)]
    if unasked and allowed:
        what = "the rule %s lets a model change the post-mortem without a human's yes" % allowed[0]
        return Finding(FAIL, what, "rld init adds the ask rules that come before it")
    if unasked:
        return Finding(WARN, "nothing makes the client ask you before `rld apply`", "rld init adds the ask rules")
    missing = [rule for rule in clientsettings.ALLOW if rule not in clientsettings.rules(project, "allow")]
    if len(missing) == len(clientsettings.ALLOW):
        return Finding(OK, "the client asks you before `rld apply`, and before every other verb too")
    return Finding(OK, "everyday verbs run, and the client asks you before `rld apply`")


def state_folder(project: Project) -> Finding:
    folder = Path(project.state)
    if not folder.exists():
        return Finding(OK, "%s is not there yet; it comes with the first write" % folder)
    probe = folder / ("doctor-%d.tmp" % os.getpid())
    try:
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        what = "%s cannot be written (%s): no evidence is kept, and nothing can be logged" % (folder, why)
        return Finding(FAIL, what, "give your user the right to write there")
    return Finding(OK, "%s can be written" % folder)


def lock(project: Project) -> Finding:
    if not Path(project.state).exists():
        return Finding(OK, "not tried: there is nothing to guard yet")
    try:
        with locking.hold(project, "doctor", 2.0):
            return Finding(OK, "can be taken")
    except Refused as error:
        return Finding(FAIL, str(error), "put the repository on a disk that has file locks")


def hook_errors(project: Project) -> Finding:
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(time.time() - RECENT_DAYS * 86400))
    text = textfile.read_or_none(project.state + "/errors.log") or ""
    recent = [row for row in text.splitlines() if row[:19] >= since]
    if not recent:
        return Finding(OK, "none in the last %d days" % RECENT_DAYS)
    what = "%d in the last %d days, the latest:\n%s" % (len(recent), RECENT_DAYS, "\n".join(recent[-SHOWN_ERRORS:]))
    return Finding(WARN, what, "report them as a bug in rld; %s/errors.log has them all" % project.state)


def evidence_size(project: Project) -> Finding:
    files = 0
    size = 0
    for path in Path(project.state + evidence.FOLDER).glob("*" + evidence.SUFFIX):
        with contextlib.suppress(OSError):
            size += path.stat().st_size
            files += 1
    what = "%d sessions, %.1f MB" % (files, size / (1 << 20))
    if size > MUCH_EVIDENCE:
        return Finding(
            WARN,
            what,
            "delete old files in %s; only undistilled sessions are lost by that" % (project.state + evidence.FOLDER),
        )
    return Finding(OK, what)
