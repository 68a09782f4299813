"""Where an HTML block of Markdown starts and ends (CommonMark 0.31, section 4.6), without regular expressions."""

_RAW = ("pre", "script", "style", "textarea")
_BLOCK = frozenset(
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul".split()
)
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_ATTRIBUTE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_:.-")

BLANK = ""  # the ending of a block that runs to the next blank line


def ending(text: str, interrupts: bool) -> "tuple[str, ...] | None":
    """What ends the HTML block that `text` (from its `<` on) opens, or None when it opens none.

    The answer is a tuple of lower-case strings, one of which a line must hold to be the block's last line; `(BLANK,)`
    means a blank line ends it. `interrupts`: the line would interrupt a paragraph, which a lone inline tag may not.
    """
    if text.startswith("<!--"):
        return ("-->",)
    if text.startswith("<?"):
        return ("?>",)
    if text.startswith("<![CDATA["):
        return ("]]>",)
    if text.startswith("<!") and text[2:3].isalpha() and text[2:3].isascii():
        return (">",)
    head = text[:16].lower()
    closing = head.startswith("</")
    name = _name(head, 2 if closing else 1)
    after = head[(2 if closing else 1) + len(name) :][:1]
    if not closing and name in _RAW and after in ("", " ", ">"):
        return tuple("</%s>" % raw for raw in _RAW)
    if name in _BLOCK and (
        after in ("", " ", ">") or (after == "/" and text[len(name) + (2 if closing else 1) :][1:2] == ">")
    ):
        return (BLANK,)
    if not interrupts and _is_one_tag(text.rstrip(" ")):
        return (BLANK,)
    return None


def _name(text: str, at: int) -> str:
    end = at
    while end < len(text) and text[end] in _NAME:
        end += 1
    return text[at:end]


def _is_one_tag(text: str) -> bool:
    """Is the text exactly one complete opening or closing tag?"""
    if not text.endswith(">"):
        return False
    lower = text.lower()
    size = len(text)
    closing = lower.startswith("</")
    at = 2 if closing else 1
    if not ("a" <= lower[at : at + 1] <= "z"):
        return False
    while at < size and lower[at] in _NAME:
        at += 1
    if closing:
        return text[at:-1].strip(" ") == ""
    while True:
        spaces = at
        while at < size and text[at] == " ":
            at += 1
        if text[at:] in (">", "/>"):
            return True
        if at == spaces or at >= size or not ("a" <= lower[at] <= "z" or text[at] in "_:"):
            return False
        while at < size and lower[at] in _ATTRIBUTE:
            at += 1
        value = at
        while value < size and text[value] == " ":
            value += 1
        if text[value : value + 1] != "=":
            continue
        value += 1
        while value < size and text[value] == " ":
            value += 1
        quote = text[value : value + 1]
        if quote in ('"', "'"):
            end = text.find(quote, value + 1)
            if end < 0:
                return False
            at = end + 1
        else:
            at = value
            while at < size and text[at] not in " \"'=<>`":
                at += 1
            if at == value:
                return False
