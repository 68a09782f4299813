"""Does a prompt read as if the human corrected what was done?

A short list of words, in some languages, looked for where a prompt begins. It is a guess, and whoever shows it says so.
Only a prompt that follows work can be a correction; that is for the caller to know.
"""

_HEAD = 240  # characters: who corrects says so at once

# As the first word of a prompt.
_OPENERS = frozenset(
    "no nope nah not stop wait undo revert nein falsch halt stopp non faux arrête não pare errado nee fout нет не стоп".split()
)
# What begins like one and is none.
_HARMLESS = (
    "no problem", "no worries", "no need", "no rush", "no hurry", "no further", "no more", "no questions", "no thanks", "no, thanks", "nein danke",
    "not bad", "not sure", "not yet", "not now", "wait for", "stop here", "don't worry", "don't forget", "do not forget",
)  # fmt: skip
# Anywhere in the beginning; "|" is where a clause begins.
_PHRASES = (
    "| don't", "| do not", "| dont", "please don't", "please do not", "and don't", "and do not", "but don't", "but do not", "| never",
    "instead", "wrong", "actually", "| undo", "| revert", "please undo", "please revert", "not what i", "not like that", "i said", "i told you",
    "i asked you", "i meant", "you forgot", "you broke", "you should have", "you should not", "you shouldn't", "should not have", "shouldn't have",
    "stattdessen", "falsch", "nicht so", "ich sagte", "habe gesagt", "hab gesagt", "du hast vergessen", "au lieu", "pas comme", "j'ai dit",
    "en vez", "te dije", "está mal", "em vez", "eu disse", "niet zo", "in plaats", "вместо", "не так", "неверно", "неправильно", "я сказал",
)  # fmt: skip
# In scripts that put no blanks between words.
_UNSPACED = ("違う", "違います", "ちがう", "ではなく", "じゃなく", "やめて", "不对", "不對", "不是这", "不要", "错了", "錯了", "아니", "잘못", "말고")  # fmt: skip


def is_likely(prompt: str) -> bool:
    """Whether a prompt may be a correction. Never raises."""
    head = " ".join(prompt[:_HEAD].replace("’", "'").lower().split())
    if head.startswith(("/", "<") + _HARMLESS):
        return False
    marked = "".join(char if char.isalnum() or char in "'_" else " " if char == " " else " | " for char in head)
    words = [word for word in ("| " + marked).split() if word]
    first = next((word for word in words if word != "|"), "")
    if first in _OPENERS or any(part in head for part in _UNSPACED):
        return True
    text = " %s " % " ".join(words)
    return any(" %s " % phrase in text for phrase in _PHRASES)
