"""Where YAML front matter ends at the top of a document."""


def front_matter(lines: "list[str]") -> int:
    """How many lines the YAML front matter takes, fences included; 0 when there is none.

    A document that merely starts with a rule keeps its text (eyeseast/python-frontmatter loses it): the lines up to
    the closing rule must look like YAML, and the first must be a key.
    """
    if not lines or lines[0].lstrip("\ufeff").rstrip() != "---" or len(lines) < 2:
        return 0
    key = False
    for n in range(1, len(lines)):
        line = lines[n]
        bare = line.rstrip()
        if bare in ("---", "..."):
            return n + 1 if key or n == 1 else 0
        if not bare or bare[0] in " \t#":
            if not key:
                return 0
            continue
        name, colon, rest = bare.partition(":")
        if colon and (not rest or rest[0] in " \t") and (name[:1].isalnum() or name[:1] in ("_", '"', "'")):
            key = True
        elif not (key and bare.startswith("- ")):
            return 0
    return 0
