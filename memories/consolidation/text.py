"""One text out of several without a model: their sentences in order, none lost, none twice."""

import re
from collections.abc import Iterable, Iterator, Sequence

from memories.models.memory import Memory
from memories.text.tokens import HAN

LONGEST = 500
"""Characters of a merged text: a longer one would have to be summarised (B6)."""

_MARKS = ".。;； "  # a question is no statement
# A sentence's end and what closes it. In English only before a space: v1.2 and e.g. have dots, too.
_ENDS = re.compile(
    r"[。！？；]+[\"'”’」』）)】]*\s*|(?<=\w\w)[.!?]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z\d\u4e00-\u9fff])"
)
_ENDED = re.compile(r"[.!?。！？；;…:：][\"'”’」』）)\]】`]*$")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|cf|vs|approx|dr|mr|mrs|ms|prof|st|no)\.$", re.I)
# A dot after an address, a path or code would become part of it.
_CODE_LAST = re.compile(r"\S*[/\\`@=_<>{}$][\w./\\`@=<>{}$-]*$")
_WIDE_END = re.compile(r"[\u3000-\u303f\uff00-\uffef\u4e00-\u9fff][”’]?$")


def joined(memories: Sequence[Memory]) -> str:
    """Return a text that says all that these memories say, in the order in which it happened."""
    ordered = sorted(memories, key=lambda each: (each.happened_at or each.created_at, each.pk))
    kept: dict[str, str] = {}
    for part in (part for memory in ordered for part in parts(memory.content)):
        kept.setdefault(_said(part), part)
    return _glued(kept.values())


def parts(text: str) -> list[str]:
    """Return the sentences of a text; one with line breaks has a form of its own and is one."""
    text = text.strip()
    return [text] if "\n" in text else list(_sentences(text))


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for match in _ENDS.finditer(text):
        sentence = text[start : match.end()].strip()
        if sentence and not _ABBREVIATED.search(sentence):
            yield sentence
            start = match.end()
    if rest := text[start:].strip():
        yield rest


def _said(sentence: str) -> str:
    """Return what two sentences share that are the same but for how they begin and end."""
    bare = " ".join(sentence.split()).rstrip(_MARKS)
    return bare[:1].lower() + bare[1:]


def _glued(sentences: Iterable[str]) -> str:
    text = ""
    for sentence in map(_ended, sentences):
        text += _between(text, sentence) + sentence if text else sentence
    return text


def _ended(sentence: str) -> str:
    """Close a sentence as its script does."""
    if _ENDED.search(sentence) or _CODE_LAST.search(sentence) or "\n" in sentence:
        return sentence
    return sentence + ("。" if HAN.search(sentence) else ".")


def _between(before: str, after: str) -> str:
    """Return what stands between two sentences: nothing in Chinese, a line break around code."""
    if "\n" in before + after or not _ENDED.search(before):
        return "\n"
    return "" if _WIDE_END.search(before) else " "
