"""One address serves the whole page, and to htmx only the part that changed."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from memories.pages.access import MemberRequest


def page_or_fragment(
    request: MemberRequest, page: str, fragment: str, context: dict[str, Any]
) -> HttpResponse:
    """Render `fragment` for an htmx request and `page`, which includes it, for any other."""
    partial = request.htmx and not (request.htmx.history_restore_request or request.htmx.boosted)
    response = render(request, fragment if partial else page, context)
    # Without it the back button may show the part as if it were the page.
    patch_vary_headers(response, ["HX-Request"])
    return response
