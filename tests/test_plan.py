"""Plans as people and tools write them: items, dependencies, quick wins, problems."""

import json
import pathlib
import subprocess
import sys
import textwrap
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rld import graph, plan
from subset import assert_subset

HERE = pathlib.Path(__file__).parent
CASES = sorted(p for p in (HERE / "cases" / "plan").iterdir() if ".expected." not in p.name)


def parse(text):
    return plan.parse(textwrap.dedent(text))


def edges(text):
    """{id: parents} of a plan."""
    return {item.id: item.depends_on for item in parse(text).items}


def codes(text):
    return [(line, code) for line, code, _ in parse(text).problems]


def tasks(*ids, after=""):
    """A plan of check boxes with these ids, and a text behind it."""
    boxes = "\n".join(f"- [ ] {one} Title" if one[0] in "TU" else f"- [ ] {one}. Title" for one in ids)
    return f"{boxes}\n\n## After\n\n{textwrap.dedent(after)}"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_cases(path):
    expected = json.loads((path.parent / f"{path.stem}.expected.json").read_text(encoding="utf-8"))
    text = path.read_bytes().decode("utf-8", "replace")
    assert_subset(graph.answer(plan.parse(text), set()), expected)


# What is an item


@pytest.mark.parametrize(
    ("line", "name", "title"),
    [
        ("### Task 3: Sort by departure", "3", "Sort by departure"),
        ("## Item 7 — Split `shell.dart` into 4 files", "7", "Split shell.dart into 4 files"),
        ("#### Unit 2.1 - Draw", "2.1", "Draw"),
        ("### Step 4. Send it", "4", "Send it"),
        ("### 🔴 Task 12b: Retry", "12b", "Retry"),
        ("### TASK 5: LOUD", "5", "LOUD"),
        ("### Task #6: hash", "6", "hash"),
        ("### T001: Folders", "T001", "Folders"),
        ("### WP02 - Mail (backend)", "WP02", "Mail (backend)"),
        ("### U3. Transform", "U3", "Transform"),
        ("#### TASK-014: Retry", "TASK-014", "Retry"),
        ("### Task 8", "8", ""),
        ("### Item 9: [Docs](docs.md) first", "9", "Docs first"),
        ("- [ ] T001 Create the folders. Then look.", "T001", "Create the folders"),
        ("- [x] T005 [P] [US1] Star page", "T005", "Star page"),
        ("- [ ] **Unit 1: Names of the states** and why", "1", "Names of the states"),
        ("- [ ] **T021** [US2] Draw", "T021", "Draw"),
        ("- [ ] **TA-1:** Adapter", "TA-1", "Adapter"),
        ("- [ ] T0-2: Ports", "T0-2", "Ports"),
        ("- [ ] 1.1 (P) 本棚の番号", "1.1", "本棚の番号"),
        ("- [ ] 2.3 期限の通知", "2.3", "期限の通知"),
        ("- [ ] 4. Mail", "4", "Mail"),
        ("- [ ]* 4.2 Property test", "4.2", "Property test"),
        ("- [~] 7) Half done", "7", "Half done"),
        ("- [ ] **3.1 Bold all over**", "3.1", "Bold all over"),
        ("* Task 2: Plain list line", "2", "Plain list line"),
        ("1. **Task 5: In a numbered list** with more", "5", "In a numbered list"),
        ("- T003: Code in a list", "T003", "Code in a list"),
    ],
)
def test_a_line_is_an_item(line, name, title):
    found = plan.parse(f"# Plan\n\n{line}\n")
    assert [(item.id, item.title, item.line) for item in found.items] == [(name, title, 3)]
    assert found.problems == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "# Thoughts\n\nSee Task 3 and Item 4.\n",
        "## Tasks 1-3: overview",
        "### Task 1-3: overview",
        "### T002–T007 in parallel",
        "## Unit tests",
        "### Task N: [name]",
        "## Phase 2: Stars",
        "### US1 reads the page",
        "- 3 reviewers agree",
        "```\n### Task 1: in a fence\n- [ ] T001 in a fence\n```",
        "<!--\n### Task 1: in a comment\n-->",
        "> ### Task 1: in a quote\n> - [ ] T001 in a quote",
        "| Risk | What |\n|---|---|\n| 1 | Rain |",
        "---\nplan: x\n---\n",
        "## 1. Overview\n\n## 2. Goals\n",
        "[1](x) is a link",
        "{ braces",
    ],
)
def test_nothing_here_is_an_item(text):
    found = plan.parse(text)
    assert found.items == []
    assert [(line, code) for line, code, _ in found.problems] == [(1, "no-items")]
    assert "not a plan I can read" in found.problems[0][2] and "T001" in found.problems[0][2]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("### Task 1: A\n- [ ] **Step 1: a**\n- [ ] **Step 2: b**\n### Task 2: B\n- [ ] 1.1 c", "1 2"),
        ("### WP01 - A\n- [ ] T001 a\n- [ ] T002 b\n### WP02 - B\n- [ ] T003 c", "WP01 WP02"),
        ("- [ ] **Unit 1: A**\n  - [ ] write\n  - [ ] 1. read\n- [ ] **Unit 2: B**\n  - [ ] T001 x", "1 2"),
        ("### Task 1: A\n\n## Order\n\n- Task 1: nothing before it\n- Task 9: not ours", "1"),
        ("### Task 1: A\n\n## Later\n\n- [ ] Task 2: follow-up\n- [ ] Task 1: again", "1 2"),
        ("- [ ] T001 a\n- [ ] T002 b\n\n- T001 and T002 can run in parallel", "T001 T002"),
        ("## Step 1: A\n\n- [ ] 1. a\n- [ ] 2. b\n\n## Step 2: B\n", "1 2"),
        ("### Unit 2 tests\n\n- [ ] **Unit 1: A**\n- [ ] **Unit 2: B**\n- [ ] **Unit 3: C**", "1 2 3"),
        ("- [ ] 1. A\n- [ ] F1. Audit\n- [ ] **F2.** Look", "1 F1 F2"),
        ("- [ ] 1. A\n- [ ] AC1: It works", "1"),
        ("- [ ] Prepare\n- [x] Cook\n  - [ ] stir\n- [ ] Eat", "1 2 3"),
        ("## 1. A\n\n**Depends on:** —\n\n## 2. B\n\n**Depends on:** 1", "1 2"),
        ("- Task 1: A\n- Task 2: B\n\n- Task 2: depends on Task 1", "1 2"),
    ],
    ids=range(13),
)
def test_a_plan_has_its_items_in_one_form(text, ids):
    assert [item.id for item in plan.parse(text).items] == ids.split()


def test_a_numbered_box_with_nothing_of_its_own_stands_for_the_boxes_in_it():
    text = """
        - [ ] 1. Stars
          - [ ] 1.1 Load
          - [ ] 1.2 Draw
        - [ ] 2. Page
          - Text of its own
          - [ ] 2.1 Test
        - [ ] 3. Last
          - Depends on: 1, 2.1
    """
    assert edges(text) == {"1.1": [], "1.2": [], "2": [], "2.1": [], "3": ["1.1", "1.2", "2.1"]}


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        (
            "Step | Description | Dependencies | Status",
            "3 | Make it | Step 1, Step 2 | open",
            ("3", "Make it"),
        ),
        ("# | Task | Depends on", "3 | Make it | 1, 2", ("3", "Make it")),
        ("ID | Task | Blocked by", "3 | Make it | #1 #2", ("3", "Make it")),
        ("Task | Depends On | Blocks", "3. Make it | 1,2 | 4", ("3", "Make it")),
        ("**Task** | Depends on", "**Task 3**: Make it | 1 and 2", ("3", "Make it")),
        ("Item | Title | Prerequisites", "3 | Make `it`. Then go. | Items 1-2", ("3", "Make it")),
        ("id | task | depends on", "[3](3.md) | Make it | [1](1.md), [2](2.md)", ("3", "Make it")),
    ],
    ids=range(7),
)
def test_a_row_of_a_table_is_an_item(header, row, expected):
    first = " | ".join(["x"] * (header.count("|") + 1))
    rule = "|".join(["---"] * (header.count("|") + 1))
    column = [name.strip(" *") for name in header.split("|")].index
    ids = next(column(name) for name in ("#", "ID", "id", "Step", "Item", "Task") if name in header)
    rows = []
    for n in ("1", "2"):
        cells = first.split(" | ")
        cells[ids] = n
        rows.append(" | ".join(cells))
    table = "".join(f"| {line} |\n" for line in (header, rule, *rows, row))
    found = plan.parse(table)
    assert [item.id for item in found.items] == ["1", "2", "3"]
    last = found.items[2]
    assert (last.id, last.title, last.line) == (*expected, 5)
    assert last.depends_on == ["1", "2"]


# Dependencies in lines


@pytest.mark.parametrize(
    ("value", "parents"),
    [
        ("Item 1", "1"),
        ("Item 1.", "1"),
        ("Items 1-3", "1 2 3"),
        ("Items 1–3, 5 and 7.", "1 2 3 5 7"),
        ("Tasks 1-3, 5 & 7", "1 2 3 5 7"),
        ("Items 1 to 3", "1 2 3"),
        ("items 1 through 3 (all of them, not Item 5)", "1 2 3"),
        ("Item 7, Item 1", "1 7"),
        ("Item 1 (the folder must exist; see Item 5)", "1"),
        ("Unit 2 (shows the mails), Unit 3 (shows the state)", "2 3"),
        ("Item 2; plus the `src/deps.rs` change (making it `pub`)", "2"),
        ("1, 3", "1 3"),
        ("[1,2,3]", "1 2 3"),
        ("1-3, 5", "1 2 3 5"),
        ("#3", "3"),
        ("#345", ""),
        ("I3, I5", "3 5"),
        ("T3, T5", ""),
        ("**Task 1**, **Task 2**", "1 2"),
        ("[Task 1](#task-1), `Task 2`", "1 2"),
        ("Tasks 1-3 all complete", "1 2 3"),
        ("the output of Task 3", "3"),
        ("Item 1 + 2", "1 2"),
        ("Item 1/2/3", "1 2 3"),
        ("Task 1, Task 2, and Task 3", "1 2 3"),
        ("All previous tasks", "1 2 3 5 7"),
        ("none", ""),
        ("None (parallel to Unit 1)", ""),
        ("none - parallel-safe with Item 1.", ""),
        ("Nothing", ""),
        ("-", ""),
        ("—", ""),
        ("n/a", ""),
        ("Item 1 - can be parallel with Item 2", "1"),
        ("Item 1; enables Items 2 and 3", "1"),
        ("Item 1, not Item 2", "1"),
        ("Item 1. Not a strict one; see Item 2", "1"),
        ("The answer of the cleaning company.", ""),
        ("Coordination with 2 people in 3 weeks", ""),
        ("2 approvals", ""),
        ("Node 18, Python 3.9", ""),
        ("Phase 2, Step 3, R5, US1, FR-001", ""),
        ("Tasks 20-25", "20 25"),
        ("Item 99", "99"),
        ("Item 99, Item 1", "1 99"),
    ],
)
def test_the_value_of_a_dependency_field(value, parents):
    heads = "\n".join(f"### Item {n}: x" for n in (1, 2, 3, 5, 7))
    assert edges(f"{heads}\n### Item 9: y\n\n**Depends on:** {value}\n")["9"] == parents.split()


@pytest.mark.parametrize(
    "line",
    [
        "**Depends on:** Item 1",
        "**Depends on**: Item 1",
        "**Depends On:** Item 1",
        "Depends on: Item 1",
        "Depends on Item 1.",
        "- Depends on: Item 1",
        "- **Dependencies:** Item 1",
        "* _Dependencies: 1_",
        "Dependencies: 1",
        "Blocked by: Item 1",
        "- **Blocked By**: Item 1",
        "🔗 Blocked by: Item 1",
        "Requires Item 1",
        "requires: Item 1",
        "Prerequisites: Item 1",
        "deps: 1",
        "**Effort:** small. **Depends on:** Item 1 **Files:** `Item 2`",
        "Wave 1 | Blocks: [2] | Blocked By: [1]",
        "Some prose of the item (depends on Item 1).",
        "İstanbul — depends on Item 1",
        "**Goal:** x\n**Depends on:** Item 1\n**Files:** y",
        "**Dependencies:**\n\n- Item 1\n- the cleaning company",
        "#### Dependencies\n\n- Item 1",
        "- Item 2: requires Item 1 (why)",
        "- **Item 2** depends on Item 1",
        "Item 1 --> Item 2",
        "- Item 1 → Item 2 (why)",
        "**Dependencies:** İtem 2 yok, Item 1",
    ],
)
def test_a_line_that_is_a_dependency(line):
    assert edges(f"### Item 1: a\n\n### Item 2: b\n\n{line}\n") == {"1": [], "2": ["1"]}


@pytest.mark.parametrize(
    "line",
    [
        "Every counter keeps its files elsewhere (see Item 1).",
        "This does not depend on Item 1.",
        "The order of these\ndepends on Item 1 in a way.",
        "No dependencies on Item 1",
        "**Requirements:** 1, 2",
        "_Requirements: 1_",
        "**Blocks:** Item 1",
        "Enables Item 1.",
        "Unblocks: Item 1",
        "**Can run in parallel with:** Item 1",
        "Phase dependencies Item 1",
        "> **Depends on:** Item 1",
        "```yaml\ndepends on: Item 1\n```",
        "devDependencies: 1",
        "Rename Item 1 -> Item 2's old name",
        "Item 1 is renamed -> Item 2",
        "## Another section\n\n**Depends on:** Item 1",
    ],
)
def test_a_line_that_is_no_dependency(line):
    assert edges(f"### Item 1: a\n\n### Item 2: b\n\n{line}\n") == {"1": [], "2": []}


def test_fields_belong_to_the_item_they_stand_in():
    text = """
        ## Tier 1

        ### Item 1: a
        #### Notes
        Depends on: Item 3
        ## Tier 2
        Depends on: Item 2
        ### Item 2: b
        ### Item 3: c
        - Depends on: Item 2
    """
    assert edges(text) == {"1": ["3"], "2": [], "3": ["2"]}


def test_chains_of_arrows_in_text():
    assert edges(tasks("T1", "T2", "T3", "T4", after="- T1 -> T2 (a) -> T3, T4 (b)")) == {
        "T1": [], "T2": ["T1"], "T3": ["T2"], "T4": ["T2"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ids", "value", "parents"),
    [
        ("T001 T002 T003 T010", "T001-T003", "T001 T002 T003"),
        ("T001 T002 T003 T010", "T1–T3", "T001 T002 T003"),
        ("T001 T002 T003 T010", "T001-003, T10", "T001 T002 T003 T010"),
        ("T001 T002 T003 T010", "Tasks 1-2", "T001 T002"),
        ("T001 T002 T003 T010", "T002..T999", "T002 T003 T010"),
        ("T001 T002 T003 T010", "T099", "T099"),
        ("T001 T002 T003 T010", "t001", ""),
        ("1.1 1.2 1.10 2.1", "1.1-1.10", "1.1 1.2 1.10"),
        ("1.1 1.2 1.10 2.1", "1.2, 2.1", "1.2 2.1"),
        ("1.1 1.2 1.10 2.1", "Task 1.2", "1.2"),
        ("1.1 1.2 1.10 2.1", "3.1", "3.1"),
        ("U1 U2 U3", "U1 (after `x`), U2–U3", "U1 U2 U3"),
        ("1 2 4", "1-3", "1 2"),
        ("1 2 4", "Tasks 3", "3"),
    ],
)
def test_ranges_expand_over_the_ids_there_are(ids, value, parents):
    child = ids.split()[0].rstrip("0123456789.") + "2000"
    text = tasks(*ids.split(), child, after=f"Task {child}: depends on {value}")
    assert edges(text)[child] == parents.split()


# Drawings


DRAWINGS = {
    "bracket": (
        """
        Task 1 (names) -------------------+
                                          +--> Task 4 (draw) --> Task 5 (check)
        Task 2 (read) --> Task 3 (sort) --+
        """,
        "3<2 4<1,3 5<4",
    ),
    "bracket in box characters": (
        """
        Task 1 ──┐
                 ├──► Task 3 ──► Task 4
        Task 2 ──┘
        """,
        "3<1,2 4<3",
    ),
    "fork": (
        """
        Task 1 ──┬──► Task 2
                 ├──► Task 3
                 └──► Task 4
        """,
        "2<1 3<1 4<1",
    ),
    "tree": (
        """
        Task 1 (folders)
          └── Task 2 (prices)
              └── Task 5 (labels)
          └── Task 3 (printer)
              └── Task 5

        Task 4 (the old till), needs nothing
        """,
        "2<1 3<1 5<2,3",
    ),
    "tree with stems": (
        """
        Task 1
        ├── Task 2
        │   └── Task 4
        └── Task 3
        Task 5
        """,
        "2<1 3<1 4<2",
    ),
    "ascii tree": (
        """
        Task 1
        |-- Task 2
        |   `-- Task 4
        +-- Task 3
        """,
        "2<1 3<1 4<2",
    ),
    "tree with arrows and remarks": (
        """
        Task 1 (types)
          ├──► Task 2 (layer)              ← parallel
          └──► Task 3 (helpers → more)     ← parallel
               └── Task 4
        """,
        "2<1 3<1 4<3",
    ),
    "indentation": (
        """
        Task 1
          Task 2: b
            Task 3
          Task 4
        Task 5
        """,
        "2<1 3<2 4<1",
    ),
    "several parents": (
        """
        Task 1 + 2 + 3
          └── Task 4
        """,
        "4<1,2,3",
    ),
    "under headings of waves": (
        """
        Wave 1 (gate):
        └── Task 1: Snapshot

        Wave 2 (after Wave 1):
        ├── Task 2: Replace → safe
        └── Task 3: Split a.rs → a/ directory

        Critical path: T1 → T2/T3
        """,
        "",
    ),
    "downwards": (
        """
        Runtime and language
                |
                v
              Task 1 --> Task 2 --> Task 3
                |          |          |
                +----------+----------+
                           |
                           v
                         Task 4
        """,
        "2<1 3<2 4<1,2,3",
    ),
    "downwards without heads": (
        """
        Task 1
          |
        Task 2
        (more about it)
          │
        Task 3
        """,
        "2<1 3<2",
    ),
    "boxes": (
        """
        ┌──────────┐     ┌──────────┐
        │  Task 1  │────▶│  Task 2  │
        │ (names)  │     └────┬─────┘
        └──────────┘          │
                              ▼
                         ┌──────────┐
                         │  Task 3  │
                         └──────────┘
        """,
        "2<1 3<2",
    ),
    "leftwards": ("Task 2 <-- Task 1", "2<1"),
    "short names": ("T1 → T2 → T4, T5", "2<1 4<2 5<2"),
    "bare numbers": ("1 → 2 → 3 (last)\n5 ──▶ 3", "2<1 3<2,5"),
    "not items": ("Browser --> Shop --> Bank\n  └── Till 2", ""),
    "a file tree": ("feature/\n  bloc/\n    task_1.dart\n  Task.dart", ""),
}


def spelled(text):
    return {name: above.split(",") for name, _, above in (one.partition("<") for one in text.split())}


@pytest.mark.parametrize(("drawing", "expected"), DRAWINGS.values(), ids=DRAWINGS)
@pytest.mark.parametrize("info", ["", "text"])
def test_a_drawing(drawing, expected, info):
    heads = "\n".join(f"### Task {n}: x" for n in range(1, 6))
    body = textwrap.dedent(drawing).strip("\n")
    found = edges_of(f"{heads}\n\n## Order\n\n```{info}\n{body}\n```\n")
    assert found == spelled(expected)


@pytest.mark.parametrize("before", ["", "    ", "  "], ids=["paragraph", "indented code", "shifted"])
def test_a_tree_needs_no_fence(before):
    tree = "".join(f"{before}{row}\n" for row in ("Task 1", "  └── Task 2", "  └── Task 3 (depends on luck)"))
    heads = "### Task 1: a\n### Task 2: b\n### Task 3: c\n\n## Order\n\n"
    assert edges_of(heads + tree) == {"2": ["1"], "3": ["1"]}


def edges_of(text):
    """{id: parents} of the items that have any."""
    return {item.id: item.depends_on for item in plan.parse(text).items if item.depends_on}


def test_a_fence_of_code_is_no_drawing():
    assert edges_of(tasks("T1", "T2", after="```bash\nT1 --> T2\n```")) == {}


@pytest.mark.parametrize(
    ("chart", "expected"),
    [
        ("graph TD\nT1 --> T2 --> T3", "T2<T1 T3<T2"),
        ("flowchart LR\nT1-->T2-->T3;T3-->T4", "T2<T1 T3<T2 T4<T3"),
        ("graph TD\nT1 & T2 --> T3 & T4", "T3<T1,T2 T4<T1,T2"),
        ("graph TD\nT1 -->|same layout| T2\nT2 -- text of it --> T3\nT3 ==> T4", "T2<T1 T3<T2 T4<T3"),
        ("graph TD\nT1 -.-> T2\nT2 -. why .-> T3\nT3--x T4", "T2<T1 T3<T2 T4<T3"),
        ("graph TD\nT2 -->|depends on| T1", "T2<T1"),
        ("graph TD\nT1 --- T2\nT1 <--> T3\nT1 ~~~ T4", ""),
        (
            'graph TD\nA[T1: folders] --> B(T2 settings)\nB --> C{{T3}} --> D(("T4: last"))',
            "T2<T1 T3<T2 T4<T3",
        ),
        ('graph TD\nT1["folders (all)"]:::done --> T2[settings]:::open\nclassDef done fill:#fff', "T2<T1"),
        ("graph TD\nsubgraph A [First]\nT1\nT2\nend\nsubgraph B\nT3\nend\nA --> B", "T3<T1,T2"),
        ("%% note\n---\ntitle: x\n---\ngraph TD\n%% T4 --> T1\nT1 --> T2 %% why", "T2<T1"),
        ("graph TD\nT1 --> X[Gate] --> T2", ""),
        ("stateDiagram-v2\nT1 --> T2", ""),
        ("gantt\nT1 :a1, after T2", ""),
        ("sequenceDiagram\nT1->>T2: hi", ""),
        ("graph TD\nBrowser --> Shop --> 2", ""),
        ("graph TD\nt3@{ shape: rect } --> T4", "T4<T3"),
        ("", ""),
    ],
    ids=range(18),
)
def test_a_mermaid_chart(chart, expected):
    assert edges_of(tasks("T1", "T2", "T3", "T4", after=f"```mermaid\n{chart}\n```")) == spelled(expected)


def test_short_names_in_a_chart_count_when_every_node_has_one():
    heads = "### Task 1: a\n### Task 2: b\n### Task 2.1: c\n\n## Order\n\n```mermaid\ngraph TD\n"
    assert edges_of(heads + "T1[Folders] --> T2[Settings] --> T2_1[Last]\n```") == {"2": ["1"], "2.1": ["2"]}
    assert edges_of(heads + "T1[Client] --> T2[Server] --> DB[(Rows)]\n```") == {}


# Quick wins


@pytest.mark.parametrize(
    "text",
    [
        "### Item 2: b (quick win)",
        "### Item 2: b [Quick win]",
        "### Item 2: b\n\n**Quick win:** yes",
        "### Item 2: b\n\n- Quick win: true",
        "### Item 2: b\n\n## Quick wins\n\n| Item | What |\n|---|---|\n| 2 | b |",
        "### Item 2: b\n\n## ⚡ Quick Wins (low risk)\n\n- Item 2: b\n\n## More\n\n- Item 1: a",
        "### Item 2: b\n\n## Quick wins\n\nItem 2 can be done at once.",
        "### Item 2: b\n\n**Quick wins:** Item 2",
        "### Item 2: b\n\n**Quick wins:**\n\n- 2: b",
        "## Quick wins\n\n### Item 2: b\n\n## Rest\n\n### Item 3: c",
    ],
)
def test_a_quick_win_is_what_the_plan_calls_so(text):
    found = plan.parse(f"### Item 1: a\n\n{text}\n")
    assert {item.id for item in found.items if item.quick_win} == {"2"}


@pytest.mark.parametrize(
    "text", ["**Quick win:** no", "There are quick wins such as Item 2.", "## No wins\n\n- Item 2: b"]
)
def test_no_quick_win(text):
    found = plan.parse(f"### Item 1: a\n\n### Item 2: b\n\n{text}\n")
    assert not any(item.quick_win for item in found.items)


def test_a_quick_win_column():
    found = parse(
        """
        | # | Task | Depends on | Quick win |
        |---|------|------------|-----------|
        | 1 | a | — | ✓ |
        | 2 | b | 1 | |
        """
    )
    assert [item.quick_win for item in found.items] == [True, False]


# Problems


def test_a_cycle_is_named_in_full_where_its_first_item_stands():
    text = "".join(f"### Item {n}: x\n\nDepends on: Item {above}\n\n" for n, above in ((11, 14), (12, 11), (14, 12)))
    assert plan.parse(text).problems == [(1, "cycle", "these items wait for each other: 11 → 14 → 12 → 11")]


def test_problems_stand_where_they_are_written():
    text = "### Item 1: x\n\n**Depends on:** Item 1\n\n### Item 2: y\n\n- Depends on: Item 7, Item 1\n\n### Item 2: z\n"
    assert codes(text) == [
        (3, "self-dependency"),
        (5, "duplicate-item"),
        (7, "unknown-parent"),
        (9, "duplicate-item"),
    ]
    assert [item.depends_on for item in parse(text).items] == [["1"], ["1", "7"], []]


def test_one_item_is_a_plan():
    assert codes("### Task 1: All of it") == []


def test_line_ends_and_a_bom_change_nothing():
    text = "### Task 1: a\n\n### Task 2: b\n\n**Depends on:** Task 1\n"
    for other in ("\ufeff" + text, text.replace("\n", "\r\n"), text.rstrip("\n")):
        assert graph.answer(plan.parse(other), set()) == graph.answer(plan.parse(text), set())


# Task files


def test_taskmaster_keeps_its_own_state():
    value = {
        "tasks": [
            {"id": 1, "title": "Åbc", "status": "done", "subtasks": [{"id": 1, "title": "s"}]},
            {"id": 2, "title": "b", "status": "pending", "dependencies": ["1.1", 1, 9]},
            {"id": "3", "title": "c", "status": "cancelled"},
        ]
    }
    for ascii_only in (True, False):
        found = plan.parse(json.dumps(value, indent=1, ensure_ascii=ascii_only))
        assert [(item.id, item.depends_on, item.done) for item in found.items] == [
            ("1", [], True), ("2", ["1", "9"], False), ("3", [], True),
        ]  # fmt: skip
        assert [item.line for item in found.items] == [5, 16, 26]
        assert [code for _, code, _ in found.problems] == ["unknown-parent"]


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (
            {"dev": {"tasks": [{"id": 7, "title": "x"}]}, "master": {"tasks": [{"id": 1, "title": "a"}]}},
            ["1"],
        ),
        ({"master": {"tasks": []}, "dev": {"tasks": [{"id": 7, "title": "x"}]}}, ["7"]),
        ([{"id": 1, "title": "a"}, {"id": "b-2"}, 3, {"title": "none"}], ["1", "b-2"]),
        ({"tasks": []}, []),
        ({"tasks": {"id": 1}}, []),
        ({}, []),
        ([], []),
        ([1, "x", None], []),
        ({"master": {"tasks": [{"id": True}, {"id": None}, {"id": [1]}]}}, []),
    ],
    ids=range(9),
)
def test_contexts_of_taskmaster(value, ids):
    found = plan.parse(json.dumps(value))
    assert [item.id for item in found.items] == ids
    assert [code for _, code, _ in found.problems] == ([] if ids else ["no-items"])


def test_beads_one_issue_a_line():
    issues = [
        {"id": "bd-a1", "title": "A", "status": "closed"},
        {"id": "bd-b2", "title": "B", "status": "open", "labels": ["quick-win"], "dependencies": [
            {"issue_id": "bd-b2", "depends_on_id": "bd-a1", "type": "blocks"},
            {"issue_id": "bd-b2", "depends_on_id": "bd-e9", "type": "parent-child"},
            {"issue_id": "bd-b2", "depends_on_id": "bd-z0", "type": "blocks"},
        ]},
        {"id": "bd-t3", "title": "T", "status": "tombstone"},
    ]  # fmt: skip
    rows = [json.dumps(one) for one in issues]
    found = plan.parse("\n".join([rows[0], "<<<<<<< ours", *rows[1:]]) + "\n")
    assert [(item.id, item.line, item.done, item.quick_win) for item in found.items] == [
        ("bd-a1", 1, True, False), ("bd-b2", 3, False, True),
    ]  # fmt: skip
    assert found.items[1].depends_on == ["bd-a1", "bd-z0"]
    assert [(line, code) for line, code, _ in found.problems] == [
        (2, "unreadable-line"),
        (3, "unknown-parent"),
    ]


# Any text, any size


PIECES = [
    "### Task 1: a",
    "### Task 2: b (depends on Task 1)",
    "## Item 3",
    "- [ ] T001 x",
    "- [x] **Unit 2: y**",
    "  - [ ] 1.1 z",
    "- Task 4: q",
    "**Depends on:** Tasks 1-3, 5 and 7",
    "Blocked by: T001–T009",
    "requires",
    "| # | Task | Depends on |",
    "|---|---|---|",
    "| 1 | a | 2, 3 |",
    "```",
    "```mermaid",
    "graph TD",
    "T1 --> T2 & T3",
    "A[Task 1] -->|x| B",
    "subgraph s",
    "end",
    "Task 1 ---+",
    "          +--> Task 3",
    "  └── Task 2",
    "   │",
    "   ▼",
    "## Quick wins",
    "- Item 3",
    "Quick win: yes",
    "",
    "",
    "---",
    "> Task 1",
    "{",
    "[",
    '{"id": 1}',
    '{"tasks": [{"id": 1, "title": "x"}]}',
    "text",
    "Depends on: all above",
]


def check(found):
    answer = graph.answer(found, {"1", "T001"})
    ids = {item.id for item in found.items}
    assert json.loads(json.dumps(answer)) == answer
    assert set(answer["ready"]) <= ids
    assert bool(ids) or [code for _, code, _ in found.problems] == ["no-items"]
    for item in found.items:
        known = [name in ids for name in item.depends_on]
        assert known == sorted(known, reverse=True), "unknown parents come last"


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=16).map("\n".join))
def test_any_mixture_is_read(text):
    check(plan.parse(text))


@settings(max_examples=300, deadline=None)
@given(st.text())
@example("{")
@example("- [ ] " + "1." * 99)
@example("### Task ²: x\n- [ ] ٣. y")
@example("[" * 5000)
def test_any_text_is_read(text):
    check(plan.parse(text))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("T12 -–>|+&[](){}\"'.,:;*_`│├└─▼→v<=~xo#ABCé", max_size=30), max_size=8).map("\n".join))
def test_any_drawing_is_read(text):
    for info in ("", "mermaid\ngraph TD"):
        check(plan.parse(f"- [ ] T1 a\n- [ ] T2 b\n\n```{info}\n{text}\n```\n"))


@settings(max_examples=200, deadline=None)
@given(
    st.sets(st.integers(1, 40), min_size=1),
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from(("-", "–", " to ")),
)
def test_a_range_is_what_lies_between(numbers, low, high, mark):
    names = [str(n) for n in sorted(numbers)]
    found = edges(tasks(*names, "99") + f"\n\nTask 99: depends on Tasks {low}{mark}{high}\n")["99"]
    between = [str(n) for n in sorted(numbers) if low <= n <= high]
    assert found == between or (not between and set(found) == {str(low), str(high)})


def test_two_thousand_items_in_a_blink():
    chain = "".join(
        f"### Task {n}: Row {n}\n\nText of it.\n\n- [ ] **Step 1: x**\n\n**Depends on:** Task {n - 1}\n\n"
        for n in range(2, 2001)
    )
    began = time.process_time()
    found = plan.parse("### Task 1: Row 1\n\n" + chain)
    assert graph.ready(found.items, set()) == ["1"]
    assert time.process_time() - began < 0.6  # 0.07 on a quiet machine
    assert len(found.items) == 2000 and found.problems == []


TWO = "- [ ] T1 a\n- [ ] T2 b\n\n"
LARGE = {
    "ranges": "".join(f"- [ ] T{n:05} foo (depends on T00001-T30000)\n" for n in range(1, 15001)),
    "all previous": "".join(f"- [ ] T{n:05} foo (depends on all previous)\n" for n in range(1, 15001)),
    "products": "".join(f"- [ ] T{n} a\n" for n in range(3000)) + "```mermaid\ngraph TD\n"
    + "&".join(f"T{n}" for n in range(3000)) + "-->" + "&".join(f"T{n}" for n in range(3000)) + "\n```\n",
    "labels": TWO + "depends on deps blocked by " * 40_000,
    "ids": TWO + "Depends on: " + "T1, " * 100_000,
    "parentheses": TWO + "**Depends on:** " + "(" * 500_000,
    "stars": TWO + "**Depends on:** " + "** " * 200_000,
    "dots": "- [ ] " + "1." * 400_000,
    "digits": "- [ ] 2. b (depends on " + "9" * 400_000 + "-1)",
    "links": "### Task 1: " + "[a](b)" * 100_000,
    "arrows": TWO + "T1 -> T2 " * 50_000,
    "plus signs": TWO + "```\n" + ("+" * 100 + "\n") * 2000 + "T1\n```\n",
    "one drawn line": TWO + "```\n" + "T1 ---+ " * 30_000 + "\n```\n",
    "mermaid in one line": TWO + "```mermaid\ngraph TD\n" + "T1--x-->T2;" * 30_000 + "\n```\n",
    "open brackets": TWO + "```mermaid\ngraph TD\n" + "T1[x" * 100_000 + "\n" + "T1-->|" * 50_000 + "\n```\n",
    "a cycle": "".join(f"- [ ] T{n:05} foo (depends on T{n % 15000 + 1:05})\n" for n in range(1, 15001)),
    "json": "[" * 500_000,
}  # fmt: skip


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_nothing_is_quadratic(text):
    began = time.process_time()
    found = plan.parse(text)
    graph.answer(found, set())
    assert time.process_time() - began < 1.5


def test_more_dependencies_than_anybody_means_are_a_problem():
    found = plan.parse(LARGE["all previous"])
    assert (1, "too-many-edges") in [problem[:2] for problem in found.problems]


def test_reading_a_plan_loads_nothing_of_the_standard_library():
    code = (
        "import sys; before = set(sys.modules); sys.path.insert(0, 'scripts')\n"
        "from rld import plan, graph\n"
        "found = plan.parse('- [ ] T1 a\\n```\\nT1\\n```\\n```mermaid\\ngraph TD\\n```\\n')\n"
        "graph.answer(found, set())\n"
        "print([name for name in set(sys.modules) - before if name.partition('.')[0] != 'rld'])"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=HERE.parent, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
