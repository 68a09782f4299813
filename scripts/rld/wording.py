"""Small things that every text for a model or a human needs."""


def units(text: str) -> int:
    """The length of a text as the client counts it: UTF-16 code units."""
    if text.isascii() or max(text) <= "\uffff":
        return len(text)
    return len(text) + sum(1 for char in text if char > "\uffff")  # encoding it would import the codec


def counted(number: int, noun: str, plural: str = "") -> str:
    """ "1 file", "3 files"."""
    return "%d %s" % (number, noun if number == 1 else plural or noun + "s")


def safe(text: str) -> str:
    """A project's text as it may stand before a model: nothing invisible, no comment, no tag that could end our frame.

    A cloned repository must not speak with our voice (Digital-Process-Tools/claude-remember#721).
    """
    if not (text.isascii() and text.isprintable()):
        from rld import invisible

        text = invisible.visible(text)
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at)
        text = text[:at] + (text[end + 3 :] if end >= 0 else "")
        at = text.find("<!--")
    if "<" in text:
        text = text.replace("</", "‹/")
        lower = text.lower()
        for word in ("<system", "<assistant", "<human", "<user", "<instruction"):
            at = lower.find(word)
            while at >= 0:
                text = text[:at] + "‹" + text[at + 1 :]
                at = lower.find(word, at + 1)
    return text


def cut(text: str, limit: int) -> str:
    """The whole lines of a text that fit into `limit` units, from the start."""
    if units(text) <= limit:
        return text
    kept = []
    for line in text.split("\n"):
        limit -= units(line) + 1
        if limit < 0:
            break
        kept.append(line)
    return "\n".join(kept)
