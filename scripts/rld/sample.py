"""The throwaway project that `rld demo` plays on: a ferry board of three files and a plan of three items."""

from __future__ import annotations

POST_MORTEM = """\
# Post-mortem

## Production guardrails

### Guardrail 1: Departure times are compared as minutes, never as text

It is FORBIDDEN to compare departure times as text. Parse them first.

- **Why:** "9:40" sorts after "10:05", and the board showed the wrong next ferry for a day.
- **Scope:** `board/**`

## Pitfalls and repair guides

### Pitfall 2: The tide import stops in the middle

- **Symptom:** `unexpected end of row`
- **Root cause:** a footnote in the file holds a semicolon.
- **Diagnose:** `grep -c ';' tides.csv`
- **Fix:** read the file with the footnote option.
"""

PLAN = """\
# Ferry board

### Item 1: Sailings know their harbour

### Item 2: The board lists the next ferry

**Depends on:** Item 1

### Item 3: Remove the fax number (quick win)
"""

CLAUDE = "# Ferry board\n\nShows the next ferry. Verify with `sh verify.sh`.\n"

BEFORE = 'next_ferry="night ferry"\n'
BROKEN = 'next_ferry="night ferry"\nzone=$(harbour_zone)\n'
MENDED = 'next_ferry="night ferry"\nzone="Europe/Helsinki"\n'
VERIFY = 'set -eu\n. ./board/next.sh\necho "3 checks passed: $next_ferry"\n'

FILES = {
    "POST_MORTEM.md": POST_MORTEM,
    "CLAUDE.md": CLAUDE,
    "docs/plan.md": PLAN,
    "board/next.sh": BEFORE,
    "verify.sh": VERIFY,
}

ENTRIES = {
    "3": """\
[Verified Facts] The fax number is gone from board/next.sh.
[What Worked] The quick win first: the verify was seen green before anything else changed.
[Distilled Rules] Nothing new.
[Pitfalls & What to Avoid] None on this item.
[What's Next] Item 1, which nothing blocks.
""",
    "1": """\
[Verified Facts] board/next.sh knows the zone of its harbour.
[What Worked] A plain value from the harbour's own file.
[Distilled Rules] A sailing MUST carry the time zone of its own harbour.
[Pitfalls & What to Avoid] A function that exists only in the interactive shell is "not found" under sh.
[What's Next] Item 2, unblocked by this one.
""",
    "2": """\
[Verified Facts] The board prints the next ferry.
[What Worked] One value, read once.
[Distilled Rules] Nothing new.
[Pitfalls & What to Avoid] None on this item.
[What's Next] The plan is done: compact the journal.
""",
}

CANDIDATES = """\
---
journal: {journal}
tag: feature
summary: The board learned the time zone of its harbours.
---
## add guardrail: A sailing carries the time zone of its own harbour

Every sailing MUST carry the time zone of its own harbour, also when both ends lie in the same country.

- **Why:** the night ferry crosses a border that is not on the map of the app; item 1 failed on it.
- **Scope:** `board/**`
- **Evidence:** Item 1

## add pitfall: "not found" under sh is a function of the interactive shell

- **Symptom:** `harbour_zone: not found`
- **Root cause:** the function is defined in the profile of an interactive shell, which sh does not read.
- **Diagnose:** `sh -c 'command -v harbour_zone'`
- **Fix:** read the value from the harbour's file.
- **Evidence:** Item 1

## add guardrail: The verify prints three checks

verify.sh MUST print exactly three checks.

- **Why:** it printed three on the day of the run.
- **Scope:** `verify.sh`
- **Evidence:** Item 2
"""
