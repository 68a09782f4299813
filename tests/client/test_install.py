"""The plugin as users have it: from a marketplace, without --plugin-dir; and what is left when it goes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from loopback import bash, say
from session import REPOSITORY, Client

POST_MORTEM = "# P\n\n## Production guardrails\n\n" + "".join(
    "### Guardrail %d: Seat %d is sold once\n\nIt is FORBIDDEN to sell it twice.\n\n" % (n, n) for n in range(1, 26)
)
PLAN = "# Seats\n\n### Item 1: hold a seat\n\n### Item 2: release it\n"
FILES = {"POST_MORTEM.md": POST_MORTEM, "docs/plan.md": PLAN, "verify.sh": "true\n", "CLAUDE.md": "# Seats\n"}
ENTRY = "\n".join(
    "[%s] `x` and $(y), done." % label
    for label in ("Verified Facts", "What Worked", "Distilled Rules", "Pitfalls & What to Avoid", "What's Next")
)


def copy_repository(target: Path) -> Path:
    """What a marketplace holds: the files that git has or would take, without the tests."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=REPOSITORY, capture_output=True, check=True
    )
    for name in listed.stdout.decode("utf-8").split("\0"):
        if name and not name.startswith("tests/") and (REPOSITORY / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, target / name)
    return target


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_installed_plugin_behaves_the_same_and_leaves_the_project_alone(client: Client, tmp_path: Path) -> None:
    shop = copy_repository(tmp_path / "the marketplace")
    cwd = client.project(FILES)
    for command in (("marketplace", "add", str(shop)), ("install", "rld@run-log-distill")):
        done = client.cli("plugin", *command, cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
    script = [
        bash('rld run start docs/plan.md --verify "sh verify.sh"'),
        bash("rld verify"),
        bash("rld log --item 1 <<'EOF'\n%s\nEOF" % ENTRY),
        say("Done."),
    ]
    result = client.run('/run-plan docs/plan.md "sh verify.sh"', script, cwd=cwd, plugin_dir=None)
    said = result.requests[0].context()
    assert all("- Guardrail %d: Seat %d is sold once" % (n, n) in said for n in range(1, 26))
    assert result.denied() == []
    assert "has no entry for that work. The plan's next unblocked item is Item 1" in result.requests[2].context()
    assert "Item 1 is logged" in "".join(result.requests[-1].tool_results())
    assert result.output["result"] == "Done."

    before = snapshot(cwd)
    assert not [path for path, data in before.items() if bytes(shop) in data or b"plugins/cache" in data], (
        "anthropics/claude-code#46915"
    )
    assert client.cli("plugin", "uninstall", "rld@run-log-distill", cwd=cwd).returncode == 0
    assert snapshot(cwd) == before
    after = client.run("hello", [bash("true"), say("hi")], cwd=cwd, plugin_dir=None)
    assert "Guardrail" not in "".join(request.context() for request in after.requests)
    assert snapshot(cwd) == before
