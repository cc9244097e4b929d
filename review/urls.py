from django.urls import path

from review.pages import views

app_name = "review"
urlpatterns = [
    path("", views.queue, name="queue"),
    path("<uuid:flag_id>/", views.item, name="item"),
    path("<uuid:flag_id>/decide/", views.decide, name="decide"),
    path("<uuid:flag_id>/take-over/", views.take_over, name="take_over"),
]
