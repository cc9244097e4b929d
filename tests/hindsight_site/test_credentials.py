"""The first account, key and demo, made once and never silently replaced (I1)."""

import json
import stat
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from hindsight_site.accounts.models import User
from memories.identity import actor_for_key
from memories.models import AgentKey, Flag, Membership, Memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def home(settings: Settings, tmp_path: Path) -> Path:
    settings.HINDSIGHT_HOME = tmp_path
    return tmp_path


def ensure(*arguments: str) -> dict[str, str]:
    out = StringIO()
    call_command("ensure_credentials", *arguments, stdout=out)
    made: dict[str, str] = json.loads(out.getvalue())
    return made


def test_it_makes_an_admin_and_a_key_that_work(home: Path) -> None:
    made = ensure("--remember")
    assert User.objects.get(username=made["username"]).check_password(made["password"])
    assert Membership.objects.get().role == "admin"
    actor = actor_for_key(made["agent_key"])
    assert actor is not None


def test_it_remembers_them_for_the_owner_only(home: Path) -> None:
    made = ensure("--remember")
    path = home / "credentials.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ensure("--remember") == made
    assert AgentKey.objects.count() == 1


def test_it_forgets_a_password_that_was_changed(home: Path) -> None:
    made = ensure("--remember")
    user = User.objects.get()
    user.set_password("another-one-7")
    user.save()
    assert ensure("--remember") == made | {"password": ""}
    user.refresh_from_db()
    assert user.check_password("another-one-7")


def test_it_replaces_a_revoked_key(home: Path) -> None:
    made = ensure("--remember")
    AgentKey.objects.all().delete()
    again = ensure("--remember")["agent_key"]
    assert again != made["agent_key"]
    assert actor_for_key(again) is not None


def test_it_writes_no_file_unless_told(home: Path) -> None:
    ensure()
    assert not list(home.iterdir())


def test_the_demo_has_something_to_decide_of_most_kinds_and_comes_once(
    home: Path, embedder: str
) -> None:
    ensure()
    for _each in range(2):
        call_command("load_demo")
        kinds = sorted(Flag.objects.open().values_list("kind", flat=True))
        assert kinds == ["clean_up", "conflict", "conflict", "feedback", "merge", "quarantine"]
        assert Memory.objects.count() == 19
        put_away = Memory.objects.filter(status__in=["archived", "deleted"])
        assert sorted(put_away.values_list("status", flat=True)) == ["archived", "deleted"]
