"""The OpenAPI document: valid, committed, and kept by every answer to good and bad calls alike."""

from pathlib import Path
from typing import Any, get_type_hints

import pytest
import schemathesis
import yaml
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, given, settings
from pytest_django.live_server_helper import LiveServer
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    negative_data_rejection,
    positive_data_acceptance,
)

from hindsight_site.accounts.models import User
from memories.api import job_shapes, outputs, session_outputs
from memories.api.throttling import ActorThrottle
from memories.jobs.payload import JobPayload, RunPayload
from memories.models import JobRun
from memories.payloads import (
    BatchPayload,
    CountsPayload,
    FeedbackPayload,
    MemoryPayload,
    WritePayload,
)
from memories.recall.payload import HitPayload, RecallPayload
from memories.sessions import payload
from review import payloads as review
from review.api import shapes
from tests.memories.api.client import Caller

COMMITTED = Path(__file__).parents[3] / "docs" / "openapi.yaml"
OPERATIONS = [
    ("POST", "/api/v1/memories"),
    ("GET", "/api/v1/memories"),
    ("POST", "/api/v1/memories/batch"),
    ("GET", "/api/v1/memories/{memory_id}"),
    ("PATCH", "/api/v1/memories/{memory_id}"),
    ("DELETE", "/api/v1/memories/{memory_id}"),
    ("GET", "/api/v1/memories/{memory_id}/versions"),
    ("POST", "/api/v1/memories/{memory_id}/feedback"),
    ("POST", "/api/v1/memories/{memory_id}/archive"),
    ("POST", "/api/v1/memories/{memory_id}/restore"),
    ("POST", "/api/v1/memories/{memory_id}/pin"),
    ("POST", "/api/v1/memories/{memory_id}/versions/{number}/restore"),
    ("GET", "/api/v1/memories/{memory_id}/compare"),
    ("GET", "/api/v1/memories/{memory_id}/history"),
    ("GET", "/api/v1/memories/{memory_id}/links"),
    ("POST", "/api/v1/consolidations"),
    ("POST", "/api/v1/search"),
    ("POST", "/api/v1/sessions"),
    ("GET", "/api/v1/sessions"),
    ("GET", "/api/v1/sessions/{session_id}"),
    ("POST", "/api/v1/sessions/{session_id}/turns"),
    ("GET", "/api/v1/sessions/{session_id}/turns"),
    ("POST", "/api/v1/sessions/{session_id}/end"),
    ("POST", "/api/v1/sessions/{session_id}/context"),
    ("GET", "/api/v1/sessions/{session_id}/distillation"),
    ("GET", "/api/v1/turns/failed"),
    ("POST", "/api/v1/erasures"),
    ("GET", "/api/v1/erasures"),
    ("GET", "/api/v1/erasures/preview"),
    ("GET", "/api/v1/flags"),
    ("GET", "/api/v1/flags/{flag_id}"),
    ("POST", "/api/v1/flags/{flag_id}/decide"),
    ("GET", "/api/v1/flags/counts"),
    ("POST", "/api/v1/flags/{flag_id}/claim"),
    ("DELETE", "/api/v1/flags/{flag_id}/claim"),
    ("POST", "/api/v1/flags/{flag_id}/snooze"),
    ("POST", "/api/v1/flags/{flag_id}/wake"),
    ("POST", "/api/v1/flags/{flag_id}/assign"),
    ("GET", "/api/v1/flags/{flag_id}/comments"),
    ("POST", "/api/v1/flags/{flag_id}/comments"),
    ("GET", "/api/v1/decisions"),
    ("POST", "/api/v1/decisions/{decision_id}/undo"),
    ("POST", "/api/v1/batches"),
    ("GET", "/api/v1/batches/{batch_id}"),
    ("POST", "/api/v1/batches/{batch_id}/start"),
    ("POST", "/api/v1/batches/{batch_id}/undo"),
    ("GET", "/api/v1/review/numbers"),
    ("GET", "/api/v1/policy"),
    ("GET", "/api/v1/jobs"),
    ("POST", "/api/v1/jobs/{job}/runs"),
    ("GET", "/api/v1/runs"),
    ("GET", "/api/v1/runs/{run_id}"),
    ("POST", "/api/v1/runs/{run_id}/stop"),
    ("POST", "/api/v1/runs/{run_id}/retry"),
    ("POST", "/api/v1/runs/{run_id}/undo"),
]


# A rule may refuse what has the right shape, and who calls is set by hand below.
NOT_MEANT = [positive_data_acceptance, ignored_auth]


def generated() -> dict[str, Any]:
    document: dict[str, Any] = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return document


def test_the_document_is_valid_openapi() -> None:
    validate_schema(generated())  # type: ignore[no-untyped-call]


def test_the_committed_document_is_up_to_date() -> None:
    text = yaml.safe_load(COMMITTED.read_text())
    assert text == generated(), "run: manage.py spectacular --file docs/openapi.yaml"


def test_the_document_lists_every_endpoint() -> None:
    paths = generated()["paths"]
    assert {(method.upper(), path) for path, methods in paths.items() for method in methods} == set(
        OPERATIONS
    )


@pytest.mark.parametrize(
    ("shape", "documented"),
    [
        (outputs.MemoryOutput, MemoryPayload),
        (outputs.WriteOutput, WritePayload),
        (outputs.WriteManyOutput, BatchPayload),
        (outputs.CountsOutput, CountsPayload),
        (outputs.FeedbackOutput, FeedbackPayload),
        (outputs.HitOutput, HitPayload),
        (outputs.RecallOutput, RecallPayload),
        (session_outputs.SessionOutput, payload.SessionPayload),
        (session_outputs.TurnOutput, payload.TurnPayload),
        (session_outputs.RecordedOutput, payload.RecordedPayload),
        (session_outputs.ContextHitOutput, payload.ContextHitPayload),
        (session_outputs.ContextOutput, payload.ContextPayload),
        (session_outputs.RunOutput, payload.RunPayload),
        (session_outputs.CandidateOutput, payload.CandidatePayload),
        (job_shapes.JobOutput, JobPayload),
        (job_shapes.JobRunOutput, RunPayload),
        (shapes.FlagOutput, review.FlagPayload),
        (shapes.OneFlagOutput, review.OneFlagPayload),
        (shapes.DecisionOutput, review.DecisionPayload),
        (shapes.ClaimOutput, review.ClaimPayload),
        (shapes.SourceOutput, review.SourcePayload),
        (shapes.OfferOutput, review.OfferPayload),
        (shapes.EffectOutput, review.EffectPayload),
        (shapes.CommentOutput, review.CommentPayload),
        (shapes.BatchOutput, review.BatchPayload),
        (shapes.RefusalOutput, review.RefusalPayload),
    ],
)
def test_it_documents_every_field_of_a_payload(shape: Any, documented: Any) -> None:
    assert set(shape().fields) == set(get_type_hints(documented))


def test_it_serves_the_document_to_anyone(client: Any, db: None) -> None:
    assert client.get("/api/schema/").status_code == 200


@pytest.fixture
def _many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ActorThrottle, "rate", "1000000/min", raising=False)


def meant(header: str) -> bool:
    """Whether a made-up header is for the API: not for the transport, nor about who calls."""
    return header.lower() not in {"host", "x-space", "connection", "expect", "transfer-encoding"}


def refuses(answer: Any) -> bool:
    """Whether a call was refused in another way than with 400.

    Too large comes before wrong: nobody reads such a body to tell what else is the matter. And of
    a batch that which is wrong is refused in its place.
    """
    if answer.status_code == 413:
        return True
    told = answer.json() if answer.status_code == 200 else {}
    return any("error" in one for one in told.get("results", ()))


def signed(token: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client


def decided(caller: Caller, flag: str) -> dict[str, str]:
    """Let a person decide a flag and prepare a batch; return the ids of both."""
    body = {"choice": "keep_old", "expected_versions": {"new": 1, "old": 1}}
    made = caller.post(f"/flags/{flag}/decide", body).json()["decision"]
    batch = caller.post("/batches", {"choice": "keep_new", "filter": {}}).json()
    return {"decision_id": made["id"], "batch_id": batch["id"]}


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
@pytest.mark.usefixtures("_many_calls")
def test_every_answer_is_as_documented(
    live_server: LiveServer,
    owner: Caller,
    agent_key: str,
    reviewer: User,
    method: str,
    path: str,
    mode: GenerationMode,
) -> None:
    known: dict[str, Any] = {"number": 1}
    known["memory_id"] = owner.write("The API server listens on port 8080")["id"]
    said = {"content": "The API server listens on port 9090", "source": "user_input"}
    known["flag_id"] = owner.post("/memories", said).json()["flags"][0]
    known["session_id"] = owner.post("/sessions", {}).json()["id"]
    owner.post(f"/sessions/{known['session_id']}/turns", {"turns": [{"content": "Hello."}]})
    said = {"content": "The API server listens on port 7070", "source": "user_input"}
    other = owner.post("/memories", said).json()["flags"][0]
    token = Token.objects.create(user=reviewer).key
    known |= decided(Caller(client=signed(token)), other)
    space_id = reviewer.memberships.values_list("space_id", flat=True).get()
    run = JobRun.objects.create(space_id=space_id, job="fade", state="done")
    known |= {"job": "fade", "run_id": str(run.pk)}
    # Only agents record sessions.
    caller = f"Bearer {agent_key}" if "/sessions" in path else f"Token {token}"
    operation = schemathesis.openapi.from_url(f"{live_server.url}/api/schema/")[path][method]

    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        if mode == GenerationMode.POSITIVE:
            mine = {name: known[name] for name in case.path_parameters or {}}
            case.path_parameters = mine or case.path_parameters
        made = {name: value for name, value in (case.headers or {}).items() if meant(name)}
        case.headers = made | {"Authorization": caller}
        (case.query or {}).pop("space", None)
        answer = case.call()
        rejected = [negative_data_rejection] if refuses(answer) else []
        case.validate_response(answer, excluded_checks=NOT_MEANT + rejected)

    check()
