"""What the pages of sessions show: a row's state, and a run with its candidates in groups."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Left

from memories.models.distillation import Candidate, DistillationRun
from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.models.session import Session, Turn
from memories.pages import session_words as words
from memories.pages.session_places import Places, Source
from memories.permissions import Actor

# A group shows this many candidates at a time.
MOST = 50
State = DistillationRun.State


@dataclass(frozen=True, slots=True)
class LookedBack:
    """What became of a session: a code of words.STATES, and how many of each verdict."""

    code: str
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return str(words.STATES[self.code])

    @property
    def tally(self) -> str:
        """Return "kept 3 · merged 1 · flagged 0 · dropped 12", "" before any look back."""
        if not self.counts:
            return ""
        return " · ".join(f"{words.verdict(v)} {self.counts.get(v, 0)}" for v in words.VERDICTS)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list."""

    session: Session
    title: str
    looked_back: LookedBack


def with_first_words(sessions: "QuerySet[Session]") -> "QuerySet[Session]":
    """Annotate each session with the beginning of its first message (`first_words`)."""
    first = _first_words().filter(session=OuterRef("pk"))
    return sessions.annotate(first_words=Subquery(first[:1]))


def title_of(session: Session) -> str:
    """Return a session's task, else the first words that were said in it, else its name."""
    return session.task or _first_words().filter(session=session).first() or session.key


def _first_words() -> "QuerySet[Turn, str]":
    messages = Turn.objects.filter(type=Turn.Type.MESSAGE).exclude(role=Turn.Role.SYSTEM)
    return messages.order_by("number").values_list(Left("content", 200), flat=True)


def rows_of(sessions: Sequence[Session]) -> list[Row]:
    """Return the lines for these sessions; their runs are one query."""
    runs = DistillationRun.objects.filter(session__in=sessions)
    by_session: dict[UUID, list[DistillationRun]] = {}
    for run in runs.only("session_id", "state", "counts"):
        by_session.setdefault(run.session_id, []).append(run)
    return [_row(one, by_session.get(one.pk, [])) for one in sessions]


def _row(session: Session, runs: Sequence[DistillationRun]) -> Row:
    said = getattr(session, "first_words", "")
    return Row(session, session.task or said or session.key, looked_back(session, runs))


def looked_back(session: Session, runs: Sequence[DistillationRun]) -> LookedBack:
    """Return what became of a session, from all of its runs."""
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update(run.counts.get("verdicts", {}))
    done = any(run.state == State.DONE for run in runs)
    return LookedBack(
        _code(session, runs), dict.fromkeys(words.VERDICTS, 0) | counts if done else {}
    )


def _code(session: Session, runs: Sequence[DistillationRun]) -> str:
    codes = (
        ("open", session.ended_at is None),
        ("running", any(run.state == State.RUNNING for run in runs)),
        ("failed", session.failures > 0),
        ("waiting", session.distilled_through < session.turn_count),
        ("empty", session.turn_count == 0),
    )
    return next((code for code, applies in codes if applies), "done")


@dataclass(frozen=True, slots=True)
class Considered:
    """A candidate as the page shows it; `memory_id` and `flag_id` only where they may be seen."""

    candidate: Candidate
    reason: str
    sources: Sequence[Source]
    memory_id: UUID | None
    flag_id: UUID | None

    @property
    def signals(self) -> list[tuple[str, float]]:
        """What the scores were made of, the strongest first, as (words, value)."""
        ranked = sorted(self.candidate.signals.items(), key=lambda item: (-item[1], item[0]))
        return [(words.signal(name), value) for name, value in ranked]


@dataclass(frozen=True, slots=True)
class Group:
    """The candidates of one verdict: how many for which reason, those shown, where more begin."""

    verdict: str
    reasons: Mapping[str, int]
    shown: Sequence[Considered]
    after: int
    next_after: int | None

    @property
    def name(self) -> str:
        return words.verdict(self.verdict)

    @property
    def total(self) -> int:
        return sum(self.reasons.values())

    @property
    def why(self) -> list[tuple[str, int]]:
        """How often each reason was given, the most frequent first, as (sentence, times)."""
        ranked = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        return [(words.reason(code), times) for code, times in ranked]


@dataclass(frozen=True, slots=True)
class LookBack:
    """One run with its candidates."""

    run: DistillationRun
    groups: Sequence[Group]

    @property
    def positions(self) -> set[int]:
        """The candidates that are shown, by position."""
        return {one.candidate.position for group in self.groups for one in group.shown}

    @property
    def took(self) -> str:
        """How long it took, in words; "" while it runs."""
        ended = self.run.finished_at
        return words.seconds((ended - self.run.started_at).total_seconds()) if ended else ""


def run_for(
    runs: Iterable[DistillationRun], chosen: UUID | None, turn: int
) -> DistillationRun | None:
    """Return the chosen run; else the newest over this turn, else the newest; None without any."""
    ordered = list(runs)
    wanted = next((run for run in ordered if run.pk == chosen), None)
    covering = (run for run in ordered if run.first_turn <= turn <= run.last_turn)
    return wanted or next(covering, None) or next(iter(ordered), None)


def look_back_of(
    run: DistillationRun, actor: Actor, places: Places, after: Mapping[str, int]
) -> LookBack:
    """Return a run as this actor may see it; `after` is the position each group goes on from."""
    reasons = _reasons(run)
    cut = {verdict: _cut(run, verdict, after.get(verdict, 0)) for verdict in reasons}
    seen = _Seen.by(actor, [one for candidates in cut.values() for one in candidates])
    groups = [
        Group(
            verdict=verdict,
            reasons=reasons[verdict],
            shown=[seen.considered(one, places) for one in candidates[:MOST]],
            after=after.get(verdict, 0),
            next_after=candidates[MOST - 1].position if len(candidates) > MOST else None,
        )
        for verdict, candidates in cut.items()
    ]
    return LookBack(run, groups)


def _reasons(run: DistillationRun) -> dict[str, dict[str, int]]:
    """Return how many candidates each verdict and reason has."""
    found: dict[str, dict[str, int]] = {verdict: {} for verdict in words.VERDICTS}
    counted = run.candidates.order_by().values_list("verdict", "reason").annotate(n=Count("pk"))
    for verdict, reason, times in counted:
        found[verdict][reason] = times
    return found


def _cut(run: DistillationRun, verdict: str, after: int) -> list[Candidate]:
    candidates = run.candidates.filter(verdict=verdict, position__gt=after)
    return list(candidates.order_by("position")[: MOST + 1])


@dataclass(frozen=True, slots=True)
class _Seen:
    """Of the memories and open flags behind candidates, those that an actor may see."""

    memories: frozenset[UUID]
    flags: Mapping[UUID, UUID]

    @classmethod
    def by(cls, actor: Actor, candidates: Iterable[Candidate]) -> "_Seen":
        ids = [one.memory_id for one in candidates if one.memory_id]
        memories = Memory.objects.visible_to(actor).filter(pk__in=ids).values_list("pk", flat=True)
        flags = Flag.objects.visible_to(actor).open().filter(memory__in=ids)
        return cls(frozenset(memories), dict(flags.values_list("memory_id", "pk")))

    def considered(self, candidate: Candidate, places: Places) -> Considered:
        memory = candidate.memory_id
        flagged = memory is not None and candidate.verdict == Candidate.Verdict.FLAGGED
        return Considered(
            candidate=candidate,
            reason=words.reason(candidate.reason),
            sources=[places.source(number) for number in candidate.turns],
            memory_id=memory if memory in self.memories else None,
            flag_id=self.flags.get(memory) if flagged and memory else None,
        )
