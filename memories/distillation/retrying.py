"""A person asks for another look at a session whose runs failed."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.errors import Invalid, NotAllowed, NotFound
from memories.models.session import Session
from memories.permissions import Actor


def retry(*, actor: Actor, session_id: UUID) -> Session:
    """Let a session that failed be distilled anew. Raises NotFound, NotAllowed or Invalid."""
    actor.require("write")
    if actor.kind != "user":
        raise NotAllowed(_("People ask for another look; an agent just ends its session."))
    with transaction.atomic():
        rows = Session.objects.visible_to(actor).select_for_update(of=("self",))
        session: Session | None = rows.filter(pk=session_id).first()
        if session is None:
            raise NotFound(_("There is no such session here."), field="session_id")
        if session.failures == 0:
            raise Invalid(_("Nothing failed here: the session is distilled, or waits for it."))
        session.failures = 0
        session.save(update_fields=["failures"])
        history.log(actor, "session_retried", None, session=str(session.pk))
        nudge("memories.distil", str(session.pk))
    return session
