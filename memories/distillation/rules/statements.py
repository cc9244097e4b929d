"""Statements of a session as proposals: read, put into the third person, dated and weighed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memories.distillation.proposal import Proposal, Scene
from memories.distillation.rules import facets, signs, talk, words
from memories.distillation.rules.calls import claimed_success
from memories.distillation.rules.prototypes import resemblances
from memories.distillation.rules.reading import (
    SECRET,
    Statement,
    is_answer,
    quoted,
    read,
    without_secrets,
)
from memories.distillation.rules.sentences import Sentence
from memories.distillation.rules.sorting import Names
from memories.distillation.rules.speaker import joined, speaker_of, spoken
from memories.distillation.rules.threads import abandoned, asked_before, confirmed, messages
from memories.distillation.rules.times import dated
from memories.distillation.rules.worth import signals, worth_of
from memories.models.memory import Kind, Source
from memories.models.session import Turn
from memories.text.secrets import veiled
from memories.text.tokens import HAN

ASSISTANT_CLAIM, FAILED_CLAIM, ABANDONED = "assistant_claim", "failed_claim", "abandoned"
# How sure a statement is read right: as it stands, with its question, as the user's yes to what
# another said; a “maybe” takes as much off again.
CERTAIN, ANSWERED, CONFIRMED, HEDGED = 1.0, 0.9, 0.8, 0.7
LONGEST_QUESTION, LONGEST_ANSWER = 150, 300


@dataclass(frozen=True, slots=True)
class _Found:
    """A proposal that is still to be weighed, and the words by which that is done."""

    proposal: Proposal
    text: str = ""


def statements(turns: Sequence[Turn], scene: Scene) -> list[Proposal]:
    """Return what was said in the turns, kept or turned away, in order. Never raises."""
    names = Names(turn.speaker for turn in turns)
    found = list(_Session(turns, scene, names).found())
    alike = resemblances([one.text for one in found if not one.proposal.drop])
    return [
        one.proposal if one.proposal.drop else _weighed(one, names, next(alike)) for one in found
    ]


def _weighed(one: _Found, names: Names, resembles: float) -> Proposal:
    found = signals(one.text, names) | {"resembles": round(resembles, 4)}
    return replace(one.proposal, worth=worth_of(found), signals=found)


class _Session:
    """The turns of one session with what their neighbours say about them."""

    def __init__(self, turns: Sequence[Turn], scene: Scene, names: Names) -> None:
        self._said = messages(turns)
        self._scene = scene
        self._names = names
        self._numbered = {turn.number: turn for turn in self._said}
        self._abandoned = abandoned(self._said)
        self._confirmed = confirmed(self._said)
        self._asked = asked_before(self._said)
        self._failed = claimed_success(turns)

    def found(self) -> Iterator[_Found]:
        for turn in self._said:
            asked = self._asked.get(turn.number)
            for statement in read(turn.content, self._names, answers=asked is not None):
                yield self._proposed(turn, statement, asked)
                # Only what is said first is the answer.
                asked = asked if statement.drop else None

    def _proposed(
        self, turn: Turn, statement: Statement, asked: tuple[Turn, Sentence] | None
    ) -> _Found:
        drop = statement.drop or self._dropped(turn, statement)
        if drop:
            return _Found(self._turned_away(turn, statement, drop))
        if turn.role == Turn.Role.ASSISTANT:
            return self._yes(turn, statement)
        if asked and _needs_question(statement, asked[1]):
            return self._answer(turn, statement, *asked)
        return self._plain(turn, statement)

    def _dropped(self, turn: Turn, statement: Statement) -> str:
        if turn.role == Turn.Role.ASSISTANT:
            if turn.number in self._failed:
                return FAILED_CLAIM
            # What it says of itself, or will do, nobody can confirm.
            if turn.number not in self._confirmed or signs.FIRST.search(" ".join(statement.said)):
                return ASSISTANT_CLAIM
        lasting = any(
            cue.pattern.search(text)
            for cue in words.CUES
            if cue.name in words.LASTING
            for text in statement.said
        )
        given_up = statement.start < self._abandoned.get(turn.number, 0)
        return ABANDONED if given_up and not lasting else ""

    def _turned_away(self, turn: Turn, statement: Statement, drop: str) -> Proposal:
        quote = quoted(turn.content, statement)
        by_model = turn.role == Turn.Role.ASSISTANT
        return Proposal(
            content=without_secrets(turn.content, statement) if drop == SECRET else quote,
            turns=(turn.number,),
            quote="" if drop == SECRET else quote,
            owner=turn.speaker or self._scene.user_id,
            source=Source.LLM_REASONING if by_model else Source.USER_INPUT,
            drop=drop,
        )

    def _plain(self, turn: Turn, statement: Statement) -> _Found:
        parts = _without_fillers(statement.parts)
        content = spoken(parts, speaker_of(turn.speaker))
        return self._told(turn, statement, content, (turn.number,), CERTAIN)

    def _answer(self, turn: Turn, statement: Statement, asker: Turn, question: Sentence) -> _Found:
        said = joined(statement.parts)
        han = bool(HAN.search(said + question.text))
        name = speaker_of(turn.speaker).within(han)
        form = (
            "被问到“{asked}”，{name}回答：{said}"
            if han
            else "Asked “{asked}”, {name} answered: {said}"
        )
        content = form.format(asked=question.text, name=name, said=said)
        return self._told(turn, statement, content, (turn.number, asker.number), ANSWERED)

    def _yes(self, turn: Turn, statement: Statement) -> _Found:
        """What an assistant said counts as the user's word once the user said yes to it."""
        number = self._confirmed[turn.number]
        user = self._numbered[number]
        said = joined(statement.parts)
        han = bool(HAN.search(said))
        name = speaker_of(user.speaker).called(han)
        content = f"{name}确认：“{said}”" if han else f"{name} confirmed: “{said}”"
        return self._told(turn, statement, content, (turn.number, number), CONFIRMED, by=user)

    def _owner(self, text: str, turn: Turn) -> str:
        return facets.owner_of(text, speaker_of(turn.speaker), self._scene.user_id)

    def _told(
        self,
        turn: Turn,
        statement: Statement,
        content: str,
        turns: tuple[int, ...],
        sure: float,
        by: Turn | None = None,
    ) -> _Found:
        told = dated(content, turn.happened_at)
        said = " ".join(statement.said) or " ".join(statement.parts)
        kind = _kind(said)
        owner = self._owner(said, by or turn)
        proposal = Proposal(
            content=told.text,
            turns=turns,
            quote=quoted(turn.content, statement),
            kind=kind,
            subject=facets.subject_of(content),
            owner=owner,
            question=facets.question_of(said, kind, owner),
            value=facets.value_of(content, kind),
            source=Source.USER_INPUT,
            certainty=sure * (HEDGED if talk.HEDGE.search(said) else CERTAIN),
            happened_at=told.moment() or turn.happened_at,
        )
        return _Found(proposal, content if len(turns) > 1 else " ".join(statement.parts))


def _needs_question(statement: Statement, question: Sentence) -> bool:
    first = statement.sentences[0].text
    if len(question.text) > LONGEST_QUESTION or statement.length > LONGEST_ANSWER:
        return False
    if veiled(question.text) != question.text:
        return False
    return is_answer(first) or bool(signs.POINTS_BACK.search(first))


def _kind(text: str) -> str:
    """Return what the first cue says; “remember that” itself says nothing of what follows."""
    telling = (cue for cue in words.CUES if cue.name != "remember")
    return next((cue.kind for cue in telling if cue.pattern.search(text)), Kind.FACT)


def _without_fillers(parts: Sequence[str]) -> list[str]:
    """Return the sentences without “Yeah, ”, “By the way, ”; the first letter stays a capital."""
    bare = [talk.without_fillers(part) for part in parts]
    return [part[:1].upper() + part[1:] for part in bare]
