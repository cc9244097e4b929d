"""recall_context(): what an agent should have before it for its next turn (A1, H3)."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.inputs import MAX_NAME, short_text
from memories.models.session import Session, Turn
from memories.permissions import Actor
from memories.policies import policy_for
from memories.recall import RecallResult, Scored, recall
from memories.recall.question import MAX_QUERY
from memories.sessions.block import memory_section, turn_section
from memories.sessions.reading import own_session
from memories.sessions.working import (
    WorkingMemory,
    WorkingMemoryDown,
    WorkingTurn,
    working_memory_of,
)
from memories.text.budget import tokens
from memories.text.clean import bare, storable

LEAST_TOKENS, MOST_TOKENS = 100, 20_000


@dataclass(frozen=True, slots=True)
class Context:
    """One block ready to inject, and what stands in it.

    `left_out` counts the hits that did not fit. `tokens` is an estimate, rather too high.
    `degraded` names what was away: "working_memory" (the turns come from PostgreSQL), "embedder".
    """

    text: str
    hits: tuple[Scored, ...]
    turns: tuple[WorkingTurn, ...]
    tokens: int
    degraded: tuple[str, ...]
    left_out: int


def recall_context(
    *, actor: Actor, session: str, user_id: str = "", query: str = "", budget: int | None = None
) -> Context:
    """Return recent turns and recalled memories as one block within `budget` tokens.

    The query defaults to the last thing the user said. Working memory gets at most half of the
    budget. Raises Invalid, NotFound (no such session of this agent and user) or NotAllowed.
    """
    actor = actor.acting_for(short_text(user_id, "user_id", MAX_NAME))
    found = own_session(actor=actor, session=session)
    room = _room(budget, policy_for(actor.space_id)[1].sessions.context_tokens)
    turns, away = _recent(found)
    result = recall(actor=actor, query=_query(query, turns, found), session=found.key)
    return _context(result, turns, room, away=away)


def _context(
    result: RecallResult, turns: tuple[WorkingTurn, ...], room: int, *, away: bool
) -> Context:
    said, shown = turn_section(turns, room // 2)
    known, hits = memory_section(result.hits, room - tokens(f"{said}\n"))
    text = "\n".join(part for part in (known, said) if part)
    degraded = {"working_memory": away, "embedder": result.degraded}
    return Context(
        text=text,
        hits=hits,
        turns=shown,
        tokens=tokens(text),
        degraded=tuple(name for name, is_so in degraded.items() if is_so),
        left_out=len(result.hits) - len(hits),
    )


def _room(budget: int | None, usual: int) -> int:
    if budget is None:
        return usual
    whole = isinstance(budget, int) and not isinstance(budget, bool)
    if not whole or not LEAST_TOKENS <= budget <= MOST_TOKENS:
        raise Invalid(
            _("budget must be a whole number of tokens from %(least)d to %(most)d.")
            % {"least": LEAST_TOKENS, "most": MOST_TOKENS},
            field="budget",
        )
    return budget


def _recent(session: Session) -> tuple[tuple[WorkingTurn, ...], bool]:
    """Return the recent turns, and whether Redis was away.

    What Redis missed while it was away, or has not got yet, PostgreSQL has.
    """
    memory = working_memory_of(session)
    try:
        turns = memory.recent()
    except WorkingMemoryDown:
        return _stored(session, memory), True
    if _complete(turns, session.turn_count, memory.turns):
        return tuple(turns), False
    return _stored(session, memory), False


def _complete(turns: list[WorkingTurn], count: int, most: int) -> bool:
    """Whether these are the last turns of `count`, none missing among them."""
    if not turns or turns[-1].number < count or len(turns) < min(count, most):
        return False
    return turns[-1].number - turns[0].number + 1 == len(turns)


def _stored(session: Session, memory: WorkingMemory) -> tuple[WorkingTurn, ...]:
    """Return from PostgreSQL what working memory would hold: nothing from before a long pause."""
    kept: list[WorkingTurn] = []
    later = timezone.now()
    for turn in Turn.objects.filter(session=session).order_by("-number")[: memory.turns]:
        if later - turn.created_at >= timedelta(seconds=memory.seconds):
            break
        kept.append(WorkingTurn.of(turn))
        later = turn.created_at
    return tuple(reversed(kept))


def _query(query: str, turns: tuple[WorkingTurn, ...], session: Session) -> str:
    """Return what to recall, its end if it is longer than recall reads."""
    if not isinstance(query, str):
        raise Invalid(_("query must be text."), field="query")
    asked = storable(query)[0] or _last_said(turns) or _last_recorded(session)
    if not asked:
        raise Invalid(
            _("There is nothing to recall for: pass a query, or record what the user said first."),
            field="query",
        )
    return asked[-MAX_QUERY:]


def _last_said(turns: tuple[WorkingTurn, ...]) -> str:
    said = (turn.own for turn in reversed(turns) if _by_user(turn))
    return next(filter(bare, said), "")


def _last_recorded(session: Session) -> str:
    """Return the user's last words when they are older than working memory."""
    said = Turn.objects.filter(session=session, type=Turn.Type.MESSAGE, role=Turn.Role.USER)
    newest = said.exclude(content="").order_by("-number").first()
    return WorkingTurn.of(newest).own if newest else ""


def _by_user(turn: WorkingTurn) -> bool:
    return turn.type == Turn.Type.MESSAGE and turn.role == Turn.Role.USER
