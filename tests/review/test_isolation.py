"""D1 through every address of review, pages and REST: what is another space's does not exist.

The addresses are read from the resolver, so that a new one is tried without anybody's thinking of
it; a new kind of id has to be given a foreign example below.
"""

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.identity import actor_for_key, actor_for_user, issue_key
from memories.models import Agent, Event, Flag, Memory, Policy, Space
from memories.permissions import Actor
from review.claims import claim
from review.decisions import decide
from review.handling import assign, comment
from review.models import Batch, BatchItem, Claim, Comment, Decision, Rule, SavedView
from tests.people import conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]

API = "api/v1/"
# In everything that the other space says, and nowhere else.
SECRET = "zebra"
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
DONE = {"state": "done", "confirmed_at": timezone.now(), "finished_at": timezone.now()}
# What an id in a form or a query is called, and whose it is.
NAMED = {
    "flag": "flag_id",
    "batch": "batch_id",
    "decision": "decision_id",
    "rule": "rule_id",
    "agent": "agent_id",
    "view": "view_id",
    "user": "user_id",
    "me": "user_id",
    "memory": "memory_id",
    "next": "flag_id",
}


@dataclass(frozen=True)
class Place:
    """An address with its parameters still in it, as in review/<uuid:flag_id>/decide/."""

    route: str

    @property
    def names(self) -> list[str]:
        return PARAMETER.findall(self.route)

    @property
    def rest(self) -> bool:
        return self.route.startswith(API)

    def at(self, **ids: str) -> str:
        return "/" + PARAMETER.sub(lambda found: ids[found[1]], self.route)


@dataclass
class Far:
    """The other space: an example of each sort of id, and what must stay as it is."""

    space: Space
    ids: dict[str, list[str]] = field(default_factory=dict)

    def example(self) -> dict[str, str]:
        """Return one id of each sort."""
        return {name: found[0] for name, found in self.ids.items()}

    def state(self) -> dict[str, list[Any]]:
        at = self.space.pk
        rows: dict[str, Any] = {
            "memories": Memory.objects.filter(space=at).values_list("pk", "version", "status"),
            "flags": Flag.objects.filter(space=at).values_list(),
            "events": Event.objects.filter(space_id=at).values_list("pk"),
            "claims": Claim.objects.filter(flag__space=at).values_list(),
            "comments": Comment.objects.filter(flag__space=at).values_list(),
            "decisions": Decision.objects.filter(flag__space=at).values_list(),
            "batches": Batch.objects.filter(space=at).values_list(),
            "items": BatchItem.objects.filter(batch__space=at).values_list(),
            "views": SavedView.objects.filter(space=at).values_list(),
            "rules": Rule.objects.filter(space=at).values_list(),
            "policies": Policy.objects.filter(space=at).values_list(),
            "agents": Agent.objects.filter(space=at).values_list(),
        }
        return {name: sorted(map(str, found)) for name, found in rows.items()}


def places() -> list[Place]:
    """Every address that a view of review answers."""
    return sorted(set(_walk(get_resolver().url_patterns, "")), key=lambda place: place.route)


def _walk(patterns: Any, before: str) -> Iterator[Place]:
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _walk(one.url_patterns, route)
        elif isinstance(one, URLPattern):
            view: Any = getattr(one.callback, "view_class", one.callback)
            if view.__module__.startswith("review."):
                yield Place(route)


@pytest.fixture
def far(db: None) -> Far:
    space = Space.objects.create(slug="zoo", name="Zebra house")
    agent = Agent.objects.create(space=space, name="zebra-agent")
    writer = actor_for_key(issue_key(agent)[1])
    user = member(space, "zebra-person", "admin")
    person = actor_for_user(user)
    assert writer is not None
    assert person is not None
    said = {"session": "zebra-session", "user_id": "zebra-user"}
    waits = conflict(
        writer, "The zebra pen is on PostgreSQL.", "The zebra pen is on MySQL.", **said
    )
    closed = conflict(writer, "The zebra gate opens at 8.", "The zebra gate opens at 9.", **said)
    found = Far(space, _told(waits, closed, person, user))
    found.ids["agent_id"] = [str(agent.pk)]
    return found


def _told(waits: Flag, closed: Flag, person: Actor, user: User) -> dict[str, list[str]]:
    """Let people do all that can be done with flags; return the ids by what addresses call them."""
    space = waits.space
    claim(actor=person, flag=waits)
    comment(actor=person, flag_id=waits.pk, text="zebra-comment")
    assign(actor=person, flag_id=waits.pk, user_id=user.pk)
    decide(
        actor=person,
        flag_id=closed.pk,
        choice="keep_new",
        expected_versions=(1, 1),
        note="zebra-note",
    )
    batch = Batch.objects.create(
        space=space, user=user, user_name=user.username, choice="keep_new", **DONE
    )
    BatchItem.objects.create(batch=batch, flag=waits, versions=[1, 1], state="refused", why=SECRET)
    view = SavedView.objects.create(space=space, user=user, name="zebra-view", query="")
    rule = Rule.objects.create(space=space, name="zebra-rule", kind="conflict", choice="keep_new")
    Policy.objects.create(space=space, version=1, note="zebra-policy", actor_name="zebra-person")
    return {
        "flag_id": [str(waits.pk), str(closed.pk)],
        "memory_id": [str(waits.memory_id)],
        "decision_id": [str(Decision.objects.get(flag=closed).pk)],
        "batch_id": [str(batch.pk)],
        "view_id": [str(view.pk)],
        "rule_id": [str(rule.pk)],
        "user_id": [str(user.pk)],
    }


@pytest.fixture
def here(actor: Actor, space: Space) -> dict[str, str]:
    """The stranger's own space: something to look at, and the ids of it."""
    user = member(space, "ada", "admin")
    flag = conflict(actor)
    view = SavedView.objects.create(space=space, user=user, name="mine", query="")
    rule = Rule.objects.create(space=space, name="ours", kind="merge", choice="approve")
    batch = Batch.objects.create(space=space, user=user, user_name="ada", choice="keep_new", **DONE)
    made = Decision.objects.create(
        flag=conflict(actor, "Lunch is at 12.", "Lunch is at 13."), user_name="ada", choice="x"
    )
    ids = {"flag_id": flag, "view_id": view, "rule_id": rule, "batch_id": batch}
    found = {name: str(one.pk) for name, one in (ids | {"decision_id": made}).items()}
    return found | {"agent_id": str(actor.id), "memory_id": str(flag.memory_id)}


class Stranger:
    """Somebody from elsewhere who tries what an address may answer to; `far` must not notice."""

    def __init__(self, far: Far, user: User | None = None, key: str = "") -> None:
        self.far, self.user, self.key = far, user, key
        self.before = far.state()

    def ask(self, method: str, path: str, said: dict[str, Any], **headers: str) -> Any:
        """Return an answer, and take back what it changed in the stranger's own space."""
        with transaction.atomic():
            answer = self._asked(method, path, said, headers)
            if method != "get":
                assert self.far.state() == self.before, (method, path)
            transaction.set_rollback(True)
        return answer

    def _asked(self, method: str, path: str, said: dict[str, Any], headers: dict[str, str]) -> Any:
        # A client of its own for each: what one answer leaves in the session is in no other.
        client = signed_in(self.user) if self.user else Client()
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if path.startswith("/" + API) and method != "get":
            body = json.dumps(said)
            return client.generic(method.upper(), path, body, "application/json", headers=headers)
        return getattr(client, method)(path, said, headers=headers)

    def tries(self, place: Place, **ids: str) -> Iterator[tuple[str, Any]]:
        """Yield what was tried at an address, and the answer, each in every way there is."""
        path = place.at(**ids)
        yield f"GET {path}", self.ask("get", path, {})
        if place.rest:
            yield f"DELETE {path}", self.ask("delete", path, {})
            yield f"POST {path}", self.ask("post", path, body(place))
        else:
            yield f"GET {path} htmx", self.ask("get", path, {}, **{"HX-Request": "true"})
            yield f"POST {path}", self.ask("post", path, form())


def body(place: Place) -> dict[str, Any]:
    """What an endpoint of REST takes, by the last word of its address."""
    known: dict[str, dict[str, Any]] = {
        "decide": {"choice": "keep_new", "expected_versions": {"new": 1, "old": 1}},
        "snooze": {"until": (timezone.now() + timedelta(days=2)).isoformat()},
        "assign": {"user": None},
        "comments": {"text": "hello"},
        "batches": {"choice": "keep_new", "filter": {}},
    }
    return known.get(place.route.rpartition("/")[2], {})


def form() -> dict[str, Any]:
    """A form that has what any of the pages' forms ask for."""
    return {
        "choice": "keep_new",
        "new_version": 1,
        "old_version": 1,
        "text": "hello",
        "name": "hello",
        "until": (timezone.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M"),
        "to": "on",
        "take_over": "1",
    }


def told(answer: Any, *ids: str) -> tuple[int, str, str]:
    """What an answer says, whatever the ids asked for, the form's token and the time are."""
    text = answer.content.decode()
    for word, pattern in (
        ("ID", "|".join(one if "-" in one else rf"(?<==){one}\b" for one in ids)),
        ("TOKEN", r'(?<=value=")[A-Za-z0-9]{64}'),
        ("TIME", r"\d{4}-\d\d-\d\dT[\d:.+Z]+|(?<=at=)[\d.]+"),
        # The two answers may lie on either side of a full minute.
        ("AGE", r"just now|under a minute|\d+ (?:minute|hour)s?(?: ago)?"),
        ("CLOCK", r"\b\d{1,2}:\d\d(?: [ap]\.m\.)?"),
    ):
        text = re.sub(pattern, word, text)
    where = re.sub("|".join(ids), "ID", answer.headers.get("Location", ""))
    return answer.status_code, where, text


@pytest.fixture(autouse=True)
def _fresh_counts() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def people(far: Far, here: dict[str, str]) -> Stranger:
    return Stranger(far, user=User.objects.get(username="ada"))


@pytest.fixture
def agents(far: Far, here: dict[str, str], agent_key: str) -> Stranger:
    return Stranger(far, key=agent_key)


def test_it_finds_the_addresses() -> None:
    routes = {place.route for place in places()}
    assert {"review/", "review/<uuid:flag_id>/decide/", "api/v1/flags"} <= routes
    assert "api/v1/batches/<uuid:batch_id>/undo" in routes
    assert not any(route.startswith("memories/") for route in routes)


def test_it_knows_a_foreign_example_of_every_id(far: Far) -> None:
    assert {name for place in places() for name in place.names} <= set(far.ids)


@pytest.mark.parametrize("who", ["people", "agents"])
def test_a_foreign_id_is_like_a_missing_one(
    far: Far, who: str, request: pytest.FixtureRequest
) -> None:  # D1
    stranger: Stranger = request.getfixturevalue(who)
    wrong = []
    for place in places():
        for name in place.names:
            for foreign in far.ids[name]:
                missing = str(uuid.uuid4()) if "-" in foreign else "999999"
                pairs = zip(
                    stranger.tries(place, **{name: foreign}),
                    stranger.tries(place, **{name: missing}),
                    strict=True,
                )
                for (what, answer), (_what, other) in pairs:
                    said = told(answer, foreign, missing)
                    same = said == told(other, foreign, missing)
                    if not same or SECRET in said[2].lower() or answer.status_code == 200:
                        wrong.append((what, answer.status_code, other.status_code))
    assert wrong == []


@pytest.mark.parametrize("who", ["people", "agents"])
def test_no_page_shows_what_is_elsewhere(
    here: dict[str, str], who: str, request: pytest.FixtureRequest
) -> None:  # D1
    stranger: Stranger = request.getfixturevalue(who)
    seen, wrong = 0, []
    for place in places():
        for what, answer in stranger.tries(place, **here):
            seen += answer.status_code == 200
            if SECRET in answer.content.decode().lower() or answer.status_code >= 500:
                wrong.append((what, answer.status_code))
    assert wrong == []
    assert seen > (10 if who == "people" else 1)  # it looked at something


def test_a_foreign_id_in_a_form_or_a_query_does_nothing(
    far: Far, here: dict[str, str], people: Stranger
) -> None:  # D1
    wrong = []
    for place in places():
        for method in ("get", "post"):
            foreign, missing = (said(place, method, ids) for ids in (far.example(), nowhere(far)))
            one, other = (people.ask(method, place.at(**here), ids) for ids in (foreign, missing))
            ids = (*far.example().values(), *nowhere(far).values())
            if told(one, *ids) != told(other, *ids) or SECRET in one.content.decode().lower():
                wrong.append((method, place.route, one.status_code, other.status_code))
    assert wrong == []


def nowhere(far: Far) -> dict[str, str]:
    """An id of each sort that nothing has."""
    return {
        name: str(uuid.UUID(int=number)) if "-" in one else str(999_000 + number)
        for number, (name, one) in enumerate(far.example().items(), 1)
    }


def said(place: Place, method: str, ids: dict[str, str]) -> dict[str, Any]:
    """What an address is told, with every id that it may take."""
    if not place.rest:
        named = {name: ids[whose] for name, whose in NAMED.items()}
        return named if method == "get" else form() | named
    if method == "get":
        return {"batch": ids["batch_id"]}
    return {"choice": "keep_new", "flags": [ids["flag_id"]]}
