from django.urls import path

from memories.pages import shell, views

app_name = "memories"
urlpatterns = [
    path("", views.index, name="index"),
    path("<uuid:memory_id>/", views.detail, name="detail"),
    path("<uuid:memory_id>/edit/", views.edit, name="edit"),
    path("<uuid:memory_id>/delete/", views.delete, name="delete"),
    path("<uuid:memory_id>/feedback/", views.feedback, name="feedback"),
    path("choose-space/", shell.choose_space, name="choose_space"),
    path("choose-theme/", shell.choose_theme, name="choose_theme"),
    path("choose-zone/", shell.choose_zone, name="choose_zone"),
]
