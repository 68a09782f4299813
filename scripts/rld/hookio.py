"""What every hook does around its one pure step: read stdin, find the project, print one JSON object, exit 0.

It and all it imports load nothing of the standard library but `sys`, `gc` and `time`, which are built in (Guardrail 101).
"""

import gc
import sys
import time

from rld import jsontext, mute, rawfile
from rld.project import Project, find, uses_method

MOST = 64 << 20  # bytes of stdin that are read at all


def run(handler: "object") -> None:
    """Run a hook: `handler(event, project)` gives the JSON object or the plain text to print, or None for silence.

    Never returns and never fails: whatever goes wrong leaves one line in `<state>/errors.log` and exit status 0
    (exit 2 would block the tool call, anthropics/claude-plugins-official#6095).
    """
    project = None
    gc.disable()  # a hook ends before garbage matters, and looking for it takes a third of the time of a large file
    try:
        if not rawfile.env("RLD_DISABLED"):
            event = read_event()
            if event is not None:
                project = find_project(event)
                if project is not None:
                    project.muted = mute.until(project) > time.time()
                    answer = handler(event, project)  # type: ignore[operator]
                    if project.muted:
                        answer = mute.kept(answer)
                    if isinstance(answer, str):
                        _print(answer.encode("utf-8", "replace"))  # PreCompact's stdout is plain text
                    elif answer:
                        _print((jsontext.dumps(answer) + "\n").encode("ascii"))
    except BaseException as error:
        _note(project, error)
    # Leaving without the interpreter's tidying up saves 0.18 of a bare start; everything is written by now.
    rawfile.system._exit(0)


def read_event() -> "dict[str, object] | None":
    """The hook's payload, or None when stdin holds none."""
    parts = []
    size = 0
    while size < MOST:
        part = rawfile.system.read(0, 1 << 20)
        if not part:
            break
        parts.append(part)
        size += len(part)
    # Some shells hand over other encodings; a payload is UTF-8 (anthropics/claude-plugins-official#4104).
    text = b"".join(parts).decode("utf-8", "replace").lstrip("\ufeff")
    try:
        event = jsontext.loads(text)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def find_project(event: "dict[str, object]") -> "Project | None":
    """The project of this call: the call's own folder decides, so that worktrees keep apart (anthropics/claude-code#64851)."""
    for folder in (event.get("cwd"), rawfile.env("CLAUDE_PROJECT_DIR")):
        if isinstance(folder, str) and folder:
            project = find(folder)
            if project is not None and uses_method(project):
                return project
    return None


def text(event: "dict[str, object]", key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ""


def context(name: str, words: str, human: str = "") -> "dict[str, object]":
    """The answer that puts `words` before the model and `human` before the human."""
    answer: "dict[str, object]" = {}
    if human:
        answer["systemMessage"] = human
    if words:
        answer["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": words}
    return answer


def _print(data: bytes) -> None:
    while data:
        data = data[rawfile.system.write(1, data) :]


def _note(project: "Project | None", error: BaseException) -> None:
    if project is None or not rawfile.is_folder(project.git or project.state):
        return
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "%s:%d" % (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace is not None else "?"
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    line = "%s %s %s: %s at %s\n" % (
        stamp,
        sys.argv[0].rpartition("/")[2],
        type(error).__name__,
        str(error)[:200],
        where,
    )
    rawfile.append(project.state + "/errors.log", line.encode("utf-8", "replace"))
