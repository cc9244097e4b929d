from django.urls import path

from memories.pages import embedding, jobs

app_name = "jobs"
_RUN = "runs/<uuid:run_id>/"
urlpatterns = [
    path("", jobs.index, name="index"),
    path("embedding/", embedding.index, name="embedding"),
    path("embedding/begin/", embedding.begin, name="embedding_begin"),
    path("embedding/switch/", embedding.switch, name="embedding_switch"),
    path("embedding/finish/", embedding.finish, name="embedding_finish"),
    path("start/", jobs.start, name="start"),
    path("runs/", jobs.runs, name="runs"),
    path(_RUN, jobs.run, name="run"),
    path(f"{_RUN}stop/", jobs.stop, name="stop"),
    path(f"{_RUN}retry/", jobs.retry, name="retry"),
    path(f"{_RUN}undo/", jobs.undo, name="undo"),
    path(f"{_RUN}carry-out/", jobs.carry_out, name="carry_out"),
]
