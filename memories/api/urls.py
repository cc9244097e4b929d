"""Under /api/v1/: memories, search and sessions."""

from django.urls import path

from memories.api import sessions, views

app_name = "memories_api"
_SESSION = "sessions/<uuid:session_id>"
urlpatterns = [
    path("memories", views.Memories.as_view(), name="memories"),
    path("memories/<uuid:memory_id>", views.OneMemory.as_view(), name="memory"),
    path("memories/<uuid:memory_id>/versions", views.Versions.as_view(), name="versions"),
    path("memories/<uuid:memory_id>/feedback", views.FeedbackOn.as_view(), name="feedback"),
    path("search", views.Search.as_view(), name="search"),
    path("sessions", sessions.Sessions.as_view(), name="sessions"),
    path(_SESSION, sessions.OneSession.as_view(), name="session"),
    path(f"{_SESSION}/turns", sessions.Turns.as_view(), name="turns"),
    path(f"{_SESSION}/end", sessions.End.as_view(), name="end"),
    path(f"{_SESSION}/context", sessions.ContextOf.as_view(), name="context"),
    path(f"{_SESSION}/distillation", sessions.Distillation.as_view(), name="distillation"),
    path("turns/failed", sessions.FailedCalls.as_view(), name="failed_calls"),
]
