"""Under /api/: the OpenAPI document, a page to read it, and JSON for anything unknown."""

from typing import NoReturn

from django.http import Http404
from django.urls import path, re_path
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.views import APIView


@extend_schema(exclude=True)
class Nothing(APIView):
    """A JSON 404 for every method and address that nothing else answers."""

    authentication_classes = []
    permission_classes = []
    throttle_classes = []

    def initial(self, request: Request, *args: object, **kwargs: object) -> NoReturn:
        """Raise Http404."""
        raise Http404


# The variant whose script is a file of its own, and a template without inline style: the page works
# under the same Content-Security-Policy as every other.
docs = SpectacularSwaggerSplitView.as_view(template_name="memories/api_docs.html")

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", docs, name="api_docs"),
    re_path("", Nothing.as_view()),
]
