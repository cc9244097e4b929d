"""What people do with a flag besides deciding it: put it off, give it to somebody, talk about it.

None of this changes a memory. Each writes a row of the audit log.
"""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from memories import history
from memories.errors import Invalid, NotFound, Stale
from memories.identity import ROLE_VERBS
from memories.models.flag import Flag
from memories.permissions import Actor
from memories.text.clean import storable
from review.models import Claim, Comment

if TYPE_CHECKING:
    from hindsight_site.accounts.models import User

# Whoever puts something off for longer wants to decide that it does not matter.
LONGEST = timedelta(days=366)
MOST_LETTERS = 2000
_DECIDE = [role for role, verbs in ROLE_VERBS.items() if "decide" in verbs]


def snooze(*, actor: Actor, flag_id: UUID, until: datetime) -> Flag:
    """Put an open flag off: nobody needs to look at it before `until`. The claim on it ends.

    Raises NotAllowed, NotFound, Stale when it is decided, or Invalid for a time that is past or
    more than a year away.
    """
    now = timezone.now()
    if not now < until <= now + LONGEST:
        raise Invalid(_("Name a time between now and a year from now."), field="until")
    flag = _put_off(actor, flag_id, until)
    Claim.objects.filter(flag=flag).delete()
    return flag


def wake(*, actor: Actor, flag_id: UUID) -> Flag:
    """Bring back a flag that was put off; one that was not stays as it is."""
    return _put_off(actor, flag_id, None)


def _put_off(actor: Actor, flag_id: UUID, until: datetime | None) -> Flag:
    with transaction.atomic():
        flag = _locked(actor, flag_id)
        if flag.snoozed_until != until:
            flag.snoozed_until = until
            flag.save(update_fields=["snoozed_until"])
            told = {"until": until.isoformat()} if until else {}
            verb = "snoozed" if until else "woken"
            history.log(actor, verb, flag.memory, flag=str(flag.pk), **told)
    return flag


def assign(*, actor: Actor, flag_id: UUID, user_id: UUID | None) -> Flag:
    """Say who should decide an open flag, None for nobody in particular.

    Raises NotAllowed, NotFound, Stale when it is decided, or Invalid for somebody who may not
    decide in this space.
    """
    actor.require("decide")
    somebody = people_of(actor).filter(pk=user_id).first() if user_id else None
    if user_id and somebody is None:
        raise Invalid(_("Only somebody who may decide in this space can be named."), field="user")
    with transaction.atomic():
        flag = _locked(actor, flag_id)
        if flag.assignee_id != user_id:
            flag.assignee = somebody
            flag.save(update_fields=["assignee"])
            to = somebody.get_username() if somebody else ""
            history.log(actor, "assigned", flag.memory, flag=str(flag.pk), to=to)
    return flag


def comment(*, actor: Actor, flag_id: UUID, text: str) -> Comment:
    """Say something about a flag, open or decided, to whoever looks at it.

    Raises NotAllowed, NotFound, or Invalid for a text of no or more than 2,000 characters.
    """
    actor.require("decide")
    said, _notes = storable(text)
    if not 0 < len(said) <= MOST_LETTERS:
        raise Invalid(
            _("A comment has 1 to %(most)d characters.") % {"most": MOST_LETTERS}, field="text"
        )
    with transaction.atomic():
        flag = _seen(actor, flag_id)
        made = Comment.objects.create(flag=flag, user_id=actor.id, user_name=actor.name, text=said)
        history.log(actor, "commented", flag.memory, flag=str(flag.pk), comment=str(made.pk))
    return made


def comments_of(flag: Flag) -> "QuerySet[Comment]":
    """Return what was said about a flag, oldest first. The flag is one that the actor may see."""
    return Comment.objects.filter(flag=flag).order_by("id")


def people_of(actor: Actor) -> "QuerySet[User]":
    """Return the people who may decide in the actor's space, by name."""
    actor.require("read")
    # One filter(): the role has to be that of the very membership in this space.
    deciders = get_user_model().objects.filter(
        is_active=True, memberships__space_id=actor.space_id, memberships__role__in=_DECIDE
    )
    return deciders.order_by("username").distinct()


def _seen(actor: Actor, flag_id: UUID, *, lock: bool = False) -> Flag:
    flags = Flag.objects.visible_to(actor).select_related("memory")
    rows = flags.select_for_update(of=("self",)) if lock else flags
    flag: Flag | None = rows.filter(pk=flag_id).first()
    if flag is None:
        raise NotFound(_("There is no such review item here."), field="flag_id")
    return flag


def _locked(actor: Actor, flag_id: UUID) -> Flag:
    actor.require("decide")
    flag = _seen(actor, flag_id, lock=True)
    if flag.status != Flag.Status.OPEN:
        raise Stale(_("This is decided already."), resolution=flag.resolution)
    return flag
