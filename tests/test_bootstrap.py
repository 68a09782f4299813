"""How the command line gets its Python environment: bin/, bootstrap.py, rld_main.py and the locks."""

import ast
import errno
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bootstrap

ROOT = Path(__file__).resolve().parent.parent
BASE_PYTHON = bootstrap.base_python()
LINE = "rld: setting up its Python environment (once, about 5 s) …\n"

# Stands in for rld's command line: shows what reached it.
STUB_CLI = """
import sys
import click

def main(argv=None):
    click.echo("👉 " + "|".join(sys.argv[1:]))
    if "--stdin" in sys.argv:
        click.echo(sys.stdin.read())
    return 7 if "seven" in sys.argv else 0
"""

# Makes an environment with stand-ins for the five packages, without a network, and notes each call.
FAKE_UV = """
import os, pathlib, subprocess, sys, time

notes = pathlib.Path(__file__).parent / "notes"
target, index = os.environ.get("PIP_TARGET"), os.environ.get("UV_INDEX_URL")
with notes.open("a", encoding="utf-8") as out:
    out.write(f"{sys.argv[1]} cwd={os.getcwd()} target={target} index={index}\\n")
python = sys.argv[sys.argv.index("--python") + 1]
if sys.argv[1] == "venv":
    time.sleep(float(os.environ.get("FAKE_UV_SECONDS", "0")))
    subprocess.check_call([python, "-m", "venv", "--without-pip", sys.argv[-1]])
else:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = pathlib.Path(subprocess.check_output([python, "-c", code], text=True).strip())
    for name in ("yaml", "frontmatter", "filelock"):
        (packages / (name + ".py")).write_text("", encoding="utf-8")
    (packages / "click.py").write_text("echo = print", encoding="utf-8")
"""


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


class Machine:
    """A copy of the plugin, a home folder, and a PATH with only what a test puts there."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.plugin = folder / "My Plügins" / "é ü" / "rld"
        (self.plugin / "scripts" / "rld" / "cli").mkdir(parents=True)
        shutil.copytree(ROOT / "bin", self.plugin / "bin")
        for name in ("bootstrap.py", "rld_main.py", "requirements.txt"):
            shutil.copy(ROOT / "scripts" / name, self.plugin / "scripts")
        (self.plugin / "scripts" / "rld" / "__init__.py").write_text("", encoding="utf-8")
        (self.plugin / "scripts" / "rld" / "cli" / "__init__.py").write_text(STUB_CLI, encoding="utf-8")
        self.rld = self.plugin / "bin" / "rld"
        self.bin = folder / "bin"
        self.data = folder / "data dir"
        for tool in ("cksum", "readlink", "dash", "bash", "busybox"):
            if shutil.which(tool):
                self.link(tool, shutil.which(tool))
        self.link("sh", "/bin/sh")
        self.python("python3")
        self.uv(FAKE_UV)
        self.variables = {"PATH": str(self.bin), "HOME": str(folder / "home"), "RLD_HOME": str(self.data)}

    def link(self, name: str, target: str) -> None:
        self.bin.mkdir(exist_ok=True)
        (self.bin / name).symlink_to(target)

    def python(self, name: str) -> None:
        executable(self.bin / name, f'#!/bin/sh\nexec "{BASE_PYTHON}" "$@"\n')

    def uv(self, program: str) -> None:
        code = executable(self.bin / "fake uv.py", program)
        executable(self.bin / "uv", f'#!/bin/sh\nexec "{BASE_PYTHON}" "{code}" "$@"\n')

    def command(self, *arguments: str, by=(), variables=(), **more) -> dict:
        return {
            "args": [*by, str(self.rld), *arguments],
            "env": {**self.variables, **dict(variables)},
            "text": True,
            "encoding": "utf-8",
            **more,
        }

    def run(self, *arguments: str, **more) -> "subprocess.CompletedProcess[str]":
        command = {"stdin": subprocess.DEVNULL, **self.command(*arguments, **more)}
        if "input" in command:
            del command["stdin"]
        return subprocess.run(**command, capture_output=True, timeout=120)

    def start(self, *arguments: str, **more) -> "subprocess.Popen[str]":
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(**self.command(*arguments, **more), **streams)

    @property
    def environment(self) -> Path:
        (found,) = self.data.glob("env-*")
        return found

    @property
    def packages(self) -> Path:
        (found,) = self.environment.glob("lib/python*/site-packages")
        return found

    @property
    def builds(self) -> int:
        notes = self.bin / "notes"
        return notes.read_text(encoding="utf-8").count("venv cwd") if notes.exists() else 0


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


# bin/rld


def test_the_first_call_sets_up_and_then_runs_the_command(machine):
    done = machine.run("a", "b  c", "*", "seven", "--stdin", input="line\n")
    assert done.stdout == "👉 a|b  c|*|seven|--stdin\nline\n\n"
    assert done.stderr == LINE
    assert done.returncode == 7


def test_the_second_call_only_runs_the_command(machine):
    machine.run()
    done = machine.run("x")
    assert (done.stdout, done.stderr, done.returncode) == ("👉 x\n", "", 0)
    assert machine.builds == 1


def test_a_warm_call_needs_no_python_and_no_uv_on_path(machine):
    machine.run()
    for name in ("python3", "uv"):
        (machine.bin / name).unlink()
    assert machine.run("x").stdout == "👉 x\n"


@pytest.mark.parametrize("shell", ["dash", "bash", "bash --posix", "busybox sh"])
def test_every_shell_starts_it(machine, shell):
    if not shutil.which(shell.split()[0]):
        pytest.skip(f"no {shell} here")
    assert machine.run("cold", by=shell.split()).stdout == "👉 cold\n"
    assert machine.run("warm", by=shell.split()).stdout == "👉 warm\n"


def test_it_is_found_through_a_chain_of_symlinks(machine):
    links = machine.folder / "links"
    (links / "deep").mkdir(parents=True)
    (links / "absolute").symlink_to(machine.rld)
    (links / "deep" / "relative").symlink_to("../absolute")
    machine.rld = links / "deep" / "relative"
    assert machine.run("x").stdout == "👉 x\n"


def test_it_is_found_from_its_own_folder_and_through_path(machine):
    done = machine.run("x", by=["sh", "-c", 'cd "${0%/*}" && ./rld "$@" && sh rld "$@"'])
    assert done.stdout == "👉 x\n👉 x\n"
    path = {"PATH": f"{machine.rld.parent}:{machine.bin}"}
    assert machine.run("x", by=["sh", "-c", 'rld "$@"'], variables=path).stdout == "👉 x\n"


def test_a_store_stub_is_passed_over_for_a_python_that_runs(machine):
    executable(machine.bin / "python3", "#!/bin/sh\necho Python was not found\nexit 49\n")
    machine.python("python")
    done = machine.run("x")
    assert (done.stdout, done.stderr) == ("👉 x\n", LINE)


def test_an_old_python_is_passed_over(machine):
    executable(machine.bin / "python3", '#!/bin/sh\ncase "$*" in *version_info*) exit 1 ;; esac\necho old\n')
    machine.python("python3.10")
    assert machine.run("x").stdout == "👉 x\n"


def test_py_is_asked_for_python_3(machine):
    (machine.bin / "python3").unlink()
    executable(machine.bin / "py", f'#!/bin/sh\n[ "$1" = -3 ] || exit 2\nshift\nexec "{BASE_PYTHON}" "$@"\n')
    assert machine.run("x").stdout == "👉 x\n"


def test_without_any_python_it_says_so(machine):
    (machine.bin / "python3").unlink()
    done = machine.run("x")
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr.startswith("rld: found no Python 3.9 or newer (tried python3, ")
    assert done.stderr.count("\n") == 1


def test_neither_probing_nor_setting_up_looks_at_the_users_project(machine):
    project = machine.folder / "project"
    project.mkdir()
    seen = machine.folder / "seen"
    executable(machine.bin / "python3", f'#!/bin/sh\necho "$PWD" >> "{seen}"\nexec "{BASE_PYTHON}" "$@"\n')
    machine.run(cwd=project)
    assert set(seen.read_text(encoding="utf-8").split("\n")) == {"/", ""}
    assert f"cwd={machine.data} " in (machine.bin / "notes").read_text(encoding="utf-8")
    assert list(project.iterdir()) == []


def test_settings_that_name_an_index_are_kept_and_those_that_name_a_target_are_not(machine):
    machine.run(variables={"UV_INDEX_URL": "mirror", "PIP_TARGET": "/elsewhere"})
    assert (machine.bin / "notes").read_text(encoding="utf-8").count("target=None index=mirror\n") == 2


@pytest.mark.parametrize(
    "variables",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
    ],
    ids=["C", "posix-without-utf8", "cp1252"],
)
def test_the_streams_are_utf_8_whatever_the_locale(machine, variables):
    done = machine.run("ü", "--stdin", variables=variables, input="日本\n")
    assert done.stdout == "👉 ü|--stdin\n日本\n\n"


def test_the_users_variables_reach_the_command_unchanged(machine):
    show = "import os\n\ndef main(argv=None):\n    print(sorted(os.environ.items()))\n"
    (machine.plugin / "scripts" / "rld" / "cli" / "__init__.py").write_text(show, encoding="utf-8")
    words = ("self", "link", "root", "home", "key", "env", "python", "version")
    variables = {**machine.variables, **dict.fromkeys(words, "mine")}
    for _ in ("cold", "warm"):
        seen = dict(ast.literal_eval(machine.run(variables=variables, by=["sh"]).stdout))
        assert {name: seen.get(name) for name in variables} == variables


def test_a_byte_that_is_not_utf_8_does_not_fail(machine):
    machine.run()
    command = machine.command("--stdin")
    del command["text"], command["encoding"]
    done = subprocess.run(**command, input=b"\xff\n", capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "👉 --stdin\n\\udcff\n\n".encode())


# Where the data is


@pytest.mark.parametrize(
    ("variables", "where"),
    [
        ({"RLD_HOME": "{}/own"}, "own"),
        ({"RLD_HOME": "relative"}, "relative"),
        ({"RLD_HOME": "", "XDG_DATA_HOME": "{}/xdg"}, "xdg/rld"),
        ({"RLD_HOME": "", "XDG_DATA_HOME": ""}, "home/.local/share/rld"),
        ({"RLD_HOME": "", "OS": "Windows_NT", "LOCALAPPDATA": "{}/local"}, "local/rld"),
        ({"RLD_HOME": "", "OS": "Windows_NT", "LOCALAPPDATA": ""}, "home/.local/share/rld"),
        ({"RLD_HOME": "{}/own", "OS": "Windows_NT", "LOCALAPPDATA": "{}/local"}, "own"),
    ],
    ids=["own", "relative", "xdg", "default", "windows", "windows-empty", "own-first"],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has its own place")
def test_the_shell_and_bootstrap_agree_on_the_data_folder(machine, variables, where, monkeypatch):
    monkeypatch.chdir(machine.folder)
    variables = {name: value.format(machine.folder) for name, value in variables.items()}
    assert bootstrap.data_dir({**machine.variables, **variables}) == str(machine.folder / where)
    assert machine.run(variables=variables, cwd=machine.folder).returncode == 0
    assert len(list((machine.folder / where).glob("env-*"))) == 1


def test_macos_keeps_it_in_application_support():
    variables = {"HOME": "/Users/é", "XDG_DATA_HOME": "/x"}
    assert bootstrap.data_dir(variables, "darwin") == "/Users/é/Library/Application Support/rld"


@pytest.mark.parametrize("data", [b"", b"a", b"a line\n", bytes(range(256)) * 300], ids=len)
def test_cksum_counts_like_the_posix_command(data):
    said = subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout
    assert bootstrap.cksum(data) == int(said.split()[0])


def test_run_uses_the_same_environment_and_hands_on_the_exit_code(machine):
    machine.run()
    command = [BASE_PYTHON, "-I", str(machine.plugin / "scripts" / "bootstrap.py"), "run", "a b", "seven"]
    done = subprocess.run(command, env=machine.variables, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr) == (7, "👉 a b|seven\n", "")
    assert machine.builds == 1


def test_run_sets_up_too(machine):
    command = [BASE_PYTHON, "-I", str(machine.plugin / "scripts" / "bootstrap.py"), "run", "x"]
    done = subprocess.run(command, env=machine.variables, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr) == (0, "👉 x\n", LINE)
    assert machine.run("y").stderr == ""


# Building it


def test_two_calls_at_once_build_one_environment(machine):
    variables = {"FAKE_UV_SECONDS": "1"}
    calls = [machine.start(str(number), variables=variables) for number in range(3)]
    said = [call.communicate(timeout=60) for call in calls]
    assert [out for out, _ in said] == ["👉 0\n", "👉 1\n", "👉 2\n"]
    assert machine.builds == 1
    errors = sorted(err for _, err in said)
    what = f"that is setting up the Python environment (it holds {machine.data}/setup.lock)"
    waiting = f"rld: waiting for another rld {what} …\n"
    assert errors == [LINE, waiting, waiting]


def test_a_file_system_without_locks_is_no_obstacle(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with bootstrap.one_at_a_time(str(tmp_path / "lock")):
        pass


def test_a_killed_set_up_leaves_no_half_environment_and_no_lock(machine):
    call = machine.start(variables={"FAKE_UV_SECONDS": "60"}, start_new_session=True)
    while not machine.builds:
        time.sleep(0.02)
    os.killpg(call.pid, 9)
    call.communicate(timeout=10)
    assert all(".new-" in path.name for path in machine.data.glob("env-*"))
    done = machine.run("x")
    assert (done.stdout, done.stderr) == ("👉 x\n", LINE)


def remove_python(machine):
    (machine.environment / "bin" / "python").unlink()


def let_python_dangle(machine):
    remove_python(machine)
    (machine.environment / "bin" / "python").symlink_to("/nowhere/python3")


def remove_marker(machine):
    (machine.environment / "ready").unlink()


def remove_a_package(machine):
    (machine.packages / "yaml.py").unlink()


def tear_a_package(machine):
    (machine.packages / "click.py").write_text("def echo(", encoding="utf-8")


def move_packages_as_a_new_base_python_does(machine):
    library = machine.packages.parent
    library.rename(library.with_name("python3.2"))


@pytest.mark.parametrize(
    "damage",
    [
        remove_python,
        let_python_dangle,
        remove_marker,
        remove_a_package,
        tear_a_package,
        move_packages_as_a_new_base_python_does,
    ],
)
def test_a_damaged_environment_is_made_again_once(machine, damage):
    machine.run()
    damage(machine)
    done = machine.run("x y", "seven", "--stdin", input="kept")
    assert (done.stdout, done.returncode) == ("👉 x y|seven|--stdin\nkept\n", 7)
    assert machine.builds == 2
    assert machine.run().stderr == ""
    left = {path.name for path in machine.data.iterdir()}
    assert left == {machine.environment.name, "setup.lock", "setup.log"}


UNREACHABLE = {
    "PIP_INDEX_URL": "http://127.0.0.1:9/",
    "PIP_RETRIES": "1",
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_NO_CACHE_DIR": "1",
}
NO_INDEX = "rld: cannot set up its Python environment: the package index cannot be reached.\n"


@pytest.mark.slow
def test_a_damaged_environment_that_cannot_be_made_again_is_reported(machine):
    machine.run()
    tear_a_package(machine)
    machine.uv("raise SystemExit('no uv today')")
    done = machine.run("x", variables=UNREACHABLE)
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr.startswith(LINE + NO_INDEX)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_index_that_cannot_be_reached_is_named_with_the_way_out(machine):
    machine.uv("raise SystemExit('error: tcp connect error: Connection refused')")
    done = machine.run("x", variables=UNREACHABLE)
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr.startswith(LINE + NO_INDEX)
    log = machine.data / "setup.log"
    assert done.stderr.endswith(f"  The installer's log: {log}\n")
    assert "pip install" in log.read_text(encoding="utf-8")
    assert not list(machine.data.glob("env-*"))


def test_a_python_without_venv_is_named_with_the_way_out(tmp_path, monkeypatch, capsys):
    said = "The virtual environment was not created successfully because ensurepip is not available."
    python = executable(tmp_path / "bin" / "python3", f"#!/bin/sh\necho '{said}'\nexit 1\n")
    monkeypatch.setattr(bootstrap, "base_python", lambda: str(python))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert bootstrap.main(["ensure", str(tmp_path / "data" / "env-1"), "lock"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "this Python has no venv module.\n" in said.err
    assert "`apt install python3-venv`), or install uv" in said.err


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("$ uv venv /home/proxy/connect\nboom", "the installer failed: boom"),
        ("error: Connection refused\nensurepip is not available", "the package index cannot be reached."),
        ("connection broken\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "the package index served"),
        ("/usr/bin/python3: No module named venv", "this Python has no venv module."),
        ("", "the installer failed: "),
    ],
    ids=["command-lines-do-not-count", "network-before-venv", "hash-first", "no-venv", "silent"],
)
def test_the_installers_log_is_read_for_what_went_wrong(said, meaning):
    assert bootstrap.explain(said, "LOG").startswith(meaning)
    assert bootstrap.explain(said, "LOG").endswith("\n  The installer's log: LOG")


def test_a_data_folder_that_cannot_be_written_is_named_with_the_way_out(machine):
    (machine.folder / "file").write_text("", encoding="utf-8")
    done = machine.run("x", variables={"RLD_HOME": str(machine.folder / "file" / "rld")})
    assert (done.stdout, done.returncode) == ("", 1)
    assert f"cannot write to {machine.folder}/file" in done.stderr
    assert "Set RLD_HOME to a folder that you can write to" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [[], ["ensure"], ["ensure", "{}", "lock"]], ids=len)
def test_a_wrong_call_of_bootstrap_is_a_usage_error(arguments, capsys, tmp_path):
    assert bootstrap.main([argument.format(tmp_path) for argument in arguments]) == 2
    assert capsys.readouterr().err.startswith("rld: usage:")
    assert list(tmp_path.iterdir()) == []


def test_a_python_that_is_not_ours_is_never_rebuilt(machine):
    command = [BASE_PYTHON, "-I", "-S", str(machine.plugin / "scripts" / "rld_main.py")]
    done = subprocess.run(command, env=machine.variables, capture_output=True, text=True, encoding="utf-8")
    assert "No module named 'click'" in done.stderr
    assert (machine.builds, machine.data.exists()) == (0, False)


# Old environments


def old(path: Path, days: float) -> None:
    then = time.time() - days * bootstrap.DAY
    os.utime(path, (then, then))


def test_environments_unused_for_a_month_are_removed_when_a_new_one_is_made(machine):
    ages = {"env-1": 31, "env-2": 29, "env-3.new-77": 2, "env-4.new-78": 0.5, "other": 99}
    for name, days in ages.items():
        folder = machine.data / name
        folder.mkdir(parents=True)
        if "." not in name:
            (folder / "ready").write_text("", encoding="utf-8")
            old(folder / "ready", days)
        else:
            old(folder, days)
    machine.run()
    assert [name for name in ages if (machine.data / name).exists()] == ["env-2", "env-4.new-78", "other"]


def test_use_is_noted_at_most_once_a_day(machine):
    machine.run()
    marker = machine.environment / "ready"
    old(marker, 0.9)
    before = marker.stat().st_mtime
    machine.run()
    assert marker.stat().st_mtime == before
    old(marker, 1.1)
    machine.run()
    assert time.time() - marker.stat().st_mtime < 60


# Real ones


def settings(prefix: str) -> "dict[str, str]":
    """What this machine needs to reach its package index."""
    return {name: value for name, value in os.environ.items() if name.startswith(prefix) or "CERT" in name}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("uv"), reason="no uv on PATH")
def test_uv_makes_a_real_environment_that_starts_fast(machine):
    (machine.bin / "uv").unlink()
    path = f"{machine.bin}{os.pathsep}{os.environ['PATH']}"
    done = machine.run("x", variables={**settings("UV_"), "PATH": path, "PYTHONIOENCODING": "cp1252"})
    assert (done.stdout, done.stderr) == ("👉 x\n", LINE)
    assert "-m pip" not in (machine.data / "setup.log").read_text(encoding="utf-8")
    took = []
    for _ in range(20):
        start = time.perf_counter()
        machine.run("--version")
        took.append(time.perf_counter() - start)
    assert statistics.median(took) < 0.120


@pytest.mark.slow
def test_when_uv_fails_pip_makes_a_real_environment(machine):
    machine.uv("raise SystemExit('uv: cannot')")
    done = machine.run("x", variables={**settings("PIP_"), "LANG": "C"})
    assert (done.stdout, done.stderr) == ("👉 x\n", LINE)
    assert "uv: cannot" in (machine.data / "setup.log").read_text(encoding="utf-8")


# The files themselves


def test_the_windows_starter_quotes_its_paths_and_has_crlf_lines():
    text = (ROOT / "bin" / "rld.cmd").read_bytes().decode("ascii")
    assert text.count("\n") == text.count("\r\n") > 10
    lines = text.split("\r\n")
    for label, python in ((":py", "py -3"), (":python", "python")):
        at = lines.index(label)
        assert lines[at + 1 : at + 3] == [
            rf'{python} -I "%~dp0..\scripts\bootstrap.py" run %*',
            "exit /b %errorlevel%",
        ]
        assert f"if %errorlevel%==0 goto {label[1:]}" in lines
    assert all("<nul" in line for line in lines if "RLD_PROBE%" in line)


def test_the_posix_starter_can_be_executed_and_has_lf_lines():
    starter = ROOT / "bin" / "rld"
    assert os.access(starter, os.X_OK)
    assert b"\r" not in starter.read_bytes()
    assert starter.read_bytes().startswith(b"#!/bin/sh\n")


def locked(name: str) -> "list[list[str]]":
    """The requirements of a lock: each a list of its name, version and marker line and its hashes."""
    text = (ROOT / "scripts" / name).read_text(encoding="utf-8").replace("\\\n", "\n")
    found: "list[list[str]]" = []
    for line in text.splitlines():
        if line.strip().startswith("--hash="):
            found[-1].append(line.strip())
        elif line and not line.lstrip().startswith("#"):
            found.append([line.strip()])
    return found


@pytest.mark.parametrize("name", ["requirements.txt", "dev-requirements.txt"])
def test_the_lock_has_a_hash_for_everything_and_no_place_of_its_own(name):
    for requirement, *hashes in locked(name):
        assert re.match(r"[a-z0-9-]+==[0-9][0-9a-z.]*( ;|$)", requirement)
        assert hashes
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes)
    text = (ROOT / "scripts" / name).read_text(encoding="utf-8")
    assert not re.search(r"://|index|find-links|trusted|(^|\s)/\w", text)


def test_both_locks_cover_what_is_asked_for_with_the_same_versions():
    wanted = {
        re.split(r"[<>=;\s]", line)[0]
        for line in (ROOT / "scripts" / "requirements.in").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    }
    assert wanted == {"click", "pyyaml", "python-frontmatter", "filelock", "kingfisher-bin"}
    run_time = {requirement[0] for requirement in locked("requirements.txt")}
    development = {requirement[0] for requirement in locked("dev-requirements.txt")}
    assert wanted <= {requirement.partition("==")[0] for requirement in run_time}
    of_wanted = {requirement for requirement in run_time if requirement.partition("==")[0] in wanted}
    assert of_wanted <= development
