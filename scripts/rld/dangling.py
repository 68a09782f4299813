"""Citations in the project's files that name no record of the post-mortem.

A citation is read in favour of its author: numbers below the first record are older than the post-mortem (new records
get numbers above whatever is cited), a file with records of its own cites those, and so does a folder with a
post-mortem of its own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from pathlib import Path

from rld import adopt, citations, gittree, naming, postmortem, textfile, tree
from rld.errors import Problem, Refused
from rld.postmortem import PostMortem
from rld.project import SETTINGS, Project
from rld.settings import Settings

LONGEST = 1 << 20  # bytes of a file that is looked into
_VENDORED = frozenset((
    "node_modules", "bower_components", "vendor", "vendored", "third_party", "third-party", "site-packages", ".venv", "venv",
    "dist", "build", ".tox", ".yarn", "Pods",
))  # fmt: skip
_OWN = re.compile(r"#{2,6} \W{0,4}(guardrail|pitfall|decision|(?:tech )?debt) (\d+(?:\.\d+)*)\b", re.I)

Cite = tuple[str, str]  # kind, number


class Scope:
    """Which files are looked at: all, or with a `base` (a git revision) those that changed since, and in the others
    only citations of records that are gone since."""

    def __init__(self, project: Project, settings: Settings, base: str = "") -> None:
        self.project = project
        self.names = _names(project, settings)
        self.changed = set(self.names)
        self.before: set[Cite] = set()
        if base:
            since = _since(project, base)
            changed = gittree.run(project, "diff", "--name-only", "--no-renames", "-z", "--relative", since, "--", ".")
            self.changed &= set((changed or "").split("\0"))
            old = gittree.run(project, "show", "%s:./%s" % (since, settings.post_mortem))
            self.before = _known(postmortem.parse(old or ""))


def find(scope: Scope, found: PostMortem) -> list[Problem]:
    """The dangling citations, in the order of the files. A kind of which there is no record is not judged."""
    known = _known(found)
    lost = scope.before - known
    numbers: dict[str, set[str]] = {}
    for kind, number in known:
        numbers.setdefault(kind, set()).add(number)
    expected = functools.lru_cache(maxsize=None)(lambda kind, number: _is_expected(number, numbers.get(kind, set())))
    problems = []
    for name in scope.names:
        if name not in scope.changed and not lost:
            continue
        text = _text(scope.project.path(name))
        own = {(_kind(match[1]), match[2]) for match in _OWN.finditer(text)} if text else set()
        for line, kind, number in citations.find(text):
            cite = (kind, number)
            if cite in known or cite in own or not (name in scope.changed or cite in lost):
                continue
            if cite in lost or expected(kind, number):
                what = "cites %s %s, and the post-mortem has no such record: `rld list --all` shows what there is"
                problems.append(Problem(what % (kind, number), file=name, line=line, code="dangling-citation"))
    return problems


def _known(found: PostMortem) -> set[Cite]:
    """What can be cited: every record, whatever its status, and what adopted ones were called before."""
    known = {(record.kind, record.number) for record in found.records if record.number}
    for record in found.records:
        if adopt.FORMERLY in record.body:
            former = citations.find(record.fields.get(adopt.FORMERLY, ""))
            known |= {(kind, number) for _, kind, number in former}
    return known


def _is_expected(number: str, known: Collection[str]) -> bool:
    """Would a record with this number be among these, if it was ever there?"""
    if not known or any(other.startswith(number + ".") for other in known):
        return False  # "guardrail 2" names a group of dotted ones
    return _key(number) > min(_key(other) for other in known)


def _key(number: str) -> list[int]:
    return [int(part) for part in number.split(".")]


def _kind(word: str) -> str:
    return naming.DEBT if word.lower().endswith("debt") else word.lower()


def _names(project: Project, settings: Settings) -> list[str]:
    """The files to look at: tracked, not vendored, not another project's, no archived journals and no proposals."""
    if project.top:
        listed = gittree.run(project, "grep", "-IlziE", "-e", citations.PATTERN, "--", ".")
        names = sorted({name for name in (listed or "").split("\0") if name})
    else:
        names = tree.files(project)
    signs = ("/" + settings.post_mortem.rpartition("/")[2], "/" + SETTINGS)
    others = {name.rpartition("/")[0] + "/" for name in tree.files(project) if name.endswith(signs)}
    others -= {settings.post_mortem.rpartition("/")[0] + "/"}
    return [name for name in names if not _is_left_out(name, settings, others)]


def _is_left_out(name: str, settings: Settings, others: Collection[str]) -> bool:
    if name.startswith(settings.archive + "/") or name.endswith(".proposal.md"):
        return True
    return not _VENDORED.isdisjoint(name.split("/")[:-1]) or any(name.startswith(folder) for folder in others)


def _since(project: Project, base: str) -> str:
    """The commit where the branch left `base`. Raises Refused when git does not know it."""
    if not project.top:
        raise Refused("--base needs a git repository, and %s is none: leave it out" % project.root)
    commit = gittree.run(project, "rev-parse", "--verify", "--quiet", "--end-of-options", base + "^{commit}")
    if not commit:
        what = "git knows no %s here: fetch it first (in CI, a checkout with its whole history), or name another --base"
        raise Refused(what % base)
    return gittree.run(project, "merge-base", commit, "HEAD") or commit


def _text(path: str) -> str:
    """A file's text, "" when it is too long, binary, a link or gone."""
    file = Path(path)
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > LONGEST:
            return ""
    except OSError:
        return ""
    text = textfile.read(file)
    return "" if "\0" in text else text
