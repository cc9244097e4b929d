"""A recorded session and a look back at it, as a run leaves them behind: helpers for tests."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.models import Candidate, DistillationRun, Session
from memories.permissions import Actor
from memories.sessions import end_session, record_turns, start_session
from tests.people import signed_in

URL = "/sessions/"
QUOTE = "we use tabs, not spaces"
SAID: list[dict[str, Any]] = [
    {"role": "user", "speaker": "Ada", "content": f"Please remember: {QUOTE}. Now run the tests."},
    {"type": "tool_call", "tool": "shell", "call_id": "c1", "data": {"command": "pytest -q"}},
    {
        "type": "tool_result",
        "tool": "shell",
        "call_id": "c1",
        "ok": False,
        "error": "2 tests failed",
        "data": {"exit_code": 1, "stdout": "FAILED tests/test_tabs.py"},
        "duration_ms": 1500,
    },
    {"role": "assistant", "content": "Two of them fail."},
]


def recorded(
    actor: Actor,
    said: Sequence[Mapping[str, Any]] = (),
    *,
    key: str = "s-1",
    ended: bool = True,
    outcome: str = "",
    task: str = "",
    user_id: str = "",
    visibility: str = "shared",
) -> Session:
    """Record a session as an agent's host does."""
    start_session(actor=actor, session=key, user_id=user_id, task=task, visibility=visibility)
    record_turns(actor=actor, session=key, user_id=user_id, turns=said or SAID)
    if ended:
        end_session(actor=actor, session=key, user_id=user_id, outcome=outcome)
    return Session.objects.get(agent=actor.id, user_id=user_id, key=key)


def candidate(verdict: str = "kept", reason: str = "stored", **more: Any) -> Candidate:
    """Return an unsaved candidate, made from the first turn unless said otherwise."""
    defaults: dict[str, Any] = {
        "content": "The team uses tabs.",
        "quote": QUOTE,
        "turns": [1],
        "kind": "preference",
        "owner": "team",
        "question": "How do we indent?",
        "value": "Code that fits in.",
        "source": "user_input",
        "certainty": 0.9,
        "worth": 0.8,
        "confidence": 0.9,
    }
    return Candidate(verdict=verdict, reason=reason, **defaults | more)


def looked_back(
    session: Session, *candidates: Candidate, turns: tuple[int, int] | None = None, **more: Any
) -> DistillationRun:
    """Store a run over these turns (all, unless told) as distil() does."""
    first, last = turns or (1, session.turn_count)
    now = timezone.now()
    counts = {
        "verdicts": Counter(one.verdict for one in candidates),
        "reasons": Counter(one.reason for one in candidates),
    }
    state = more.pop("state", "done")
    run = DistillationRun.objects.create(
        session=session,
        state=state,
        first_turn=first,
        last_turn=last,
        policy_version=more.pop("policy_version", 0),
        counts=counts,
        started_at=now,
        claimed_until=now,
        finished_at=None if state == "running" else now,
        **more,
    )
    for position, one in enumerate(candidates, 1):
        one.run, one.position = run, position
    Candidate.objects.bulk_create(candidates)
    if state == "done":
        Session.objects.filter(pk=session.pk).update(distilled_through=last)
    return run


def page_of(user: User, address: str = URL) -> str:
    """Return a page as this person sees it."""
    answer = signed_in(user).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def context_of(user: User, address: str) -> Any:
    """Return what a page was rendered with."""
    return signed_in(user).get(address).context


def at(session: Session, rest: str = "") -> str:
    """Return the address of a session's page, or of a part of it."""
    return f"{URL}{session.pk}/{rest}"
