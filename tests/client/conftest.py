"""Fixtures for tests that drive the real client. `client` runs a test once for each supported version."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Loopback
from session import REPOSITORY, VERSIONS, Client, require_client


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "client" in getattr(item, "fixturenames", ()):
            item.add_marker("client")


@pytest.fixture(scope="session")
def rld_home() -> Path:
    """Where bin/rld keeps its environment, made here with the developer's own settings for package indexes.

    The clients' scratch HOME has none, and a tool call may not last as long as an installation.
    """
    home = Path(os.environ.get("RLD_HOME") or REPOSITORY / ".cache" / "home")
    launcher = REPOSITORY / "bin" / "rld"
    env = {**os.environ, "RLD_HOME": str(home)}
    subprocess.run([launcher, "--help"], env=env, capture_output=True, check=False)
    return home


@pytest.fixture
def model() -> Iterator[Loopback]:
    server = Loopback()
    yield server
    server.close()


@pytest.fixture(params=VERSIONS)
def client(request: pytest.FixtureRequest, tmp_path: Path, rld_home: Path, model: Loopback) -> Client:
    return Client(request.param, require_client(request.param), tmp_path, rld_home, model)
