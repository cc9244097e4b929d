"""What was learnt from judgements, in words: what would change, for whom it gets worse, and how to
go on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.evaluation.learning import ENOUGH, MARGIN, Finding
from memories.evaluation.replaying import Learnt
from memories.models.recall import Recall
from memories.pages.recalls import asked_as
from memories.pages.tags import percent
from memories.permissions import Actor
from memories.policies import RecallPolicy
from review.pages.playground import Desk, desk_for
from review.pages.policy_form import written

LISTED = 20


@dataclass(frozen=True, slots=True)
class Worse:
    """A question that the weights would answer in a worse order than now, and where to see it."""

    recall: Recall
    before: float
    after: float
    address: str


@dataclass(frozen=True, slots=True)
class Told:
    """What was learnt as the page shows it.

    `sentence` says what came of it, `note` is what a version of the policy would say of itself.
    `changes` are (what, before, after), with `address` the playground that has them on its
    sliders: empty without a suggestion. `defaults` is where the defaults are tried where they do
    better.
    """

    learnt: Learnt
    sentence: str
    changes: Sequence[tuple[str, str, str]] = ()
    address: str = ""
    defaults: str = ""
    note: str = ""
    worse: Sequence[Worse] = ()
    more: int = 0

    @property
    def finding(self) -> Finding:
        return self.learnt.finding

    @property
    def questions(self) -> int:
        """How many were asked again and told something."""
        return len(self.learnt.recalls)

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many questions get better, worse, and stay as they are."""
        moved = [after - before for before, after in self._pairs()]
        better, worse = sum(by > 0 for by in moved), sum(by < 0 for by in moved)
        return better, worse, len(moved) - better - worse

    def _pairs(self) -> Iterator[tuple[float, float]]:
        return zip(self.finding.before, self.finding.after, strict=True)


def told(actor: Actor, learnt: Learnt) -> Told:
    """Put into words what was learnt."""
    finding = learnt.finding
    if finding.verdict == "floor":
        defaults = _desk(actor, learnt.version, learnt.default).address()
        return Told(learnt, _sentence(learnt), defaults=defaults)
    if finding.verdict != "better" or finding.best is None:
        return Told(learnt, _sentence(learnt))
    desk = _desk(actor, learnt.version, finding.best)
    worse = list(_worse(learnt, desk.address()))
    return Told(
        learnt=learnt,
        sentence=_sentence(learnt),
        changes=desk.numbers.changes() if desk.is_valid() else (),
        address=desk.address(),
        note=_note(learnt),
        worse=worse[:LISTED],
        more=max(len(worse) - LISTED, 0),
    )


def _desk(actor: Actor, version: int, policy: RecallPolicy) -> Desk:
    """Return the playground with these numbers on its sliders, begun from the policy in force."""
    data = QueryDict(mutable=True)
    numbers = policy.model_dump(exclude={"credibility"})
    data.update({f"recall.{name}": str(written(value)) for name, value in numbers.items()})
    data["version"] = str(version)
    return desk_for(actor, data)


def _worse(learnt: Learnt, address: str) -> Iterator[Worse]:
    finding = learnt.finding
    rows = zip(learnt.recalls, finding.before, finding.after, strict=True)
    for recall, before, after in rows:
        if after < before:
            yield Worse(recall, before, after, f"{address}&{asked_as(recall, works=True)}")


def _sentence(learnt: Learnt) -> str:
    finding = learnt.finding
    said = {
        "better": _("These weights put what people found relevant further up."),
        "few": _few(len(learnt.recalls)),
        "none": _none(finding.tried),
        "unsure": _(
            "The best of the %(n)d tried put these questions in a better order, but what one half "
            "of the questions taught did not hold for the other half. That is chance rather than "
            "a better weight: judge some more rounds."
        )
        % {"n": finding.tried},
        "floor": _(
            "The defaults put these questions in a better order than the weights in force and any "
            "of the %(n)d tried. Nothing is suggested that stays below them."
        )
        % {"n": finding.tried},
    }
    return said[finding.verdict]


def _few(questions: int) -> str:
    return ngettext(
        "%(n)d judged question can teach something, %(enough)d are needed: with fewer, one half of "
        "them could not check what the other half teaches.",
        "%(n)d judged questions can teach something, %(enough)d are needed: with fewer, one half "
        "of them could not check what the other half teaches.",
        questions,
    ) % {"n": questions, "enough": ENOUGH}


def _none(tried: int) -> str:
    return _(
        "The weights in use are as good as any of the %(n)d tried: none puts these questions in an "
        "order that is better by %(margin)s."
    ) % {"n": tried, "margin": percent(MARGIN)}


def _note(learnt: Learnt) -> str:
    """Return what a version of the policy that is made of it says of itself."""
    finding = learnt.finding
    return _("Learnt from %(n)d judged questions: %(before)s → %(after)s in the right order.") % {
        "n": len(learnt.recalls),
        "before": percent(finding.present),
        "after": percent(finding.reached),
    }
