"""Better weights in the browser: who may look, what is said, and that people decide (J5, H4)."""

from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from pytest_django import Settings

from memories.evaluation import learning
from memories.evaluation.replaying import Learnt
from memories.models import Event, Policy, Recall, Space
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy
from review.pages import weights, weights_present
from tests.memories.evaluation.rounds import judged
from tests.memories.evaluation.weighed import question, questions
from tests.people import member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
URL = "/evaluation/weights/"
COUNT = 8


@pytest.fixture
def boss(space: Space) -> Client:
    return signed_in(member(space, "ada", "admin"))


@pytest.fixture
def enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if so few questions were enough."""
    monkeypatch.setattr(learning, "ENOUGH", COUNT)


def text(response: Any) -> str:
    """What a page says, as the browser reads it."""
    return unescape(response.content.decode())


def link(page: str, label: str) -> str:
    """Where the link with this label leads."""
    return page.partition(f'">{label}</a>')[0].rpartition('href="')[2]


def finding(**said: Any) -> learning.Finding:
    plain = {"tried": 24, "present": 0.8, "reached": 0.81, "default": 0.79}
    return learning.Finding(**(plain | said))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make the page tell of a finding, whatever was judged."""

    def tell(one: learning.Finding, *recalls: Recall, unasked: int = 0, version: int = 0) -> None:
        learnt = Learnt(one, version, recalls, unasked, RecallPolicy())
        monkeypatch.setattr(weights, "learn_weights", lambda actor: learnt)

    return tell


# --- rights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("reviewer", 403), ("admin", 200)])
def test_only_admins_may_look(
    space: Space, actor: Actor, person: Actor, role: str, status: int
) -> None:  # G4
    question(actor, 1)
    judged(person, True, False)
    who = signed_in(member(space, "vi", role))
    answer = who.post(URL)
    assert answer.status_code == status
    assert ("svc-1" in text(answer)) is False
    assert ("Look for better weights" in text(who.get("/evaluation/"))) is (role == "admin")


def test_it_is_offered_once_something_was_judged(boss: Client, actor: Actor, person: Actor) -> None:
    assert "Look for better weights" not in text(boss.get("/evaluation/"))
    question(actor, 1)
    judged(person, True, False)
    assert f'action="{URL}"' in text(boss.get("/evaluation/"))


def test_looking_takes_a_form(boss: Client, client: Client) -> None:
    assert boss.get(URL)["Location"] == "/evaluation/"
    assert client.post(URL)["Location"] == f"/login/?next={URL}"


def test_another_spaces_judgements_are_not_there(
    boss: Client, actor: Actor, person: Actor, stranger: Actor
) -> None:  # D1
    question(actor, 1)
    judged(person, True, False)
    far = signed_in(member(Space.objects.get(pk=stranger.space_id), "sam", "admin"))
    assert "0 judged questions can teach something" in text(far.post(URL))
    assert "1 judged question can teach something" in text(boss.post(URL))


# --- a suggestion ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("enough")
def test_a_suggestion_says_what_changes_and_what_comes_of_it(
    boss: Client, actor: Actor, person: Actor
) -> None:
    questions(actor, person, COUNT)
    page = text(boss.post(URL))
    assert "These weights put what people found relevant further up." in page
    assert "Bonus in the same session" in page
    assert "questions better: 8, worse: 0, the same: 0" in page
    assert "puts 100% more of the other half's pairs in the right order" in page
    assert "Questions that get worse" not in page
    assert Policy.objects.count() == 1


@pytest.mark.usefixtures("enough")
def test_trying_it_sets_the_sliders_of_the_playground(
    boss: Client, actor: Actor, person: Actor
) -> None:
    questions(actor, person, COUNT)
    address = link(text(boss.post(URL)), "Try in the playground")
    query = parse_qs(urlsplit(address).query)
    assert query["version"] == ["1"]
    assert float(query["recall.session_bonus"][0]) > 0
    assert set(query) <= {"space", "version", *(f"recall.{name}" for name in learning.BOUNDS)}
    shown = text(boss.get(address + "&q=svc-1"))
    assert "Version 1, changes: 1" in shown


@pytest.mark.usefixtures("enough")
def test_saving_it_is_a_change_of_the_policy_like_any_other(
    boss: Client, actor: Actor, person: Actor
) -> None:  # E1
    questions(actor, person, COUNT)
    page = text(boss.post(URL))
    address = link(page, "Try in the playground")
    assert f'action="{address}"' in page
    note = page.partition('name="note" maxlength="300" value="')[2].partition('"')[0]
    assert boss.post(address, {"note": note}).status_code == 302
    made = Policy.objects.get(version=2)
    assert made.note == "Learnt from 8 judged questions: 0% → 100% in the right order."
    assert PolicyNumbers.model_validate(made.numbers).recall.session_bonus > 0
    assert Event.objects.filter(verb="policy_changed").count() == 1


@pytest.mark.usefixtures("enough")
def test_a_suggestion_that_was_overtaken_is_not_saved(
    boss: Client, actor: Actor, person: Actor
) -> None:
    questions(actor, person, COUNT)
    address = link(text(boss.post(URL)), "Try in the playground")
    Policy.objects.create(space_id=actor.space_id, version=2, numbers={"recall": {"top_k": 9}})
    assert boss.post(address, {"note": ""}).status_code == 409
    assert Policy.objects.count() == 2


def test_the_questions_that_get_worse_are_listed(
    boss: Client, actor: Actor, agent: Any, found: Any
) -> None:
    recalls = [question(actor, number) for number in range(3)]
    best = RecallPolicy(session_bonus=0.3)
    figures = {"before": [1.0, 0.5, 0.5], "after": [0.0, 1.0, 0.5], "unjudged": (2, 5)}
    found(finding(verdict="better", best=best, **figures), *recalls, unasked=4)
    page = text(boss.post(URL))
    assert "questions better: 1, worse: 1, the same: 1" in page
    listed = page.partition("Questions that get worse")[2]
    assert "svc-0" in listed
    assert "100% → 0%" in listed
    assert "svc-1" not in listed
    query = parse_qs(urlsplit(link(listed, recalls[0].query)).query)
    assert query["q"] == [recalls[0].query]
    assert (query["agent"], query["user"]) == ([str(agent.pk)], ["alice"])
    assert (query["session"], query["recall.session_bonus"]) == (["s-0"], ["0.3"])
    assert "go from 2 to 5" in page
    assert "For 4 older ones there was no time." in page


def test_a_long_list_of_worse_ones_is_cut_and_says_so(
    boss: Client, actor: Actor, found: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights_present, "LISTED", 1)
    recalls = [question(actor, number) for number in range(3)]
    figures = {"before": [1.0] * 3, "after": [0.0] * 3}
    found(finding(verdict="better", best=RecallPolicy(session_bonus=0.3), **figures), *recalls)
    page = text(boss.post(URL))
    assert page.count('<li class="row">') == 1
    assert "2 more are not listed." in page


# --- none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        ("none", "The weights in use are as good as any of the 24 tried"),
        ("unsure", "did not hold for the other half"),
        ("floor", "The defaults put these questions in a better order"),
        ("few", "0 judged questions can teach something, 40 are needed"),
    ],
)
def test_without_a_suggestion_it_says_why(
    boss: Client, found: Any, verdict: Any, sentence: str
) -> None:
    found(finding(verdict=verdict, best=RecallPolicy(session_bonus=0.3)))
    page = text(boss.post(URL))
    assert sentence in page
    assert "Save as policy" not in page
    assert ("80%" in page) is (verdict != "few")


def test_what_stays_below_the_defaults_leads_to_the_defaults(
    boss: Client, space: Space, found: Any
) -> None:
    Policy.objects.create(space=space, version=1, numbers={"recall": {"session_bonus": 0.9}})
    found(finding(verdict="floor", best=RecallPolicy()), version=1)
    page = text(boss.post(URL))
    query = parse_qs(urlsplit(link(page, "Try the defaults in the playground")).query)
    assert query["recall.session_bonus"] == ["0.2"]


def test_without_the_embedder_it_says_so(
    boss: Client, actor: Actor, person: Actor, settings: Settings
) -> None:
    question(actor, 1)
    judged(person, True, False)
    settings.EMBEDDER_URL, settings.REDIS_URL = "http://127.0.0.1:9/v1", "redis://127.0.0.1:9/0"
    assert "The embedding service does not answer" in text(boss.post(URL))


# --- the page -------------------------------------------------------------------------------------


def test_htmx_gets_what_was_found_alone(boss: Client) -> None:
    page = text(boss.post(URL, headers={"HX-Request": "true"}))
    assert "<html" not in page
    assert "0 judged questions can teach something" in page


def test_it_speaks_chinese(boss: Client, found: Any) -> None:
    found(finding(verdict="none"))
    page = text(boss.post(URL, headers={"Accept-Language": "zh-hans"}))
    assert 'lang="zh-hans"' in page
    assert "<dt>默认值</dt>" in page


def test_what_is_given_is_shown_harmless(boss: Client, actor: Actor, found: Any) -> None:
    one = question(actor, 1)
    Recall.objects.update(query="<script>alert(1)</script>")
    one.refresh_from_db()
    figures = {"before": [1.0], "after": [0.0]}
    found(finding(verdict="better", best=RecallPolicy(session_bonus=0.3), **figures), one)
    assert "<script>alert" not in boss.post(URL).content.decode()
