"""The endpoints of erasing an end user: what it would remove, the order, and the receipts (E6)."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.documented import documented
from memories.api.door import Door, page
from memories.api.fields import Name, Strict, Text, Whole
from memories.api.inputs import MAX_PAGE
from memories.errors import NotAllowed
from memories.inputs import MAX_NAME
from memories.jobs.erasing import erase_user, receipts_of
from memories.lifecycle.erasing import Preview, preview_erasure
from memories.models.job import JobRun


class ErasureInput(Strict):
    """Whose data is to be removed for good; the name twice, because nothing brings it back."""

    user_id = Text(max_length=MAX_NAME)
    confirm = Text(max_length=MAX_NAME, help_text="The same name once more.")


class ErasuresInput(Strict):
    """Which receipts."""

    user_id = Name(help_text="Only those of this user.")
    cursor = serializers.UUIDField(required=False)
    limit = Whole(required=False, default=20, min_value=1, max_value=MAX_PAGE)


class PreviewInput(Strict):
    """Of whom."""

    user_id = Name(required=True, allow_blank=False)


class _Counts(serializers.DictField):
    """Rows by the name of their table."""

    child = serializers.IntegerField(min_value=0)


class ErasureOutput(serializers.Serializer[Any]):
    """An erasure; once it is done, its counts are the receipt."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=JobRun.State.choices)
    subject = serializers.CharField(
        help_text="Stands for the user, whose name is gone; empty until it is done."
    )
    counts = _Counts(help_text="Rows that were removed or made nameless, by table.")
    failed = serializers.IntegerField(min_value=0)
    note = serializers.CharField()
    started_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ErasurePage(serializers.Serializer[Any]):
    """Erasures, newest first."""

    items = ErasureOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")


class PreviewOutput(serializers.Serializer[Any]):
    """What erasing would remove. Nothing was changed."""

    user_id = serializers.CharField()
    counts = _Counts(help_text="Rows by table.")
    elsewhere = serializers.IntegerField(
        min_value=0, help_text="Texts about others that contain the name: they stay."
    )
    open_sessions = serializers.IntegerField(min_value=0)


class AdminDoor(Door):
    """What an agent's key never opens, and of people only an admin's."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse everybody else before anything is looked at."""
        super().initial(request, *args, **kwargs)
        if self.actor.kind != "user":
            raise NotAllowed(_("Erasing a user is for the space's admins; no agent's key does it."))
        self.actor.require("administer")


class Erasures(AdminDoor):
    """Erasures of a space."""

    @documented("erase_user", body=ErasureInput, ok={202: ErasureOutput}, errors=(413, 415))
    def post(self, request: Request) -> Response:
        """Remove everything about an end user for good. 202: a worker does it; look at the list."""
        run = erase_user(actor=self.actor, **self.body(ErasureInput))
        return Response(erasure_payload(run), status=202)

    @documented("list_erasures", query=ErasuresInput, ok={200: ErasurePage})
    def get(self, request: Request) -> Response:
        """Erasures with their receipts, newest first, a page at a time."""
        given = self.query(ErasuresInput)
        rows = receipts_of(self.actor, given.get("user_id", ""))
        cursor, limit = given.get("cursor"), given["limit"]
        return page(rows, erasure_payload, key="pk", cursor=cursor, limit=limit)


class ErasurePreview(AdminDoor):
    """What erasing a user would remove."""

    @documented("preview_erasure", query=PreviewInput, ok={200: PreviewOutput})
    def get(self, request: Request) -> Response:
        """Counts by table of everything about an end user; nothing is changed."""
        user_id = self.query(PreviewInput)["user_id"]
        return Response(preview_payload(preview_erasure(actor=self.actor, user_id=user_id)))


def erasure_payload(run: JobRun) -> dict[str, Any]:
    """Return an erasure as plain JSON, without the user's name."""
    told = ("id", "state", "counts", "failed", "note", "created_at", "finished_at")
    return {
        **{name: getattr(run, name) for name in told},
        "subject": run.arguments.get("subject", ""),
        "started_by": run.started_by_name,
    }


def preview_payload(preview: Preview) -> dict[str, Any]:
    """Return a preview as plain JSON."""
    told = ("user_id", "counts", "elsewhere", "open_sessions")
    return {name: getattr(preview, name) for name in told}
