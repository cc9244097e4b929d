"""Where a memory came from: the session excerpt with the quote, for whoever may see the session."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from memories.models.distillation import Candidate
from memories.models.memory import Memory
from memories.models.session import Session, Turn
from memories.pages.session_trace import Entry, excerpt_of
from memories.permissions import Actor

# An excerpt shows this many turns on either side of the quoted one, each cut to so much text.
AROUND, CUT = 1, 900
# A memory that was said in many sessions shows the newest of them.
MOST = 5
Where = tuple[UUID, int]


@dataclass(frozen=True, slots=True)
class Origin:
    """One session that a memory came from; without a candidate it was written while that ran."""

    session: Session
    candidate: Candidate | None = None
    excerpt: Sequence[Entry] = ()

    @property
    def turn(self) -> int | None:
        """The number of the quoted turn, None when nobody knows or it was removed."""
        number = self.candidate.turns[0] if self.candidate and self.candidate.turns else 0
        return number if number > self.session.purged_through else None


def origins_of(actor: Actor, memories: Sequence[Memory]) -> dict[UUID, list[Origin]]:
    """Return where these memories came from as far as this actor may see it, newest first.

    At most three queries, however many there are.
    """
    candidates = _candidates(actor, memories)
    turns = _turns_around(candidates)
    origins: dict[UUID, list[Origin]] = {}
    for one in candidates:
        if one.memory_id:
            origin = Origin(one.run.session, one, _excerpt(one, turns))
            origins.setdefault(one.memory_id, []).append(origin)
    written = [memory for memory in memories if memory.session and memory.pk not in origins]
    return origins | _written_during(actor, written)


def _candidates(actor: Actor, memories: Sequence[Memory]) -> list[Candidate]:
    """Return the newest candidates that became each memory, of sessions that this actor sees."""
    seen = Session.objects.visible_to(actor)
    became = Candidate.objects.exclude(verdict=Candidate.Verdict.DROPPED)
    found = became.filter(memory__in=memories, run__session__in=seen)
    place = Window(RowNumber(), partition_by="memory", order_by=F("id").desc())
    newest = found.annotate(place=place).filter(place__lte=MOST)
    return list(newest.select_related("run__session__agent").order_by("-id"))


def _near(candidate: Candidate) -> range:
    """Return the numbers of the quoted turn and those around it, none where no turn is named."""
    quoted = candidate.turns[0] if candidate.turns else 0
    return range(max(quoted - AROUND, 1), quoted + AROUND + 1) if quoted else range(0)


def _turns_around(candidates: Iterable[Candidate]) -> dict[Where, Turn]:
    wanted = Q()
    for one in candidates:
        wanted |= Q(session=one.run.session_id, number__in=list(_near(one)))
    turns = Turn.objects.filter(wanted).order_by("number") if wanted else ()
    return {(turn.session_id, turn.number): turn for turn in turns}


def _excerpt(candidate: Candidate, turns: Mapping[Where, Turn]) -> list[Entry]:
    quote = (candidate.quote, candidate.verdict)
    found = (turns.get((candidate.run.session_id, number)) for number in _near(candidate))
    return [
        excerpt_of(turn, quote if turn.number == candidate.turns[0] else None, CUT)
        for turn in found
        if turn
    ]


def _written_during(actor: Actor, memories: Sequence[Memory]) -> dict[UUID, list[Origin]]:
    """Return the sessions of memories that an agent wrote by itself."""
    wanted = Q()
    for memory in memories:
        wanted |= Q(agent=memory.agent_id, user_id=memory.user_id, key=memory.session)
    if not wanted:
        return {}
    found = Session.objects.visible_to(actor).filter(wanted).select_related("agent")
    by_name = {(one.agent_id, one.user_id, one.key): one for one in found}
    names = ((memory, (memory.agent_id, memory.user_id, memory.session)) for memory in memories)
    return {
        memory.pk: [Origin(by_name[name])]
        for memory, name in names
        if name in by_name and memory.agent_id
    }
