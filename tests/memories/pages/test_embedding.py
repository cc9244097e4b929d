"""The page on which a space changes its embedding model (E9, H4)."""

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from memories import jobs
from memories.jobs import reembedding
from memories.models import JobRun, Space
from memories.permissions import Actor
from tests.memories.embedding.fakes import NEW, OLD, TwoModels
from tests.memories.recall.helpers import remember
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db
PAGE = "/jobs/embedding/"


@pytest.fixture
def chief(space: Space) -> Client:
    return signed_in(member(space, "chief", role="admin"))


def filled() -> None:
    jobs.carry_on(JobRun.objects.get(job="reembed").pk)


def test_it_leads_through_the_whole_change(
    models: TwoModels, chief: Client, actor: Actor, space: Space
) -> None:
    remember(actor, "The cache is Valkey.")
    assert f"In use: {OLD}" in chief.get(PAGE).content.decode()
    begun = chief.post(f"{PAGE}begin/", {"model": NEW}, follow=True).content.decode()
    assert f"Changing to: {NEW}" in begun
    assert 'hx-trigger="every 2s"' in begun
    assert 'id="switch" disabled' in begun
    filled()
    ready = chief.get(PAGE).content.decode()
    assert "No memory lacks its vector." in ready
    assert "disabled" not in ready
    assert "hx-trigger" not in ready
    done = chief.post(f"{PAGE}switch/", {"model": NEW}, follow=True).content.decode()
    assert f"In use: {NEW}" in done
    assert f"Used before: {OLD}" in done
    back = chief.post(f"{PAGE}switch/", {"model": OLD}, follow=True).content.decode()
    assert f"In use: {OLD}" in back
    ended = chief.post(f"{PAGE}finish/", follow=True).content.decode()
    assert "vectors are being removed" in ended
    space.refresh_from_db()
    assert (space.embedding_model, space.other_model) == (OLD, "")


def test_it_polls_for_the_part_that_changes(models: TwoModels, chief: Client) -> None:
    part = chief.get(PAGE, headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith('<div class="record"')


def test_it_says_that_the_embedder_is_away(models: TwoModels, chief: Client) -> None:
    models.away = {OLD}
    page = chief.get(PAGE)
    assert page.status_code == 200
    assert "It is loading." in page.content.decode()


def test_it_says_what_a_refusal_is_about(models: TwoModels, chief: Client) -> None:
    page = chief.post(f"{PAGE}begin/", {"model": "no/such"}, follow=True).content.decode()
    assert "not among EMBEDDING_MODELS" in page


def test_it_says_when_there_is_nothing_to_change_to(
    models: TwoModels, chief: Client, settings: Settings
) -> None:
    settings.EMBEDDING_MODELS = [OLD]
    assert "There is no other model" in chief.get(PAGE).content.decode()


def test_it_says_when_the_model_in_use_is_not_allowed_any_more(
    models: TwoModels, chief: Client, settings: Settings
) -> None:
    settings.EMBEDDING_MODELS = [NEW]
    assert 'id="unlisted"' in chief.get(PAGE).content.decode()


def test_a_reviewer_looks_and_changes_nothing(
    models: TwoModels, space: Space, admin: Actor
) -> None:
    rui = signed_in(member(space, "rui"))
    reembedding.begin_change(actor=admin, model=NEW)
    page = rui.get(PAGE).content.decode()
    assert "Only admins change the model." in page
    assert 'id="switch"' not in page
    for act in ("begin", "switch", "finish"):
        assert rui.post(f"{PAGE}{act}/", {"model": NEW}).status_code == 403
    space.refresh_from_db()
    assert space.other_model == NEW


def test_a_viewer_does_not_see_counts_of_private_memories(
    models: TwoModels, space: Space
) -> None:  # D1
    assert signed_in(member(space, "vera", role="viewer")).get(PAGE).status_code == 403
