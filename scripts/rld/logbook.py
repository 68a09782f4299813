"""Appending to a journal: the write-ahead log's one write."""

from __future__ import annotations

import os
from pathlib import Path

from rld import journal, textfile
from rld.entries import Entry
from rld.errors import Problem, Refused
from rld.project import Project


def read_fields(text: str, title: str = "") -> tuple[str, dict[str, str]]:
    """The five fields of an entry as they were given on standard input, and the title when the text names one.

    Takes the labels in any form that a journal may have. Raises Refused with every field that is missing or is only
    a placeholder; lines count in the given text.
    """
    # With front matter in front the text is held to our own form: placeholders are refused.
    head = "---\nplan: -\n---\n" + ("" if _has_heading(text) else "### Item 0\n")
    book = journal.parse(head + text.lstrip("\ufeff"))
    offset = head.count("\n")
    if len(book.entries) > 1:
        raise Refused(
            "one entry at a time, and this text has %d: log each item after its own verify" % len(book.entries)
        )
    if not book.entries or not text.strip("\ufeff \t\r\n"):
        raise Refused("no entry in the text: five lines are needed, [%s]" % "], [".join(journal.LABELS.values()))
    entry = book.entries[0]
    problems = []
    for key in journal.FIELDS:
        if not entry.fields.get(key, "").strip():
            problems.append(Problem("[%s] is missing" % journal.LABELS[key], file="<stdin>", code="missing-field"))
    for line, code, message in journal.check(book):
        if code == "placeholder":
            problems.append(
                Problem(message.replace(" in the entry of item 0", ""), file="<stdin>", line=line - offset, code=code)
            )
    if problems:
        raise Refused(*problems)
    return title or entry.title, {key: entry.fields[key].strip() for key in journal.FIELDS}


def _has_heading(text: str) -> bool:
    return text.lstrip("\ufeff\r\n ").startswith("#")


def sweep(project: Project, path: Path) -> None:
    """Remove what killed processes left half written beside a journal and in the state folder."""
    textfile.sweep(path.parent)
    textfile.sweep(project.state, "**/*.tmp")


def is_cut_short(path: Path, there: Entry, fields: dict[str, str]) -> bool:
    """Is a journal's entry the beginning of this one, which a crash cut off in its last field?"""
    *whole, last = journal.FIELDS
    if textfile.read(path).endswith("\n") or any(there.fields[key] != fields[key] for key in whole if key != "facts"):
        return False
    return there.fields[last] != fields[last] and fields[last].startswith(there.fields[last])


def append(project: Project, path: Path, entry: str) -> str:
    """Add a rendered entry to the end of a journal with one write and fsync; what was set aside on the way, or "".

    The caller holds the journal's lock. A torn tail (an entry that a crash cut short) is moved to a file beside the
    state first, never deleted, unless it is the beginning of this very entry. The file's line ends are kept. Raises
    Refused when the disk says no; the journal is then as it was.
    """
    text = textfile.read(path)
    aside = ""
    begun = _begun(text, entry.replace("\n", textfile.newline(text)))
    if begun:
        text = text[: len(text) - begun]
        textfile.write(path, text, project.root)
    item = journal.parse(entry).entries[0].item
    entries = journal.parse(text).entries
    if entries and (entries[-1].torn or (entries[-1].item == item and not text.endswith("\n"))):
        aside = set_aside(project, path, text, entries[-1].line)
        text = textfile.read(path)
    if item not in journal.done(journal.parse(text.rstrip("\r\n") + "\n\n" + entry)):
        raise Refused(
            Problem(
                "ends in something that would swallow a new entry, such as a fence that is not closed: close it",
                file=str(path),
            )
        )
    end = textfile.newline(text)
    block = entry.replace("\n", end)
    lead = "" if not text or text.endswith(end + end) else end if text.endswith("\n") else end + end
    data = (lead + block).encode("utf-8", "surrogateescape")
    size = path.stat().st_size
    try:
        with open(path, "ab", buffering=0) as out:
            written = out.write(data)
            if written == len(data):
                os.fsync(out.fileno())
                return aside
        _cut_back(path, size)
        raise OSError("the disk is full, it took %d of %d bytes" % (written or 0, len(data)))
    except OSError as error:
        _cut_back(path, size)
        raise Refused(Problem("the entry was not written: %s" % (error.strerror or error), file=str(path))) from None


def _begun(text: str, entry: str) -> int:
    """How much of an entry a crash left at the end of a text, in characters; 0 when there is nothing of it."""
    at = text.rfind("\n" + entry.partition("\n")[0].rstrip("\r"))
    at = at + 1 if at >= 0 else text.rfind("\n") + 1  # not even its first line is whole
    return len(text) - at if len(text) - at < len(entry) and entry.startswith(text[at:]) else 0


def _cut_back(path: Path, size: int) -> None:
    if path.stat().st_size > size:
        os.truncate(path, size)


def set_aside(project: Project, path: Path, text: str, line: int) -> str:
    """Move everything from a torn entry's heading on into a file of its own; where that is."""
    rows = text.split("\n")
    head, tail = "\n".join(rows[: line - 1]), "\n".join(rows[line - 1 :])
    folder = Path(project.state, "torn")
    folder.mkdir(parents=True, exist_ok=True)
    count = 1
    while (folder / ("%s.%d.md" % (path.stem, count))).exists():
        count += 1
    target = folder / ("%s.%d.md" % (path.stem, count))
    textfile.write(target, tail, project.state)
    textfile.write(path, head.rstrip("\r\n") + textfile.newline(text), project.root)
    return str(target)


def complete_facts(facts: str, item: str, receipt: str, changed: list[str]) -> str:
    """The facts with what a machine knows better: the item, the changed files, the receipt."""
    text = facts
    if item.lower() not in text.lower().replace("item", "").split("\n")[0] and "done" not in text.lower():
        text = "Item %s done. %s" % (item, text)
    if changed and "changed:" not in text.lower():
        listed = ", ".join(changed[:12]) + (" and %d more" % (len(changed) - 12) if len(changed) > 12 else "")
        text = "%s Changed: %s." % (_closed(text), listed)
    if receipt not in text:
        text = "%s %s." % (_closed(text), receipt)
    return text


def _closed(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?", "`", ")", "。")) else text.rstrip() + "."
