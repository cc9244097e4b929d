"""The LLM proposes, rules check: no proposal rests on more than what its quoted turn says (B3)."""

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from memories.distillation.prompts import Said, Voice, Window, messages, said_in, windows
from memories.distillation.proposal import Proposal, Scene
from memories.llm import LlmDown, ask
from memories.models.memory import Kind, Source
from memories.models.session import Turn
from memories.sessions.echo import without_injected
from memories.text.clean import bare, fingerprint, storable
from memories.text.secrets import MASK
from memories.text.tokens import tokenize

MOST_CHARS = 500  # B6
MOST_CERTAIN = 0.95
"""A model's own certainty is not a person's."""
MOST_WINDOWS = 30
LOOK_SECONDS = 600.0
"""For a whole run, which is taken for dead after 15 minutes."""
WINDOW_SECONDS = 120.0
TOKENS_A_MEMORY = 100
"""A window may yield a memory a turn, or one per so many tokens of long turns."""
# Why a proposal was turned away.
UNQUOTED, INJECTED, SECRET = "unquoted", "injected", "secret"
TOO_LONG, FAILED_CLAIM, TOO_MANY = "too_long", "failed_claim", "too_many"


def _text(value: Any) -> Any:
    return "" if value is None else str(value) if isinstance(value, int | float) else value


def _clamped(value: float) -> float:
    return min(max(0.0, value), 1.0)  # 0 for NaN, too, which is never greater


def _numbers(value: Any) -> list[int]:
    """Read 12, "12", "[12]", [12, "13"] and null alike; what is no number is none."""
    given = value if isinstance(value, list) else [value]
    found = (re.search(r"\d{1,9}", str(one)) for one in given if isinstance(one, int | float | str))
    return [int(match[0]) for match in found if match]


Text = Annotated[str, BeforeValidator(_text), Field(max_length=4_000)]
Share = Annotated[float, BeforeValidator(lambda value: value or 0.0), AfterValidator(_clamped)]


class Item(BaseModel):
    """One memory as the model writes it."""

    content: Text
    kind: Annotated[Text, Field(json_schema_extra={"enum": list(Kind.values)})]
    turns: Annotated[list[int], BeforeValidator(_numbers)]
    quote: Text
    subject: Text
    owner: Text
    question: Text
    value: Text
    worth: Share
    confidence: Share
    happened_at: Text = ""


class Memories(BaseModel):
    """What one window holds; an empty list says that nothing is worth remembering."""

    memories: Annotated[list[Item], Field(max_length=100)]


def propose(turns: Sequence[Turn], scene: Scene) -> list[Proposal]:
    """Return what the LLM proposes, each checked by rules and marked if they turn it away.

    No database connection is held. Raises LlmDown; what was found until then is given up, so that
    a session is distilled in one way.
    """
    session = said_in(turns)
    parts = list(windows(session))
    if len(parts) > MOST_WINDOWS:
        raise LlmDown(
            _("The session is too long for the LLM: it would take %(parts)d requests.")
            % {"parts": len(parts)}
        )
    evidence = Evidence(session)
    until = time.monotonic() + LOOK_SECONDS
    found: list[Proposal] = []
    for window in parts:
        left = until - time.monotonic()
        if left <= 0:
            raise LlmDown(_("The LLM took too long for the whole session."))
        answer = ask(messages(window, scene), Memories, seconds=min(left, WINDOW_SECONDS))
        checked = (_checked(item, window, evidence) for item in answer.memories)
        found += _bounded(window, [one for one in checked if one.content])
    return _once(found)


class Evidence:
    """What the turns say, to hold proposals against."""

    def __init__(self, session: Iterable[Said]) -> None:
        self.said = {said.turn.number: said for said in session}

    def quoted(self, quote: str, numbers: Iterable[int]) -> tuple[int, str] | None:
        """Return (turn, the words as they stand there) of the first turn that says them.

        A quote without a word of its own ("I", "the") proves nothing.
        """
        if not tokenize(quote):
            return None
        said = re.compile(r"\s+".join(map(re.escape, quote.split())), re.IGNORECASE)
        for number in numbers:
            shown = said.search(self.said[number].text)
            if shown:
                # As the turn itself has it, unless something within was taken out for the model.
                exact = said.search(self.said[number].turn.content)
                return number, (exact or shown)[0]
        return None

    def injected(self, quote: str) -> bool:
        """Whether these words stand only in what was recalled into a turn (B9)."""
        contents = [said.turn.content for said in self.said.values()]
        return any(
            quote in bare(content) and quote not in bare(without_injected(content))
            for content in contents
        )

    @property
    def anything_failed(self) -> bool:
        return any(said.ok is False for said in self.said.values())

    def failing(self, number: int) -> bool:
        """Whether the last call up to this turn whose outcome is told failed."""
        told = [said.ok for at, said in self.said.items() if at <= number and said.ok is not None]
        return bool(told) and told[-1] is False


def _checked(item: Item, window: Window, evidence: Evidence) -> Proposal:
    quote = clean(item.quote).strip("\"'“”‘’「」『』…. ")
    named = [number for number in dict.fromkeys(item.turns) if number in evidence.said]
    # A model may be wrong about a number; the words decide.
    found = evidence.quoted(quote, (*named, *window.numbers))
    number, exact = found or (None, quote)
    said = None if number is None else evidence.said[number]
    turns = named if number is None else [number, *named]
    proposal = Proposal(
        content=clean(item.content),
        turns=list(dict.fromkeys(turns)),
        quote=exact,
        kind=kind if (kind := item.kind.strip().lower()) in Kind.values else Kind.FACT,
        subject=_subject(item.subject),
        owner=clean(item.owner),
        question=clean(item.question),
        value=clean(item.value),
        source=_SOURCES[said.voice] if said else Source.UNKNOWN,
        certainty=min(item.confidence, MOST_CERTAIN),
        worth=item.worth,
        happened_at=_moment(item.happened_at) or (said.turn.happened_at if said else None),
        signals={"llm_confidence": item.confidence, "llm_worth": item.worth},
    )
    return replace(proposal, drop=_turned_away(proposal, said, evidence))


# Whose word the quote is, which no model can raise (B4).
_SOURCES = {
    Voice.USER: Source.USER_INPUT,
    Voice.TOOL: Source.TOOL_RESULT,
    Voice.MODEL: Source.LLM_REASONING,
}


def clean(text: str) -> str:
    """Return a text on one line that the database takes."""
    return bare(storable(text)[0])


def _subject(text: str) -> str:
    """Return a key of a thing and its property; a bare name would be the subject of everything."""
    key = clean(text)
    return key if "/" in key and len(key) <= 200 else ""


def _moment(text: str) -> datetime | None:
    """Return a date or date and time with its zone, if it is one that can be."""
    try:
        moment = parse_datetime(text.strip())
    except ValueError:
        return None
    if moment is None or not 1000 < moment.year < timezone.now().year + 100:
        return None
    if timezone.is_naive(moment):
        return moment.replace(tzinfo=timezone.get_current_timezone())
    return moment


def _turned_away(proposal: Proposal, quoted: Said | None, evidence: Evidence) -> str:
    """Return the code of the first rule that turns a proposal away, "" for none."""
    if MASK in proposal.content + proposal.quote:
        return SECRET
    if quoted is None:
        return INJECTED if evidence.injected(proposal.quote) else UNQUOTED
    if len(proposal.content) > MOST_CHARS:
        return TOO_LONG
    return FAILED_CLAIM if _failed_claim(proposal, quoted, evidence) else ""


def _failed_claim(proposal: Proposal, quoted: Said, evidence: Evidence) -> bool:
    """Whether a failure would be remembered as a success (B8, F1).

    A failed call proves that and how it failed, and nothing else. What a model says after one
    cannot be a success, and a user must have said it in these words.
    """
    boasts = claims_success(proposal.content) or proposal.kind == Kind.PROCEDURE
    if quoted.ok is False:
        told = proposal.kind in {Kind.INCIDENT, Kind.LESSON} or _FAILURE.search(proposal.content)
        return boasts or not told
    if quoted.voice is Voice.USER:
        return boasts and evidence.anything_failed and not claims_success(proposal.quote)
    return quoted.voice is Voice.MODEL and boasts and evidence.failing(quoted.turn.number)


_SUCCESS = re.compile(
    r"\b(?:success\w*|succeed\w*|work(?:s|ed|ing)|pass(?:es|ed)?|complet(?:e[sd]?|ion)|done|fixed"
    r"|deployed|resolved|solved|finished)\b|成功|通过|完成|修复|修好|解决|搞定|可用|正常",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b(?:fail\w*|error\w*|not|never|cannot|unable|broke\w*|crash\w*|time[sd]?[- ]?out"
    r"|den(?:y|ied)|refus\w*|reject\w*|missing|invalid)\b|n['’]t\b"
    r"|失败|错误|报错|出错|不|没|无法|未|超时|拒绝|崩溃",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\b(?:not|never|no|cannot|fail\w* to)|n['’]t)\b(?:\s+\w+)?\s*$"
    r"|(?:不|没有?|未能?|无法|尚未)$",
    re.IGNORECASE,
)


def claims_success(text: str) -> bool:
    """Whether a text says, and does not deny, that something worked."""
    return any(
        not _NEGATED.search(text[max(0, found.start() - 30) : found.start()])
        for found in _SUCCESS.finditer(text)
    )


def _bounded(window: Window, proposals: Sequence[Proposal]) -> list[Proposal]:
    """Turn away what is beyond a memory a turn, the least worth first."""
    most = max(len(window.lines), window.size // TOKENS_A_MEMORY)
    ranked = sorted(
        (place for place, one in enumerate(proposals) if not one.drop),
        key=lambda place: -proposals[place].worth,
    )
    beyond = set(ranked[most:])
    return [
        replace(one, drop=TOO_MANY) if place in beyond else one
        for place, one in enumerate(proposals)
    ]


def _once(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return each text once: turns that two windows share are looked at twice."""
    first: dict[str, Proposal] = {}
    for one in proposals:
        known = first.setdefault(fingerprint(one.content), one)
        if known.drop and not one.drop:
            first[fingerprint(one.content)] = one
    return list(first.values())
