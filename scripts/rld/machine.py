"""What rld needs of the machine: an interpreter, git, the client, the plugin's own files."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from rld import clientplugin, clientsettings, hooktrial, textfile
from rld.finding import FAIL, OK, WARN, Finding
from rld.project import Project

TESTED = ("2.1.197", "2.1.332")  # the oldest and the newest client that the tests drive
MOST_UNITS = 9000  # of a digest; the client cuts above 10,000
SLOW = 1.0  # seconds
INSTALL = "claude plugin install %s --scope project" % clientsettings.PLUGIN


def environment() -> Finding:
    """rld's own Python; that this runs at all says that it works."""
    packages = ", ".join(
        "%s %s" % (name, _package(name)) for name in ("click", "PyYAML", "python-frontmatter", "filelock")
    )
    what = "Python %s in %s with %s" % (platform.python_version(), sys.prefix, packages)
    if "none" in packages.split():
        return Finding(FAIL, what, "delete %s, and run rld again" % sys.prefix)
    return Finding(OK, what)


def _package(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def git(project: Project) -> Finding:
    said = _first_line("git", "--version")
    if said is None:
        return Finding(WARN, "git is not on the PATH: receipts cannot name the tree they hold for", "install git")
    if not project.top:
        return Finding(
            WARN,
            "%s, but %s is in no repository: what must not be shared is in .rld" % (said, project.root),
            "git init",
        )
    return Finding(OK, said)


def client_version() -> str | None:
    """The version of the `claude` on the PATH; None when there is none or it does not say."""
    said = _first_line("claude", "--version")
    return None if said is None else said.partition(" ")[0]


def client() -> Finding:
    version = client_version()
    if version is None:
        return Finding(
            WARN, "no `claude` on the PATH, so its version cannot be told", "put it there if you use it in a terminal"
        )
    tested = "tested with %s to %s" % TESTED
    if _parts(version) < _parts(TESTED[0]):
        return Finding(WARN, "%s is older than the versions rld is %s" % (version, tested), "claude update")
    return Finding(OK, "%s (%s)" % (version, tested))


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isascii() and part.isdigit()]


def _first_line(program: str, *arguments: str) -> str | None:
    """What a program says first, None when it is not there or does not answer."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run([path, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").strip().partition("\n")[0] if done.returncode == 0 else None


def plugin_files(plugin: Path) -> Finding:
    """Are the files there that the client starts, and do both manifests say the same?"""
    missing = [name for name in ("hooks/launch", "hooks/hooks.json", "bin/rld") if not (plugin / name).is_file()]
    if missing:
        return Finding(FAIL, "%s lacks %s" % (plugin, ", ".join(missing)), "install the plugin again: " + INSTALL)
    try:
        events = json.loads((plugin / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        commands = [hook["command"] for groups in events.values() for group in groups for hook in group["hooks"]]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        return Finding(FAIL, "hooks/hooks.json cannot be read, so the client drops every hook: %s" % error, INSTALL)
    started = [command.partition("set -- ")[2].partition(";")[0].strip() for command in commands]
    missing = [name for name in started if not (plugin / "hooks" / (name + ".py")).is_file()]
    if missing:
        return Finding(FAIL, "hooks/ lacks %s" % ", ".join(name + ".py" for name in missing), INSTALL)
    if (plugin / "plugin.json").read_bytes() != (plugin / ".claude-plugin" / "plugin.json").read_bytes():
        return Finding(
            FAIL, "plugin.json and .claude-plugin/plugin.json differ; the client reads the second", "make them equal"
        )
    return Finding(OK, "complete, %d hooks for %d events" % (len(commands), len(events)))


def installed(project: Project, plugin: Path) -> Finding:
    """Does the client load the plugin in this project?"""
    on, file = clientplugin.enabled(project)
    found = clientplugin.installation(project)
    if on is False:
        return Finding(WARN, "%s switches the plugin off" % file, "claude plugin enable %s" % clientsettings.PLUGIN)
    if not clientplugin.register().is_file():
        return Finding(WARN, "cannot tell: there is no %s" % clientplugin.register(), _both_commands(plugin))
    if not found:
        what = "not installed for this project (a session that was started with --plugin-dir has it all the same)"
        return Finding(WARN, what, _both_commands(plugin))
    where = found.get("installPath", "")
    if where and not os.path.isdir(where):
        return Finding(FAIL, "the client's copy is gone from %s, and no hook runs" % where, INSTALL)
    if on is None:
        return Finding(
            WARN, "installed, but no settings file switches it on", "claude plugin enable %s" % clientsettings.PLUGIN
        )
    own = json.loads((plugin / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))["version"]
    if found.get("version", own) != own:
        update = "claude plugin marketplace update %s && claude plugin update %s" % (
            clientsettings.MARKETPLACE,
            clientsettings.PLUGIN,
        )
        return Finding(WARN, "the client has %s, this is %s" % (found["version"], own), update)
    return Finding(
        OK, "%s %s is installed (scope %s) and on" % (clientsettings.PLUGIN, own, found.get("scope", "unknown"))
    )


def _both_commands(plugin: Path) -> str:
    return "claude plugin marketplace add %s && %s" % (shlex.quote(str(plugin)), INSTALL)


def hook_python(project: Project, trial: hooktrial.Trial) -> Finding:
    """Which interpreter does the launcher find, and which one did it remember in earlier sessions?"""
    if not trial.python:
        if trial.problem:
            return Finding(WARN, "cannot tell, since the hook does not run")
        return Finding(
            FAIL, "no Python 3.9 or newer on the PATH", "install Python, and put it on the PATH of the client"
        )
    version = _first_line(trial.python, "-I", "-S", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])")
    what = "%s (%s)" % (trial.python, version or "its version cannot be told")
    for folder in _memory(project):
        remembered = (textfile.read_or_none(folder / "python") or "").strip()
        if remembered and remembered != trial.python:
            used = "sessions use" if os.access(remembered, os.X_OK) else "it will be looked for anew, as there is no"
            return Finding(OK, "%s; %s %s, remembered in %s" % (what, used, remembered, folder))
    return Finding(OK, what)


def _memory(project: Project) -> list[Path]:
    """Where the launcher may have put down the interpreter: the client's folders for plugin data, ours without one."""
    data = clientsettings.config_folder() / "plugins" / "data"
    found = [Path(os.environ["CLAUDE_PLUGIN_DATA"])] if os.environ.get("CLAUDE_PLUGIN_DATA") else []
    return [*found, data / clientsettings.PLUGIN.replace("@", "-"), data / "rld-inline", Path(project.state)]


def session_start(trial: hooktrial.Trial) -> Finding:
    """Did the hook run, quickly, and did it print what the client takes?"""
    if trial.problem:
        return Finding(
            FAIL,
            "the hook does not run: " + trial.problem,
            "see the other checks; if they are fine, report a bug in rld",
        )
    answer = trial.answer()
    if trial.output.strip() and answer is None:
        return Finding(
            FAIL, "what the hook prints is no JSON, and the client ignores it", "report this as a bug in rld"
        )
    specific = (answer or {}).get("hookSpecificOutput")
    digest = specific.get("additionalContext") if isinstance(specific, dict) else ""
    units = len(str(digest or "").encode("utf-16-le", "surrogatepass")) // 2
    what = "the hook takes %d ms and gives a digest of %d characters" % (trial.seconds * 1000, units)
    if units > MOST_UNITS:
        return Finding(FAIL, what + ", which the client cuts", "lower digest.max_chars in .rld.yml")
    if trial.seconds > SLOW:
        return Finding(WARN, what, "look for a slow disk or a virus scanner")
    return Finding(OK, what)
