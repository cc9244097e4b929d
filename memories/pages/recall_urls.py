from django.urls import path

from memories.pages import recall_usage, recalls

app_name = "recalls"
urlpatterns = [
    path("", recalls.index, name="index"),
    path("never/", recall_usage.never, name="never"),
    path("most/", recall_usage.most, name="most"),
    path("wrong/", recall_usage.wrong, name="wrong"),
    path("<uuid:recall_id>/", recalls.detail, name="detail"),
]
