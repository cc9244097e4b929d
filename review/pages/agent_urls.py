from django.urls import path

from review.pages import agents

app_name = "agents"
urlpatterns = [
    path("", agents.index, name="index"),
    path("<uuid:agent_id>/", agents.detail, name="detail"),
]
