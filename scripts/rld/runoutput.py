"""What the output of a test runner, type checker or build says, beyond its exit status.

Exit status 0 is no proof when nothing was run, when the runner stayed to watch, or when an older run was
replayed. A failed line with several commands can still show whose failure it was.
"""

TEST, BUILD = "test", "build"  # the two families of failures

_NOTHING_RAN = (
    "no tests ran",
    "collected 0 items",
    "no tests found",
    "no test files found",
    "no tests executed",
    "no tests were found",
    "no tests to run",
    "[no test files]",
    "no test is available",
    "no test matches the given testcase filter",
    ":test no-source",
    "running 0 tests",
    "ran 0 tests",
    "executed 0 tests",
    "starting 0 tests",
    "tests run: 0,",
)
_NOTHING_RAN_STARTS = ("0 passing ", "0 pass ", "0 examples ", "0 specs ", "tests 0 ", "1..0 ")
_RAN = ("passed", "passing", "pass", "tests", "examples", "specs", "failed", "failing")
_WATCHES = ("waiting for file changes", "watching for file changes", "watch usage", "press q to quit")

_FAILED_TEST = (
    "test result: failed",
    "failures!",
    "--- fail",
    "not ok ",
    "failed (failures=",
    "failed (errors=",
    "test failed. see above",
    "script `test` failed",
    "make: ***",
)
_FAILED_TEST_STARTS = ("FAIL ", "FAIL\t", "FAIL:", "ERROR: test", "Failed!", "FAILED")
_FAILED_BUILD = (
    "error ts",
    "error cs",
    "error[e",
    "error: could not compile",
    "failed to compile",
    "build failed",
    "build failure",
    "compilation error",
    " problems (",
)

_SILENT_TOOLS = "git cd ls cp mv rm mkdir echo printf cat grep rg tee tail head sort sleep test [ [[ ((".split()
_BUILD_WORDS = "tsc type build compile lint vet clippy mypy ruff pyright format prettier".split()
_TEST_WORDS = "test spec jest mocha check verify tox nox make run bash sh".split()


def proves_nothing(output: str, alone: bool) -> str:
    """Why a run that ended with status 0 proves nothing, in plain words; "" when its output raises no doubt.

    `alone`: no other test runner wrote to it. Then parts without tests are no doubt if others had some.
    """
    lines = _lines(output)
    lowered = [line.lower() for line in lines]
    if any(mark in line for line in lowered for mark in _WATCHES):
        return "it stayed in watch mode"
    if _replayed(lowered):
        return "its output is a replay of an older run"
    empty = [line for line in lowered if _is_empty_run(line)]
    if empty and not (alone and any(_is_real_run(line) for line in lowered)):
        return "zero tests ran"
    if lines and all(line.startswith("make: ") for line in lines):
        return "make found nothing to do"
    if any(_is_failed_total(line) for line in lowered):
        return "its output counts failed tests, although it succeeded"
    return ""


def failures(output: str) -> "set[str]":
    """Which families of failures the output shows: `TEST`, `BUILD`, both or none."""
    shown = set()
    for line in _lines(output):
        lowered = line.lower()
        if (
            line.startswith(_FAILED_TEST_STARTS)
            or line == "FAIL"
            or "FAILED" in line.split()
            or any(mark in lowered for mark in _FAILED_TEST)
            or _counts(lowered, ("failed", "failing", "failure", "failures"), ("failures", "fail"))
        ):
            shown.add(TEST)
        if any(mark in lowered for mark in _FAILED_BUILD) or (
            lowered.startswith("found ") and _counts(lowered, ("error", "errors"), ())
        ):
            shown.add(BUILD)
    return shown


def families(words: "list[str]") -> "set[str]":
    """Which families of failures a command may print, by its words."""
    name = words[0] if words else ""
    if name in _SILENT_TOOLS:
        return set()
    text = " ".join(words[:4]).lower()
    if any(word in text for word in _BUILD_WORDS):
        return {BUILD}
    if "/" in name or any(word in text for word in _TEST_WORDS):
        return {TEST, BUILD}
    return set()


def _lines(output: str) -> "list[str]":
    if "\x1b" in output:
        from .invisible import visible  # few runners colour what goes to a pipe

        output = visible(output)
    return [line for line in (line.strip(" \t\r=ℹ✖#") for line in output.split("\n")) if line]


def _is_empty_run(line: str) -> bool:
    return any(mark in line for mark in _NOTHING_RAN) or (line.replace(",", " ") + " ").startswith(_NOTHING_RAN_STARTS)


def _is_real_run(line: str) -> bool:
    return not _is_empty_run(line) and (_counts(line, _RAN, ("tests", "pass", "run")) or _is_go_result(line))


def _is_failed_total(line: str) -> bool:
    if line.startswith("test result: failed") or line.startswith("fail ") and _counts(line, (), ("fail",)):
        return True
    words = _tokens(line)
    if words[:1] == ["tests"]:
        return _counts(line, ("failed",), ())
    rest = words[2:3]
    return _counts(" ".join(words[:2]), ("failed", "failing"), ()) and (
        not rest or rest[0] == "in" or rest[0].isdecimal()
    )


def _tokens(line: str) -> "list[str]":
    for char in ",;:|()":
        if char in line:
            line = line.replace(char, " ")
    return line.split()


def _counts(line: str, after: "tuple[str, ...]", before: "tuple[str, ...]") -> bool:
    """Whether a number over 0 stands before one of the words `after`, or after one of `before`."""
    words = _tokens(line)
    return any(
        (_is_positive(one) and other in after) or (one in before and _is_positive(other))
        for one, other in zip(words, words[1:])
    )


def _is_positive(word: str) -> bool:
    return word.isdecimal() and bool(word.strip("0"))


def _is_go_result(line: str) -> bool:
    words = line.split()
    return len(words) > 2 and words[0] == "ok" and words[1][0].isalpha()


def _replayed(lines: "list[str]") -> bool:
    return (
        any("full turbo" in line for line in lines)
        or any("actionable task" in line and "executed" not in line for line in lines)
        or any("read the output from the cache" in line and _all_out_of(line) for line in lines)
        or _all_marked([line for line in lines if _is_go_result(line)], ("(cached)",))
        or _all_marked([line for line in lines if line.startswith("//") and " passed in" in line], ("(cached)",))
        or _all_marked(
            [line for line in lines if line.startswith("> task ") and _is_test_task(line)],
            ("up-to-date", "from-cache"),
        )
        or _all_marked(_tests_first([line for line in lines if ": cache " in line], "test: cache"), (": cache hit",))
        or _all_marked([line for line in lines if "nx run " in line and ":test" in line], ("cache]", "match the cache"))
    )


def _all_marked(lines: "list[str]", marks: "tuple[str, ...]") -> bool:
    return bool(lines) and all(any(mark in line for mark in marks) for line in lines)


def _tests_first(lines: "list[str]", mark: str) -> "list[str]":
    return [line for line in lines if mark in line] or lines


def _is_test_task(line: str) -> bool:
    return line.split()[2].endswith("test")


def _all_out_of(line: str) -> bool:
    """Whether "N out of M tasks" means all, or says no numbers."""
    words = line.split()
    return "out" not in words or words[words.index("out") - 1] == "".join(words[words.index("out") + 2 :][:1])
