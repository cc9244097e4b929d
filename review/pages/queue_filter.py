"""The queue as one person looks at it: filtered, and what comes next in it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from memories.permissions import Actor
from review.pages.reasons import REASON_CHOICES
from review.queue import open_flags


class QueueFilter(forms.Form):
    """What of the queue is shown; a word it does not know does not restrict."""

    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("every kind")), *Flag.Kind.choices]
    )
    reason = forms.ChoiceField(
        label=_("Reason"), required=False, choices=[("", _("every reason")), *REASON_CHOICES]
    )
    age = forms.ChoiceField(
        label=_("Age"),
        required=False,
        choices=[
            ("", _("any age")),
            ("day", _("last 24 hours")),
            ("week", _("last 7 days")),
            ("older", _("older than 7 days")),
        ],
    )

    def condition(self) -> Q:
        """Return the filter as a condition on flags."""
        self.is_valid()
        chosen: dict[str, Any] = self.cleaned_data
        given = {name: chosen[name] for name in ("kind", "reason") if chosen.get(name)}
        return Q(**given) & _aged(chosen.get("age", ""))


def _aged(age: str) -> Q:
    now = timezone.now()
    ages = {
        "day": Q(created_at__gte=now - timedelta(days=1)),
        "week": Q(created_at__gte=now - timedelta(days=7)),
        "older": Q(created_at__lt=now - timedelta(days=7)),
    }
    return ages.get(age, Q())


def waiting(actor: Actor, query: QueryDict) -> "QuerySet[Flag]":
    """Return the open flags that the filter in `query` lets through, newest first, with claims."""
    return open_flags(actor).filter(QueueFilter(query).condition()).select_related("claim__user")


def beside(actor: Actor, query: QueryDict, flag_id: UUID) -> tuple[UUID | None, UUID | None]:
    """Return (newer, older) flag beside one in the queue, leaving out what others look at."""
    others = Q(claim__expires_at__gt=timezone.now()) & ~Q(claim__user=actor.id)
    free = Flag.objects.visible_to(actor).open().filter(QueueFilter(query).condition())
    keys = free.exclude(pk__in=free.filter(others)).values_list("pk", flat=True)
    newer = keys.filter(pk__gt=flag_id).order_by("pk").first()
    return newer, keys.filter(pk__lt=flag_id).order_by("-pk").first()


def next_after(actor: Actor, query: QueryDict, flag_id: UUID) -> UUID | None:
    """Return what to decide after this one: the next older, else the nearest newer, else none."""
    newer, older = beside(actor, query, flag_id)
    return older or newer
