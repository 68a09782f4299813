"""Is a file's front matter YAML that other tools can read?

We read and edit front matter line by line (see `header`); python-frontmatter, which most tools use, is the judge here.
"""

from __future__ import annotations

import frontmatter
import yaml

from rld import lines


def problem(text: str) -> tuple[int, str, str] | None:
    """(line, code, message) when the front matter is not YAML, None when it is or when there is none.

    python-frontmatter raises more than YAML errors: a key such as `on:` or `content:` is a TypeError to it.
    """
    rows = lines.split(text.lstrip("\ufeff"))
    size = lines.front_matter(rows)
    if not size:
        return None
    try:
        frontmatter.loads("\n".join(rows[:size]) + "\n")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else 1  # it counts from 0 and from behind the opening fence
        return (
            line,
            "front-matter",
            "not YAML to other tools: %s; put the value in quotes" % (getattr(error, "problem", None) or error),
        )
    except (TypeError, ValueError) as error:
        return 1, "front-matter", "has a key that other tools stumble over (%s); rename it" % error
    return None
