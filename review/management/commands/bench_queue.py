"""How fast the queue answers: a temporary space is filled, its pages are asked for, and it goes."""

import random
import re
import time
import uuid
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from html import unescape
from statistics import quantiles
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memories import history
from memories.identity import actor_for_user, system_actor
from memories.models import Agent, Event, Flag, Membership, Memory, MemoryVersion, Space
from memories.models.memory import Source
from memories.permissions import Actor
from review.bulk import preview
from review.decisions import decide
from review.filters import QueueFilter
from review.kinds import KINDS
from review.models import BatchItem, Decision
from review.queue import waiting
from review.undo import undo_decision

Step = Callable[[], object]

TWO_TEXTS = (Flag.Kind.CONFLICT, Flag.Kind.NEAR_DUPLICATE)
DEEP = 50
_BACKDATED = """
UPDATE memories_flag SET created_at = to_timestamp(
  ('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0
) WHERE space_id = %s
"""
_NEXT = re.compile(r'rel="next" href="([^"]+)"')
# With {n} and {v} no two texts are the same.
TEXTS = (
    ("Service {n} is deployed with docker on port {v}.", "Service {n} runs on port {v}."),
    ("团队 {n} 每周{v}次部署订单服务。", "团队 {n} 每月{v}次部署订单服务。"),
    ("docker 部署 {n} 之后要等 {v} 秒。", "docker 部署 {n} 之后要等 {v} 分钟。"),
    ("The reviewer of repository {n} is Ada since release {v}.", "Repository {n}: ask Bo ({v})."),
)


class Command(BaseCommand):
    help = "Measure the review queue on a temporary space of many open items."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--items", type=int, default=10_000, help="open items (default 10000)")
        parser.add_argument("--times", type=int, default=20, help="times a page is asked for")
        parser.add_argument("--keep", action="store_true", help="leave the space, to look at it")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["items"] < 1 or options["times"] < 2:
            raise CommandError("At least one item and two times, please.")
        with _space(keep=options["keep"]) as (space, client):
            began = time.perf_counter()
            _fill(space, options["items"])
            took = time.perf_counter() - began
            self.stdout.write(f"{options['items']} open items made in {took:.1f} s")
            for name, address in _addresses(client):
                asked = partial(_asked, client, address)
                self.stdout.write(f"{name:28} {_measured([asked] * options['times'])}")
            person = actor_for_user(get_user_model().objects.get(username=space.slug), space.pk)
            for name, steps in _decisions(person, options["times"]) if person else ():
                self.stdout.write(f"{name:28} {_measured(steps)}")


@contextmanager
def _space(*, keep: bool) -> Iterator[tuple[Space, Client]]:
    """Make a space with a reviewer who is signed in; take both away at the end."""
    name = f"bench-queue-{uuid.uuid4().hex[:8]}"
    space = Space.objects.create(slug=name, name=name)
    user = get_user_model().objects.create_user(name)
    Membership.objects.create(space=space, user=user, role=Membership.Role.REVIEWER)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    try:
        yield space, client
    finally:
        if not keep:
            client.logout()
            _remove(space)
            user.delete()


def _remove(space: Space) -> None:
    """Rows go by tables: collecting what hangs on each in Python takes minutes."""
    with history.erasing("space"):
        for rows in (
            BatchItem.objects.filter(batch__space=space),
            Decision.objects.filter(flag__space=space),
            Flag.objects.filter(space=space),
            MemoryVersion.objects.filter(memory__space=space),
            Memory.objects.filter(space=space),
            Event.objects.filter(space=space),
        ):
            rows._raw_delete("default")
        space.delete()


def _fill(space: Space, items: int) -> None:
    chance = random.Random(items)  # noqa: S311 (the same items each time)
    agents = Agent.objects.bulk_create(
        Agent(space=space, name=f"agent-{number}") for number in range(5)
    )
    memories: list[Memory] = []
    flags: list[Flag] = []
    for number in range(items):
        flag, sides = _item(space, agents, number, chance)
        flags.append(flag)
        memories.extend(sides)
    for start in range(0, len(memories), 1000):
        history.create(memories[start : start + 1000], actor=system_actor(space.pk, "bench"))
    Flag.objects.bulk_create(flags, batch_size=1000)
    with connection.cursor() as cursor:
        # Inserting sets the present; their keys know better.
        cursor.execute(_BACKDATED, [space.pk])
        # As the server does by itself some time after so many rows.
        cursor.execute("ANALYZE memories_memory, memories_flag")


def _item(
    space: Space, agents: list[Agent], number: int, chance: random.Random
) -> tuple[Flag, list[Memory]]:
    """Return a flag, up to 60 days old, of any kind, and the memories it is about."""
    kind = chance.choice(list(KINDS))
    since = timezone.now() - timedelta(days=chance.expovariate(1 / 10) % 60)
    texts = chance.choice(TEXTS)[: 2 if kind in TWO_TEXTS else 1]
    sides = [
        _memory(space, chance, text.format(n=number, v=chance.randrange(1, 99)), agents)
        for text in texts
    ]
    flag = Flag(
        id=_key(since, chance),
        space=space,
        kind=kind,
        reason=chance.choice(list(KINDS[kind].reasons)),
        memory=sides[0],
        memory_version=1,
        counterpart=sides[1] if len(sides) > 1 else None,
        counterpart_version=1 if len(sides) > 1 else None,
        considered_at=since,
    )
    return flag, sides


def _memory(space: Space, chance: random.Random, content: str, agents: list[Agent]) -> Memory:
    memory = Memory(
        space=space,
        agent=chance.choice(agents),
        user_id=f"user-{chance.randrange(40)}",
        session=f"session-{chance.randrange(500)}",
        content=content,
        source=chance.choice(Source.values),
        confidence=round(chance.uniform(0.3, 1.0), 2),
        recall_count=int(chance.paretovariate(1)) - 1,
    )
    history.index(memory)
    return memory


def _key(moment: datetime, chance: random.Random) -> uuid.UUID:
    """Return a UUIDv7 of that moment: 48 bits of milliseconds, the version, the variant, chance."""
    milliseconds = int(moment.timestamp() * 1000)
    upper = milliseconds << 16 | 7 << 12 | chance.getrandbits(12)
    return uuid.UUID(int=upper << 64 | 0b10 << 62 | chance.getrandbits(62))


def _addresses(client: Client) -> Iterator[tuple[str, str]]:
    queue = reverse("review:queue")
    yield "first page, by priority", queue
    yield "text: docker", f"{queue}?text=docker"
    yield "text: 订单服务", f"{queue}?text=订单服务"
    yield "Chinese, low confidence", f"{queue}?language=zh&confidence=low"
    yield "newest first", f"{queue}?sort=newest"
    yield "tab: conflicts", f"{queue}?kind=conflict"
    yield f"page {DEEP}, by priority", _deep(client, queue)
    yield "counts of the tabs", reverse("review:counts")


def _deep(client: Client, queue: str) -> str:
    """Return the address of a page far down, as the links lead to it."""
    address = queue
    for _page in range(DEEP - 1):
        found = _NEXT.search(client.get(address).content.decode())
        if found is None:
            break
        address = queue + unescape(found[1])
    return address


def _decisions(actor: Actor, times: int) -> Iterator[tuple[str, list[Step]]]:
    """Yield a preview of all that waits, deciding that many conflicts, and undoing it."""
    look = partial(preview, actor=actor, choice="reject", reason="trivial", filter=QueueFilter())
    yield "preview of all for a batch", [look] * 2
    say = partial(decide, actor=actor, choice="keep_new", expected_versions=(1, 1))
    flags = list(waiting(actor, QueueFilter(kind="conflict"))[:times])
    yield "one decision", [partial(say, flag_id=flag.pk) for flag in flags]
    made = list(Decision.objects.filter(flag__in=flags))
    yield "undoing one", [partial(undo_decision, actor=actor, decision_id=one.pk) for one in made]


def _measured(steps: Sequence[Step]) -> str:
    with CaptureQueriesContext(connection) as queries:
        took = [_timed(steps[0])]
        # Read now: the next request empties the log.
        number = len(queries)
    took += [_timed(step) for step in steps[1:]]
    cuts = quantiles(took, n=20, method="inclusive")
    return (
        f"p50 {cuts[9]:6.1f} ms   p95 {cuts[18]:6.1f} ms   best {min(took):6.1f} ms"
        f"   {number:2} queries"
    )


def _asked(client: Client, address: str) -> None:
    """Ask for a page, templates included."""
    response = client.get(address)
    if response.status_code != 200:
        raise CommandError(f"{address} answered {response.status_code}")


def _timed(step: Step) -> float:
    """Return how many milliseconds a step took."""
    began = time.perf_counter()
    step()
    return (time.perf_counter() - began) * 1000
