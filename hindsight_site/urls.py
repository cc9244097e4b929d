"""Every address of the product, a line a room."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.generic import RedirectView

from hindsight_site.health import health

urlpatterns = [
    path("", RedirectView.as_view(pattern_name=settings.LOGIN_REDIRECT_URL), name="home"),
    path("review/", include("review.urls")),
    path("memories/", include("memories.pages.urls")),
    path("sessions/", include("memories.pages.session_urls")),
    path("recalls/", include("memories.pages.recall_urls")),
    path("jobs/", include("memories.pages.job_urls")),
    path("evaluation/", include("memories.pages.evaluation_urls")),
    path("evaluation/weights/", include("review.pages.weights_urls")),
    path("policies/", include("review.policy_urls")),
    path("playground/", include("review.pages.playground_urls")),
    path("agents/", include("review.pages.agent_urls")),
    path("api/v1/", include("memories.api.urls")),
    path("api/v1/", include("review.api.urls")),
    path("api/", include("memories.api.docs_urls")),
    path("health/", health, name="health"),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
]
