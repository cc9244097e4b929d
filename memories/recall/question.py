"""A query on its way in: cleaned, bounded, and taken apart into what each arm needs."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.recall.dates import Span, named_times
from memories.text.clean import bare, storable
from memories.text.tokens import HAN, grammatical, tokenize

MAX_QUERY = 4_000
MAX_TOP_K = 50
MAX_PARTS = 3
"""Questions in one text that are searched each for itself: each costs a search."""
LEAST_TERMS = 2
"""A question with fewer words of its own (“Really?”, 真的吗？) belongs to the next one."""

_LABEL = re.compile(r"^\s*\w[\w .\-]{0,30}?\s*[:：]", re.MULTILINE)
_LABELLED = re.compile(r"\s*(?P<who>\w[\w .\-]{0,30}?)\s*[:：]\s*(?P<said>.+)")
_QUOTES = "\"'“”‘’「」『』"
# Where a question ends; what follows a “?” without a space is an address: /find?q=tea.
_ASKED = re.compile(r"(?:？|\?(?![\w=&%/#.\-])|\?(?=[\u3000-\u9fff]))[?？!！\"'”’」』)）]*")
_ANSWERING = frozenset(
    {"assistant", "ai", "bot", "model", "system", "tool", "助手", "助理", "系统"}
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, arm by arm.

    `text` as asked (cleaned) · `meant` what is embedded · `terms` the distinct tokens for the
    keyword arm · `times` what it names of the calendar · `parts` the questions of one that asks two
    or three.
    """

    text: str
    meant: str
    terms: tuple[str, ...]
    times: tuple[Span, ...] = ()
    parts: tuple["Question", ...] = ()

    @property
    def han(self) -> bool:
        """Whether it is asked in Chinese."""
        return bool(HAN.search(self.meant))


def asked(query: str, now: datetime) -> Question:
    """Return the query taken apart, or raise Invalid with what to do."""
    if not isinstance(query, str):
        raise Invalid(_("query must be text."), field="query")
    text, _notes = storable(query)
    if not bare(text):
        raise Invalid(_("query is empty: say in a few words what to recall."), field="query")
    if len(text) > MAX_QUERY:
        raise Invalid(
            _("query has %(have)d characters, at most %(most)d are searched: ask about one thing.")
            % {"have": len(text), "most": MAX_QUERY},
            field="query",
        )
    words, meant = spoken(text)
    if words == text:
        parts = tuple(_plain(part, now) for part in _questions(text))
        return replace(_plain(text, now), parts=parts)
    return Question(text, meant, tuple(_telling(words)), named_times(text, now))


def _plain(text: str, now: datetime) -> Question:
    return Question(text, text, tuple(dict.fromkeys(tokenize(text))), named_times(text, now))


def _telling(words: str) -> dict[str, None]:
    """Return the distinct words that tell what a talk is about.

    R@10 of MADial-zh .728 → .753, in both halves of its questions. Chosen words that are common in
    talk (什么, 觉得) must stay: without them .706.
    """
    return dict.fromkeys(token for token in tokenize(words) if not grammatical(token))


def _questions(text: str) -> list[str]:
    """Return the questions of a text that asks two or three, else none.

    Searched as a whole, the question with the rarer words takes the places of the others. Searched
    each for itself, too, and the best score taken: MemDaily ×10 all@10 .830 → .855.
    A talk is about one thing: to search its turns like that cost MADial .04–.06 of R@10.
    """
    found, start = list[str](), 0
    for end in (match.end() for match in _ASKED.finditer(text)):
        if len(_telling(text[start:end])) >= LEAST_TERMS:
            found.append(text[start:end].strip())
            start = end
    if not 1 < len(found) <= MAX_PARTS:
        return []
    # What follows the last question explains it.
    return [*found[:-1], found[-1] + text[start:]]


def spoken(text: str) -> tuple[str, str]:
    """Return (what everyone says, what the user says) of a dialogue; of other text (text, text).

    Who speaks is not what is asked about, so the labels go; and the user's own turns carry the
    meaning better than the answers between them. On MADial-Bench, R@10: the bare dialogue .687 (zh)
    and .686 (en), without labels .699 and .720, the user's turns alone embedded .725 and .711, and
    without the marks that quote each turn, with all other arms, .729 and .739.
    """
    lines = [match for line in text.splitlines() if (match := _LABELLED.fullmatch(line))]
    speakers = Counter(line["who"].casefold() for line in lines)
    in_turns = speakers.keys() & _ANSWERING or max(speakers.values(), default=0) > 1
    if len(lines) < 2 or not in_turns or len(lines) * 2 < len(text.splitlines()):
        return text, text
    words = _LABEL.sub("", text)
    own = [_unquoted(line["said"]) for line in lines if line["who"].casefold() not in _ANSWERING]
    return words, "\n".join(own) or words


def _unquoted(said: str) -> str:
    """Return what is said without the marks around all of it."""
    said = said.strip()
    quoted = len(said) > 2 and said[0] in _QUOTES and said[-1] in _QUOTES
    return said[1:-1] if quoted else said


def counted(top_k: int | None, default: int) -> int:
    """Return how many hits are wanted, or raise Invalid."""
    if top_k is None:
        return default
    if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= MAX_TOP_K:
        raise Invalid(
            _("top_k must be a whole number from 1 to %(most)d.") % {"most": MAX_TOP_K},
            field="top_k",
        )
    return top_k
