"""Two names of one thing, where a text says so: “X (Y)”, “X, also known as Y”, 又称 Y."""

import re
from collections.abc import Iterator, Sequence

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_LATIN_NAME = r"[A-Za-z0-9][\w.+#&/-]*(?: [A-Za-z0-9][\w.+#&/-]*){0,3}"
# After a cue no bracket ends the name: it goes on while the words have capitals.
_CUED_NAME = r"[A-Za-z0-9][\w.+#&/-]*(?: (?-i:[A-Z0-9])[\w.+#&/-]*){0,3}"
_EITHER = rf"(?:{_LATIN_NAME}|[{_HAN}·]{{2,10}})"
_OPEN = re.compile(
    rf"\s?[(（]\s*(?:aka|a\.k\.a\.?|also (?:known as|called)|formerly|又称|简称|也叫)?[\s:：]*"
    rf"[\"“”'《]?({_EITHER})[\"“”'》]?\s*[)）]",
    re.I,
)
_KNOWN_AS = re.compile(
    r"\s*,?\s*(?:is\s+|was\s+)?(?:also\s+(?:known\s+as|called)|a\.?k\.?a\.?|better known as"
    r"|formerly(?: known as| called)?|nicknamed|abbreviated(?: as)?|or simply)\s+"
    rf"(?:the\s+)?[\"“']?({_CUED_NAME}|[{_HAN}]{{2,10}})",
    re.I,
)
_HAN_AS = re.compile(
    r"\s*[,，]?\s*(?:又称|又叫|又名|也叫|也称|亦称|俗称|简称|别名|昵称|英文名|中文名|全称|缩写|曾用名|原名)"
    rf"(?:是|为|叫|作|做)?\s*[\"“'《「]?({_CUED_NAME}|[{_HAN}·]{{2,10}}?)(?=[\"”'》」，。,.、；;\s)）]|$)"
)
_BEFORE = re.compile(rf"(?:[A-Za-z0-9][\w.+#&-]*|[{_HAN}]{{2,8}})$")
_BRACKETED = re.compile(r"\s?[(（][^()（）]{1,40}[)）]\s*$")
_CUT = re.compile("[的是在有用和与把被我你他她了]")
# What stands in brackets and is no other name.
_NOTE = re.compile(
    r"(?:e\.?g|i\.?e|see|via|on|in|at|from|since|by|for|with|not|no|and|or|the|a|an|my|our|his|her)\b"
    r"|\d+$|v?\d+(?:\.\d+)+$|(?:19|20)\d\d\b|(?:optional|default|new|old|beta|deprecated)$"
    r"|(?:必填|可选|默认|推荐|已弃用|新|旧|备用|见|例如|比如|包括|不含|约)",
    re.I,
)


def aliases_in(text: str, names: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """Yield (name, other name) for what the text says is one thing.

    `names` are the spans of the names found already; what has a cue after it may be a new one.
    """
    ends = {end: start for start, end in names}
    for match in _OPEN.finditer(text):
        at = match.start()
        start = ends.get(at)
        cued = match[0].strip(" (（")[: -len(match[1])].strip() != ""
        if start is not None and _other(text[start:at], match[1], cued=cued):
            yield _bare(text[start:at]), match[1]
    for pattern in (_KNOWN_AS, _HAN_AS):
        for match in pattern.finditer(text):
            before = _named_before(text, match.start(), ends)
            if before and before.casefold() != match[1].casefold():
                yield before, match[1]


def _bare(name: str) -> str:
    return name.strip("《》“”\"`「」『』'")


def _named_before(text: str, at: int, ends: dict[int, int]) -> str:
    """Return the name that ends here, or the word or Chinese run that does."""
    if bracketed := _BRACKETED.search(text[:at]):
        at = bracketed.start()
    if at in ends:
        return _bare(text[ends[at] : at])
    match = _BEFORE.search(text[max(0, at - 40) : at])
    return _CUT.split(match[0])[-1] if match else ""


def _other(name: str, inside: str, *, cued: bool) -> bool:
    """Whether what stands in brackets after a name is another name of it.

    It is where the text says so, where it is in the other script, an acronym of it or the words of
    that acronym, or an identifier of one word.
    """
    if _NOTE.match(inside) or len(inside) > 40:
        return False
    crossed = bool(re.search(f"[{_HAN}]", name)) != bool(re.search(f"[{_HAN}]", inside))
    return cued or crossed or _acronym(name, inside) or _acronym(inside, name)


def _acronym(long: str, short: str) -> bool:
    initials = "".join(word[0] for word in re.split(r"[\s-]+", long) if word[:1].isalnum())
    return len(short) >= 2 and initials.casefold() == short.casefold()
