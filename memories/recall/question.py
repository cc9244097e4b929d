"""A query on its way in: cleaned, bounded, and taken apart into what each arm needs."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.recall.dates import Span, named_times
from memories.text.clean import bare, storable
from memories.text.tokens import HAN, tokenize

MAX_QUERY = 4_000
MAX_TOP_K = 50

_LABEL = re.compile(r"^\s*\w[\w .\-]{0,30}?\s*[:：]", re.MULTILINE)
_LABELLED = re.compile(r"\s*(?P<who>\w[\w .\-]{0,30}?)\s*[:：]\s*(?P<said>.+)")
_QUOTES = "\"'“”‘’「」『』"
_ANSWERING = frozenset(
    {"assistant", "ai", "bot", "model", "system", "tool", "助手", "助理", "系统"}
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, arm by arm.

    `text` as asked (cleaned) · `meant` what is embedded · `terms` the distinct tokens for the
    keyword arm · `times` what it names of the calendar.
    """

    text: str
    meant: str
    terms: tuple[str, ...]
    times: tuple[Span, ...] = ()

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
    return Question(text, meant, tuple(dict.fromkeys(tokenize(words))), named_times(text, now))


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
