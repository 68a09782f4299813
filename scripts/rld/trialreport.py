"""What a trial with the client says, as findings for a person and as JSON."""

from __future__ import annotations

from rld import digest, wording
from rld.clienttrial import Trial
from rld.delivery import CUT_AT
from rld.finding import FAIL, OK, WARN, Finding

SHOWN = 8  # of a list of records or lines


def findings(trial: Trial) -> list[Finding]:
    """One for each thing that was to arrive, what is in the way of the user's own sessions, and what the run left."""
    found = [_digest(trial)]
    if trial.run is not None:
        found += [_entry_point(*each, trial.version) for each in trial.entry_points]
        if trial.opened:
            found.append(_opened(trial))
        found += [_named("your sessions", Finding(WARN, each.why, each.fix)) for each in trial.obstacles]
        found.append(_quiet(trial))
    return found


def as_dict(trial: Trial) -> dict[str, object]:
    """For `--json`. `delivered`: every line of the digest was in the request, word for word."""
    what, made = trial.delivery, trial.digest
    return {
        "version": trial.version,
        "delivered": what is not None and what.is_whole,
        "why": _why(trial),
        "records": {
            "sent": what.sent if what else [],
            "arrived": what.arrived if what else [],
            "missing": what.missing if what else [],
            "left_out": [entry.id for entry in made.left_out] if made else [],
        },
        "lines": {
            "sent": len(what.lines) if what else 0,
            "arrived": len(what.lines) - len(what.lost) if what else 0,
            "missing": what.lost if what else [],
        },
        "units": what.units if what else 0,
        "units_arrived": what.units_arrived if what else 0,
        "limit": made.limit if made else 0,
        "cut_at": CUT_AT,
        "entry_points": [
            {"file": name, "arrived": arrived, "pointer_first": first} for name, arrived, first in trial.entry_points
        ],
        "opened": trial.opened and {"file": trial.opened[0], "arrived": [entry.id for entry in trial.opened[1]]},
        "obstacles": [each.why for each in trial.obstacles],
        "refused": trial.run.refused if trial.run else [],
    }


def _named(name: str, found: Finding) -> Finding:
    found.name = name
    return found


def _digest(trial: Trial) -> Finding:
    return _named("digest", _of_digest(trial))


def _of_digest(trial: Trial) -> Finding:
    what, made = trial.delivery, trial.digest
    if what is None or made is None:
        obstacle = trial.final
        assert obstacle is not None
        return Finding(FAIL, "nothing arrives: %s (the client was not started for this)" % obstacle.why, obstacle.fix)
    if not what.lines:
        if trial.run is not None and not trial.run.asked:
            return Finding(FAIL, _why(trial), "start `claude -p hello` here yourself, and see what it says")
        return Finding(
            WARN, "there is nothing to deliver: no records, no open run", "the first `rld apply` changes that"
        )
    if what.is_nothing:
        return Finding(
            FAIL, "nothing arrived: " + _why(trial), "see the checks above; if they are fine, report a bug in rld"
        )
    if what.lost:
        return Finding(
            FAIL, _lost(trial), "lower digest.max_chars in .rld.yml" if what.was_cut else "report this as a bug in rld"
        )
    said = "reached the model whole: %d of %d lines" % (len(what.lines), len(what.lines))
    if what.sent:
        said += ", %d of %s" % (len(what.arrived), wording.counted(len(what.sent), "record"))
    said += f"\n{what.units:,} of {made.limit:,} units; the client cuts above {CUT_AT:,}"
    if not what.in_one_piece:
        said += "\nnot in one piece: the client put something between its lines"
    if made.left_out:
        said += "\n" + _left_out(trial)
    return Finding(OK, said)


def _left_out(trial: Trial) -> str:
    assert trial.digest is not None
    out = trial.digest.left_out
    text = "left out of it for room, as it says itself: %s" % digest.counts(out)
    scoped = sum(1 for entry in out if entry.scope)
    return text + ("; %d come when their files are opened" % scoped if scoped else "")


def _lost(trial: Trial) -> str:
    what = trial.delivery
    assert what is not None
    head = "%d of %d lines arrived" % (len(what.lines) - len(what.lost), len(what.lines))
    if what.was_cut:
        head += f": the client cut the hook's answer ({what.units:,} units, above {CUT_AT:,}) to a preview"
    if what.missing:
        return "%s; missing: %s" % (head, _some(what.missing))
    return head + "; missing:\n" + "\n".join("| " + line[:100] for line in what.lost[:SHOWN])


def _some(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (" and %d more" % more if more > 0 else "")


def _why(trial: Trial) -> str:
    """Why nothing arrived, "" when something did."""
    if trial.final is not None:
        return trial.final.why
    run, what = trial.run, trial.delivery
    if run is None or what is None or not (what.is_nothing and (what.lines or not run.asked)):
        return ""
    if not run.asked:
        if run.status is None:
            return "the client asked the model nothing within its time, and was ended"
        return "the client ended with status %d and asked the model nothing: %s" % (run.status, run.said or "no word")
    hooks = run.hooks("SessionStart")
    if not hooks:
        return "the client started no SessionStart hook of the plugin"
    bad = next((hook for hook in hooks if hook.get("exit_code") or hook.get("stderr")), None)
    if bad is not None:
        return "the hook ended with status %s and said: %s" % (
            bad.get("exit_code"),
            str(bad.get("stderr")).strip()[:200],
        )
    if not any(str(hook.get("stdout")).strip() for hook in hooks):
        return "the hook ran and said nothing" + (": " + trial.error if trial.error else "")
    return "the hook spoke, and the client left its words out of the request"


def _entry_point(name: str, arrived: bool, first: bool, version: str) -> Finding:
    if arrived and first:
        return _named("entry point", Finding(OK, "%s reached the model, with the pointer on its first line" % name))
    if arrived:
        what = "%s reached the model, without the pointer on its first line" % name
        return _named("entry point", Finding(WARN, what, "rld pointer --fix"))
    what = "%s did not reach the model: the client %s does not load it here when a session starts" % (name, version)
    return _named("entry point", Finding(WARN, what, "let CLAUDE.md import it with a line `@%s`, or link to it" % name))


def _opened(trial: Trial) -> Finding:
    assert trial.opened is not None
    file, records = trial.opened
    if records:
        came = _some([entry.cite for entry in records])
        return _named("opened file", Finding(OK, "when %s was opened, %s came word for word" % (file, came)))
    what = "a record is about %s, and none came when it was opened" % file
    return _named("opened file", Finding(WARN, what, "report this as a bug in rld"))


def _quiet(trial: Trial) -> Finding:
    assert trial.run is not None
    if trial.run.refused:
        what = "the client asked for %s besides, which was refused" % _some(sorted(set(trial.run.refused)))
        return _named("traces", Finding(OK, what))
    return _named(
        "traces", Finding(OK, "no tokens, no account, no request but to 127.0.0.1; what the session noted is deleted")
    )
