"""decide(): a person's decision, carried out and recorded in one transaction."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid, NotAllowed, Stale
from memories.inputs import short_text
from memories.lifecycle import Change, Ruling, Settled, case_of, prepared, settle
from memories.models.flag import Flag
from memories.permissions import Actor
from review.kinds import Kind, Offer, done, kind_of
from review.models import Batch, Claim, Decision, Rejection, Rule
from review.queue import get_flag
from review.second import propose, second_person_missing, wants_second


def decide(
    *,
    actor: Actor,
    flag_id: UUID,
    choice: str,
    expected_versions: tuple[int, ...],
    content: str = "",
    note: str = "",
    reason: str = "",
    batch: Batch | None = None,
    rule: Rule | None = None,
) -> Settled:
    """Settle a flag on a person's word, or on that of a rule a person wrote.

    `choice` is one of the kind's offers; `content` is the person's own text, `note` says why, or
    when and where each is true, `reason` is one of Rejection, each where the offer takes it.
    `expected_versions` are those of the flag's memories that the person saw. The same decision a
    second time changes nothing. Where the space demands two people, a text of one's own waits
    for somebody else: `Settled.flag` is then still open.

    Raises NotAllowed, NotFound, Invalid naming the field, or Stale. Call it outside a transaction:
    it may embed a text.
    """
    if actor.kind != "user" and rule is None:
        raise NotAllowed(_("Review decisions are for people; an agent cannot make them."))
    actor.require("decide")
    flag = get_flag(actor, flag_id)
    offer = offered(kind_of(flag), choice)
    ruling = _ruling(actor, offer, choice, content=content, note=note, reason=reason)
    if earlier := _already(flag, ruling):
        return earlier
    if wants_second(actor, offer):
        return propose(actor=actor, flag=flag, ruling=ruling, expected_versions=expected_versions)
    if rule is None and (missing := second_person_missing(actor, flag, offer)):
        raise NotAllowed(missing)
    try:
        return _settled(actor, flag, offer, ruling, expected_versions, batch, rule)
    except Stale:
        # Somebody else may have decided between the look and the lock.
        earlier = _already(get_flag(actor, flag_id), ruling)
        if earlier is None:
            raise
        return earlier


def _settled(
    actor: Actor,
    flag: Flag,
    offer: Offer,
    ruling: Ruling,
    expected_versions: tuple[int, ...],
    batch: Batch | None,
    rule: Rule | None,
) -> Settled:
    with transaction.atomic(), history.together():
        settled = settle(
            actor=actor,
            flag_id=flag.pk,
            ruling=ruling,
            plan=offer.plan,
            expected_versions=expected_versions,
        )
        _record(settled, actor, ruling, batch, rule)
        Claim.objects.filter(flag=settled.flag).delete()
    return settled


def effects_of(*, actor: Actor, flag: Flag, offer: Offer, reason: str = "") -> tuple[Change, ...]:
    """Return what a decision would do to the flag's memories, without doing it (G2)."""
    return tuple(offer.plan(case_of(actor, flag.pk, Ruling(offer.choice, reason=reason))))


def offered(kind: Kind, choice: str) -> Offer:
    """Return a kind's offer, or raise Invalid naming those it has."""
    offer = kind.offer(choice)
    if offer is None:
        raise Invalid(
            _("“%(choice)s” is no decision on this item. It takes one of: %(offered)s.")
            % {"choice": choice, "offered": ", ".join(one.choice for one in kind.offers)},
            field="choice",
        )
    return offer


def _ruling(
    actor: Actor, offer: Offer, choice: str, *, content: str, note: str, reason: str
) -> Ruling:
    note = short_text(note, "note", 300)
    if offer.asks_note and not note:
        raise Invalid(str(offer.asks_note), field="note")
    if content and not offer.takes_text:
        raise Invalid(_("This decision takes no text: leave content out."), field="content")
    text = prepared(content, actor.space_id) if offer.takes_text else None
    return Ruling(choice, note, _reason(offer, reason), text)


def _reason(offer: Offer, reason: str) -> str:
    if not offer.takes_reason and reason:
        raise Invalid(_("Only a rejection has a reason."), field="reason")
    if offer.takes_reason and reason not in Rejection.values:
        raise Invalid(
            _("Say why it is rejected, by one of: %(known)s.")
            % {"known": ", ".join(Rejection.values)},
            field="reason",
        )
    return reason


def _already(flag: Flag, ruling: Ruling) -> Settled | None:
    """Return the earlier decision when it is this very one; another one is Stale.

    Two people who both press “keep new” agree; so does one whose browser sent the form twice.
    """
    if flag.status == Flag.Status.OPEN:
        return None
    made = Decision.objects.standing().filter(flag=flag).first()
    if made is None:
        raise Stale(
            _("Nothing is left to decide: the item was closed by itself."),
            resolution=flag.resolution,
        )
    text = ruling.text.content if ruling.text else ""
    if (made.choice, made.reason, made.content) != (ruling.choice, ruling.reason, text):
        raise Stale(
            _("%(who)s decided this meanwhile: %(what)s.")
            % {"who": made.user_name, "what": done(made.choice, flag.kind)},
            resolution=flag.resolution,
        )
    memories = (flag.memory, flag.counterpart) if flag.counterpart else (flag.memory,)
    return Settled(flag, memories, made.operation or made.pk, made.lessons)


def _record(
    settled: Settled, actor: Actor, ruling: Ruling, batch: Batch | None, rule: Rule | None
) -> None:
    Decision.objects.create(
        flag=settled.flag,
        user_id=actor.id if rule is None else None,
        user_name=actor.name if rule is None else rule.name,
        rule=rule,
        automatic=rule is not None,
        batch=batch,
        choice=ruling.choice,
        reason=ruling.reason,
        note=ruling.note,
        content=ruling.text.content if ruling.text else "",
        operation=settled.operation,
        lessons=settled.lessons,
    )
