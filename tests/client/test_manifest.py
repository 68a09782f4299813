"""The manifests, by the client's own validator and by the rules that it does not check."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session import REPOSITORY, Client

MANIFEST = ".claude-plugin/plugin.json"


def load(path: str) -> Any:
    return json.loads((REPOSITORY / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("target", [".", MANIFEST], ids=["marketplace", "plugin"])
def test_the_client_finds_nothing_wrong(client: Client, target: str) -> None:
    """Both are needed: given the directory the client checks the marketplace and reads no hook or command."""
    done = client.cli("plugin", "validate", target, "--strict", cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_manifest_at_the_root_is_the_one_that_is_loaded() -> None:
    assert (REPOSITORY / "plugin.json").read_bytes() == (REPOSITORY / MANIFEST).read_bytes()


def test_the_manifest_does_not_name_the_hooks_file() -> None:
    """It is loaded by itself; naming it makes the client drop every hook (anthropics/claude-code#10871)."""
    assert "hooks" not in load(MANIFEST)


def test_the_repository_is_a_marketplace_of_one_plugin() -> None:
    catalogue = load(".claude-plugin/marketplace.json")
    assert catalogue["name"] == "run-log-distill"
    assert [(entry["name"], entry["source"]) for entry in catalogue["plugins"]] == [("rld", "./")]
    assert load(MANIFEST)["name"] == "rld"
    assert "hooks" not in catalogue["plugins"][0]
