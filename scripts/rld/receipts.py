"""Proofs of verifies.

A receipt binds one run of the verify command to the tree it ran on. Grades: `verified` (rld ran it), `observed` (a hook
saw a plain success), `claimed` (somebody says so).
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

from rld import evidence, gittree, ledger, rawfile, receiptfile
from rld.project import LOCAL, SETTINGS, Project
from rld.runs import Run
from rld.settings import Settings

VERIFIED = "verified"
OBSERVED = "observed"
CLAIMED = "claimed"


class Receipt:
    """`when` in seconds since the epoch, `seconds` how long the command took, `tree` "" where git is missing."""

    def __init__(
        self,
        command: str,
        status: int,
        when: float,
        seconds: float,
        tree: str,
        grade: str,
        tail: str = "",
        why: str = "",
    ) -> None:
        self.command = command
        self.status = status
        self.when = when
        self.seconds = seconds
        self.tree = tree
        self.grade = grade
        self.tail = tail
        self.why = why

    @property
    def passed(self) -> bool:
        return self.status == 0 and not self.why

    def words(self) -> str:
        """How a journal entry quotes it: "`npm test` exit 0 (verified, tree 3f2a9c1)"."""
        if self.grade == CLAIMED:
            return "(claimed: %s)" % self.why
        tree = ", tree %s" % self.tree[:7] if self.tree else ""
        return "`%s` exit %d (%s%s)" % (self.command, self.status, self.grade, tree)

    def as_dict(self) -> dict[str, object]:
        return dict(self.__dict__)


def own_files(settings: Settings) -> list[str]:
    """What no receipt depends on: journals, proposals, the post-mortem, our settings and state."""
    return [settings.worklog, settings.post_mortem, SETTINGS, LOCAL]


def is_own(settings: Settings, path: str) -> bool:
    """Is a path (relative to the root) one of those, or inside one?"""
    return any(path == own or path.startswith(own + "/") for own in own_files(settings))


def tested_tree(project: Project, before: str, after: str) -> tuple[str, list[str]]:
    """The tree that a run from one tree to another has proved, and the files that changed under its hands.

    New files are what tests leave behind. A file that was there and is another now may be one that was tested before
    somebody edited it: then only the tree it began with is proved.
    """
    out = ""
    if before and after and before != after:
        out = gittree.run(project, "diff-tree", "-r", "--name-only", "--diff-filter=a", "-z", before, after) or ""
    changed = [name for name in out.split("\0") if name]
    return (before if changed else after), changed


def store(project: Project, receipt: Receipt) -> None:
    rawfile.append(receiptfile.path(project), (json.dumps(receipt.as_dict(), ensure_ascii=True) + "\n").encode("ascii"))


def last(project: Project, command: str) -> Receipt | None:
    """The newest receipt of a command in this worktree, passed or not."""
    for values in receiptfile.newest_first(project, command):
        with contextlib.suppress(TypeError):  # what another version of rld wrote proves nothing here
            return Receipt(**values)  # type: ignore[arg-type]
    return None


def fitting(project: Project, settings: Settings, run: Run, session: str) -> tuple[Receipt | None, str]:
    """The receipt that proves the present tree, or None and the reason in plain words."""
    if not run.verify:
        return None, "the run names no verify command"
    receipt = last(project, run.verify)
    tree = gittree.tree_id(project, own_files(settings))
    if (
        receipt is not None
        and receipt.passed
        and receipt.tree == tree
        and (tree or not _changed_since(project, settings, receipt.when))
    ):
        return receipt, ""
    seen = _observed(project, run, session)
    if seen is not None and (receipt is None or receipt.passed or receipt.when < seen.when):
        changed = _changed_since(project, settings, seen.when)
        if not changed:
            return seen, ""
        return None, "`%s` was seen to pass, and %s changed after that" % (run.verify, some(changed))
    if receipt is None:
        return None, "`%s` has not passed in this worktree" % run.verify
    if not receipt.passed:
        return None, "the last `%s` did not pass: %s" % (run.verify, receipt.why or "exit %d" % receipt.status)
    changed = (
        gittree.changed_between(project, receipt.tree, tree)
        if tree and receipt.tree
        else _changed_since(project, settings, receipt.when)
    )
    return None, "`%s` passed, and %s changed after that" % (run.verify, some(changed))


def some(files: list[str]) -> str:
    """A few of the files, as a sentence names them."""
    if not files:
        return "the tree"
    return ", ".join(files[:3]) + (" and %d more" % (len(files) - 3) if len(files) > 3 else "")


def _observed(project: Project, run: Run, session: str) -> Receipt | None:
    """What a hook saw last in this session."""
    for event in reversed(ledger.read(project, session).events):
        if event.get("k") == "pass" and event.get("journal") == run.journal:
            when = event.get("t")
            assert isinstance(when, (int, float))
            return Receipt(run.verify, 0, when, 0.0, "", OBSERVED)
        if event.get("k") == "fail" and event.get("cmd") == evidence.command_key(run.verify):
            return None
    return None


def _changed_since(project: Project, settings: Settings, when: float) -> list[str]:
    """Files written after a moment: a hook cannot afford a tree id, so what it saw is bound by time.

    A deleted file leaves its trace in the time of its folder.
    """
    root = Path(project.root)
    names = gittree.files(project) if project.top else _plain_files(root)
    late = []
    for name in names:
        if is_own(settings, name):
            continue
        try:
            if os.stat(root / name).st_mtime > when:
                late.append(name)
        except OSError:
            parent = (root / name).parent
            if not parent.exists() or parent.stat().st_mtime > when:
                late.append(name)
    return late


def _plain_files(root: Path) -> list[str]:
    """The files below a folder without git, but for those in hidden folders such as `.venv`."""
    found = []
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not (name.startswith(".") and "/" in name):
            found.append(name)
    return found


def claimed(run: Run, why: str) -> Receipt:
    return Receipt(run.verify, 0, time.time(), 0.0, "", CLAIMED, why=why)
