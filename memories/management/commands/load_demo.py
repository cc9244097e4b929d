"""A small bilingual team memory to look around in, with a session and things to decide."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.identity import agent_actor, system_actor
from memories.lifecycle import (
    archive_memory,
    delete_memory,
    give_feedback,
    propose_clean_up,
    propose_merge,
)
from memories.models import Agent, Memory, Space
from memories.permissions import Actor
from memories.sessions import end_session, record_turns, start_session
from memories.writing import write_memory

DATA = Path(__file__).resolve().parents[2] / "data"


class Command(BaseCommand):
    help = "Write a small bilingual demo into the space “home”."

    def handle(self, *args: Any, **options: Any) -> None:
        space = Space.objects.filter(slug="home").first()
        if space is None:
            raise CommandError(_("There is no space “home”: run ensure_credentials first."))
        known = set(Memory.objects.filter(space=space).values_list("content", flat=True))
        for said in (line for line in _lines("demo.jsonl") if line["content"] not in known):
            days_ago = said.pop("days_ago")
            write_memory(
                actor=_agent(space, said.pop("agent")),
                happened_at=timezone.now() - timedelta(days=days_ago),
                **said,
            )
        _ask_people(space)
        _let_age(space)
        coder = _agent(space, "code-agent")
        start_session(actor=coder, session="demo", task="订单服务的测试为什么失败？")
        record_turns(actor=coder, session="demo", turns=_lines("demo_session.jsonl"))
        end_session(actor=coder, session="demo", outcome="success")


def _ask_people(space: Space) -> None:
    """Open what the writes alone do not: a merge proposal, a clean-up, a complaint."""
    known = {memory.content: memory.pk for memory in Memory.objects.live().filter(space=space)}

    def starting(words: str) -> UUID:
        return next(key for text, key in known.items() if text.startswith(words))

    propose_merge(
        actor=system_actor(space.pk),
        memory_ids=[starting("Releases go out"), starting("The release captain")],
        content="Releases go out on Tuesdays. The release captain, another one every week, "
        "writes the release notes.",
    )
    propose_clean_up(
        actor=system_actor(space.pk),
        memory_id=starting("Large CSV imports"),
        reason="unused",
        scores={"confidence": 0.5, "days": 24},
    )
    give_feedback(
        actor=_agent(space, "deploy-bot"),
        memory_id=starting("The team reviews pull requests"),
        verdict="stale",
        note="since May they are reviewed within the day",
    )


def _let_age(space: Space) -> None:
    """Make one memory old enough to be forgotten; put one into the archive, one into the trash."""
    actor = system_actor(space.pk)
    old = Memory.objects.filter(space=space, happened_at__lt=timezone.now() - timedelta(days=100))
    # As if it had been written when it happened: nothing of its history is touched.
    old.update(created_at=F("happened_at"), updated_at=F("happened_at"))
    for memory in old.live().filter(subject="ci/old"):
        archive_memory(actor=actor, memory_id=memory.pk)
    for memory in Memory.objects.live().filter(space=space, subject="office/plant"):
        delete_memory(actor=actor, memory_id=memory.pk)


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def _agent(space: Space, name: str) -> Actor:
    agent, _made = Agent.objects.get_or_create(space=space, name=name)
    return agent_actor(agent)
