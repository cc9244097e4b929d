"""What people judged, asked again, and the weights that would have served it better (H4, J5).

Nothing changes by it and nothing is written down: a person decides what becomes of it.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.utils.translation import gettext as _

from memories.errors import Invalid, NotAllowed
from memories.evaluation.learning import Finding, Judged, find
from memories.evaluation.sampling import require_judge
from memories.models.agent import Agent
from memories.models.evaluation import Judgement
from memories.models.recall import Recall
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy, policy_for
from memories.recall.replay import Replay, ask_again

QUESTIONS = 200
"""The newest ones: what agents asked long ago says less of what they ask today."""
SECONDS = 10.0
"""After so long no further question is asked again: a person waits for the answer."""
_ROWS = 10 * QUESTIONS
"""Judgements that are read, the newest: three a question, and not every question tells something.
"""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What the judged questions say of the weights in force, which are those of `version`.

    `recalls` are the questions in the order of the finding's figures; for `unasked` more there was
    no time. `default` has the numbers of recall by which the floor is measured.
    """

    finding: Finding
    version: int
    recalls: tuple[Recall, ...]
    unasked: int
    default: RecallPolicy


@dataclass(frozen=True, slots=True)
class _Told:
    """A question as it was asked last, and what was said last of its hits."""

    recall: Recall
    said: dict[UUID, bool]

    def among(self, known: set[UUID]) -> tuple[frozenset[UUID], frozenset[UUID]]:
        """Return which of the known memories are relevant, and which are not."""
        right = frozenset(key for key, relevant in self.said.items() if relevant)
        return right & known, (frozenset(self.said) - right) & known


def learn_weights(*, actor: Actor) -> Learnt:
    """Look for better weights in what was judged in the finished rounds of a space.

    Each question is looked for once, as the agent that asked it and as far as the actor may see it;
    then its hits are put in order under every policy that is tried. Raises NotAllowed, or Invalid
    while the embedder is away.
    """
    actor.require("administer")
    require_judge(actor)
    version, numbers = policy_for(actor.space_id)
    default = _default(numbers.recall)
    told = _telling(actor)
    until = time.monotonic() + SECONDS
    questions, recalls, done = [], [], 0
    agents = _agents(actor, told)
    for one in told:
        if time.monotonic() > until:
            break
        done += 1
        judged = _asked(actor, one, agents, numbers)
        if judged and judged.telling:
            questions.append(judged)
            recalls.append(one.recall)
    finding = find(questions, numbers.recall, default)
    return Learnt(finding, version, tuple(recalls), len(told) - done, default)


def _default(present: RecallPolicy) -> RecallPolicy:
    """Return the default, but for how much is looked at: each question is looked for once."""
    return RecallPolicy(candidates=present.candidates, newest=present.newest)


def _telling(actor: Actor) -> list[_Told]:
    """Return the newest questions that have a relevant hit and another one.

    The same text for the same user is one question, and the newest judgement of a hit counts. What
    was said of another text than the memory has today says nothing of it any more.
    """
    rows = Judgement.objects.filter(
        actor.sight("memory__"),
        evaluation__space_id=actor.space_id,
        evaluation__closed_at__isnull=False,
        relevant__isnull=False,
        memory__versions__number=F("memory_version"),
        memory__versions__content=F("memory__content"),
    )
    found: dict[tuple[str, str], _Told] = {}
    for row in rows.select_related("recall").order_by("-evaluation_id", "-recall_id")[:_ROWS]:
        key = (row.recall.user_id, row.recall.query)
        told = found.setdefault(key, _Told(row.recall, {}))
        if row.memory_id:
            told.said.setdefault(row.memory_id, bool(row.relevant))
    telling = [one for one in found.values() if len(set(one.said.values())) > 1]
    return telling[:QUESTIONS]


def _agents(actor: Actor, told: Iterable[_Told]) -> Mapping[UUID, Agent]:
    """Return the agents that asked and still work, by their ids."""
    asking = [key for one in told if (key := one.recall.actor_id)]
    return Agent.objects.filter(space_id=actor.space_id, is_active=True).in_bulk(asking)


def _asked(
    actor: Actor,
    one: _Told,
    agents: Mapping[UUID, Agent],
    numbers: PolicyNumbers,
) -> Judged | None:
    """Ask a question again; None when nobody may ask it any more."""
    agent = agents.get(one.recall.actor_id) if one.recall.actor_id else None
    if agent is None:
        return None
    try:
        replay = ask_again(
            actor=actor, recall=one.recall, agent=agent, numbers=numbers, about=one.said.keys()
        )
    except (Invalid, NotAllowed):
        return None
    if replay.degraded:
        raise Invalid(_away())
    return _judged(one, replay)


def _judged(one: _Told, replay: Replay) -> Judged:
    relevant, others = one.among(replay.known())
    return Judged(one.recall.query, relevant, others, replay.order)


def _away() -> str:
    return _(
        "The embedding service does not answer, and without meaning no weight can be judged. Try "
        "again when it does."
    )
