"""Who looks at a page: a signed-in person acting in one of their spaces."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django_htmx.middleware import HtmxDetails

from memories.errors import NotAllowed, NotFound
from memories.identity import actor_for_user
from memories.models.space import Membership
from memories.permissions import Actor
from memories.text.clean import storable

SPACE_KEY = "space"
Rest = ParamSpec("Rest")
View = Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]


class MemberRequest(HttpRequest):
    """A request of a person who belongs to the space that `actor` acts in."""

    actor: Actor
    htmx: HtmxDetails


def member_page(
    view: Callable[Concatenate[MemberRequest, Rest], HttpResponseBase],
) -> View[Rest]:
    """Give a view `request.actor`; without a space, or without the right, a page that says so."""

    @wraps(view)
    def guarded(
        request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs
    ) -> HttpResponseBase:
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

    return never_cache(_signed_in(guarded))


def _signed_in(view: View[Rest]) -> View[Rest]:
    """Lead to the sign-in page; htmx would put that page into this one, so it loads this anew."""
    otherwise = login_required(view)

    @wraps(view)
    def door(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated or "HX-Request" not in request.headers:
            return otherwise(request, *args, **kwargs)
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})

    return door


def posts_to(page: str) -> Callable[[View[Rest]], View[Rest]]:
    """Make a view take forms only; a link to it, as after a refusal, leads to the form's `page`."""

    def decorated(view: View[Rest]) -> View[Rest]:
        @wraps(view)
        def door(
            request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs
        ) -> HttpResponseBase:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            return redirect(reverse(page, args=args, kwargs=kwargs))

        return door

    return decorated


def _actor_of(request: HttpRequest) -> Actor | None:
    """Return the person in the space that the address names, or else in the one they chose last.

    A membership that ended falls back to another one. Raises Http404 for a named space that the
    person is not in: it looks like one that does not exist (D1).
    """
    if "space" in request.GET:
        return _switched(request, request.GET["space"])
    chosen = request.session.get(SPACE_KEY)
    actor = actor_for_user(request.user, UUID(chosen)) if chosen else None
    return actor or actor_for_user(request.user)


def _switched(request: HttpRequest, slug: str) -> Actor:
    """Return the person in the space of that slug, and remember it for the pages to come."""
    spaces = Membership.objects.filter(user=request.user.pk, space__slug=storable(slug)[0])
    space_id = spaces.values_list("space_id", flat=True).first()
    actor = actor_for_user(request.user, space_id) if space_id else None
    if actor is None:
        raise Http404
    if request.session.get(SPACE_KEY) != str(space_id):
        request.session[SPACE_KEY] = str(space_id)
    return actor
