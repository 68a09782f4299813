"""A plan's graph for the programs that draw: a mermaid flowchart and graphviz's language.

Both name every dependency of the plan, and tell states by a mark in the label too: not everybody sees colours.
"""

from __future__ import annotations

import textwrap

from rld.graphdraw import BLOCKED, CYCLE, DONE, READY, Node, Pen, Picture

UNKNOWN = "unknown"
_BOX = 36  # characters in a row of a label: graphviz breaks none itself
_FILL = {DONE: "#d9ead3", READY: "#cfe2f3", BLOCKED: "#f3f3f3", CYCLE: "#f4cccc", UNKNOWN: "#ffffff"}
_LINE = {DONE: "#38761d", READY: "#0b5394", BLOCKED: "#888888", CYCLE: "#990000", UNKNOWN: "#990000"}
_MERMAID = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "\\": "#92;", "`": "#96;"}


class _Graph:
    """What both languages need: (name, node) of everything to draw, and (parent's name, child's name)."""

    def __init__(self, picture: Picture) -> None:
        nodes = [*picture.nodes.values(), *picture.beyond]
        self.nodes = [("i%d" % n, node) for n, node in enumerate(nodes, 1)]
        # An item beyond the plan is no other's parent, whatever it is called.
        names = {node.id: name for name, node in self.nodes[: len(picture.nodes)]}
        self.edges: list[tuple[str, str]] = []
        for name, node in list(self.nodes[: len(picture.nodes)]):
            for parent in [*node.parents, *([node.id] if node.itself else []), *node.unknown]:
                if parent not in names:
                    names[parent] = "u%d" % len(self.nodes)
                    self.nodes.append((names[parent], Node(parent, "not in the plan", UNKNOWN)))
                self.edges.append((names[parent], name))
        self.marks = {**Pen(True).marks, UNKNOWN: "?"}

    def label(self, node: Node) -> str:
        return "%s %s" % (self.marks[node.state], node.id) + (": " + node.title if node.title else "")


def mermaid(picture: Picture) -> str:
    """The graph as a mermaid flowchart, a class for each state."""
    graph = _Graph(picture)
    rows = ["flowchart TD"]
    for name, node in graph.nodes:
        text = "".join(_MERMAID.get(char, char) for char in graph.label(node))
        rows.append('    %s["%s"]:::%s' % (name, text, node.state))
    rows += ["    %s --> %s" % edge for edge in graph.edges]
    for state in dict.fromkeys(node.state for _, node in graph.nodes):
        rows.append("    classDef %s fill:%s,stroke:%s,color:#222222" % (state, _FILL[state], _LINE[state]))
    return "\n".join(rows) + "\n"


def dot(picture: Picture) -> str:
    """The graph in graphviz's language."""
    graph = _Graph(picture)
    rows = [
        "digraph plan {",
        '    node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, fontcolor="#222222"];',
    ]
    for name, node in graph.nodes:
        text = "\\n".join(textwrap.wrap(graph.label(node).replace("\\", "\\\\").replace('"', '\\"'), _BOX))
        rows.append(
            '    %s [label="%s", fillcolor="%s", color="%s"];' % (name, text, _FILL[node.state], _LINE[node.state])
        )
    rows += ["    %s -> %s;" % edge for edge in graph.edges]
    return "\n".join([*rows, "}"]) + "\n"
