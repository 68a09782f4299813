"""The file of a worktree's receipts, one JSON object a line: where it is, and reading it from its end, for hooks too."""

from rld import jsontext, rawfile
from rld.project import Project

_LOOKED_AT = 1 << 20  # bytes from the end; a receipt holds the end of an output


def path(project: Project) -> str:
    return "%s/receipts/%s.jsonl" % (project.state, project.key)


def newest_first(project: Project, command: str, most: int = 1000) -> "list[dict[str, object]]":
    """The newest `most` receipts of a command as they were written, passed or not; torn lines are left out."""
    found: "list[dict[str, object]]" = []
    for line in reversed(rawfile.read_end(path(project), _LOOKED_AT).split(b"\n")):
        try:
            receipt = jsontext.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if isinstance(receipt, dict) and receipt.get("command") == command:
            found.append(receipt)
            if len(found) == most:
                break
    return found


def newest(project: Project, command: str) -> "dict[str, object]":
    """The newest of them, {} when there is none."""
    return next(iter(newest_first(project, command, 1)), {})


def tree(project: Project, command: str) -> str:
    """The beginning of the tree id that the newest receipt is bound to, "" without one."""
    return str(newest(project, command).get("tree", ""))[:7]
