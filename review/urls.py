from django.urls import path

from review.pages import bulk, inbox, numbers, panel, saved_views, undoing, views

app_name = "review"
urlpatterns = [
    path("", inbox.queue, name="queue"),
    path("counts/", inbox.counts, name="counts"),
    path("views/save/", saved_views.save, name="save_view"),
    path("views/delete/", saved_views.delete, name="delete_view"),
    path("numbers/", numbers.numbers, name="numbers"),
    path("<uuid:flag_id>/", views.item, name="item"),
    path("<uuid:flag_id>/decide/", views.decide, name="decide"),
    path("<uuid:flag_id>/take-over/", views.take_over, name="take_over"),
    path("<uuid:flag_id>/skip/", views.skip, name="skip"),
    path("<uuid:flag_id>/presence/", views.presence, name="presence"),
    path("<uuid:flag_id>/snooze/", panel.snooze, name="snooze"),
    path("<uuid:flag_id>/wake/", panel.wake, name="wake"),
    path("<uuid:flag_id>/assign/", panel.assign, name="assign"),
    path("<uuid:flag_id>/comment/", panel.comment, name="comment"),
    path("bulk/", bulk.preview, name="bulk_preview"),
    path("batches/", bulk.batches, name="batches"),
    path("batches/<uuid:batch_id>/", bulk.batch, name="batch"),
    path("batches/<uuid:batch_id>/start/", bulk.start, name="batch_start"),
    path("batches/<uuid:batch_id>/cancel/", bulk.cancel, name="batch_cancel"),
    path("batches/<uuid:batch_id>/undo/", bulk.undo, name="batch_undo"),
    path("decisions/<uuid:decision_id>/undo/", undoing.undo, name="undo"),
]
