"""Commands that run another command and hand its exit status on, told by their words."""

_NODE = ("--yes -y --no-install --no -q --quiet", "-p --package")

# What may stand between the prefix and the command, in stages: words, flags, flags with a value, and how many
# plain arguments.
_STAGES = (
    (("time", "-p", "", 0),),
    (("nohup", "", "", 0),),
    (("command", "-p", "", 0),),
    (("builtin", "", "", 0),),
    (("nice", "", "-n --adjustment", 0),),
    (("timeout", "-v --verbose --foreground", "-k --kill-after -s --signal", 1),),
    (("gtimeout", "-v --verbose --foreground", "-k --kill-after -s --signal", 1),),
    (("stdbuf", "", "-i --input -o --output -e --error", 0),),
    (("env", "-i --ignore-environment", "-u --unset", 0),),
    (("cross-env", "", "", 0),),
    (("xvfb-run", "-a --auto-servernum", "", 0),),
    (("direnv exec", "", "", 1),),
    (("mise exec", "", "", 0),),
    (("npx", *_NODE, 0),),
    (("bunx", "", "", 0),),
    (("npm exec", *_NODE, 0),),
    (("pnpm", "-r", "-C --dir -F --filter", 0), ("exec", "", "", 0)),
    (("yarn exec", "", "", 0),),
    (("bundle exec", "", "", 0),),
    (("pipenv run", "", "", 0),),
    (("pdm run", "", "", 0),),
    (("rye run", "", "", 0),),
    (("hatch run", "", "", 0),),
    (("pixi run", "", "", 0),),
    (("poetry", "-q --quiet -n --no-interaction", "-C --directory -P --project", 0), ("run", "", "", 0)),
    (
        ("uv", "-q --quiet --offline --no-cache --no-progress", "--directory --project", 0),
        (
            "run",
            "--frozen --locked --no-sync --active --isolated --all-extras --all-groups --dev --no-dev --exact"
            " -q --quiet",
            "--with --with-editable --with-requirements --extra --group --only-group -p --python --project"
            " --directory --package",
            0,
        ),
    ),
    (
        ("docker compose", "", "-f --file -p --project-name --profile --project-directory", 0),
        (
            "exec",
            "-T -t -i --no-TTY --interactive --privileged",
            "-u --user -e --env -w --workdir --index",
            1,
        ),
    ),
    (
        ("docker-compose", "", "-f --file -p --project-name --profile --project-directory", 0),
        ("exec", "-T -t -i --privileged", "-u --user -e --env -w --workdir --index", 1),
    ),
    (("docker exec", "-i -t --interactive --tty --privileged", "-u --user -e --env -w --workdir", 1),),
    (("podman exec", "-i -t --interactive --tty --privileged", "-u --user -e --env -w --workdir", 1),),
)
MAX_PREFIXES = 8
_ASSIGNING = ("env", "cross-env")
_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
_OPTION_LETTERS = "euxEfavCTbl"
_OPTION_NAMES = (
    "errexit",
    "pipefail",
    "nounset",
    "xtrace",
    "verbose",
    "noglob",
    "allexport",
    "noclobber",
    "errtrace",
)


def without_prefixes(words: "list[str]") -> "list[tuple[list[str], list[str]]]":
    """The words, then what is left behind each prefix in turn, with all that prefixes have handed to it."""
    layers: "list[tuple[list[str], list[str]]]" = [(words, [])]
    while len(layers) <= MAX_PREFIXES:
        peeled = _behind(layers[-1][0])
        if peeled is None:
            break
        layers.append((peeled[0], layers[-1][1] + peeled[1]))
    return layers


def _behind(words: "list[str]") -> "tuple[list[str], list[str]] | None":
    """The command behind the first prefix, and the `NAME=value` words handed to it; None without one."""
    if not words:
        return None
    for stages in _STAGES:
        if stages[0][0].partition(" ")[0] == words[0]:
            peeled = _peel(words, stages)
            if peeled:
                return peeled
    return None


def _peel(words: "list[str]", stages: "tuple[tuple[str, str, str, int], ...]") -> "tuple[list[str], list[str]] | None":
    at, given = 0, []
    for names, flags, valued, arguments in stages:
        for name in names.split():
            if at == len(words) or words[at] != name:
                return None
            at += 1
        while at < len(words) and words[at].startswith("-"):
            word = words[at]
            at += 1
            if word == "--":
                break
            name, equals, value = word.partition("=")
            if word in flags.split() or _is_cluster(word, flags.split()) or _is_priority(words[0], word):
                continue
            if word in valued.split():
                value = "".join(words[at : at + 1])
                at += 1
            elif word[:2] in valued.split() and word[1] != "-":
                value = word[2:]
            elif not (equals and name in valued.split()):
                return None
            given.append(value)
        at += arguments
    while (
        words[0] in _ASSIGNING and at < len(words) and words[at].partition("=")[0].isidentifier() and "=" in words[at]
    ):
        given.append(words[at])
        at += 1
    if at >= len(words) or _expands(words[:at]):
        return None
    return words[at:], given


def _is_cluster(word: str, flags: "list[str]") -> bool:
    return len(word) > 2 and word[1] != "-" and all("-" + letter in flags for letter in word[1:])


def _is_priority(command: str, word: str) -> bool:
    return command == "nice" and word[1:].isdigit()


def _expands(words: "list[str]") -> bool:
    """Whether the shell would still expand something: how many words that gives is not known."""
    return any("\0" in word or "\1" in word for word in words)


def shell_options(words: "list[str]") -> "tuple[dict[str, bool], str | None] | None":
    """The options given to `set` or to a shell, and the script of its `-c`; None when one is not understood.

    The options have their long names; only `errexit` and `pipefail` matter to an exit status.
    """
    options: "dict[str, bool]" = {}
    at, runs_script = 1, False
    while at < len(words) and words[at][:1] in ("-", "+") and len(words[at]) > 1:
        on, letters = words[at][0] == "-", words[at][1:]
        at += 1
        if letters in ("-login", "-norc", "-noprofile"):
            continue
        for letter in letters:
            if letter == "c" and on:
                runs_script = True
            elif letter == "o":
                name = "".join(words[at : at + 1])
                at += 1
                if name not in _OPTION_NAMES:
                    return None
                options[name] = on
            elif letter == "e":
                options["errexit"] = on
            elif letter not in _OPTION_LETTERS:
                return None
    if _expands(words[: at + runs_script]):
        return None
    if runs_script:
        return (options, words[at]) if at < len(words) else None
    return (options, None) if at == len(words) else None


def shell_script(words: "list[str]") -> "tuple[dict[str, bool], str] | None":
    """Options and script when the words start a shell with `-c` that can be followed; None otherwise."""
    name = words[0].rpartition("/")[2] if words else ""
    if name not in _SHELLS:
        return None
    options, script = shell_options(words) or ({}, None)
    if script is None or (name in ("sh", "dash") and "&>" in script):
        # In a plain sh `&>` is not one operator: it leaves the command in the background.
        return None
    return options, script
