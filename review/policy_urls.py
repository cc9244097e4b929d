from django.urls import path

from review.pages import policies, rules

app_name = "policies"
urlpatterns = [
    path("", policies.index, name="index"),
    path("restore/", policies.restore, name="restore"),
    path("rules/", rules.index, name="rules"),
    path("rules/new/", rules.create, name="rule_new"),
    path("rules/<uuid:rule_id>/", rules.detail, name="rule"),
    path("rules/<uuid:rule_id>/move/", rules.move, name="rule_move"),
    path("rules/<uuid:rule_id>/switch/", rules.switch, name="rule_switch"),
    path("rules/<uuid:rule_id>/waiting/", rules.decide_waiting, name="rule_waiting"),
    path("rules/<uuid:rule_id>/delete/", rules.delete, name="rule_delete"),
]
