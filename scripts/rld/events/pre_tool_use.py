"""PreToolUse: the model's direct edit of the post-mortem is answered with how to propose instead."""

from rld import hooksettings
from rld.project import Project


def answer(event: "dict[str, object]", project: Project) -> "dict[str, object] | None":
    """Deny or ask, as `protect` in .rld.yml says; the human's own editor is never affected."""
    given = event.get("tool_input")
    path = given.get("file_path") if isinstance(given, dict) else None
    if not isinstance(path, str) or not path.lower().endswith((".md", ".markdown")):
        return None
    settings = hooksettings.load(project)
    if settings.protect == "off" or not _is_post_mortem(project, path, settings.post_mortem):
        return None
    reason = (
        "%s is this project's post-mortem: a record enters it, changes or goes only with a human's yes. A change is proposed: "
        "`rld brief` prints the form, `rld propose` takes the candidates, and after the human's word `rld apply --accept N` writes them."
    ) % settings.post_mortem
    decision = {
        "hookEventName": "PreToolUse",
        "permissionDecision": settings.protect,
        "permissionDecisionReason": reason,
    }
    return {"hookSpecificOutput": decision}


def _is_post_mortem(project: Project, path: str, post_mortem: str) -> bool:
    """Is it the post-mortem, also by another name for the same file?"""
    from rld import rawfile

    if project.relative(path) == post_mortem:
        return True
    try:
        one, other = rawfile.stat(path), rawfile.stat(project.path(post_mortem))
    except (OSError, ValueError):
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino) and bool(one.st_ino)
