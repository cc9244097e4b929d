"""Under /api/v1/: memories, search, sessions and jobs."""

from django.urls import path

from memories.api import erasures, history, jobs, links, sessions, shelves, views

app_name = "memories_api"
_MEMORY = "memories/<uuid:memory_id>"
_SESSION = "sessions/<uuid:session_id>"
_RUN = "runs/<uuid:run_id>"
urlpatterns = [
    path("memories", views.Memories.as_view(), name="memories"),
    path("memories/batch", views.ManyMemories.as_view(), name="memories_batch"),
    path("memories/<uuid:memory_id>", views.OneMemory.as_view(), name="memory"),
    path("memories/<uuid:memory_id>/versions", views.Versions.as_view(), name="versions"),
    path("memories/<uuid:memory_id>/feedback", views.FeedbackOn.as_view(), name="feedback"),
    path(f"{_MEMORY}/archive", shelves.Archive.as_view(), name="archive"),
    path(f"{_MEMORY}/restore", shelves.Restore.as_view(), name="restore"),
    path(f"{_MEMORY}/pin", shelves.Pin.as_view(), name="pin"),
    path(f"{_MEMORY}/versions/<int:number>/restore", history.RestoreVersion.as_view()),
    path(f"{_MEMORY}/links", links.Links.as_view(), name="links"),
    path(f"{_MEMORY}/compare", history.Compare.as_view(), name="compare"),
    path(f"{_MEMORY}/history", history.History.as_view(), name="history"),
    path("consolidations", links.Consolidations.as_view(), name="consolidations"),
    path("search", views.Search.as_view(), name="search"),
    path("sessions", sessions.Sessions.as_view(), name="sessions"),
    path(_SESSION, sessions.OneSession.as_view(), name="session"),
    path(f"{_SESSION}/turns", sessions.Turns.as_view(), name="turns"),
    path(f"{_SESSION}/end", sessions.End.as_view(), name="end"),
    path(f"{_SESSION}/context", sessions.ContextOf.as_view(), name="context"),
    path(f"{_SESSION}/distillation", sessions.Distillation.as_view(), name="distillation"),
    path("turns/failed", sessions.FailedCalls.as_view(), name="failed_calls"),
    path("erasures", erasures.Erasures.as_view(), name="erasures"),
    path("erasures/preview", erasures.ErasurePreview.as_view(), name="erasure_preview"),
    path("jobs", jobs.Jobs.as_view(), name="jobs"),
    path("jobs/<slug:job>/runs", jobs.RunsOfJob.as_view(), name="job_runs"),
    path("runs", jobs.Runs.as_view(), name="runs"),
    path(_RUN, jobs.OneRun.as_view(), name="run"),
    path(f"{_RUN}/stop", jobs.Stop.as_view(), name="run_stop"),
    path(f"{_RUN}/retry", jobs.Retry.as_view(), name="run_retry"),
    path(f"{_RUN}/undo", jobs.Undo.as_view(), name="run_undo"),
]
