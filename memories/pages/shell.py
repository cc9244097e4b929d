"""What a person chooses about the frame of every page: the space, the colours, the time zone."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memories.identity import actor_for_user
from memories.pages.access import SPACE_KEY
from memories.pages.context import THEME_COOKIE, THEMES, ZONE_COOKIE, zone_named

YEAR = 365 * 24 * 3600


@require_POST
@login_required
def choose_space(request: HttpRequest) -> HttpResponse:
    """Go on in another space of this person; one that is not theirs looks like a missing one."""
    chosen = _uuid(request.POST.get("space", ""))
    if chosen and actor_for_user(request.user, chosen):
        request.session[SPACE_KEY] = str(chosen)
    else:
        messages.error(request, _("There is no such space here."))
    return redirect("review:queue")


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Keep light, dark or the system's colours in a cookie, and go back."""
    response = redirect(_back(request))
    chosen = request.POST.get("theme")
    if chosen in THEMES:
        response.set_cookie(
            THEME_COOKIE,
            chosen,
            max_age=YEAR,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    return response


@require_POST
def choose_zone(request: HttpRequest) -> HttpResponse:
    """Keep a time zone in a cookie, or with an empty name forget it, and go back."""
    response = redirect(_back(request))
    chosen = request.POST.get("timezone", "")
    if not chosen:
        response.delete_cookie(ZONE_COOKIE, samesite="Lax")
    elif zone_named(chosen):
        # Not HttpOnly: the page's script has to see that there is one.
        response.set_cookie(
            ZONE_COOKIE, chosen, max_age=YEAR, secure=request.is_secure(), samesite="Lax"
        )
    return response


def _back(request: HttpRequest) -> str:
    return address_back(request) or "home"


def back_or(request: HttpRequest, page: str, *args: object) -> HttpResponse:
    """Go back to where a form came from, or else to a page that it has named nowhere."""
    return redirect(address_back(request) or reverse(page, args=args))


def address_back(request: HttpRequest) -> str:
    """Return the address that a form's `next` leads back to, "" for what is none of this site."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    # redirect() takes what is no path for the name of a view.
    return target if safe and target.startswith("/") else ""


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
