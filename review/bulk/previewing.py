"""preview(): what one decision on many flags would be, as a draft that a person looks through."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.inputs import short_text
from memories.models.flag import Flag, FlagSource
from memories.permissions import Actor
from memories.policies import policy_for
from review.filters import QueueFilter
from review.kinds import KINDS, Offer, labelled
from review.models import Batch, BatchItem, Rejection
from review.queue import waiting
from review.second import authors_of, wrote_it_alone

# How many may be picked one by one, and how many a filter may choose.
MOST_PICKED = 200
MOST = 20_000


@dataclass(frozen=True, slots=True)
class _Seen:
    """A flag as it is at the preview. `claimed_by` is somebody else's claim that holds."""

    flag_id: UUID
    kind: str
    memory_id: UUID
    versions: tuple[int, ...]
    claimed_by: str


def preview(
    *,
    actor: Actor,
    choice: str,
    reason: str = "",
    note: str = "",
    flag_ids: Iterable[UUID] | None = None,
    filter: QueueFilter | None = None,  # noqa: A002 (the word of the queue)
) -> Batch:
    """Return a draft batch: an item for each waiting flag, refused where it cannot be decided so.

    The flags are those named (MOST_PICKED at most), or else all that wait under `filter` (MOST at
    most). Nothing is decided until start(). Raises NotAllowed, or Invalid naming the field.
    """
    actor.require("decide")
    note = short_text(note, "note", 300)
    _check(choice, reason)
    seen = _seen(actor, _chosen(actor, flag_ids, filter))
    if not seen:
        raise Invalid(_("None of these items waits for a decision any more."), field="flag")
    batch = Batch(
        space_id=actor.space_id,
        user_id=actor.id,
        user_name=actor.name,
        choice=choice,
        reason=reason,
        note=note,
        query="" if filter is None else filter.query(),
    )
    with transaction.atomic():
        batch.save(force_insert=True)
        BatchItem.objects.bulk_create(_items(batch, seen, actor), batch_size=2000)
    return batch


def offers_of(choice: str) -> Mapping[str, Offer]:
    """Return the offers of a choice by the code of the kind that makes them."""
    offers = ((code, kind.offer(choice)) for code, kind in KINDS.items())
    return {code: offer for code, offer in offers if offer is not None}


def _check(choice: str, reason: str) -> None:
    """Refuse at once what no kind could carry out for many."""
    offers = [offer for offer in offers_of(choice).values() if offer.bulk]
    if not offers:
        many = {offer.choice for kind in KINDS.values() for offer in kind.offers if offer.bulk}
        raise Invalid(
            _("“%(choice)s” cannot be decided for many at once. Choose one of: %(offered)s.")
            % {"choice": choice, "offered": ", ".join(sorted(many))},
            field="choice",
        )
    takes_reason = any(offer.takes_reason for offer in offers)
    if reason and not takes_reason:
        raise Invalid(_("Only a rejection has a reason."), field="reason")
    if takes_reason and reason not in Rejection.values:
        raise Invalid(
            _("Say why they are rejected, by one of: %(known)s.")
            % {"known": ", ".join(Rejection.values)},
            field="reason",
        )


def _chosen(
    actor: Actor, flag_ids: Iterable[UUID] | None, chosen: QueueFilter | None
) -> "QuerySet[Flag]":
    if chosen is not None:
        # Whatever the filter shows: only what waits can be decided.
        return waiting(actor, replace(chosen, state="open"))
    picked = set(flag_ids or ())
    if not picked:
        raise Invalid(_("Select at least one item."), field="flag")
    if len(picked) > MOST_PICKED:
        raise Invalid(
            _("At most %(most)d items can be picked one by one. Choose all that match a filter.")
            % {"most": MOST_PICKED},
            field="flag",
        )
    return waiting(actor, QueueFilter()).filter(pk__in=picked)


def _seen(actor: Actor, flags: "QuerySet[Flag]") -> list[_Seen]:
    """Read what an item needs of each flag, with one statement and one for all sources."""
    columns = (
        "pk",
        "kind",
        "memory_id",
        "memory__version",
        "counterpart__version",
        "claim__user_id",
        "claim__user__username",
        "claim__expires_at",
    )
    rows = list(flags.prefetch_related(None).values_list(*columns)[: MOST + 1])
    if len(rows) > MOST:
        raise Invalid(
            _("More than %(most)d items match. Narrow the filter.") % {"most": MOST},
            field="query",
        )
    sources = _sources([row[0] for row in rows if row[1] == Flag.Kind.MERGE])
    now = timezone.now()
    return [
        _Seen(
            key,
            kind,
            memory_id,
            (new, *((old,) if old is not None else sources.get(key, ()))),
            _other(actor, claim, now),
        )
        for key, kind, memory_id, new, old, *claim in rows
    ]


def _sources(flag_ids: Sequence[UUID]) -> Mapping[UUID, Sequence[int]]:
    """Return the versions of each proposal's sources, in decide()'s order."""
    found: dict[UUID, list[int]] = defaultdict(list)
    if flag_ids:
        rows = FlagSource.objects.filter(flag__in=flag_ids).order_by("memory_id")
        for flag_id, version in rows.values_list("flag_id", "memory__version"):
            found[flag_id].append(version)
    return found


def _other(actor: Actor, claim: tuple[UUID | None, str, datetime | None], now: datetime) -> str:
    user_id, name, expires_at = claim
    held = user_id != actor.id and expires_at is not None and expires_at > now
    return name if held else ""


def _items(batch: Batch, seen: Sequence[_Seen], actor: Actor) -> list[BatchItem]:
    offers = offers_of(batch.choice)
    own = _own_texts(actor, [one.memory_id for one in seen if _believes(offers.get(one.kind))])
    items = []
    for one in seen:
        why = _why_not(one, offers.get(one.kind))
        if not why and one.memory_id in own:
            why = wrote_it_alone()
        state = BatchItem.State.REFUSED if why else BatchItem.State.WAITING
        items.append(
            BatchItem(
                batch=batch,
                flag_id=one.flag_id,
                versions=list(one.versions),
                state=state,
                why=why[:300],
            )
        )
    return items


def _believes(offer: Offer | None) -> bool:
    return offer is not None and not offer.takes_reason


def _own_texts(actor: Actor, memory_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Return which texts this person wrote and may not be the only one to believe (G4)."""
    if not memory_ids or not policy_for(actor.space_id)[1].review.two_people:
        return frozenset()
    written = authors_of(memory_ids)
    return frozenset(key for key in memory_ids if written.get(key) == actor.id)


def _why_not(one: _Seen, offer: Offer | None) -> str:
    kind = labelled(one.kind)
    if offer is None:
        return _("This decision does not exist for items of the kind “%(kind)s”.") % {"kind": kind}
    if not offer.bulk:
        return _("For items of the kind “%(kind)s” it needs words of its own for each.") % {
            "kind": kind
        }
    if one.claimed_by:
        return _("%(name)s is looking at this.") % {"name": one.claimed_by}
    return ""
