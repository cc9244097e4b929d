"""The embedder is away: writes are kept, and embedded and compared later (design rule 9)."""

import pytest
from pytest_django import Settings

from memories import writing
from memories.embedding.client import EmbedderDown
from memories.models import Flag, Memory
from memories.permissions import Actor
from memories.tasks import embed_waiting
from memories.writing import Outcome, write_memory
from tests.services import free_port

pytestmark = pytest.mark.django_db

OLD = "The staging cluster runs Kubernetes 1.29."
NEW = "The staging cluster runs Kubernetes 1.31."


def test_it_stores_and_says_degraded(actor: Actor, away: None) -> None:
    result = write_memory(actor=actor, content=OLD)
    assert (result.outcome, result.degraded) == (Outcome.CREATED, True)
    assert Memory.objects.get().embedding is None


def test_it_still_finds_a_contradiction_by_its_words(actor: Actor, away: None) -> None:
    write_memory(actor=actor, content=OLD)
    assert write_memory(actor=actor, content=NEW).outcome is Outcome.FLAGGED


@pytest.mark.parametrize(
    "text", ["k8s-prod-01 'quoted' \\\\ & | ! :*", "…", "it's the", "部署 docker 🙂"]
)
def test_any_text_can_be_compared_by_its_words(actor: Actor, away: None, text: str) -> None:
    write_memory(actor=actor, content=text)
    assert write_memory(actor=actor, content=f"{text} once more").degraded


def test_it_leaves_the_rows_waiting_while_the_embedder_is_away(actor: Actor, away: None) -> None:
    write_memory(actor=actor, content=OLD)
    with pytest.raises(EmbedderDown):
        writing.embed_waiting()
    assert embed_waiting() == 0
    assert Memory.objects.get().embedding is None


def test_it_embeds_and_compares_when_the_embedder_is_back(
    actor: Actor, settings: Settings, embedder: str
) -> None:
    write_memory(actor=actor, content="Our customers are in Norway.")
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
    late = write_memory(actor=actor, content="The customers we have are not in Norway.").memory
    Flag.objects.all().delete()
    settings.EMBEDDER_URL = embedder
    assert embed_waiting() == 1
    assert Memory.objects.get(pk=late.pk).embedding is not None
    assert Flag.objects.get().memory_id == late.pk
    assert embed_waiting() == 0


def test_running_it_twice_changes_nothing(actor: Actor, embedder: str) -> None:  # I5
    write_memory(actor=actor, content=OLD)
    before = Memory.objects.values().get()
    assert embed_waiting() == 0
    assert Memory.objects.values("version", "updated_at").get() == {
        "version": before["version"],
        "updated_at": before["updated_at"],
    }


def test_it_asks_once_about_a_pair_and_calls_the_later_one_new(
    actor: Actor, settings: Settings, embedder: str
) -> None:
    settings.EMBEDDER_URL = f"http://127.0.0.1:{free_port()}/v1"
    early = write_memory(actor=actor, content=OLD).memory
    settings.EMBEDDER_URL = embedder
    late = write_memory(actor=actor, content=NEW).memory
    while embed_waiting():
        pass
    flag = Flag.objects.get()
    assert (flag.memory_id, flag.counterpart_id) == (late.pk, early.pk)
