"""The pages on which people judge what recall answers: doors only."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from memories.errors import Invalid, NotFound, Stale
from memories.evaluation.benchmark import benchmark_of, export_memories, export_queries
from memories.evaluation.judging import (
    evaluations_of,
    finish_evaluation,
    get_evaluation,
    judge,
    questions_of,
    reject_rest,
)
from memories.evaluation.sampling import begin_evaluation
from memories.models.evaluation import Evaluation
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.evaluation_present import (
    address,
    chart_of,
    question_context,
    reason_against,
    rounds_of,
)
from memories.pages.paging import key_of, page_of
from memories.pages.rendering import page_or_fragment

PAGE = 20
VERDICTS = {"yes": True, "no": False, "": None}


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """The rounds, newest first, and precision@3 over time."""
    found = evaluations_of(request.actor)
    finished = found.filter(closed_at__isnull=False)
    page = page_of(finished, request.GET, PAGE)
    rounds = rounds_of(page.rows)
    context: dict[str, Any] = {
        "page": page,
        "rounds": rounds,
        "chart": chart_of(rounds),
        "open": next(iter(rounds_of(found.filter(closed_at__isnull=True))), None),
        "against": reason_against(request.actor),
    }
    if "administer" in request.actor.verbs and rounds:
        context["benchmark"] = benchmark_of(request.actor)
    return render(request, "evaluation/index.html", context)


@posts_to("evaluation:index")
@member_page
def begin(request: MemberRequest) -> HttpResponse:
    """Draw the questions of a new round and go to the first; or join the round that is open."""
    try:
        evaluation = begin_evaluation(actor=request.actor)
    except Invalid as error:
        messages.warning(request, error.message)
        return redirect("evaluation:index")
    return redirect("evaluation:go_on", evaluation.pk)


@require_safe
@member_page
def detail(request: MemberRequest, evaluation_id: UUID) -> HttpResponse:
    """What a round says; to whoever may judge, with its questions."""
    evaluation = get_evaluation(actor=request.actor, evaluation_id=evaluation_id)
    (found,) = rounds_of([evaluation])
    against = reason_against(request.actor)
    questions = [] if against else questions_of(request.actor, evaluation)
    context = {"round": found, "evaluation": evaluation, "questions": questions, "against": against}
    return render(request, "evaluation/detail.html", context)


@require_safe
@member_page
def go_on(request: MemberRequest, evaluation_id: UUID) -> HttpResponse:
    """Go to the first question that still waits, and once none does, to the round."""
    evaluation = get_evaluation(actor=request.actor, evaluation_id=evaluation_id)
    questions = questions_of(request.actor, evaluation)
    return redirect(address(evaluation, next((q.number for q in questions if q.waiting), None)))


@posts_to("evaluation:detail")
@member_page
def finish(request: MemberRequest, evaluation_id: UUID) -> HttpResponse:
    """Close a round and show its result."""
    try:
        finish_evaluation(actor=request.actor, evaluation_id=evaluation_id)
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("evaluation:detail", evaluation_id)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def question(request: MemberRequest, evaluation_id: UUID, number: int) -> HttpResponse:
    """One question with its first hits, and what a form says of one of them or of the rest."""
    evaluation = get_evaluation(actor=request.actor, evaluation_id=evaluation_id)
    if request.method != "POST":
        return _question(request, evaluation, number)
    try:
        _judge(request, evaluation)
    except Stale as error:
        evaluation.refresh_from_db()
        response = _question(request, evaluation, number, overtaken=error.message)
        response.status_code = 409
        return response
    if request.htmx:
        return _question(request, evaluation, number)
    return redirect("evaluation:question", evaluation_id, number)


@require_GET
@member_page
def queries(request: MemberRequest) -> StreamingHttpResponse:
    """The questions of the benchmark, as a file."""
    return _file("queries.jsonl", export_queries(actor=request.actor))


@require_GET
@member_page
def memories(request: MemberRequest) -> StreamingHttpResponse:
    """The memories of the benchmark, as a file."""
    return _file("memories.jsonl", export_memories(actor=request.actor))


def _question(
    request: MemberRequest, evaluation: Evaluation, number: int, *, overtaken: str = ""
) -> HttpResponse:
    context = question_context(request.actor, evaluation, number) | {"overtaken": overtaken}
    return page_or_fragment(
        request, "evaluation/question.html", "evaluation/_question.html", context
    )


def _judge(request: MemberRequest, evaluation: Evaluation) -> None:
    """Do what a form asks for: judge one hit, or all that nobody judged of a question."""
    form = request.POST
    if rest := key_of(form.get("rest")):
        reject_rest(actor=request.actor, evaluation_id=evaluation.pk, recall_id=rest)
        return
    judgement, said, seen = (form.get(name, "") for name in ("judgement", "relevant", "expected"))
    key = key_of(judgement)
    if key is None or said not in VERDICTS or seen not in VERDICTS:
        raise NotFound(_("This form was sent in part. Load the page again."))
    judge(
        actor=request.actor,
        judgement_id=key,
        relevant=VERDICTS[said],
        expected=VERDICTS[seen],
    )


def _file(name: str, lines: Iterator[str]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
