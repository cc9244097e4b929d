from django.urls import path

from memories.pages import erase, past, shell, shelves, shelving, views

app_name = "memories"
_ONE = "<uuid:memory_id>/"
urlpatterns = [
    path("", views.index, name="index"),
    path("erase/", erase.index, name="erase"),
    path("erase/<uuid:run_id>/", erase.erasure, name="erasure"),
    path("archive/", shelves.archive, name="archive"),
    path("archive/restore/", shelves.restore_from_archive, name="restore_from_archive"),
    path("trash/", shelves.trash, name="trash"),
    path("trash/restore/", shelves.restore_from_trash, name="restore_from_trash"),
    path(_ONE, views.detail, name="detail"),
    path(f"{_ONE}edit/", views.edit, name="edit"),
    path(f"{_ONE}feedback/", views.feedback, name="feedback"),
    path(f"{_ONE}delete/", shelving.delete, name="delete_one"),
    path(f"{_ONE}archive/", shelving.archive, name="archive_one"),
    path(f"{_ONE}restore/", shelving.restore, name="restore_one"),
    path(f"{_ONE}pin/", shelving.pin, name="pin"),
    path(f"{_ONE}compare/", past.compare, name="compare"),
    path(f"{_ONE}blame/", past.blame, name="blame"),
    path(f"{_ONE}history.json", past.export, name="history"),
    path(f"{_ONE}versions/<int:number>/", past.version, name="version"),
    path(f"{_ONE}versions/<int:number>/restore/", past.restore, name="restore_version"),
    path("choose-space/", shell.choose_space, name="choose_space"),
    path("choose-theme/", shell.choose_theme, name="choose_theme"),
    path("choose-zone/", shell.choose_zone, name="choose_zone"),
]
