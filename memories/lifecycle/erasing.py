"""Everything about one end user of a space: where it is, how much, and its removal, step by step.

A step is one table's rows; what hangs on them goes with them. memories/jobs/kinds/erase_user.py
takes the steps batch by batch.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import (
    CASCADE,
    BooleanField,
    F,
    Func,
    Model,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.functions import Cast
from django.dispatch import Signal
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories import history
from memories.errors import Invalid
from memories.inputs import MAX_NAME, short_text
from memories.lifecycle.purging import Removed, purge_memories, removed
from memories.models.agent import Agent, AgentKey
from memories.models.event import Event
from memories.models.feedback import Feedback
from memories.models.flag import Flag
from memories.models.graph import Entity
from memories.models.job import JobRun
from memories.models.memory import Memory
from memories.models.recall import Recall
from memories.models.session import Session, Turn
from memories.models.tombstone import Tombstone
from memories.permissions import Actor
from memories.writing.store import hold_owner
from memories.writing.tombstones import subject_digest

traces_erased = Signal()
"""Sent at the end with `space_id` and `user_id`: rooms above blank the name where it is an address.
A receiver returns how many rows of which model it changed."""

# What the rows of a model are called, in a preview and in a receipt.
TABLES: Mapping[str, Any] = {
    "memory": gettext_lazy("memories"),
    "memoryversion": gettext_lazy("versions of memories"),
    "hit": gettext_lazy("hits of recalls"),
    "flag": gettext_lazy("review items"),
    "flagsource": gettext_lazy("sources of merge proposals"),
    "decision": gettext_lazy("decisions"),
    "comment": gettext_lazy("comments"),
    "claim": gettext_lazy("claims"),
    "batchitem": gettext_lazy("items of batches"),
    "feedback": gettext_lazy("feedback"),
    "receipt": gettext_lazy("idempotency keys"),
    "mention": gettext_lazy("mentions"),
    "entity": gettext_lazy("entities"),
    "link": gettext_lazy("links"),
    "session": gettext_lazy("sessions"),
    "turn": gettext_lazy("turns"),
    "distillationrun": gettext_lazy("distillation runs"),
    "candidate": gettext_lazy("candidates"),
    "recall": gettext_lazy("recalls"),
    "judgement": gettext_lazy("judgements of recalls"),
    "event": gettext_lazy("names in log entries"),
    "agent": gettext_lazy("agents bound to the user (switched off)"),
    "jobrun": gettext_lazy("names in job runs"),
    "savedview": gettext_lazy("names in saved views"),
    "batch": gettext_lazy("names in batches"),
}


@dataclass(frozen=True, slots=True)
class Preview:
    """What erasing would remove: rows by model, as in TABLES.

    `elsewhere` is how many other texts of the space contain the name; they stay. `open_sessions`
    says how many sessions of the user still go on: more may be written.
    """

    user_id: str
    counts: Mapping[str, int]
    elsewhere: int
    open_sessions: int

    @property
    def total(self) -> int:
        """Return how many rows go."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Step:
    """The rows of one model about a user, and how some of them, by key, are removed."""

    rows: Callable[[UUID, str], "QuerySet[Any]"]
    remove: Callable[[Actor, str, Collection[UUID]], Removed]


def named(user_id: str) -> str:
    """Return a user's name as it is stored, or raise Invalid: nobody is no one to erase."""
    name = short_text(user_id, "user_id", MAX_NAME)
    if not name:
        raise Invalid(
            _("user_id is empty: name the end user whose data is to be erased."), field="user_id"
        )
    return name


def preview_erasure(*, actor: Actor, user_id: str) -> Preview:
    """Say what erasing everything about an end user would remove; nothing is changed.

    Raises NotAllowed, or Invalid for an empty name.
    """
    actor.require("administer")
    name = named(user_id)
    sessions = _sessions(actor.space_id, name)
    return Preview(
        name,
        _counted([step.rows(actor.space_id, name) for step in STEPS]),
        _elsewhere(actor.space_id, name),
        sessions.filter(ended_at__isnull=True).count(),
    )


def _counted(roots: "list[QuerySet[Any]]") -> dict[str, int]:
    """Count rows with all that hangs on them, each once, by model."""
    found: dict[type[Model], Q] = {}
    for rows in roots:
        found[rows.model] = found.get(rows.model, Q()) | Q(pk__in=rows.order_by().values("pk"))
    queue = deque(found)
    while queue:
        parent = queue.popleft()
        rows = parent._base_manager.filter(found[parent]).values("pk")
        for relation in parent._meta.related_objects:
            if getattr(relation, "on_delete", None) is not CASCADE:
                continue
            child = relation.related_model
            if child not in found:
                queue.append(child)
            found[child] = found.get(child, Q()) | Q(**{f"{relation.field.name}__in": rows})
    counts = {
        str(model._meta.model_name): model._base_manager.filter(condition).count()
        for model, condition in found.items()
    }
    return {name: n for name, n in counts.items() if n}


def _elsewhere(space_id: UUID, name: str) -> int:
    """Count texts about others in which the name stands; whether they mean it, no rule knows."""
    said = Q()
    for field in ("content", "reflection", "subject"):
        said |= Q(**{f"{field}__icontains": name})
    memories = Memory.objects.filter(said, space_id=space_id).exclude(user_id=name)
    turns = Turn.objects.filter(space_id=space_id, content__icontains=name).exclude(user_id=name)
    return memories.count() + turns.count()


def _sessions(space_id: UUID, name: str) -> "QuerySet[Session]":
    found: QuerySet[Session] = Session.objects.filter(space_id=space_id, user_id=name)
    return found


def _memories(space_id: UUID, name: str) -> "QuerySet[Memory]":
    found: QuerySet[Memory] = Memory.objects.filter(space_id=space_id, user_id=name)
    return found


def _recalls(space_id: UUID, name: str) -> "QuerySet[Recall]":
    return Recall.objects.filter(Q(user_id=name) | Q(filters__user_id=name), space_id=space_id)


def _feedback(space_id: UUID, name: str) -> "QuerySet[Feedback]":
    """What was said on behalf of the user, also of memories about nobody."""
    bound = Agent.objects.filter(space_id=space_id, user_id=name).values("pk")
    given = Q(recall__user_id=name) | Q(actor_kind="agent", actor_id__in=bound)
    return Feedback.objects.filter(given, memory__space_id=space_id)


def _entities(space_id: UUID, name: str) -> "QuerySet[Entity]":
    return Entity.objects.filter(space_id=space_id, user_id=name)


def _events(space_id: UUID, name: str) -> "QuerySet[Event]":
    """Log entries whose data names the user, at any depth."""
    it = Func(Value("it"), Cast(Value(name), TextField()), function="jsonb_build_object")
    path = Value("$.**.user_id ? (@ == $it)")
    names = Func(F("data"), path, it, function="jsonb_path_exists", output_field=BooleanField())
    return Event.objects.filter(names, space_id=space_id)


def _remove_sessions(actor: Actor, name: str, keys: Collection[UUID]) -> Removed:
    rows = _sessions(actor.space_id, name).filter(pk__in=keys)
    # The lock that recording and distilling take, too.
    held = list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    return removed(Session.objects.filter(pk__in=held))


def _remove_memories(actor: Actor, name: str, keys: Collection[UUID]) -> Removed:
    rows = _memories(actor.space_id, name).filter(pk__in=keys)
    return purge_memories(rows, actor=actor, why=Tombstone.Why.ERASED)


def _remove_feedback(actor: Actor, name: str, keys: Collection[UUID]) -> Removed:
    """Also the words that the open review item took over from a complaint."""
    rows = _feedback(actor.space_id, name).filter(pk__in=keys)
    for memory_id, note in rows.exclude(note="").values_list("memory", "note"):
        flags = Flag.objects.filter(memory=memory_id, evidence__note=note)
        for flag in flags.select_for_update().order_by("pk"):
            flag.evidence = flag.evidence | {"note": ""}
            flag.save(update_fields=["evidence"])
    return removed(Feedback.objects.filter(pk__in=rows.values("pk")))


def _remove_recalls(actor: Actor, name: str, keys: Collection[UUID]) -> Removed:
    return removed(_recalls(actor.space_id, name).filter(pk__in=keys))


def _remove_entities(actor: Actor, name: str, keys: Collection[UUID]) -> Removed:
    return removed(_entities(actor.space_id, name).filter(pk__in=keys))


def _scrub_events(actor: Actor, name: str, keys: Collection[UUID]) -> Removed:
    events = list(_events(actor.space_id, name).filter(pk__in=keys).select_for_update())
    for event in events:
        event.data = without(event.data, name)
    with history.erasing("texts"):
        Event.objects.bulk_update(events, ["data"])
    return Counter({"event": len(events)})


def without(data: Any, name: str) -> Any:
    """Return JSON without the entries that say which user it is about, when it is this one."""
    if isinstance(data, list):
        return [without(one, name) for one in data]
    if not isinstance(data, dict):
        return data
    return {
        key: without(value, name)
        for key, value in data.items()
        if not (key == "user_id" and (value == name or (isinstance(value, list) and name in value)))
    }


# Sessions first: what is being distilled would bring new memories.
SESSIONS = Step(_sessions, _remove_sessions)
STEPS: tuple[Step, ...] = (
    SESSIONS,
    Step(_memories, _remove_memories),
    Step(_feedback, _remove_feedback),
    Step(_recalls, _remove_recalls),
    Step(_entities, _remove_entities),
    Step(_events, _scrub_events),
)


def is_left(space_id: UUID, name: str) -> bool:
    """Whether anything about a user is (again) there.

    Until the caller's transaction ends nobody writes a memory about them.
    """
    hold_owner(Memory(space_id=space_id, user_id=name))
    at_it = JobRun.objects.unfinished().filter(space_id=space_id, cursor__endswith=f"/{name}")
    return at_it.exists() or any(step.rows(space_id, name).exists() for step in STEPS)


def _forget_places(runs: "QuerySet[JobRun]", name: str) -> int:
    """Where a run ended, or failed, is a row's key; one that goes by owners ends with the name."""
    end, changed = f"/{name}", []
    for run in runs.filter(Q(cursor__endswith=end) | ~Q(errors=[])):
        told = [one | {"row": _placeless(one["row"], end)} for one in run.errors]
        place = _placeless(run.cursor, end)
        if (place, told) != (run.cursor, run.errors):
            run.cursor, run.errors = place, told
            changed.append(run)
    JobRun.objects.bulk_update(changed, ["cursor", "errors"])
    return len(changed)


def _placeless(place: str, end: str) -> str:
    return f"{place.removesuffix(end)}/" if place.endswith(end) else place


def erase_traces(*, actor: Actor, user_id: str) -> Removed:
    """Take the name out of what is not about the user but names them: runs, agents, saved filters.

    An agent bound to the user acts for nobody afterwards, and its keys end.
    """
    space_id = actor.space_id
    nobody = f"erased-{subject_digest(space_id, user_id)[:16]}"
    agents = Agent.objects.filter(space_id=space_id, user_id=user_id)
    bound = list(agents.values_list("pk", flat=True))
    AgentKey.objects.filter(agent__in=bound).delete()
    counts: Removed = Counter(agent=agents.update(user_id=nobody, is_active=False))
    subject = {"subject": subject_digest(space_id, user_id)}
    runs = JobRun.objects.filter(space_id=space_id)
    counts["jobrun"] = runs.filter(arguments__user_id=user_id).update(arguments=subject)
    counts["jobrun"] += _forget_places(runs.filter(finished_at__isnull=False), user_id)
    for _receiver, told in traces_erased.send(sender=Agent, space_id=space_id, user_id=user_id):
        counts += Counter(told)
    return +counts
