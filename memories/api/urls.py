"""Under /api/v1/: memories and search."""

from django.urls import path

from memories.api import views

app_name = "memories_api"
urlpatterns = [
    path("memories", views.Memories.as_view(), name="memories"),
    path("memories/<uuid:memory_id>", views.OneMemory.as_view(), name="memory"),
    path("memories/<uuid:memory_id>/versions", views.Versions.as_view(), name="versions"),
    path("search", views.Search.as_view(), name="search"),
]
