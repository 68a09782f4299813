"""Scopes: git's globs, and where people's globs are read more kindly."""

import subprocess
import time

import pathspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld import match


@pytest.mark.parametrize(
    "glob, path, answer",
    [
        ("src/app/**", "src/app/cart/page.tsx", True),
        ("src/app/**", "src/app", False),
        ("src/app", "src/app/cart/page.tsx", True),
        ("src/app/", "src/app/page.tsx", True),
        ("src/app/", "src/app", False),
        ("/src", "lib/src/x", False),
        ("src", "lib/src/x", True),
        ("Dockerfile", "services/api/Dockerfile", True),
        ("Dockerfile", "Dockerfile.dev", False),
        ("docker/Dockerfile", "services/docker/Dockerfile", False),
        ("*.py", "a/b/c.py", True),
        ("shop/*.py", "shop/till/x.py", False),
        ("shop/**/*.py", "shop/x.py", True),
        ("shop/**/*.py", "shop/a/b/x.py", True),
        ("**/test_*", "a/test_x/y", True),
        ("**", "x", True),
        ("a/**/b/**/c", "a/1/b/2/3/b/c", True),
        ("lib?.so", "lib/.so", False),
        ("lib[0-9].so", "lib4.so", True),
        ("lib[!0-9].so", "lib4.so", False),
        ("lib[]x].so", "lib].so", True),
        (r"a\*b", "a*b", True),
        (r"a\*b", "axb", False),
        ("# comment", "# comment", False),
        ("", "", False),
        ("!src", "src/x", False),
        ("src[", "src[", True),
        ("a\\", "a", False),
        ("SRC/**", "src/x", False),
    ],
)
def test_a_glob_means_what_it_means_to_git(glob, path, answer):
    assert match.matches([glob], path) is answer


@pytest.mark.parametrize(
    "glob, path, answer",
    [
        ("src/**/*.{ts,tsx}", "src/a/b.tsx", True),
        ("src/**/*.{ts,tsx}", "src/a/b.js", False),
        ("{a,b}/{c,d{1,2}}", "b/d2", True),
        ("{a,b}/{c,d{1,2}}", "b/d", False),
        ("x{y}z", "x{y}z", True),
        ("{" * 500 + "," * 500 + "}" * 500, "a", False),
        ("src/app/category/[id]/page.tsx", "src/app/category/[id]/page.tsx", True),
        ("src/app/[...slug]/**", "src/app/[...slug]/page.tsx", True),
        ("./src/**", "src/x", True),
        ("src/**", "./src/x", True),
        ("src/**", "src\\app\\x.ts", True),
        ("src\\app\\*.ts", "src/app/x.ts", True),
        ("src\\**", "src/app/x.ts", True),
        ("übung/*", "übung/日本.md", True),
        ("src/app/**", "src/app/", True),
    ],
)
def test_people_are_understood_where_git_would_not(glob, path, answer):
    assert match.matches([glob], path) is answer


def test_the_last_glob_that_matches_decides():
    scope = ["src/**", "!src/generated/**", "src/generated/keep.ts"]
    assert match.matches(scope, "src/a.ts")
    assert not match.matches(scope, "src/generated/b.ts")
    assert match.matches(scope, "src/generated/keep.ts")
    assert not match.matches([], "src/a.ts")


names = st.text(alphabet="ab.-[]", min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
pieces = st.sampled_from(["a", "b", ".", "-", "*", "?", "/", "**", "/**/", "**/", "/**", "[ab]", "[a-b.]", "\\*", "\\?"])
globs = st.lists(pieces, min_size=1, max_size=6).map("".join)


def means_something_else(glob):
    """Where we differ on purpose, git has no answer, or the library is not git: `a/**/` takes in no file of `a`."""
    body = glob.lstrip("!")
    return body.endswith("/**/") or "//" in body or body in ("", "/") or body.startswith("./") or ("\\" in body and "/" not in body)


@settings(max_examples=1500, deadline=None, derandomize=True, database=None)
@given(globs, paths)
def test_every_glob_agrees_with_an_implementation_of_gits_rules(glob, path):
    if means_something_else(glob):
        return
    expected = pathspec.GitIgnoreSpec.from_lines([glob]).match_file(path)
    literal = "[" in glob and match._matches(glob, path.split("/"), False)
    assert match.matches([glob], path) == (expected or literal), (glob, path)


def test_git_itself_agrees(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    paths = ["a", "a/b", "a/b/c.py", "b/a/c.py", "c.py", "x/y/z/a/b", ".h", "a.py/x"]
    for glob in ["a", "a/", "/a", "a/b", "a/**", "**/b", "*.py", "a/*", "*/a", "x/**/b", "**/a/**", "[ab]/c.py", "?.py", "x/", "[!a]", "*[!b]/b"]:
        (tmp_path / ".gitignore").write_text(glob + "\n", encoding="utf-8")
        done = subprocess.run(
            ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "--stdin"],
            input="\n".join(paths), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert [path for path in paths if match.matches([glob], path)] == done.stdout.split()


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_no_text_stops_it(glob, path):
    assert match.matches([glob], path) in (True, False)


@pytest.mark.parametrize(
    "glob, path",
    [
        ("*a" * 300, "a" * 3000 + "b"),
        ("**/a/" * 200 + "b", "a/" * 2000 + "c"),
        ("{a,b}" * 200, "a" * 200),
        ("[" * 3000, "[" * 3000),
        ("\\" * 5001, "a" * 5000),
    ],
    ids=["stars", "folders", "braces", "brackets", "backslashes"],
)
def test_no_glob_is_slow(glob, path):
    started = time.process_time()
    match.matches([glob], path)
    assert time.process_time() - started < 2
