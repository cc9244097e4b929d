from django.urls import path

from memories.pages import sessions

app_name = "sessions"
urlpatterns = [
    path("", sessions.index, name="index"),
    path("<uuid:session_id>/", sessions.detail, name="detail"),
    path("<uuid:session_id>/turns/<int:number>/", sessions.turn, name="turn"),
    path("<uuid:session_id>/numbers/", sessions.numbers, name="numbers"),
    path("<uuid:session_id>/end/", sessions.end, name="end"),
    path("<uuid:session_id>/retry/", sessions.retry, name="retry"),
]
