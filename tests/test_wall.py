"""The wall between what hooks load and everything else, and between the pure core and the world."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "scripts/rld"
PYTHON = os.path.realpath(os.path.join(sys.base_prefix, "bin", "python3"))
OUTSIDE = {
    "os", "pathlib", "subprocess", "shutil", "tempfile", "io", "socket", "time", "threading", "click", "yaml", "frontmatter", "filelock",
    "posix", "nt",
}  # fmt: skip
# What a hook may load besides our own modules: built in, or a C module that costs nothing to speak of.
CHEAP = {"sys", "gc", "time", "posix", "nt", "_json", "_sha1"}
# Imports for the day when the cheap way is missing, each inside a function or after a failed import.
FALLBACKS = {"jsontext": {"json", "json.encoder"}, "gitblob": {"os", "subprocess"}, "trust": {"hashlib"}}
FILES = sorted(
    [
        *PACKAGE.rglob("*.py"),
        *(ROOT / "hooks").glob("*.py"),
        ROOT / "scripts/rld_main.py",
        ROOT / "scripts/bootstrap.py",
    ]
)
SOURCES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def called_pure():
    """The modules that ARCHITECTURE.md calls pure: a whole section of its tables, or one row."""
    found, section = [], False
    for row in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            section = row.endswith("(pure)")
        elif row.startswith("| `") and (section or row.endswith("(pure) |")):
            found.append(row.split("`")[1])
    return found


PURE = called_pure()


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def module(path):
    """A module's name inside the package: "lines", "events.stop"."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).replace(".__init__", "")


MODULES = {module(path): path for path in FILES if PACKAGE in path.parents and path != PACKAGE / "__init__.py"}


def imports(path, also_lazy=True):
    """(our modules, other modules) that a file imports, each by its full name."""
    tree = SOURCES[path]
    nodes = list(ast.walk(tree)) if also_lazy else tree.body
    ours, others = set(), set()
    for node in nodes:
        if isinstance(node, ast.Import):
            others.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = "rld" if node.level else node.module or ""
            if node.level and node.module:
                source += "." + node.module
            if source.partition(".")[0] != "rld":
                others.add(source)
                continue
            base = source[4:]
            for alias in node.names:
                inner = (base + "." if base else "") + alias.name
                ours.add(inner if inner in MODULES else base)
    assert ours <= set(MODULES), (path, ours - set(MODULES))
    return ours, others


def closure(start):
    """Every module of ours that these reach, by whatever import."""
    found, waiting = set(), list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            if "." in name:
                waiting.append(name.partition(".")[0])
            waiting += imports(MODULES[name])[0]
    return found


def of_hooks():
    return closure(name for path in FILES if path.parent.name == "hooks" for name in imports(path)[0])


@pytest.mark.parametrize("name", PURE)
def test_the_core_takes_text_and_gives_values(name):
    for each in closure([name]):
        assert not imports(MODULES[each])[1] & OUTSIDE, each


def test_the_core_holds_what_it_is_named_for():
    named = "lines postmortem journal plan graph pointer verdict digest match proposal redact amend".split()
    assert set(named) <= set(PURE) and len(PURE) > 60


def test_a_hook_file_only_connects_an_event_with_its_answer():
    for path in FILES:
        if path.parent.name == "hooks":
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 40
            assert imports(path)[0] == {"hookio", "events." + path.stem}


def test_hooks_reach_no_library_and_nothing_of_the_command_line():
    found = of_hooks()
    assert {"evidence", "digest", "verdict", "redact", "review", "runstate"} <= found
    assert not {name for name in found if name.partition(".")[0] == "cli"}
    for name in sorted(found):
        assert imports(MODULES[name])[1] - FALLBACKS.get(name, set()) <= CHEAP, name
        # Not even `from __future__`: it is an import too.
        assert imports(MODULES[name], also_lazy=False)[1] <= CHEAP, name


def test_hooks_load_and_run_without_site_packages_and_without_the_standard_library():
    code = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    __import__("rld." + name)
print("\\n".join(sorted(set(sys.modules) - before)))
"""
    command = [PYTHON, "-I", "-S", "-c", code, str(ROOT / "scripts"), *sorted(of_hooks())]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    loaded = {name for name in done.stdout.split() if name.partition(".")[0] != "rld"}
    assert loaded - set(sys.builtin_module_names) <= CHEAP


# -- the oldest Python ---------------------------------------------------------------------------------------

_TYPES = {
    "str",
    "bytes",
    "int",
    "float",
    "bool",
    "list",
    "dict",
    "set",
    "tuple",
    "object",
    "type",
    "Path",
    "Any",
    "Callable",
}


def annotations(tree):
    """The expressions that stand where an annotation is allowed."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            yield from [arg.annotation for arg in every if arg is not None and arg.annotation is not None]
            if node.returns is not None:
                yield node.returns
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation


def is_type(node):
    if isinstance(node, ast.Subscript):
        return is_type(node.value)
    return (isinstance(node, ast.Constant) and node.value is None) or (isinstance(node, ast.Name) and node.id in _TYPES)


def unions(tree):
    """The lines where `X | Y` of types would be evaluated."""
    quiet = set()
    if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body):
        quiet = {id(inner) for each in annotations(tree) for inner in ast.walk(each)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.BitOr)
        and id(node) not in quiet
        and (is_type(node.left) or is_type(node.right))
    ]


@pytest.mark.parametrize("text, found", [
    ("def f(x: str | None): pass", [1]),
    ("from __future__ import annotations\ndef f(x: str | None) -> int | None:\n    y: dict[str, int] | None = None", []),
    ("from __future__ import annotations\nX = str | None", [2]),
    ("isinstance(x, int | str)", [1]),
    ('def f(x: "str | None"): pass', []),
    ("a = 1 | 2\nb = {1} | {2}\nc = x | y", []),
])  # fmt: skip
def test_a_union_that_is_evaluated_is_found(text, found):
    assert unions(ast.parse(text)) == found


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_file_evaluates_a_union_of_types(path):
    """Synaptic-Labs-AI/PACT-Plugin#941: on 3.9 that is an error at import"""
    assert unions(SOURCES[path]) == []
    assert not any(type(node).__name__ == "Match" for node in ast.walk(SOURCES[path]))


def old_python():
    here = sorted(str(path) for path in Path.home().glob(".pyenv/versions/3.9.*/bin/python"))
    return here[0] if here else ""


def test_every_file_is_python_3_9():
    for path in FILES:
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
    if old_python():
        code = "import sys\nfor path in sys.argv[1:]:\n    compile(open(path, encoding='utf-8').read(), path, 'exec')\n"
        subprocess.run([old_python(), "-I", "-S", "-c", code, *map(str, FILES)], check=True)
