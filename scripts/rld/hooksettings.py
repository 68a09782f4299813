"""The settings of a project for hooks, which have no YAML library."""

from rld import rawfile
from rld.project import POST_MORTEM, SETTINGS, Project


class HookSettings:
    """The settings a hook needs. `problem` is one line when the file could not be read and these are the defaults."""

    __slots__ = ("verify", "post_mortem", "worklog", "max_chars", "stop", "protect", "problem")

    def __init__(self) -> None:
        self.verify: "list[str]" = []
        self.post_mortem = POST_MORTEM
        self.worklog = "docs/worklog"
        self.max_chars = 6000
        self.stop = "warn"
        self.protect = "deny"
        self.problem = ""


def load(project: Project) -> HookSettings:
    text = rawfile.read_text(project.root + "/" + SETTINGS)
    settings = HookSettings()
    # A file that sets nothing, as `rld init` leaves it, spares the hook the reader: 0.07 of a bare interpreter start.
    if text is None or all(line[:1] in ("", "#", "\r") for line in text.lstrip("\ufeff").split("\n")):
        return settings
    from rld import plainyaml

    values = plainyaml.read(text)
    if values is None:
        settings.problem = "%s cannot be read by hooks, so the defaults hold; `rld doctor` says why" % SETTINGS
        return settings
    for key, value in values.items():
        if key == "digest":
            settings.max_chars = value["max_chars"]  # type: ignore[index]
        elif key == "verify":
            settings.verify = value if isinstance(value, list) else [str(value)]
        elif key == "worklog":
            settings.worklog = str(value).rstrip("/")
        elif key in ("post_mortem", "stop", "protect"):
            setattr(settings, key, value)
    return settings
