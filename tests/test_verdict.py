"""Which shell lines are evidence for the verify command. A false pass is what must never happen."""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rld.verdict import FAILED, NOT_EVIDENCE, PASSED, judge, judge_payload, known_runner

HERE = pathlib.Path(__file__).parent
TABLE = json.loads((HERE / "cases" / "verdict" / "table.json").read_text(encoding="utf-8"))
V = ["npm test"]


@pytest.mark.parametrize(
    "row", [pytest.param(row, id="%02d %s" % (n, row["why"])) for n, row in enumerate(TABLE)]
)
def test_the_shared_table(row):
    verdict = judge_payload(row["tool"], [row["verify"]])
    assert verdict.answer == row["expect"]
    assert bool(verdict.reason) == (row["expect"] == NOT_EVIDENCE)


# ---- lines seen to succeed

HANDS_ITS_STATUS_ON = [
    "npm test",
    "  npm   test  ",
    "npm 'test'",
    '"npm" "test"',
    "npm \\\n  test",
    "npm test;",
    "npm test\n",
    "\n\nnpm test",
    "npm test # all of it",
    "# first the tests\nnpm test",
    "CI=1 npm test",
    'CI=1 MESSAGE="a b; c" npm test',
    "PATH=./bin:$PATH npm test",
    "export CI=1; npm test",
    "env CI=1 npm test",
    "env -u CI npm test",
    "cross-env CI=1 npm test",
    "npm test 2>&1",
    "npm test >/dev/null 2>&1",
    "npm test &> test.log",
    "npm test > 'my log.txt'",
    "npm test < /dev/null",
    "cd web && npm test",
    "cd web; npm test",
    "cd web\nnpm test",
    "(cd web && npm test)",
    "( npm test )",
    "{ npm test; }",
    "{ cd web; npm test; } 2>&1",
    "pushd web && npm test && popd",
    "npm ci && npm test",
    "npm run lint; npm test",
    "npm test && git commit -m x",
    "npm test && git add -A && git commit -m 'a || b; c'",
    "npm test &&\n  git push",
    "npm test || exit 1",
    "npm test || exit $?",
    "npm test || exit",
    "npm test; exit $?",
    'npm test; exit "$?"',
    "npm test\nexit",
    "npm test || { echo broken; exit 1; }",
    "npm test || (echo broken; exit 2)",
    "npm test && echo good || exit 1",
    "npm test || npm test",
    "npm test || false",
    "false || npm test",
    "! ! npm test",
    "exec npm test",
    "command npm test",
    "time npm test",
    "time -p npm test",
    "nice npm test",
    "nice -n 10 npm test",
    "nohup npm test",
    "timeout 60 npm test",
    "timeout -k 5s 2m npm test",
    "timeout --signal=INT 60 npm test",
    "CI=1 timeout 60 nice -n 5 npm test",
    "stdbuf -oL npm test",
    "npx npm test",
    "uv run npm test",
    "uv run --frozen --extra dev npm test",
    "poetry run npm test",
    "docker compose exec web npm test",
    "docker compose -f dev.yml exec -T -e CI=1 -w /app web npm test",
    "docker-compose exec -T web npm test",
    "docker exec -it web npm test",
    "docker exec web sh -c 'cd /app && npm test'",
    "bash -c 'npm test'",
    'bash -c "npm test"',
    "bash -lc 'cd web && npm test'",
    "/bin/bash -euo pipefail -c 'npm test'",
    "bash -ec 'npm test; echo done'",
    "bash -c 'set -e; npm test; echo done'",
    "bash -c 'set -o pipefail; npm test | tee log'",
    "bash -o pipefail -c 'npm test | tee log'",
    "sh -c 'npm test || exit 3'",
    "bash -c \"bash -c 'npm test'\"",
    "set -e; npm test",
    "set -ex\ncd web\nnpm test",
    "set -o pipefail; npm test | tee test.log",
    "set -o pipefail; npm test 2>&1 | tail -25",
    "set -euo pipefail; npm test |& tee log | grep -v warn",
    "set -o pipefail && npm test | cat",
    "cd web && set -o pipefail && npm test | tee log",
    "(set -o pipefail; npm test | tee log)",
    "yes | npm test",
    "printf 'y\\n' | npm test",
    "[ -d node_modules ] || npm ci; npm test",
    "[[ -f package.json && ! -f off ]] && npm test",
    "(( 2 > 1 )) && npm test",
    "if [ -f env.sh ]; then cat env.sh; fi; npm test",
    "for d in a b; do mkdir -p $d || exit 1; done; npm test",
    "while read -r x; do echo $x; done < list; npm test",
    "source .venv/bin/activate && npm test",
    ". ~/.nvm/nvm.sh; npm test",
    "cat > f <<'EOF'\nexit 0\nEOF\nnpm test",
    "cat > f <<-EOF && npm test\n\tnpm test | tail\n\tEOF\n",
    "cat <<A > a; cat <<B > b\n1\nA\n2\nB\nnpm test",
    'git commit -m "$(cat <<\'EOF\'\nfix: (a; b) && "c\n\nEOF\n)" && npm test',
    "echo $(( (1 + 2) * 3 )); npm test",
    "echo ${X:-1} `date` $(date); npm test",
    "server & npm test",
    "diff <(sort a) <(sort b); npm test",
]

PROVES_NOTHING = [
    "npm test | tail",
    "npm test 2>&1 | tail -25",
    "npm test | tee test.log",
    "npm test | head; echo $?",
    "set -o pipefail; npm test | head -5",
    "set -o pipefail; npm test | grep -q ok",
    "set -o pipefail; npm test | grep -m1 ok",
    "set -o pipefail; npm test | sed 3q",
    "set -o pipefail; npm test | { read x; }",
    "set -o pipefail; set +o pipefail; npm test | tee log",
    "(set -o pipefail); npm test | tee log",
    "x && set -o pipefail; npm test | tee log",
    "bash -c 'set -o pipefail'; npm test | tee log",
    "npm test | tee log; exit ${PIPESTATUS[0]}",
    "npm test || true",
    "npm test || :",
    "npm test || echo failed",
    "npm test || exit 0",
    "npm test || exit 256",
    "npm test; echo done",
    "npm test; true",
    "npm test\necho $?",
    "npm test; [ $? -eq 0 ]",
    "npm test; code=$?; echo $code; exit $code",
    "npm test; exit 0",
    "npm test && echo good || echo bad",
    "(npm test); true",
    "(npm test) || true",
    "{ npm test; true; }",
    "npm test &",
    "npm test & wait",
    "(npm test &)",
    "nohup npm test > log 2>&1 &",
    "npm test & echo started",
    "bash -c 'npm test &'",
    "sh -c 'npm test &> log'",
    "! npm test",
    "! ! ! npm test",
    "time ! npm test",
    "if npm test; then echo green; fi",
    "if npm test; then :; else exit 1; fi",
    "if true; then npm test; fi",
    "while npm test; do sleep 1; done",
    "until npm test; do sleep 1; done",
    "for i in 1 2; do npm test; done",
    "case $x in a) npm test;; esac",
    "set -e; npm test; echo done",
    "set -e\nnpm test\ngit status",
    "(set -e; npm test; echo done)",
    "bash -c 'set -e; npm test || true'",
    "bash -ec 'if npm test; then echo x; fi'",
    "bash -ec 'npm test && deploy; echo done'",
    "bash -ec '! npm test; echo done'",
    "bash -ec 'set +e; npm test; echo done'",
    "bash -nc 'npm test'",
    "set -n; npm test",
    "bash -c 'npm test' || true",
    "bash -c 'npm test; true'",
    "bash -c 'echo npm test'",
    "bash -c echo npm test",
    'bash -c "npm test $FLAGS"',
    'bash -c "bash -c \'bash -c \\"bash -c \\\\\\"npm test\\\\\\"\\"\'"',
    'echo "npm test"',
    "echo npm test",
    "printf 'npm test\\n'",
    'grep -rn "npm test" README.md',
    "rg 'npm test'",
    "which npm test",
    "command -v npm test",
    "ls # npm test",
    "git commit -m 'npm test passes'",
    "cat <<EOF > run.sh\nnpm test\nEOF",
    "cat <<'EOF'\nnpm test\nEOF\n",
    "bash <<EOF\nnpm test\nEOF",
    "cat <<EOF\nx\\\nEOF\nnpm test\nEOF",
    "cat <<EOF\nnpm test",
    "cat <<E\\\nOF\nnpm test\nE\nnpm test\nEOF",
    "echo $(npm test)",
    'echo "$(npm test)"',
    "echo `npm test`",
    "OUT=$(npm test)",
    'OUT=$(npm test); echo "$OUT"',
    "cat <(npm test)",
    "echo 'npm test' | bash",
    "xargs npm test",
    "find . -exec npm test ;",
    "watch npm test",
    "ssh host 'npm test'",
    "ssh host npm test",
    "eval 'npm test'",
    "npm test --help",
    "npm test -- --watch=false",
    "npm test src/a.test.js",
    "npm test '' ",
    "npm 'test '",
    "'npm test'",
    "npm $SCRIPT test",
    "npm test*",
    "npm test <<< y",
    "npm test < answers.txt",
    "./npm test",
    "npm --prefix web test",
    "npm() { true; }; npm test",
    "function npm { true; }; npm test",
    "alias npm=true; npm test",
    "hash -p /bin/true npm; npm test",
    "trap 'exit 0' EXIT; npm test",
    'eval "$SETUP"; npm test',
    "source setup.sh; npm test",
    "$SETUP; npm test",
    "exit 0; npm test",
    "exit; npm test",
    "[ -f skip ] && exit 0; npm test",
    "command exit 0; npm test",
    "for f in a; do exit 0; done; npm test",
    "exec true; npm test",
    "true || npm test",
    "false && npm test",
    "x || npm test",
    "MAKEFLAGS=-n npm test",
    "export PYTEST_ADDOPTS=--collect-only; npm test",
    "npm_config_if_present=1 npm test",
    "docker exec -e MAKEFLAGS=-n web npm test",
    "docker compose exec -d web npm test",
    "docker compose exec $SERVICE npm test",
    "docker compose run web npm test",
    "timeout --preserve-status 60 npm test",
    "timeout $LIMIT npm test",
    "env -S npm test",
    "npx -c 'npm test'",
    "coproc npm test",
    "echo a; then npm test",
    "npm test )",
    "( npm test",
    "npm test '",
    "npm test \\",
    "npm test ;; echo",
    "npm test | ",
    "[[ a b ]] && npm test",
    "bash -c '[[ a b ]] && npm test'",
    "[[ x || npm test ]]",
    "echo $[ 0 && npm test && 1 ]",
    "((npm test) || true)",
    "npm test\0",
]


@pytest.mark.parametrize("line", HANDS_ITS_STATUS_ON)
def test_a_line_whose_success_is_the_verify_commands(line):
    assert judge(line, V, True).answer == PASSED


@pytest.mark.parametrize("line", PROVES_NOTHING)
def test_a_line_whose_success_proves_nothing(line):
    verdict = judge(line, V, True)
    assert verdict.answer == NOT_EVIDENCE
    assert verdict.reason


def test_set_e_is_without_effect_in_a_line_that_the_client_runs():
    # anthropics/claude-code#90611
    assert "set -e" in judge("set -e; npm test; echo done", V, True).reason


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("npm test | tail -5", "tail"),
        ("npm test &", "background"),
        ("set -o pipefail; npm test | head", "head"),
        ("if npm test; then echo; fi", "if"),
        ("echo npm test", "mentioned"),
        ("npm() { true; }; npm test", "function"),
    ],
)
def test_the_reason_names_what_is_in_the_way(line, word):
    assert word in judge(line, V, True).reason


@pytest.mark.parametrize(
    ("line", "mentioned"),
    [
        ("ls -la", False),
        ("pnpm test", False),
        ("npm run test", False),
        ("npm install; test -f x", False),
        ("npm test", True),
        ("echo 'npm test'", True),
        ("npm test --watch", True),
        ("bash -c 'npm test'", True),
        ("ls # npm test", True),
    ],
)
def test_an_irrelevant_line_is_told_from_one_that_proves_nothing(line, mentioned):
    assert judge(line, V, True).mentions is mentioned


# ---- the verify command itself

CHAIN = "npm run typecheck && npm test"


@pytest.mark.parametrize(
    ("verify", "line", "answer"),
    [
        (CHAIN, CHAIN, PASSED),
        (CHAIN, "cd web && npm run typecheck && npm test", PASSED),
        (CHAIN, "npm run typecheck && npm test && git push", PASSED),
        (CHAIN, "CI=1 npm run typecheck 2>&1 && CI=1 npm test 2>&1", PASSED),
        (CHAIN, "bash -c 'npm run typecheck && npm test'", PASSED),
        (CHAIN, "(npm run typecheck && npm test)", PASSED),
        (CHAIN, "set -o pipefail; { npm run typecheck && npm test; } | tee log", PASSED),
        (CHAIN, "npm run typecheck && npm test || true", NOT_EVIDENCE),
        (CHAIN, "npm run typecheck; npm test", NOT_EVIDENCE),
        (CHAIN, "npm run typecheck || npm test", NOT_EVIDENCE),
        (CHAIN, "npm test && npm run typecheck", NOT_EVIDENCE),
        (CHAIN, "x || npm run typecheck && npm test", NOT_EVIDENCE),
        ("a || b", "a || b", PASSED),
        ("a || b", "x && a || b", NOT_EVIDENCE),
        ("a || b && c", "a || b && c && d", PASSED),
        ("a; b", "a; b", PASSED),
        ("a; b", "a\nb", PASSED),
        ("a; b", "x; a; b && c", NOT_EVIDENCE),
        ("a; b", "a; b; c", NOT_EVIDENCE),
        ("npm test | tee log", "npm test | tee log", PASSED),
        ("npm test | tee log", "npm test | tee log | tail", NOT_EVIDENCE),
        ("set -o pipefail; npm test | tee log", "set -o pipefail; npm test | tee log", PASSED),
        ("set -e; a; b", "set -e; a; b", NOT_EVIDENCE),
        ("set -e; a; b", "bash -c 'set -e; a; b'", PASSED),
        ("set -e; a; b", "bash -c '(set -e; a; b) && c'", NOT_EVIDENCE),
        ("! grep -r TODO src", "! grep -r TODO src", PASSED),
        ("! grep -r TODO src", "grep -r TODO src", NOT_EVIDENCE),
        ("(cd web && npm test)", "( cd web &&  npm test )", PASSED),
        ("cd web && npm test", "cd web && npm test", PASSED),
        ("cd web && npm test", "npm test", NOT_EVIDENCE),
        ("if a; then b; else c; fi", "if a; then b; else c; fi", PASSED),
        ("if a; then b; else c; fi", "if a; then b; c; fi", NOT_EVIDENCE),
        ("case x in x) a;; esac", "case x in x) a;; esac", PASSED),
        ("case x in x) a;; esac", "case x in x) a;; esac; b", NOT_EVIDENCE),
        ("[[ -f a ]] && npm test", "[[ -f a ]] && npm test", PASSED),
        ("[[ -f a ]]", "[[ -f b ]]", NOT_EVIDENCE),
        ("npx jest", "npx jest", PASSED),
        ("jest", "npx jest", PASSED),
        ("npx jest", "jest", NOT_EVIDENCE),
        ("CI=1 npx vitest", "CI=1 npx vitest", PASSED),
        ("CI=1 npx vitest", "npx vitest", NOT_EVIDENCE),
        ("CI=1 npx vitest", "CI=1 A=2 npx vitest", PASSED),
        ("MAKEFLAGS=-k make check", "MAKEFLAGS=-k make check", PASSED),
        ("npm test 2>&1", "npm test", PASSED),
        ("pytest tests/*.py", "pytest tests/*.py", PASSED),
        ("pytest tests/*.py", "pytest 'tests/*.py'", NOT_EVIDENCE),
        ("pytest $ARGS", "cd x && pytest $ARGS", PASSED),
        ("pytest $ARGS", "pytest '$ARGS'", NOT_EVIDENCE),
        ("pytest $ARGS", 'pytest "$ARGS"', NOT_EVIDENCE),
        ("pytest $ARGS", "ARGS=--co; pytest $ARGS", NOT_EVIDENCE),
        ("pytest $ARGS", "read ARGS; pytest $ARGS", NOT_EVIDENCE),
        ("pytest $ARGS", "ARGS=--co bash -c 'pytest $ARGS'", NOT_EVIDENCE),
        ("python - <<'E'\ncheck()\nE", "python - <<'E'\ncheck()\nE", PASSED),
        ("python - <<'E'\ncheck()\nE", "python - <<'E'\npass # check()\nE", NOT_EVIDENCE),
        ("npm test &", "npm test &", NOT_EVIDENCE),
        ("server & npm test", "server & npm test", PASSED),
        ("make check", "make check-links", NOT_EVIDENCE),
        ("make check", "make -n check", NOT_EVIDENCE),
        ("./run tests", "./run tests", PASSED),
    ],
)
def test_the_verify_command_is_compared_word_by_word(verify, line, answer):
    assert judge(line, [verify], True).answer == answer


def test_several_verify_commands_are_alternatives():
    verify = ["npm run lint", "npm test"]
    assert judge("npm test", verify, True).answer == PASSED
    assert judge("npm run lint", verify, True).answer == PASSED
    assert judge("npm run lint || true", verify, True).answer == NOT_EVIDENCE


@pytest.mark.parametrize("verify", [[], [""], [" \n"], ["'"], ["("], ["#"], ["&"], ["x &"]])
def test_a_verify_command_that_is_none_proves_nothing(verify):
    for line in ("", "npm test", *verify):
        assert judge(line, verify, True).answer == NOT_EVIDENCE


# ---- lines seen to fail

PYTEST_RED = "Exit code 1\nFAILED tests/test_a.py::test_b\n1 failed, 10 passed in 0.41s"
JEST_RED = "Exit code 1\nTests:       1 failed, 30 passed, 31 total"
TSC_RED = "Exit code 2\nsrc/a.ts(3,1): error TS2304: Cannot find name 'x'."
QUIET = "Exit code 1\nsomething went wrong"


@pytest.mark.parametrize(
    ("line", "output", "answer"),
    [
        ("npm test", QUIET, FAILED),
        ("npm test", "", FAILED),
        ("npm test 2>&1", QUIET, FAILED),
        ("cd web && npm test", QUIET, FAILED),
        ("cd web && npm test", "Exit code 1\nbash: line 1: cd: web: No such file or directory", NOT_EVIDENCE),
        ("cd web 2>/dev/null && npm test", QUIET, NOT_EVIDENCE),
        ("echo start && npm test", QUIET, FAILED),
        ("npm test || exit 1", QUIET, FAILED),
        ("npm test; exit $?", QUIET, FAILED),
        ("set -o pipefail; npm test | tail -5", QUIET, FAILED),
        ("set -o pipefail; npm test | tee log", QUIET, FAILED),
        ("set -o pipefail; npm test | tee no/log", "Exit code 1\ntee: no/log: No such file", NOT_EVIDENCE),
        ("npm test > no/log", "Exit code 1\nbash: no/log: No such file or directory", NOT_EVIDENCE),
        ("npm test > log", "Exit code 1", FAILED),
        ("bash -c 'npm test'", QUIET, FAILED),
        ("npm run lint; npm test", QUIET, FAILED),
        ("npm run lint && npm test", QUIET, NOT_EVIDENCE),
        ("npm run lint && npm test", JEST_RED, FAILED),
        ("npx tsc --noEmit && npm test", TSC_RED, NOT_EVIDENCE),
        ("npm run test:unit && npm test", JEST_RED, NOT_EVIDENCE),
        ("./ci.sh && npm test", JEST_RED, NOT_EVIDENCE),
        ("npm test && deploy", QUIET, NOT_EVIDENCE),
        ("npm test && deploy", JEST_RED, FAILED),
        ("npm test && deploy", TSC_RED, FAILED),
        ("npm test && deploy", "Exit code 1\nTests: 31 passed, 0 failed", NOT_EVIDENCE),
        ("npm test && git commit -m 'add tests'", PYTEST_RED, FAILED),
        ("npm test; deploy", JEST_RED, FAILED),
        ("npm test; deploy", QUIET, NOT_EVIDENCE),
        ("npm test || true", JEST_RED, NOT_EVIDENCE),
        ("npm test | grep x", QUIET, NOT_EVIDENCE),
        ("! npm test", QUIET, NOT_EVIDENCE),
        ("echo npm test; false", JEST_RED, NOT_EVIDENCE),
        ("if npm test; then exit 1; fi", JEST_RED, NOT_EVIDENCE),
        ("npm test", "Exit code 143\nCommand timed out after 2m", NOT_EVIDENCE),
        ("timeout 60 npm test", "Exit code 124\n", NOT_EVIDENCE),
        ("docker compose exec -T web npm test", 'Exit code 1\nservice "web" is not running', NOT_EVIDENCE),
        ("docker compose exec -T web npm test", QUIET, FAILED),
    ],
)
def test_a_failed_line_is_a_failure_only_when_it_was_the_verify_command(line, output, answer):
    assert judge(line, V, False, output).answer == answer


@pytest.mark.parametrize(
    "shown",
    [
        "3 failed, 2 passed in 1.2s",
        "FAILED tests/a.py::b - assert 1 == 2",
        "tests/a.py::b FAILED [ 50%]",
        "Tests:       1 failed, 3 passed, 4 total",
        " Test Files  1 failed | 3 passed (4)",
        "FAIL src/a.test.ts",
        "--- FAIL: TestA (0.00s)",
        "FAIL\texample.com/a\t0.01s",
        "# fail 1",
        "ℹ fail 2",
        "not ok 3 - adds",
        "  2 failing",
        "FAILED (failures=1)",
        "FAILED (errors=2)",
        "5 examples, 1 failure",
        "test result: FAILED. 3 passed; 1 failed; 0 ignored",
        "Tests run: 5, Failures: 1, Errors: 0",
        "> Task :test FAILED",
        "12 tests completed, 1 failed",
        "Failed!  - Failed:     1, Passed:     3",
        "FAILURES!",
        "src/a.ts(1,2): error TS2322: no",
        "error: could not compile `a` (lib)",
        "error[E0308]: mismatched types",
        "Found 3 errors in 1 file (checked 9 source files)",
        "BUILD FAILED in 3s",
        "[INFO] BUILD FAILURE",
        "\x1b[31m✖ 3 problems (2 errors, 1 warning)\x1b[0m",
        "make: *** [Makefile:3: check] Error 1",
    ],
)
def test_typical_failure_summaries_are_recognised(shown):
    assert judge("npm test && deploy", V, False, "Exit code 1\n" + shown).answer == FAILED


@pytest.mark.parametrize(
    "shown", ["0 failed", "# fail 0", "0 failing", "no failures", "Failures: 0", "failed to push"]
)
def test_a_count_of_zero_is_no_failure(shown):
    assert judge("npm test && git push", V, False, "Exit code 1\n" + shown).answer == NOT_EVIDENCE


# ---- what the output of a success says


@pytest.mark.parametrize(
    ("word", "output"),
    [
        ("zero", "collected 0 items\n\n==== no tests ran in 0.01s ===="),
        ("zero", "No tests found, exiting with code 0"),
        ("zero", "No test files found, exiting with code 0"),
        ("zero", "?   \texample.com/a\t[no test files]\n?   \texample.com/b\t[no test files]"),
        ("zero", "ok  \texample.com/a\t0.01s [no tests to run]"),
        ("zero", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n\nrunning 0 tests\n"),
        ("zero", "\n  0 passing (2ms)\n"),
        ("zero", "\x1b[32m  0 passing\x1b[0m (2ms)"),
        ("zero", "# tests 0\n# pass 0\n# fail 0"),
        ("zero", "ℹ tests 0\nℹ pass 0"),
        ("zero", "----\nRan 0 tests in 0.000s\n\nOK"),
        ("zero", "0 examples, 0 failures"),
        ("zero", "1..0"),
        ("zero", "Tests run: 0, Failures: 0, Errors: 0, Skipped: 0"),
        ("nothing", "make: 'test' is up to date."),
        ("nothing", "make: Nothing to be done for 'check'."),
        ("watch", "PASS  Waiting for file changes..."),
        ("watch", "Watch Usage\n › Press a to run all tests."),
        ("watch", "press h to show help, press q to quit"),
        ("watch", "Found 0 errors. Watching for file changes."),
        ("replay", " Time:    61ms >>> FULL TURBO"),
        ("replay", "web:test: cache hit, replaying logs 0d1c\nweb:test: 31 passed"),
        ("replay", "web:build: cache miss, executing 1\nweb:test: cache hit, replaying logs 2"),
        ("replay", "Nx read the output from the cache instead of running the command for 3 out of 3 tasks."),
        ("replay", "> nx run web:test  [local cache]"),
        ("replay", "> Task :compileJava\n> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL"),
        ("replay", "> Task :app:test FROM-CACHE"),
        ("replay", "3 actionable tasks: 3 up-to-date"),
        ("replay", "//a:b_test   (cached) PASSED in 0.1s"),
        ("replay", "ok  \texample.com/a\t(cached)\nok  \texample.com/b\t(cached)"),
        ("failed tests", "Tests:       1 failed, 3 passed, 4 total"),
        ("failed tests", "==== 1 failed, 3 passed in 0.2s ===="),
        ("failed tests", "# pass 3\n# fail 1"),
        ("failed tests", "test result: FAILED. 3 passed; 1 failed"),
    ],
)
def test_output_can_take_the_proof_away(word, output):
    verdict = judge("npm test", V, True, output)
    assert verdict.answer == NOT_EVIDENCE
    assert word in verdict.reason


@pytest.mark.parametrize(
    "output",
    [
        "",
        "collected 10 items\n10 passed in 0.1s",
        "# tests 10\n# pass 10\n# fail 0",
        "  10 passing (2ms)",
        "10 examples, 0 failures",
        "1..05",
        "running 0 tests\n\nrunning 3 tests\ntest result: ok. 3 passed; 0 failed",
        "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.01s",
        "ok  \texample.com/a\t(cached)\nok  \texample.com/b\t0.01s",
        "web:build: cache hit, replaying logs 1\nweb:test: cache miss, executing 2\n3 passed",
        "Nx read the output from the cache instead of running the command for 1 out of 3 tasks.",
        "> Task :compileJava UP-TO-DATE\n> Task :test\n\n3 actionable tasks: 1 executed, 2 up-to-date",
        "//a:b_test  (cached) PASSED in 0.1s\n//a:c_test  PASSED in 0.1s",
        "api:test: No tests found, exiting with code 0\nweb:test: 31 passed",
        "logs a FAILED login\n3 failed logins are counted\n12 passed in 0.1s",
        "make: Nothing to be done for 'build'.\nnode --test\n# pass 3",
        "Tests run: 10, Failures: 0, Errors: 0",
    ],
)
def test_ordinary_output_takes_nothing_away(output):
    assert judge("npm test", V, True, output).answer == PASSED


def test_another_runners_tests_do_not_make_up_for_none():
    output = "3 passed in 0.1s\nNo tests found, exiting with code 0"
    assert judge("pytest tests && npm test", V, True, output).answer == NOT_EVIDENCE


# ---- payloads

OK = {"stdout": "3 passed", "stderr": "", "interrupted": False, "isImage": False}


def payload(event="PostToolUse", **rest):
    return {"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "npm test"}, **rest}


@pytest.mark.parametrize("response", ["3 passed", "", ["3 passed"], None, {}, {"stdout": None}, 0, True])
def test_a_response_in_another_form_never_counts_as_success(response):
    # IyadhKhalfallah/clauditor#132, atuinsh/atuin#4171
    verdict = judge_payload(payload(tool_response=response), V)
    assert (verdict.answer, verdict.mentions) == (NOT_EVIDENCE, True)


@pytest.mark.parametrize(
    "extra",
    [
        {"interrupted": True},
        {"backgroundTaskId": "b1"},
        {"backgroundedByUser": True},
        {"returnCodeInterpretation": "Files differ"},
    ],
    ids=str,
)
def test_a_success_with_a_catch_is_no_pass(extra):
    assert judge_payload(payload(tool_response=OK), V).answer == PASSED
    assert judge_payload(payload(tool_response={**OK, **extra}), V).answer == NOT_EVIDENCE


def test_a_failure_reaches_another_event():
    # anthropics/claude-code#29799
    assert judge_payload(payload("PostToolUseFailure", error=PYTEST_RED), V).answer == FAILED
    assert judge_payload(payload("PostToolUseFailure", error=None), V).answer == FAILED
    stopped = payload("PostToolUseFailure", error="", is_interrupt=True)
    assert judge_payload(stopped, V).answer == NOT_EVIDENCE


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"tool_input": None},
        {"tool_input": []},
        payload("PreToolUse"),
        payload("PostToolUse"),
        {**payload(tool_response=OK), "tool_input": {"command": 3}},
        {**payload(tool_response=OK), "tool_name": "PowerShell"},
        {**payload(tool_response=OK), "hook_event_name": None},
    ],
    ids=str,
)
def test_an_odd_payload_proves_nothing(odd):
    assert judge_payload(odd, V).answer == NOT_EVIDENCE


# ---- known runners


@pytest.mark.parametrize(
    ("line", "runner"),
    [
        ("pytest", "pytest"),
        ("cd api && uv run pytest -q tests/", "pytest -q tests/"),
        ("CI=1 npm test 2>&1", "npm test"),
        ("npm run test:unit", "npm run test:unit"),
        ("npm run lint && npm test", "npm test"),
        ("cargo test --all", "cargo test --all"),
        ("go test ./...", "go test ./..."),
        ("make -j4 check", "make -j4 check"),
        ("make -C test build", ""),
        ("npx tsc --noEmit", "tsc --noEmit"),
        ("npx jest -t 'a b'", "jest -t 'a b'"),
        ("npx vitest run", "vitest run"),
        ("./gradlew :app:test", "./gradlew :app:test"),
        ("mvn -q verify", "mvn -q verify"),
        ("dotnet test", "dotnet test"),
        ("ruff check .", "ruff check ."),
        ("mypy src", "mypy src"),
        ("python -m pytest -x", "python -m pytest -x"),
        ("python3 -m unittest", "python3 -m unittest"),
        ("python manage.py test", "python manage.py test"),
        ("node --test", "node --test"),
        ("yarn lint", "yarn lint"),
        ("docker compose exec -T web bash -lc 'pytest -q'", "pytest -q"),
        ("pytest --collect-only", ""),
        ("pytest --version", ""),
        ("make -n check", ""),
        ("cargo test --no-run", ""),
        ("npm install", ""),
        ("npm run build", ""),
        ("ruff format .", ""),
        ("grep pytest README.md", ""),
        ("echo pytest", ""),
        ("pytest &", ""),
        ("ls", ""),
        ("", ""),
        ("'", ""),
    ],
)
def test_known_runners_are_found_by_their_words(line, runner):
    assert known_runner(line) == runner


def test_a_known_runner_can_be_judged():
    line = "cd api && uv run pytest -k 'a b' | tail"
    assert judge(line, [known_runner(line)], True).answer == NOT_EVIDENCE
    line = "cd api && uv run pytest -k 'a b' 2>&1"
    assert judge(line, [known_runner(line)], True).answer == PASSED


# ---- properties

PASSING = [
    "cd w && {}",
    "CI=1 {}",
    "timeout 9 {}",
    "time {}",
    "nice {}",
    "env A=b {}",
    "npx {}",
    "exec {}",
    "{} 2>&1",
]
HANDING = ["( {} )", "{{ {}; }}", "x; {}", "( {} ) && x", "( {} ) || exit 1", "cd w\n{}"]
LOSING = [
    "{}; x",
    "{} || true",
    "{} | x",
    "{} &",
    "! {}",
    "if {}; then x; fi",
    "x || {}",
    "echo $({})",
    "{}; exit 0",
]


@given(
    st.lists(st.sampled_from(HANDING), max_size=6),
    st.sampled_from(["npm test", *(wrap.format("npm test") for wrap in PASSING)]),
)
def test_a_stack_of_wrappers_that_hand_the_status_on_passes(wraps, line):
    for wrap in wraps:
        line = wrap.format(line)
    assert judge(line, V, True).answer == PASSED


@given(
    st.lists(st.sampled_from(HANDING), max_size=4),
    st.sampled_from(LOSING),
    st.lists(st.sampled_from(HANDING), max_size=4),
)
def test_one_wrapper_that_loses_the_status_spoils_the_stack(inner, losing, outer):
    line = "npm test"
    for wrap in inner:
        line = wrap.format(line)
    line = losing.format("( " + line + " )")
    for wrap in outer:
        line = wrap.format(line)
    assert judge(line, V, True).answer == NOT_EVIDENCE


PIECES = [
    *(
        "npm test",
        "npm",
        "test",
        "x",
        " ",
        "\n",
        "'",
        '"',
        "\\",
        "$",
        "`",
        "#",
        "!",
        "&",
        "|",
        ";",
        "(",
        ")",
        "{",
        "}",
    ),
    *(
        "&&",
        "||",
        ";;",
        "<<E",
        "\nE\n",
        "<<-E",
        "$(",
        "${",
        "$((",
        "((",
        "))",
        "[[ ",
        " ]]",
        "<(",
        "2>&1",
        "=",
        "~",
    ),
    *(
        "if ",
        "then ",
        "fi",
        "for ",
        "in ",
        "do ",
        "done",
        "case ",
        "esac",
        "while ",
        "set -e",
        "exit ",
        "bash -c ",
    ),
    *("é", "\0", "\ud800", "\r", "\x1b[0m"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.booleans(), st.text(max_size=200))
@settings(max_examples=400)
def test_nothing_makes_it_raise(line, succeeded, output):
    for verify in (V, [line]):
        verdict = judge(line, verify, succeeded, output)
        assert verdict.answer in (PASSED, FAILED, NOT_EVIDENCE)
        assert (verdict.answer == NOT_EVIDENCE) == bool(verdict.reason)
        assert isinstance(known_runner(line), str)


@given(st.text())
def test_no_text_makes_it_raise(text):
    judge("npm test; " + text, ["npm test", text], True, text)
    known_runner(text)


# ---- the shell itself as the judge

BASH = shutil.which("bash")
ORACLE_LINES = [line for line in HANDS_ITS_STATUS_ON if "\0" not in line]
STUBS = {
    "npm": '[ "$*" = test ] || exit 0\nexit "$NPM_TEST"',
    "x": 'exit "$OTHER"',
    **dict.fromkeys(("git", "server"), 'exit "$OTHER"'),
    **dict.fromkeys(("npx", "cross-env"), 'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"'),
}
PASS_ON = '#!/bin/sh\nwhile [ "$1" != npm ] && [ "$1" != sh ]; do shift; done\nexec "$@"\n'


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    texts = {name: "#!/bin/sh\n" + body + "\n" for name, body in STUBS.items()}
    texts.update(dict.fromkeys(("docker", "docker-compose", "uv", "poetry", "cross-env"), PASS_ON))
    for name, text in texts.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    (folder / "web").mkdir()
    return folder


def run_in_bash(folder, line, npm_test, other, as_the_client_does):
    if as_the_client_does:
        line = "true && eval '" + line.replace("'", "'\\''") + "' < /dev/null && pwd -P >| /dev/null"
    env = {"PATH": "%s%s%s" % (folder, os.pathsep, os.environ["PATH"]), "HOME": str(folder)}
    env.update(NPM_TEST=str(npm_test), OTHER=str(other))
    return subprocess.run(
        [BASH, "-c", line], env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=20
    ).returncode


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="needs bash and executable scripts")
@pytest.mark.parametrize("line", ORACLE_LINES)
def test_bash_never_succeeds_on_a_passable_line_when_the_tests_fail(bin_folder, line):
    for other, client in ((0, True), (1, True), (0, False)):
        assert run_in_bash(bin_folder, line, 1, other, client) != 0


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="needs bash and executable scripts")
def test_bash_succeeds_on_most_passable_lines_when_the_tests_pass(bin_folder):
    lines = ORACLE_LINES[::3]
    succeeded = [line for line in lines if run_in_bash(bin_folder, line, 0, 0, True) == 0]
    assert len(succeeded) > 0.8 * len(lines)


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="needs bash and executable scripts")
def test_bash_agrees_on_generated_lines(bin_folder):
    atoms = [
        "npm test",
        "npm test",
        "x",
        "! npm test",
        "set -e",
        "set -o pipefail",
        "exit $?",
        "cd web",
        "exec npm test",
    ]
    shapes = [
        "{0}; {1}",
        "{0} && {1}",
        "{0} || {1}",
        "({0}); {1}",
        "{{ {0}; }} && {1}",
        "{0} | {1}",
        "{0} | cat; {1}",
    ]
    atoms += [shape.format(*pair) for shape in shapes for pair in itertools.product(atoms[1:6], repeat=2)]
    lines = [
        shape.format(a, b)
        for n, a in enumerate(atoms)
        for b in atoms[n % 5 :: 37]
        for shape in shapes[n % 3 :: 3]
    ]
    passable = [line for line in lines if judge(line, V, True).answer == PASSED]
    assert len(passable) >= 100
    for line in passable[:: max(1, len(passable) // 120)]:
        for other in (0, 1):
            assert run_in_bash(bin_folder, line, 1, other, True) != 0, line


# ---- cost

BODY = "some prose, npm test $(x) \"quotes 'and\n" * 2600


@pytest.mark.parametrize(
    "line",
    [
        "cat > f <<'EOF'\n" + BODY + "EOF\nnpm test",
        "cat > f <<-EOF\n" + BODY + "\tEOF\nnpm test",
        "git commit -m \"$(cat <<'EOF'\n" + BODY + 'EOF\n)" && npm test',
    ],
    ids=["here-document", "indented", "in a substitution"],
)
def test_a_here_document_of_100_kb_is_judged_in_10_ms(line):
    assert len(line) > 100_000
    times = []
    for _ in range(5):
        start = time.process_time()
        assert judge(line, V, True).answer == PASSED
        times.append(time.process_time() - start)
    assert min(times) < 0.010


@pytest.mark.parametrize(
    "piece",
    [
        "x; ",
        "x && ",
        "x | ",
        "(x); ",
        "( ",
        "$( ",
        "'a' ",
        "\\\n",
        "$x ",
        "env ",
        "time ",
        "exec ",
        "! ",
        "A=1 ",
        "{ ",
        "bash -c 'x'; ",
        "if x; then x; fi; ",
        "npm test; ",
        "<<E ",
        "cat <<E\nE\n",
        "[[ -f x ]]; ",
        "\n",
        "`",
        '"a$x" ',
    ],
)
def test_twice_the_line_takes_about_twice_the_time(piece):
    def cost(count):
        line = piece * count + "npm test"
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            judge(line, V, True)
            best = min(best, time.process_time() - start)
        return best

    assert cost(4000) < 20 * cost(1000) + 0.01


def test_the_hook_path_loads_no_module_of_the_standard_library():
    code = (
        "import sys; bare = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
        "import rld.verdict, rld.redact\n"
        "rld.verdict.judge('cd x && npm test', ['npm test'], True, 'ok')\n"
        "rld.verdict.known_runner('pytest')\n"
        "print([name for name in set(sys.modules) - bare if name.partition('.')[0] != 'rld'])"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(HERE.parent / "scripts")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_an_irrelevant_line_loads_no_reader():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import rld.verdict; rld.verdict.judge('ls', ['npm test'], True)\n"
        "print(sorted(name for name in sys.modules if name.startswith('rld.')))"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(HERE.parent / "scripts")]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        == "['rld.verdict']"
    )
