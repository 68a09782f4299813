"""JSON for hooks: the C scanner of the standard library without the 1.15 interpreter starts that `import json` costs.

`_json` is private but the same from Python 3.9 to 3.14; where it is missing or has changed, `json` does the work.
"""

try:
    from _json import encode_basestring_ascii as _quote
    from _json import make_scanner

    class _Context:
        strict = False
        object_hook = None
        object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float
        memo: "dict[str, str]" = {}

    _scan = make_scanner(_Context())  # type: ignore[arg-type]

    def loads(text: str) -> object:
        """A JSON text's value; raises ValueError when it is none."""
        text = text.strip(" \t\r\n")
        try:
            value, end = _scan(text, 0)
        except StopIteration:
            raise ValueError("not JSON") from None
        if end != len(text):
            raise ValueError("text behind the JSON value")
        return value

except (ImportError, AttributeError, TypeError):
    from json.encoder import encode_basestring_ascii as _quote


def dumps(value: object) -> str:
    """A value as JSON on one line, ASCII only. Takes None, bool, int, float, str, list, tuple and dict."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (_quote(str(key)), dumps(item)) for key, item in value.items())
    assert isinstance(value, (list, tuple)), type(value)
    return "[%s]" % ", ".join([dumps(item) for item in value])
