"""Sentences that say a thing is done: "all tests pass", "fixed", "done".

A short list of words; what is conditional, negated or asked is left out.
"""

from __future__ import annotations

import re

_LONGEST = 400  # characters of a sentence that is looked at

_CLAIM = re.compile(
    r"\b(?:tests?|checks?|suite|specs?|build|lint|typecheck|everything|all)\b[^.!?]{0,40}\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b"
    r"|\b(?:is|are|now|been|all|i|i've|we|we've|have|bug|issue)\s+(?:fixed|done|resolved|verified|working)\b"
    r"|^(?:fixed|done|resolved|verified)\b"
    r"|\bworks (?:now|again|as expected|correctly)\b|\bnow works\b"
    r"|\btests? (?:sind grün|laufen durch|bestanden)\b|\b(?:ist|sind|jetzt) (?:behoben|erledigt|fertig)\b|^(?:behoben|erledigt|fertig)\b"
    r"|(?:テスト|すべて)\S{0,12}(?:通り|通っ|成功)|(?:修正|完了|解決)しました|直しました|测试\S{0,6}通过|(?:已|已经)(?:修复|解决|完成)|(?:修复|解决|完成)了",
    re.I,
)
_NO_CLAIM = re.compile(
    r"\b(?:not|never|if|once|until|unless|whether|should|would|will|must|needs?|could|may|might|let|let's|make|still|cannot|fails?|failing|"
    r"nicht|wenn|sobald|noch)\b|n't\b|n’t\b|[?？]|(?:ませ|没有|还没|未)",
    re.I,
)
_SPLIT = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


def of(text: str) -> list[str]:
    """The sentences of a message that claim success, in order, without Markdown around them; code blocks left out."""
    found = []
    in_code = False
    for row in text.split("\n"):
        if row.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            for sentence in _SPLIT.split(row.replace("**", "").replace("`", "")):
                bare = " ".join(sentence[:_LONGEST].split()).strip("-*#>•✅✔️ ")
                if bare and _CLAIM.search(bare) and not _NO_CLAIM.search(bare):
                    found.append(bare)
    return found
