from django.urls import path

from memories.pages import evaluation

app_name = "evaluation"
_ONE = "<uuid:evaluation_id>/"
urlpatterns = [
    path("", evaluation.index, name="index"),
    path("begin/", evaluation.begin, name="begin"),
    path("queries.jsonl", evaluation.queries, name="queries"),
    path("memories.jsonl", evaluation.memories, name="memories"),
    path(_ONE, evaluation.detail, name="detail"),
    path(f"{_ONE}go-on/", evaluation.go_on, name="go_on"),
    path(f"{_ONE}finish/", evaluation.finish, name="finish"),
    path(f"{_ONE}<int:number>/", evaluation.question, name="question"),
]
