"""The page that looks for better weights in what people judged: a door only."""

from typing import Any

from django.http import HttpResponse

from memories.errors import Invalid
from memories.evaluation.replaying import learn_weights
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.rendering import page_or_fragment
from review.pages.weights_present import told


@posts_to("evaluation:index")
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """Ask what was judged again under other weights, and say what was found: nothing changes."""
    context: dict[str, Any] = {}
    try:
        context["told"] = told(request.actor, learn_weights(actor=request.actor))
    except Invalid as error:
        context["error"] = error.message
    return page_or_fragment(request, "evaluation/weights.html", "evaluation/_weights.html", context)
