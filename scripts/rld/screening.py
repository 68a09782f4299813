"""What is wrong with candidates (refusals) and what a human should look at (warnings)."""

from __future__ import annotations

import os
from collections.abc import Collection

from rld import canon, citations, entries, grounds, lint, match, naming, overlap, postmortem, redact, secrets
from rld import lines as md
from rld.errors import Problem
from rld.linters import enforces
from rld.postmortem import PostMortem
from rld.proposal import ADD, MERGE, REPEAL, Candidate, Proposal
from rld.record import REPEALED
from rld.rejections import Rejection
from rld.sources import Source

MANY = 5
_COMPARED = 20  # candidates before one that it is compared with
_TOLD = ("title", "summary")  # of the front matter, what a human reads
_TODO = ("todo", "tbd", "fixme", "xxx", "lorem ipsum")


class Facts:
    """What candidates are held against. `files`: those of the project, relative to its `root`; `linters`: names of the
    linters it has configured; `rejected`: what a human said no to."""

    def __init__(
        self,
        found: PostMortem,
        source: Source,
        root: str,
        files: Collection[str],
        linters: list[str],
        rejected: list[Rejection],
    ) -> None:
        self.found = found
        self.source = source
        self.root = root
        self.files = files
        self.linters = linters
        self.rejected = rejected
        self.overlap = overlap.Overlap(found.active())

    def has(self, path: str) -> bool:
        """Is there such a file, or will it be there once the journal is archived?"""
        return path in self.files or path == self.source.archive or os.path.exists(os.path.join(self.root, path))


class Findings:
    """Problems of a proposal: those of the whole (`general`) and those of each candidate."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.general: list[Problem] = []
        self.of: dict[int, list[Problem]] = {}

    @property
    def refusals(self) -> list[Problem]:
        found = [p for problems in [self.general, *self.of.values()] for p in problems if p.severity == "error"]
        return sorted(found, key=lambda p: p.line)

    def warnings(self, candidate: Candidate) -> list[Problem]:
        return [p for p in self.of.get(id(candidate), []) if p.severity == "warning"]

    def add(self, candidate: Candidate | None, line: int, code: str, message: str, severity: str = "error") -> None:
        problem = Problem(message, file=self.file, line=line, code=code, severity=severity)
        (self.general if candidate is None else self.of.setdefault(id(candidate), [])).append(problem)


def screen(proposal: Proposal, facts: Facts, file: str) -> Findings:
    """Hold every candidate against the rules. `file` is the proposal's name in messages."""
    findings = Findings(file)
    for line, code, message in proposal.problems:
        findings.add(None, line, code, message)
    texts = [proposal.meta.get(key, "") for key in _TOLD]
    texts += ["%s\n%s" % (candidate.title, candidate.body) for candidate in proposal.candidates]
    secret = secrets.lines_of(texts)
    _check_meta(proposal, facts, findings, [key for key, found in zip(_TOLD, secret) if found])
    if len(proposal.candidates) > MANY:
        what = "%d candidates: a human reads about %d with care; keep the ones that would have saved time" % (
            len(proposal.candidates), MANY
        )  # fmt: skip
        findings.add(None, 1, "many-candidates", what, "warning")
    named: dict[str, Candidate] = {}
    earlier: list[Candidate] = []
    for candidate, found in zip(proposal.candidates, secret[len(_TOLD) :]):
        check = _Check(candidate, facts, findings)
        check.targets(named)
        check.text(found)
        check.citations()
        if candidate.verb == REPEAL:
            continue
        if not candidate.body.strip():
            check.refuse("missing-field", "%s has no text: write the record whole" % check.name)
            continue
        check.record()
        check.evidence()
        check.hints()
        check.twins(earlier[-_COMPARED:])
        earlier.append(candidate)
    return findings


def _check_meta(proposal: Proposal, facts: Facts, findings: Findings, secret: list[str]) -> None:
    tag = facts.source.tag
    if tag and tag not in naming.WORK_TYPES:
        what = "tag: %s is no work type; they are %s" % (tag, ", ".join(naming.WORK_TYPES))
        findings.add(None, 1, "unknown-tag", what)
    for key in _TOLD:
        value = proposal.meta.get(key, "")
        if key in secret:
            findings.add(None, 1, "secret", "%s looks like it holds a credential: name it, do not quote it" % key)
        if redact.hidden_at(value):
            findings.add(None, 1, "hidden-unicode", "%s has %s" % (key, lint.hidden_message(redact.hidden_at(value))))


class _Check:
    """The checks of one candidate."""

    def __init__(self, candidate: Candidate, facts: Facts, findings: Findings) -> None:
        self.candidate = candidate
        self.facts = facts
        self.findings = findings
        self.rows = md.split(candidate.body)
        self.existing = [r for r in (facts.found.find(id) for id in candidate.targets) if r is not None]
        self.name = "“%s”" % (candidate.title or ", ".join(candidate.targets))

    def refuse(self, code: str, message: str, line: int = 0) -> None:
        self.findings.add(self.candidate, line or self.candidate.line, code, message)

    def warn(self, code: str, message: str, line: int = 0) -> None:
        self.findings.add(self.candidate, line or self.candidate.line, code, message, "warning")

    def line(self, key: str) -> int:
        """The line of a field, or that of the heading."""
        rows = [first for found, first, _ in canon.field_rows(self.candidate.body) if found == key]
        return self.candidate.line_of(rows[0]) if rows else self.candidate.line

    def targets(self, named: dict[str, Candidate]) -> None:
        candidate = self.candidate
        for id in candidate.targets:
            record = self.facts.found.find(id)
            if record is None:
                self.refuse("unknown-record", "there is no record %s: `rld list --all` shows what there is" % id)
            elif record.status == REPEALED:
                what = "%s is repealed already (line %d): add a new record" % (record.cite, record.line)
                self.refuse("unknown-record", what)
            if id in named:
                what = "%s is changed by the candidate at line %d too: make them one" % (id, named[id].line)
                self.refuse("same-record", what)
            named[id] = candidate
        if candidate.verb == MERGE and len(candidate.targets) < 2:
            self.refuse("unknown-record", "merge needs two records or more: `merge guardrail-2, guardrail-9: Title`")
        for rejection in self.facts.rejected:
            if rejection.is_about(candidate):
                what = "%s was rejected on %s: “%s”. If something has changed since, propose with --again"
                self.refuse("rejected-before", what % (self.name, rejection.date, rejection.reason))
                break

    def text(self, secret: list[int]) -> None:
        """What no text of a candidate may hold. `secret`: where credentials begin, the title being line 1."""
        candidate = self.candidate
        if candidate.verb == ADD and not candidate.title:
            self.refuse("missing-field", "has no title: `add %s: Title`" % candidate.kind)
        if candidate.verb == REPEAL and not (candidate.fields.get("why") or candidate.title):
            self.refuse("missing-field", "%s has no **Why:**: say what speaks against the record now" % self.name)
        for n, row in enumerate([candidate.title, *self.rows]):
            if redact.hidden_at(row):
                line = candidate.line_of(n - 1) if n else candidate.line
                self.refuse("hidden-unicode", lint.hidden_message(redact.hidden_at(row)), line)
        commands = self._command_rows()
        for n in sorted(commands):
            if n + 2 in secret or secrets.in_command(self.rows[n]):
                what = 'a credential in a command: give the name of the variable that holds it, as in "$DATABASE_URL"'
                self.refuse("secret", what, candidate.line_of(n))
        for n in sorted(set(secret) - {row + 2 for row in commands}):
            line = candidate.line_of(n - 2) if n > 1 else candidate.line
            self.refuse("secret", "looks like a credential: name it, do not quote it", line)
        last = md.scan([*self.rows, "", "# end"])[-1]
        if last.kind is not md.HEADING:
            what = "a code fence or a comment is opened here and never closed"
            self.refuse("open-fence", what, candidate.line_of(last.start - 1))
        fenced = self._fenced()
        for n, row in enumerate(self.rows):
            if n not in fenced and "<!--" in "".join(row.split("`")[::2]):
                what = "a comment is text that nobody reviews: say it or delete it"
                self.refuse("html-comment", what, candidate.line_of(n))
        # Behind a record of its kind, does its text end with itself?
        for record in postmortem.parse("### %s 1\n%s" % (candidate.kind, candidate.body)).records[1:]:
            what = "this heading would begin a record of its own: make it a candidate, or bold text"
            self.refuse("nested-record", what, candidate.line_of(record.line - 2))

    def _fenced(self) -> set[int]:
        """The rows, from 0, that are code."""
        blocks = md.scan(self.rows)
        return {n for b in blocks if b.kind in (md.FENCE, md.CODE) for n in range(b.start - 1, b.end)}

    def _command_rows(self) -> set[int]:
        """The rows, from 0, that hold commands: code, and the fields that say what to run."""
        found = self._fenced()
        for key, first, end in canon.field_rows(self.candidate.body):
            if key in ("diagnose", "check", "fix"):
                found.update(range(first, end))
        return found

    def record(self) -> None:
        """What a record of its kind must say, and no placeholder instead of it."""
        candidate = self.candidate
        record = candidate.record
        for what in lint.missing(record):
            self.refuse("missing-field", "%s %s" % (self.name, what))
        if candidate.kind == naming.GUARDRAIL and lint.is_hard(record) is None:
            self.warn("soft-rule", "no MUST or FORBIDDEN in it, nor a word of another language that I know for them")
        if _is_placeholder(candidate.title):
            self.refuse("placeholder", "the title is a placeholder: say what the record is about")
        told = set()
        for key, value in candidate.fields.items():
            if _is_placeholder(value):
                told.add(self.line(key))
                what = "%s says nothing: fill it in, or leave it out" % canon.LABELS.get(key, key)
                self.refuse("placeholder", what, self.line(key))
        fenced = self._fenced()
        for n, row in enumerate(self.rows):
            line = candidate.line_of(n)
            if n not in fenced and line not in told and _is_placeholder(row.strip()):
                self.refuse("placeholder", "a placeholder: say it, or delete the line", line)

    def evidence(self) -> None:
        candidate = self.candidate
        value = candidate.evidence
        if not value:
            if candidate.verb != MERGE:
                where = "the failing command and its fix, or a file"
                if self.facts.source.journal:
                    where = "the entry it comes from, as in `Item 7`"
                self.refuse("missing-evidence", "%s has no **Evidence:**: name %s" % (self.name, where))
            return
        known = {entry.item.lower() for entry in self.facts.source.entries}
        items = grounds.items(value) if self.facts.source.journal else []
        for item in items:
            if item.lower() not in known:
                has = "it has " + (", ".join(e.item for e in self.facts.source.entries) or "none")
                what = "%s has no entry for item %s; %s" % (self.facts.source.journal, item, has)
                self.refuse("missing-evidence", what, self.line("evidence"))
        paths = grounds.paths(value)
        for path in paths:
            if not self.facts.has(path):
                what = "the evidence names %s, which does not exist" % path
                self.refuse("dangling-path", what, self.line("evidence"))
        single = len(items) + len(paths) < 2 and not grounds.are_several(value)
        if single and candidate.verb == ADD and candidate.kind == naming.GUARDRAIL:
            self.warn("single-incident", "a rule from a single incident may over-fit: is it a pitfall?")

    def citations(self) -> None:
        known = {(r.kind, r.number) for r in self.facts.found.records}
        for row, kind, number in citations.find("%s\n%s" % (self.candidate.title, self.candidate.body)):
            if (kind, number) not in known:
                line = self.candidate.line_of(row - 2) if row > 1 else self.candidate.line
                what = "cites %s %s, which does not exist; a new record has no number yet: cite it by its title"
                self.refuse("dangling-citation", what % (kind.capitalize(), number), line)

    def hints(self) -> None:
        candidate, facts = self.candidate, self.facts
        record = candidate.record
        for glob in record.scope:
            if not any(match.matches([glob], file) for file in facts.files):
                self.warn("scope-matches-nothing", "the scope `%s` matches no file" % glob, self.line("scope"))
        if candidate.kind == naming.GUARDRAIL:
            if not record.scope and lint.is_hard(record):
                what = "an absolute rule without **Scope:** holds everywhere: narrow it to the files it is about"
                self.warn("no-scope", what)
            linter = enforces(record.title + "\n" + record.body, facts.linters)
            if linter:
                self.warn("linter-enforces", "%s can enforce this: a rule that a tool checks needs no record" % linter)
        others = [pair for pair in facts.overlap.closest(record) if pair[1] not in self.existing]
        for score, other in others[:2]:
            what = "overlaps %s (%d %%): amend or merge it instead?" % (other.id, round(score * 100))
            self.warn("overlap", "%s\n%s" % (what, overlap.shown(other)))

    def twins(self, earlier: list[Candidate]) -> None:
        """Warn of another candidate that says the same: neither is in the post-mortem yet."""
        own = overlap.Parts(self.candidate.record)
        scored = [
            (self.facts.overlap.score(own, overlap.Parts(other.record)), other)
            for other in earlier
            if other.kind == own.record.kind
        ]
        score, twin = max(scored, key=lambda pair: pair[0], default=(0.0, self.candidate))
        if score >= overlap.ALIKE:
            what = "overlaps the candidate “%s” at line %d (%d %%): make them one?"
            self.warn("overlap", what % (twin.title, twin.line, round(score * 100)))


def _is_placeholder(text: str) -> bool:
    if entries.is_stub(text, "`" not in text):  # `<Suspense>` is code, <cause> is not
        return True
    bare = text.strip(" \t-*+_").lower()
    return any(bare.startswith(word) and not bare[len(word) : len(word) + 1].isalnum() for word in _TODO)
