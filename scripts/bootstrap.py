"""Makes the Python environment of the command line, once; `bin/rld` and `bin/rld.cmd` call it.

    bootstrap.py ensure DIR/env-NAME LOCK   make DIR/env-NAME from the hash lock, unless it is there and works
    bootstrap.py run [ARGS]                 ensure this plugin's environment, then run rld in it

Standard library only, Python 3.9 and newer. All that is said goes to stderr. When it cannot be done: exit
code 1 and a message that names the way out, never a traceback.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import BinaryIO

MARKER = "ready"  # written last; without it an environment is not one. Its time stamp is that of the last use
IMPORTS = "import click, yaml, frontmatter, filelock"
SCRIPTS = os.path.dirname(os.path.realpath(__file__))
PREPARE = "import sys; sys.path.insert(0, sys.argv[1]); from rld import secrets; secrets.prepare()"
DAY = 24 * 60 * 60
UNUSED_DAYS = 30
WAIT_SECONDS = 600

# These would send the packages elsewhere. The user's others (indexes, mirrors, proxies, certificates) are obeyed.
MISDIRECTING = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "UV_PYTHON", "UV_SYSTEM_PYTHON"}

ONCE = "run `rld --version` once in your own terminal"
ADVICE = (  # what the installer's log holds, in lower case; what that means; the way out
    (
        ("do not match the hashes", "hash mismatch"),
        "the package index served a file that is not in rld's lock",
        "Check the index or mirror that your pip or uv is set to use.",
    ),
    (
        ("connect", "dns error", "name resolution", "timed out", "proxy", "certificate", "sending request"),
        "the package index cannot be reached",
        f"With a network, {ONCE}; behind a firewall, set your pip or uv to an index that you can reach.",
    ),
    (
        ("ensurepip", "no module named venv", "no module named 'venv'"),
        "this Python has no venv module",
        "Install it (Debian, Ubuntu: `apt install python3-venv`), or install uv, and run rld again.",
    ),
)


class SetupError(Exception):
    """The environment cannot be made. The text is for the user: what happened, and the way out."""


def say(text: str) -> None:
    print("rld: " + text, file=sys.stderr, flush=True)


def data_dir(variables: Mapping[str, str], platform: str = sys.platform) -> str:
    """The folder for rld's own data, by the same rules as in `bin/rld`. An empty variable counts as unset."""
    home = variables.get("HOME") or os.path.expanduser("~")
    if variables.get("RLD_HOME"):
        return os.path.abspath(variables["RLD_HOME"])
    if variables.get("OS") == "Windows_NT" and variables.get("LOCALAPPDATA"):
        shared = variables["LOCALAPPDATA"]
    elif platform == "darwin":
        shared = os.path.join(home, "Library", "Application Support")
    else:
        shared = variables.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return os.path.abspath(os.path.join(shared, "rld"))


def cksum(data: bytes) -> int:
    """What the POSIX command `cksum` prints for `data`: a CRC-32 that the standard library does not have."""
    size = len(data).to_bytes((len(data).bit_length() + 7) // 8, "little")
    crc = 0
    for byte in data + size:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ 0x104C11DB7 if crc & 0x80000000 else crc << 1
    return crc ^ 0xFFFFFFFF


def base_python() -> str:
    """The interpreter under this one: not a pyenv shim, and not an environment that may go away."""
    base = str(getattr(sys, "_base_executable", None) or sys.executable)
    if base == sys.executable and sys.prefix != sys.base_prefix:  # up to 3.10, an environment names itself
        return os.path.realpath(base)
    return base


def python_of(environment: str) -> str:
    """The environment's interpreter. When there is none, the path where POSIX would have it."""
    windows = os.path.join(environment, "Scripts", "python.exe")
    return windows if os.path.exists(windows) else os.path.join(environment, "bin", "python")


def looks_ready(environment: str) -> bool:
    """What `bin/rld` looks at before each start: the marker and the interpreter are there."""
    return os.path.isfile(os.path.join(environment, MARKER)) and os.access(python_of(environment), os.X_OK)


def works(environment: str) -> bool:
    """Does it look ready, start, and import every package? Takes about 100 ms."""
    if not looks_ready(environment):
        return False
    command = [python_of(environment), "-I", "-c", IMPORTS]
    try:
        tried = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def ensure(environment: str, lock: str) -> None:
    """Make `environment` from the hash lock `lock`, unless it works already. Raises SetupError.

    It is made beside its place and renamed into it, so nobody ever sees half of one. The file lock only saves
    two calls at the same time from doing the work twice; where there are no file locks, the second gives way.
    """
    environment, lock = os.path.abspath(environment), os.path.abspath(lock)
    home = os.path.dirname(environment)
    try:
        os.makedirs(home, exist_ok=True)
        with one_at_a_time(os.path.join(home, "setup.lock")):
            if works(environment):
                return
            say("setting up its Python environment (once, about 5 s) …")
            fresh = f"{environment}.new-{os.getpid()}"
            try:
                build(fresh, lock, os.path.join(home, "setup.log"))
                put_in_place(fresh, environment)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
            remove_unused(home, environment)
    except OSError as error:
        raise SetupError(
            f"cannot write to {error.filename or home} ({error.strerror}).\n"
            f"  Set RLD_HOME to a folder that you can write to; in a sandbox, {ONCE}."
        ) from error


@contextmanager
def one_at_a_time(path: str) -> Iterator[None]:
    """Hold the operating system's lock on the file `path`; it dies with its holder. Says so when it waits."""
    with open(path, "ab") as handle:
        end = 0.0
        while not try_lock(handle):
            if not end:
                end = time.monotonic() + WAIT_SECONDS
                say(f"waiting for another rld that is setting up the Python environment (it holds {path}) …")
            if time.monotonic() > end:
                raise SetupError(f"another rld has held {path} for 10 minutes.\n  End it, and try again.")
            time.sleep(0.1)
        yield


def try_lock(handle: BinaryIO) -> bool:
    """Take the lock on an open file if it is free; closing the file gives it back."""
    try:
        if sys.platform == "win32":
            import msvcrt

            handle.seek(0)
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Network and FUSE file systems may have no locks (tox-dev/filelock#77): then go on without.
        return sys.platform != "win32" and not isinstance(error, BlockingIOError)
    return True


def build(environment: str, lock: str, log: str) -> None:
    """Make a new environment with uv; without uv, or when it fails, with venv and pip. Raises SetupError.

    pip gets its try even when uv found no index: a company's mirror is often named in pip's settings only.
    """
    packages = ["install", "--require-hashes", "--only-binary=:all:", "-r", lock]
    base, uv = base_python(), shutil.which("uv")
    with open(log, "w+b") as output:

        def succeeds(*command: str) -> bool:
            return run_installer(command, os.path.dirname(log), output)

        def made_by_uv() -> bool:
            return (
                uv is not None
                and succeeds(uv, "venv", "--no-project", "--python", base, environment)
                and succeeds(uv, "pip", *packages, "--python", python_of(environment))
                and succeeds(python_of(environment), "-I", "-c", IMPORTS)
            )

        def made_by_pip() -> bool:
            shutil.rmtree(environment, ignore_errors=True)
            return (
                succeeds(base, "-I", "-m", "venv", environment)
                and succeeds(python_of(environment), "-I", "-m", "pip", *packages, "--no-compile")
                and succeeds(python_of(environment), "-I", "-c", IMPORTS)
            )

        if not made_by_uv() and not made_by_pip():
            output.seek(0)
            raise SetupError(explain(output.read().decode("utf-8", "replace"), log))
        succeeds(python_of(environment), "-I", "-c", PREPARE, SCRIPTS)  # now, as a sandbox lets nothing be kept here
    with open(os.path.join(environment, MARKER), "wb"):
        pass


def run_installer(command: tuple[str, ...], folder: str, output: BinaryIO) -> bool:
    """Run one step; what it says goes to `output`. Not in the user's folder, as that may be a project."""
    variables = {name: value for name, value in os.environ.items() if name not in MISDIRECTING}
    variables["PIP_USER"] = "0"
    output.write(("$ " + " ".join(command) + "\n").encode("utf-8", "replace"))
    output.flush()
    null, out = subprocess.DEVNULL, subprocess.STDOUT
    try:
        return subprocess.call(command, cwd=folder, env=variables, stdin=null, stdout=output, stderr=out) == 0
    except OSError as error:
        output.write(f"{error}\n".encode("utf-8", "replace"))
        return False
    finally:
        output.seek(0, os.SEEK_END)


def explain(said: str, log: str) -> str:
    """The message for a set-up that failed after the installers `said` this, also kept in `log`."""
    lowered = "\n".join(line for line in said.lower().splitlines() if not line.startswith("$ "))
    for signs, meaning, way_out in ADVICE:
        if any(sign in lowered for sign in signs):
            return f"{meaning}.\n  {way_out}\n  The installer's log: {log}"
    last_line = said.rstrip().rpartition("\n")[2]
    return f"the installer failed: {last_line}\n  The installer's log: {log}"


def put_in_place(fresh: str, environment: str) -> None:
    """Rename `fresh` to `environment`, moving a broken one out of the way. Raises SetupError, OSError."""
    if works(environment):  # where there are no file locks: another call was quicker
        return
    broken = f"{environment}.old-{os.getpid()}"
    try:
        if os.path.lexists(environment):
            os.rename(environment, broken)
    except OSError as error:  # on Windows, when the caller itself runs in it: the next call will not
        marker = os.path.join(environment, MARKER)
        if os.path.exists(marker):
            os.unlink(marker)
        raise SetupError(f"{environment} is damaged and in use.\n  Run the command again.") from error
    os.rename(fresh, environment)
    shutil.rmtree(broken, ignore_errors=True)


def remove_unused(home: str, current: str) -> None:
    """Remove environments that nobody used for a month, and what a killed set-up left behind a day ago."""
    for name in os.listdir(home):
        path = os.path.join(home, name)
        if not name.startswith("env-") or path == current:
            continue
        marker = os.path.join(path, MARKER)
        with suppress(OSError):
            last_used = os.stat(marker if os.path.exists(marker) else path).st_mtime
            if time.time() - last_used > DAY * (1 if "." in name else UNUSED_DAYS):
                shutil.rmtree(path, ignore_errors=True)


def run(arguments: list[str]) -> int:
    """Run rld with `arguments` in this plugin's environment, made when it is missing. Returns rld's code."""
    lock = os.path.join(SCRIPTS, "requirements.txt")
    with open(lock, "rb") as handle:
        environment = os.path.join(data_dir(os.environ), f"env-{cksum(handle.read())}")
    if not looks_ready(environment):
        ensure(environment, lock)
    program = os.path.join(SCRIPTS, "rld_main.py")
    code = subprocess.call([python_of(environment), "-I", "-X", "utf8", program, *arguments])
    return code if code >= 0 else 128 - code


def main(arguments: list[str]) -> int:
    try:
        if arguments[:1] == ["run"]:
            return run(arguments[1:])
        if arguments[:1] == ["ensure"] and len(arguments) == 3:
            environment, lock = arguments[1:]
            if os.path.basename(environment).startswith("env-"):  # any other folder is not ours to replace
                ensure(environment, lock)
                return 0
    except SetupError as error:
        say(f"cannot set up its Python environment: {error}")
        return 1
    except KeyboardInterrupt:
        return 130
    say("usage: bootstrap.py ensure DIR/env-NAME LOCK | bootstrap.py run [ARGS]")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
