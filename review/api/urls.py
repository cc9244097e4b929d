"""Under /api/v1/: the review queue."""

from django.urls import path

from review.api import views

app_name = "review_api"
urlpatterns = [
    path("flags", views.Flags.as_view(), name="flags"),
    path("flags/<uuid:flag_id>", views.OneFlag.as_view(), name="flag"),
    path("flags/<uuid:flag_id>/decide", views.Decide.as_view(), name="decide"),
]
