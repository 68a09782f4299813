"""Comparing an answer with an expected one that says only part of it; tests/cases use it.

Every key given must be equal in the answer; keys not given may be anything. A list of objects must match in
length and order, each object again as a subset; with `"partial": true` beside it each object must be found
somewhere and more may be there. Lists of plain values are equal as they stand. `problems`: each given must
be among those reported, and with `"no_other_problems": true` nothing else may be.
"""

_FLAGS = ("partial", "no_other_problems")


def assert_subset(answer: dict, expected: dict) -> None:
    """Fail with every difference, one a line."""
    found = _differences(answer, expected, "")
    assert not found, "\n".join(found)


def _differences(answer: object, expected: object, path: str) -> list[str]:
    if isinstance(expected, dict):
        if not isinstance(answer, dict):
            return [f"{path}: expected an object, got {answer!r}"]
        found = []
        for key, value in expected.items():
            if key in _FLAGS:
                continue
            here = f"{path}.{key}"
            if key not in answer:
                found.append(f"{here}: missing")
            elif key == "problems":
                found += _problems(answer[key], value, expected.get("no_other_problems", False), here)
            elif expected.get("partial") and _holds_objects(value):
                found += [
                    f"{here}: lacks {one!r}"
                    for one in value
                    if not any(not _differences(other, one, "") for other in answer[key])
                ]
            else:
                found += _differences(answer[key], value, here)
        return found
    if _holds_objects(expected):
        if not isinstance(answer, list) or len(answer) != len(expected):
            return [f"{path}: expected {len(expected)} objects, got {answer!r}"]
        pairs = enumerate(zip(answer, expected))
        return [line for n, (a, e) in pairs for line in _differences(a, e, f"{path}[{n}]")]
    return [] if answer == expected else [f"{path}: expected {expected!r}, got {answer!r}"]


def _problems(answer: list, expected: list, alone: bool, path: str) -> list[str]:
    def fits(problem: dict, wanted: dict) -> bool:
        return not _differences(problem, wanted, "")

    found = [f"{path}: lacks {one!r} in {answer!r}" for one in expected if not any(fits(p, one) for p in answer)]
    if alone:
        found += [f"{path}: also {p!r}" for p in answer if not any(fits(p, one) for one in expected)]
    return found


def _holds_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
