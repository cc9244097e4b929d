"""Under /api/v1/: the review queue."""

from django.urls import path

from review.api import decided, handling, space, views

app_name = "review_api"
_FLAG = "flags/<uuid:flag_id>"
_BATCH = "batches/<uuid:batch_id>"
urlpatterns = [
    path("flags", views.Flags.as_view(), name="flags"),
    path("flags/counts", views.FlagCounts.as_view(), name="counts"),
    path(_FLAG, views.OneFlag.as_view(), name="flag"),
    path(f"{_FLAG}/decide", views.Decide.as_view(), name="decide"),
    path(f"{_FLAG}/claim", handling.ClaimOf.as_view(), name="claim"),
    path(f"{_FLAG}/snooze", handling.Snooze.as_view(), name="snooze"),
    path(f"{_FLAG}/wake", handling.Wake.as_view(), name="wake"),
    path(f"{_FLAG}/assign", handling.Assign.as_view(), name="assign"),
    path(f"{_FLAG}/comments", handling.Comments.as_view(), name="comments"),
    path("decisions", decided.Decisions.as_view(), name="decisions"),
    path("decisions/<uuid:decision_id>/undo", decided.UndoDecision.as_view(), name="undo"),
    path("batches", decided.Batches.as_view(), name="batches"),
    path(_BATCH, decided.OneBatch.as_view(), name="batch"),
    path(f"{_BATCH}/start", decided.StartBatch.as_view(), name="start_batch"),
    path(f"{_BATCH}/undo", decided.UndoBatch.as_view(), name="undo_batch"),
    path("review/numbers", space.NumbersOf.as_view(), name="numbers"),
    path("policy", space.PolicyOf.as_view(), name="policy"),
]
