"""Middleware: pages tell times in the zone of whoever looks at them."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from memories.pages.context import ZONE_COOKIE, zone_named


class ViewersZone:
    """Activates the zone that a cookie names, for one request; without one it is TIME_ZONE."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the viewer's zone; what is no known zone's name is ignored."""
        with timezone.override(zone_named(request.COOKIES.get(ZONE_COOKIE, ""))):
            return self.get_response(request)
