"""The endpoints for what people do with a flag besides deciding it."""

from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.documented import documented
from memories.api.door import page
from memories.errors import Invalid, Stale
from memories.models.flag import Flag
from memories.permissions import Actor
from review import handling
from review.api import inputs, shapes
from review.api.door import PeopleDoor
from review.claims import claim, let_go
from review.payloads import claim_payload, comment_payload, flag_payload
from review.queue import get_flag

_CHANGED = (409, 413, 415)


class FlagDoor(PeopleDoor):
    """What changes a flag and answers with it."""

    def flag(self, flag_id: UUID) -> Response:
        """Return the flag as it is now."""
        return Response(flag_payload(get_flag(self.actor, flag_id), self.actor))


class ClaimOf(FlagDoor):
    """Who is looking at a flag."""

    @documented("claim", body=inputs.ClaimInput, ok={200: shapes.ClaimOutput}, errors=_CHANGED)
    def post(self, request: Request, flag_id: UUID) -> Response:
        """Claim a flag, or renew your claim; the answer says who has it now. While somebody else
        holds it, it stays theirs unless you take it over."""
        given = self.body(inputs.ClaimInput)
        flag = get_flag(self.actor, flag_id)
        if flag.status != Flag.Status.OPEN:
            raise Stale(_("This is decided already."), resolution=flag.resolution)
        held = claim(actor=self.actor, flag=flag, take_over=given["take_over"])
        return Response(claim_payload(held, self.actor))

    @documented("release_claim", ok={200: shapes.FlagOutput})
    def delete(self, request: Request, flag_id: UUID) -> Response:
        """Give up your claim; somebody else's stays. Twice is harmless."""
        self.query(inputs.Nothing)
        self.actor.require("decide")
        let_go(actor=self.actor, flag=get_flag(self.actor, flag_id))
        return self.flag(flag_id)


class Snooze(FlagDoor):
    """Putting a flag off."""

    @documented("snooze", body=inputs.SnoozeInput, ok={200: shapes.FlagOutput}, errors=_CHANGED)
    def post(self, request: Request, flag_id: UUID) -> Response:
        """Put an open flag off: it is out of the queue until then."""
        given = self.body(inputs.SnoozeInput)
        handling.snooze(actor=self.actor, flag_id=flag_id, until=given["until"])
        return self.flag(flag_id)


class Wake(FlagDoor):
    """The end of putting off."""

    @documented("wake", body=inputs.Nothing, ok={200: shapes.FlagOutput}, errors=_CHANGED)
    def post(self, request: Request, flag_id: UUID) -> Response:
        """Bring a flag back that was put off; one that was not stays as it is."""
        self.body(inputs.Nothing)
        handling.wake(actor=self.actor, flag_id=flag_id)
        return self.flag(flag_id)


class Assign(FlagDoor):
    """Who should decide."""

    @documented("assign", body=inputs.AssignInput, ok={200: shapes.FlagOutput}, errors=_CHANGED)
    def post(self, request: Request, flag_id: UUID) -> Response:
        """Say who should decide an open flag. Anybody who may still can."""
        name = self.body(inputs.AssignInput)["user"]
        self.actor.require("decide")
        user_id = None if name is None else _person(self.actor, name)
        handling.assign(actor=self.actor, flag_id=flag_id, user_id=user_id)
        return self.flag(flag_id)


class Comments(PeopleDoor):
    """What people say to one another about a flag."""

    @documented("list_comments", query=inputs.CommentsInput, ok={200: shapes.CommentPage})
    def get(self, request: Request, flag_id: UUID) -> Response:
        """Comments, oldest first, a page at a time."""
        given = self.query(inputs.CommentsInput)
        rows = handling.comments_of(get_flag(self.actor, flag_id))
        return page(
            rows,
            comment_payload,
            key="pk",
            cursor=given.get("cursor"),
            limit=given["limit"],
            rising=True,
        )

    @documented(
        "comment", body=inputs.CommentInput, ok={201: shapes.CommentOutput}, errors=(413, 415)
    )
    def post(self, request: Request, flag_id: UUID) -> Response:
        """Say something about a flag, open or decided."""
        given = self.body(inputs.CommentInput)
        made = handling.comment(actor=self.actor, flag_id=flag_id, text=given["text"])
        return Response(comment_payload(made), status=201)


def _person(actor: Actor, name: str) -> UUID:
    people = {person.get_username(): person.pk for person in handling.people_of(actor)}
    if name not in people:
        raise Invalid(
            _("Nobody of that name may decide here. Name one of: %(known)s.")
            % {"known": ", ".join(people)},
            field="user",
        )
    return people[name]
