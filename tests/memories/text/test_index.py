"""What of a memory is searched (C1)."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from memories.lifecycle import update_memory
from memories.models import Memory
from memories.permissions import Actor
from memories.text.index import embedded_text
from memories.text.tokens import codes
from tests.memories.recall.helpers import jot

WORDS = ("zero", "alpha", "beta", "gamma")


def test_it_embeds_the_content_and_nothing_else() -> None:
    assert embedded_text(Memory(content="x", subject="s", tags=["t"])) == "x"


def test_it_indexes_reflection_subject_and_tags_too(actor: Actor) -> None:
    memory = jot(actor, "zero", reflection="alpha", subject="beta", tags=["gamma"])
    for word in WORDS:
        assert Memory.objects.filter(keywords=word, pk=memory.pk).exists()
    assert Memory.objects.get().word_codes == codes(WORDS)


@pytest.mark.parametrize(("content", "han"), [("部署 docker", True), ("docker", False)])
def test_it_knows_whether_chinese_is_written(actor: Actor, content: str, *, han: bool) -> None:
    jot(actor, content)
    assert Memory.objects.get().han is han


def test_what_is_changed_is_indexed_anew(actor: Actor) -> None:
    memory = jot(actor, "docker")
    update_memory(actor=actor, memory_id=memory.pk, expected_version=1, content="部署")
    changed = Memory.objects.get()
    assert (changed.word_codes, changed.han) == (codes(["部署"]), True)


def test_the_migration_derives_both_for_what_was_there_before(actor: Actor) -> None:
    for content in ("部署 docker", "zero"):
        jot(actor, content, reflection="alpha", subject="beta", tags=["gamma"])
    written = list(Memory.objects.order_by("pk").values_list("word_codes", "han"))
    Memory.objects.update(word_codes=b"", han=False)
    migration = import_module("memories.migrations.0011_word_codes")
    migration.fill(apps, SimpleNamespace(connection=connection))
    assert list(Memory.objects.order_by("pk").values_list("word_codes", "han")) == written
