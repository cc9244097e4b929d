"""manage.py change_embedding_model: the whole change from a terminal (E9)."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from hindsight_site.checks import models_are_served
from memories.jobs.kinds import drop_model
from memories.models import Memory, Space
from memories.permissions import Actor
from tests.memories.embedding.fakes import NEW, OLD
from tests.memories.recall.helpers import remember

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("models")]


def told(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("change_embedding_model", *arguments, stdout=out, **options)
    return out.getvalue()


def active(actor: Actor) -> tuple[str, str]:
    space = Space.objects.get(pk=actor.space_id)
    return space.embedding_model, space.other_model


def test_it_fills_switches_rolls_back_and_finishes(
    actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drop_model, "LATE", drop_model.LATE * 0)
    remember(actor, "The cache is Valkey.")
    assert "1 got their vector" in told(NEW)
    assert active(actor) == ("", NEW)
    assert f"“{NEW}” now" in told(NEW, "--switch")
    assert active(actor) == (NEW, OLD)
    assert f"“{OLD}” now" in told("--roll-back")
    assert active(actor) == (OLD, NEW)
    told("--finish", "--space", "team")
    assert active(actor) == (OLD, "")
    memory = Memory.objects.get()
    assert (memory.embedding_model, memory.other_model) == (f"{OLD}@1", "")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "Name a MODEL"),
        ((NEW, "--roll-back"), "Name a MODEL"),
        (("no/such",), "not among EMBEDDING_MODELS"),
        (("--finish",), "begin the change first"),
        (("--roll-back",), "begin the change first"),
        ((NEW, "--space", "none"), "There is no space “none”"),
    ],
)
def test_it_says_what_is_wrong(actor: Actor, arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        told(*arguments)


def test_the_check_names_a_space_whose_model_is_not_allowed(
    actor: Actor, settings: Settings
) -> None:  # I6
    told(NEW, "--switch")
    assert models_are_served(None, databases=["default"]) == []
    settings.EMBEDDING_MODELS = [OLD]
    (warning,) = models_are_served(None, databases=["default"])
    assert warning.id == "hindsight.W001"
    assert NEW in warning.msg
    assert models_are_served(None) == []
