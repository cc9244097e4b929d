"""Who looks at a page: a signed-in person acting in one of their spaces."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django_htmx.middleware import HtmxDetails

from memories.errors import NotAllowed, NotFound
from memories.identity import actor_for_user
from memories.permissions import Actor

SPACE_KEY = "space"
Rest = ParamSpec("Rest")
View = Callable[Concatenate[HttpRequest, Rest], HttpResponse]


class MemberRequest(HttpRequest):
    """A request of a person who belongs to the space that `actor` acts in."""

    actor: Actor
    htmx: HtmxDetails


def member_page(
    view: Callable[Concatenate[MemberRequest, Rest], HttpResponse],
) -> View[Rest]:
    """Give a view `request.actor`; without a space, or without the right, a page that says so."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        actor = _actor_of(request)
        if actor is None:
            return render(request, "memories/no_space.html", status=403)
        member = cast(MemberRequest, request)
        member.actor = actor
        try:
            return view(member, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.message) from error
        except NotAllowed as error:
            raise PermissionDenied(error.message) from error

    return never_cache(login_required(guarded))


def posts_to(page: str) -> Callable[[View[Rest]], View[Rest]]:
    """Make a view take forms only; a link to it, as after a refusal, leads to the form's `page`."""

    def decorated(view: View[Rest]) -> View[Rest]:
        @wraps(view)
        def door(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            return redirect(reverse(page, args=args, kwargs=kwargs))

        return door

    return decorated


def _actor_of(request: HttpRequest) -> Actor | None:
    """Return the person in the space they chose last; a membership that ended falls back."""
    chosen = request.session.get(SPACE_KEY)
    actor = actor_for_user(request.user, UUID(chosen)) if chosen else None
    return actor or actor_for_user(request.user)
