"""A small project to distill in, and the command line run inside this process."""

import os
import pathlib
import subprocess

from rld import cli

MAIN = pathlib.Path(__file__).parent.parent / "scripts/rld_main.py"

JOURNAL = "docs/worklog/2026-07-08-per-request-store.md"
ARCHIVE = "docs/worklog/archive/2026-07-08-per-request-store.md"
PROPOSAL = "docs/worklog/2026-07-08-per-request-store.proposal.md"

FILES = {
    "src/app/page.tsx": "// (Guardrail 4)\n",
    "src/lib/data/products.ts": "// Pure DB read (Guardrail 4, tech-debt #9).\n",
    "Dockerfile": "FROM node:20-slim\n",
    JOURNAL: """\
---
plan: docs/plans/per-request-store.md
verify: npm test
tag: refactor
status: complete            # open | complete | distilled | abandoned
started: 2026-07-08
---
# Journal: per-request store

### Item 6: migrate the cart page
1. [Verified Facts] Item 6 done. Changed: src/app/page.tsx.
2. [What Worked] The store factory.
3. [Distilled Rules] Selectors must return scalars.
4. [Pitfalls & What to Avoid] An object literal in a selector loops for ever.
5. [What's Next] Item 7.

### Item 7: migrate the category page
1. [Verified Facts] Item 7 done. Changed: src/app/page.tsx.
2. [What Worked] Same pattern as item 6.
3. [Distilled Rules] Class instances never cross the boundary.
4. [Pitfalls & What to Avoid] "Only plain objects can be passed to Client Components".
5. [What's Next] Item 8.
""",
    "POST_MORTEM.md": """\
# Post-mortem

Read this first.

## Production guardrails

### Guardrail 4: External APIs stay off the render path

It is FORBIDDEN to call a supplier API while rendering a page. Serve our own database; sync on demand, in try/catch.

- **Why:** the supplier went down on 2026-07-09 and took every page with it.
- **Scope:** `src/app/**`, `src/lib/data/**`

### Guardrail 7: Images are pinned by digest

An image MUST be pinned by digest.

- **Why:** a moving tag broke the build twice.
- **Scope:** `Dockerfile`

## Tech debt

### Debt 9: Supplier sync has no retry

- **Trigger:** the supplier fails twice a week.

## Repealed

- Guardrail 2 (2026-06-01): the library is gone.
""",
}

GUARDRAIL = """\
## add guardrail: Selectors return scalars

A selector MUST return a scalar or a stable reference.

- **Why:** an object literal in a selector made a page render for ever.
- **Scope:** `src/app/**`
- **Evidence:** Items 6 and 7
"""
PITFALL = """\
## add pitfall: "Only plain objects can be passed to Client Components"

- **Symptom:** `Only plain objects can be passed to Client Components`
- **Root cause:** query results are class instances.
- **Diagnose:** `grep -rn "use client" src`
- **Fix:** wrap them in toPlainObject() before they cross the boundary.
- **Evidence:** Item 7
"""
REPEAL = """\
## repeal guardrail-7

- **Why:** over-fitted to one registry.
"""
FRONT = "---\njournal: %s\nsummary: Every page got a store of its own.\n---\n" % JOURNAL


def make(folder, files=None, git=True):
    """Write the project's files (None as a text leaves one out) and commit them."""
    for name, text in {**FILES, **(files or {})}.items():
        if text is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    if git:
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        for args in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "x"]):
            subprocess.run(["git", "-C", str(folder), *args], check=True, env=env)
    return folder


def propose(folder, text, *options):
    """Store a proposal from a file outside the project."""
    source = folder.parent / (folder.name + "-candidates.md")
    source.write_text(text, encoding="utf-8")
    return rld(folder, "propose", str(source), *options)


def rld(folder, *args):
    """Run one command line in a project; its exit status."""
    return cli.main([args[0], "-C", str(folder), *args[1:]])
