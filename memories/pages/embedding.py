"""The page on which a space changes its embedding model: doors only (E9)."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.errors import Invalid
from memories.jobs import reembedding
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.job_present import RunRow, reason_against
from memories.pages.rendering import page_or_fragment

HERE = "jobs:embedding"


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """What the space embeds with, how far a change is, and what can be done now."""
    state = reembedding.state_of(request.actor)
    runs = [RunRow.of(run) for run in (state.run, state.cleaning) if run is not None]
    others = [name for name in settings.EMBEDDING_MODELS if name != state.active]
    context: dict[str, Any] = {
        "state": state,
        "going": [row for row in runs if row.open],
        "run": runs[0] if state.other and runs else None,
        "others": others,
        "unlisted": state.active not in settings.EMBEDDING_MODELS,
        "against": reason_against(request.actor),
    }
    return page_or_fragment(request, "jobs/embedding.html", "jobs/_embedding.html", context)


@posts_to(HERE)
@member_page
def begin(request: MemberRequest) -> HttpResponse:
    """Begin a change, or fill what lacks its vector once more."""
    model = request.POST.get("model", "")
    return _asked(request, reembedding.begin_change, "", model=model)


@posts_to(HERE)
@member_page
def switch(request: MemberRequest) -> HttpResponse:
    """Use the other model from now on."""
    model = request.POST.get("model", "")
    said = _("Recall compares with “%(model)s” now.") % {"model": model}
    return _asked(request, reembedding.switch, said, model=model)


@posts_to(HERE)
@member_page
def finish(request: MemberRequest) -> HttpResponse:
    """End the change with the model in use."""
    return _asked(request, reembedding.finish, _("The change has ended."))


def _asked(
    request: MemberRequest, what: Callable[..., Any], said: str, **more: str
) -> HttpResponse:
    try:
        what(actor=request.actor, **more)
    except Invalid as error:
        messages.error(request, error.message)
    else:
        if said:
            messages.success(request, said)
    return redirect(HERE)
