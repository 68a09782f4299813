"""The brief: everything a distillation needs, as bounded Markdown."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rld import journal, naming, numbers, overlap, retelling, wording
from rld.account import Account
from rld.postmortem import PostMortem
from rld.rejections import Rejection
from rld.sources import Source

LIMIT = 20_000  # UTF-16 units, with the line end that printing adds
_SHARE = {"source": retelling.ROOM, "near": 4_500, "records": 2_000, "rejected": 1_000}
_LINE = 1_200  # units of a line, where not all has room
_NAME = 300  # units of a path or an id

FORM = """\
## The form of candidates

One section each, the most important first, given to `rld propose` on standard input:

```markdown
---
{source}
tag: {tag}
title: a few words for the session's heading
summary: One short paragraph for the session's section.
---
## add guardrail: External APIs stay off the render path

It is FORBIDDEN to call a supplier API while rendering a page. Serve our own database; sync on demand, in try/catch.

- **Why:** the supplier went down and took every page with it.
- **Scope:** `src/app/**`, `src/lib/data/**`
- **Evidence:** {evidence}
```

Also `## add pitfall: …`, `## add decision: …`, `## add debt: …`; `## amend guardrail-4: New title` and
`## merge guardrail-2, guardrail-9: Title` with the whole new text below (the first number stays);
`## repeal guardrail-7` with `- **Why:** …`. New records get their numbers when they are applied.

| kind | must have |
| --- | --- |
| guardrail | a statement with MUST or FORBIDDEN, Why; a Scope, or it holds everywhere |
| pitfall | Symptom (word for word), Root cause, Diagnose (the command, unless none exists), Fix |
| decision | what changed, and Why |
| debt | what, and Trigger or Why deferred |

Every candidate names its Evidence. Refused: placeholders, credentials (also in a diagnostic command: name the
variable), hidden characters, cited records and evidence paths that do not exist, what was rejected before. Warned
about: more than 5 candidates, a guardrail from a single incident, overlap with a record in force, a rule that a linter
enforces, a rule without Scope. Tags: {tags}."""


def build(
    found: PostMortem,
    file: str,
    source: Source,
    account: Account | None,
    cited: Mapping[str, Collection[str]],
    rejected: list[Rejection],
) -> str:
    """The brief, at most LIMIT units. `account` is what is known of the session behind a source without a journal."""
    what = "the journal %s" % source.journal if source.journal else _named(source)
    told = _journal(source) if source.journal else retelling.of_session(account or Account())
    parts = [_line("# Brief: distill %s into %s" % (what, file))]
    parts.append(_bounded("source", told, "the rest is in %s" % (source.journal or "the session itself")))
    parts += _records(found, told)
    free = ["%s %s" % (kind.capitalize(), numbers.next_free(kind, found, cited.get(kind, ()))) for kind in naming.KINDS]
    parts.append("Next free numbers: %s." % ", ".join(free))
    if rejected:
        rows = ["- %s “%s”: %s" % (r.candidate.heading, r.date, r.reason) for r in reversed(rejected)]
        told = "## Rejected before, not to be proposed again\n\n" + "\n".join(rows)
        parts.append(_bounded("rejected", told, "older ones are left out"))
    parts.append(_form(source))
    return wording.cut("\n\n".join(parts), LIMIT - 1)


def _form(source: Source) -> str:
    if source.journal:
        about, proof = _line("journal: %s" % source.journal), "Item 7"
    else:
        about = _line("session: %s" % (source.session or "none"))
        proof = "`npm test` failed with “fetch failed”, passed after the change to src/app/page.tsx"
    tag = source.tag if source.tag in naming.WORK_TYPES else "mixed"
    return FORM.format(source=about, tag=tag, evidence=proof, tags=", ".join(naming.WORK_TYPES))


def _named(source: Source) -> str:
    return "session %s of %s" % (source.session[:8], source.date) if source.session else "this session"


def _line(text: str) -> str:
    return wording.safe(retelling.clip(" ".join(text.split()), _NAME))


def _bounded(name: str, text: str, rest: str) -> str:
    text = wording.safe(text)
    if wording.units(text) <= _SHARE[name]:
        return text
    text = "\n".join(retelling.clip(row, _LINE) for row in text.split("\n"))
    kept = wording.cut(text, _SHARE[name])
    return "%s\n(cut for room; %s)" % (kept.rstrip(), retelling.clip(rest, _NAME))


def _journal(source: Source) -> str:
    rows = ["## What the journal says"]
    for entry in source.entries:
        rows.append("\n### Item %s: %s" % (entry.item, entry.title))
        rows += [
            "- %s: %s" % (label, entry.fields[key]) for key, label in journal.LABELS.items() if entry.fields.get(key)
        ]
    if not source.entries:
        rows.append("\nIt has no entries yet; what was done is in the conversation and in `git diff`.")
    return "\n".join(rows)


def _records(found: PostMortem, told: str) -> list[str]:
    active = found.active()
    if not active:
        return ["No records are in force yet."]
    parts = []
    near = overlap.Overlap(active).near(told, 6)
    if near:
        texts = "\n\n".join("### %s: %s\n\n%s" % (r.cite, r.title, r.text) for r in near)
        parts.append(_bounded("near", "## Records this may overlap\n\n" + texts, "`rld show ID` prints a record whole"))
    titles = "\n".join("- %s: %s" % (r.id, r.title) for r in active)
    parts.append(_bounded("records", "## All records in force\n\n" + titles, "`rld list` prints all"))
    return parts
