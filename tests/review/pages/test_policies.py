"""The page of a space's numbers: everyone reads it, admins try and save."""

from typing import Any

import pytest
from django.utils.translation import override

from hindsight_site.accounts.models import User
from memories.lifecycle import delete_memory
from memories.models import Policy, Space
from memories.permissions import Actor
from memories.policies import PolicyNumbers, policy_for
from memories.policy_changes import numbers
from memories.writing import write_memory
from review.kinds import KINDS
from review.pages.policy_form import PolicyForm, every_number, plain, posted
from review.pages.policy_trial import tried
from review.pages.policy_words import CHOICES, SECTIONS, called, words_of
from tests.memories.pages.looked_back import candidate, looked_back, recorded
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db
URL = "/policies/"


@pytest.fixture
def admin(space: Space) -> User:
    return member(space, "ada", "admin")


def send(user: User, do: str = "save", version: int = 0, **more: Any) -> Any:
    """Send the whole form as a browser does, with some of it altered by hand."""
    altered = {path.replace("__", "."): value for path, value in more.items()}
    note = altered.pop("note", "")
    sent = posted(PolicyNumbers(), {}, version=version, note=note, do=do) | altered
    return signed_in(user).post(URL, sent)


def text(answer: Any) -> str:
    return str(answer.content.decode())


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", list(every_number()), ids=lambda number: number.path)
def test_every_number_has_words(number: Any) -> None:
    words = words_of(number.path)
    assert str(words.label)
    assert str(words.meaning).endswith(".")
    assert number.section in SECTIONS
    assert set(CHOICES.get(number.path, {})) == set(number.choices)


def test_a_number_without_words_stays_readable() -> None:
    assert str(words_of("recall.odd_number").label) == "odd number"
    assert called("gone.odd_number") == "odd number"
    assert called("distilling.keep_from") == "Looking back: Least worth"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("sessions.idle_minutes", 30.0, "30"),
        ("distilling.keep_from", 0.55, "0.55"),
        ("review.two_people", False, "off"),
        ("distilling.doubtful", "review", "a person decides"),
        ("review.risks.conflict", None, "0.8"),
    ],
)
def test_it_says_values_in_words(path: str, value: object, words: str) -> None:
    assert plain(path, value) == words


# --- reading --------------------------------------------------------------------------------------


def test_it_shows_every_number_with_its_bounds_and_default(admin: User) -> None:
    page = text(signed_in(admin).get(URL))
    for number in every_number():
        assert f'name="{number.path}"' in page, number.path
    assert "0 to 1 · default: 0.6" in page
    assert "above 0, up to 366 · default: 7" in page
    assert 'min="1" max="50" step="1"' in page
    assert "Nothing was ever changed" in page


def test_it_shows_one_risk_for_each_kind_of_item() -> None:
    risks = {n.path: n.default for n in every_number() if n.path.startswith("review.risks.")}
    assert risks == {f"review.risks.{kind.code}": kind.risk for kind in KINDS.values()}
    assert len(list(every_number())) == len(numbers()) - 1 + len(KINDS)


@pytest.mark.parametrize("role", ["viewer", "reviewer"])
def test_others_read_it_with_the_reason_why_they_cannot_change_it(
    space: Space, role: str
) -> None:  # G4
    user = member(space, "vi", role)
    page = text(signed_in(user).get(URL))
    assert "Your role in this space does not allow this." in page
    assert "<fieldset disabled" in page
    assert 'value="save"' not in page
    for do in ("save", "try"):
        assert send(user, do, distilling__keep_from="0.4").status_code == 403
    assert signed_in(user).post(f"{URL}restore/", {"version": 0}).status_code == 403
    assert not Policy.objects.exists()


def test_a_page_costs_the_same_however_long_the_history(
    admin: User, space: Space, django_assert_max_num_queries: Any
) -> None:
    Policy.objects.bulk_create(
        Policy(space=space, version=n, numbers={"recall": {"top_k": n % 50 or 1}})
        for n in range(1, 60)
    )
    client = signed_in(admin)
    with django_assert_max_num_queries(9):
        assert client.get(URL).status_code == 200


# --- saving ---------------------------------------------------------------------------------------


def test_it_saves_what_was_altered_and_says_so(admin: User, space: Space) -> None:
    answer = send(admin, distilling__keep_from="0.4", note="we miss things")
    assert answer.status_code == 302
    page = text(signed_in(admin).get(URL))
    assert policy_for(space.pk)[1].distilling.keep_from == 0.4
    assert Policy.objects.get().numbers == {"distilling": {"keep_from": 0.4}}
    assert "we miss things" in page
    assert "Looking back: Least worth: <del>0.5</del> <ins>0.4</ins>" in page
    assert 'value="reset:distilling.keep_from"' in page


def test_it_tells_what_it_saved(admin: User) -> None:
    client = signed_in(admin)
    sent = posted(PolicyNumbers(), {"distilling.keep_from": 0.4}, version=0, do="save")
    page = text(client.post(URL, sent, follow=True))
    assert "Saved as version 1: Looking back: Least worth 0.5 → 0.4." in page


def test_it_saves_a_switch_a_choice_and_a_risk(admin: User, space: Space) -> None:
    send(admin, review__two_people="on", distilling__doubtful="review", review__risks__merge="0.9")
    policy = policy_for(space.pk)[1]
    assert (policy.review.two_people, policy.distilling.doubtful) == (True, "review")
    assert policy.review.risks == {"merge": 0.9}


def test_a_risk_at_the_kinds_own_is_not_stored(admin: User) -> None:
    send(admin, review__risks__merge="0.9")
    sent = posted(PolicyNumbers(), {}, version=1, do="save")
    signed_in(admin).post(URL, sent)
    newest = Policy.objects.first()
    assert newest is not None
    assert newest.numbers == {}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("distilling__keep_from", "2", "Least worth must be a number from 0 to 1, not 2."),
        ("distilling__keep_from", "", "Least worth must be a number from 0 to 1, not –."),
        ("recall__top_k", "5.5", "Hits must be a whole number from 1 to 50, not 5.5."),
        ("recall__date_half_days", "0", "must be a number above 0 and up to 366, not 0."),
        ("distilling__doubtful", "ask", "Select a valid choice."),
    ],
)
def test_it_says_what_does_not_fit_and_keeps_the_rest(
    admin: User, name: str, value: str, sentence: str
) -> None:
    given: dict[str, Any] = {name: value, "recall__newest": "33"}
    answer = send(admin, note="kept", **given)
    assert answer.status_code == 400
    assert sentence in text(answer)
    assert 'value="33"' in text(answer)
    assert 'value="kept"' in text(answer)
    assert not Policy.objects.exists()


def test_it_saves_nothing_when_nothing_was_altered(admin: User) -> None:
    answer = send(admin)
    assert answer.status_code == 400
    assert "has already" in text(answer)


def test_a_stale_form_keeps_what_was_altered_and_shows_what_changed(
    admin: User, space: Space
) -> None:
    send(admin, recall__top_k="9")
    answer = send(admin, distilling__keep_from="0.4")
    page = text(answer)
    assert answer.status_code == 409
    assert "ada changed the policy meanwhile: it is version 1 now." in page
    form: PolicyForm = answer.context["form"]
    assert (form["distilling.keep_from"].value(), form["recall.top_k"].value()) == ("0.4", 9)
    assert form["version"].value() == 1
    signed_in(admin).post(URL, {**form.data, "do": "save"})
    policy = policy_for(space.pk)[1]
    assert (policy.distilling.keep_from, policy.recall.top_k) == (0.4, 9)


def test_reset_puts_one_number_back_without_saving(admin: User, space: Space) -> None:
    send(admin, distilling__keep_from="0.4", recall__top_k="9")
    answer = send(
        admin, "reset:distilling.keep_from", 1, distilling__keep_from="0.4", recall__top_k="9"
    )
    form: PolicyForm = answer.context["form"]
    assert (form["distilling.keep_from"].value(), form["recall.top_k"].value()) == ("0.5", "9")
    assert policy_for(space.pk)[1].distilling.keep_from == 0.4


def test_it_restores_a_version(admin: User, space: Space) -> None:
    send(admin, distilling__keep_from="0.4")
    send(admin, version=1, recall__top_k="9", distilling__keep_from="0.4")
    client = signed_in(admin)
    client.post(f"{URL}restore/", {"version": "0", "expected": "2"})
    assert policy_for(space.pk) == (3, PolicyNumbers())
    page = text(client.post(f"{URL}restore/", {"version": "1", "expected": "2"}, follow=True))
    assert "changed the policy meanwhile" in page
    assert policy_for(space.pk)[0] == 3


# --- trying ---------------------------------------------------------------------------------------


def test_trying_says_what_would_have_become_of_candidates(admin: User, actor: Actor) -> None:
    looked_back(recorded(actor), candidate(), candidate("dropped", "no_value", worth=0.45))
    page = text(send(admin, "try", distilling__keep_from="0.4", recall__top_k="9"))
    assert (
        "With 0.4 instead of 0.5, 1 of the last 2 candidates would have been kept. "
        "People judged none of those." in page
    )
    assert "What else you changed cannot be tried" in page
    assert "/sessions/" in page
    assert "dropped → <strong>kept</strong>" in page
    assert 'value="0.4"' in page
    assert not Policy.objects.exists()


def test_trying_tells_what_people_said(person: Actor, actor: Actor) -> None:
    known = write_memory(actor=actor, content="The team uses spaces.").memory
    assert known is not None
    delete_memory(actor=person, memory_id=known.pk)
    weak = {"certainty": 0.5, "confidence": 0.5, "content": "The team uses spaces."}
    looked_back(recorded(actor), candidate("dropped", "low_confidence", **weak))
    told = tried(actor=person, policy=PolicyNumbers(), altered={"distilling.store_from": 0.4})
    assert told.sentences == [
        "With 0.4 instead of 0.6, 1 of the last 1 candidates would have been kept. "
        "People rejected 1 of those and approved 0."
    ]


@pytest.mark.parametrize(
    ("altered", "sentence"),
    [
        ({}, "Change a number first, then try it."),
        ({"recall.top_k": 9}, "None of the numbers that you changed can be tried here"),
        ({"distilling.keep_from": 0.4}, "There are no candidates yet to try it on"),
    ],
)
def test_trying_says_why_there_is_nothing_to_try(
    person: Actor, altered: dict[str, Any], sentence: str
) -> None:
    told = tried(actor=person, policy=PolicyNumbers(), altered=altered)
    assert sentence in told.sentences[0]


def test_trying_says_when_nothing_would_change(person: Actor, actor: Actor) -> None:
    looked_back(recorded(actor), candidate())
    told = tried(
        actor=person,
        policy=PolicyNumbers(),
        altered={"distilling.keep_from": 0.4, "distilling.store_from": 0.5},
    )
    assert told.sentences == [
        "With these numbers, the last 1 candidates would have fared the same."
    ]


def test_it_can_be_read_in_chinese(admin: User) -> None:
    with override("zh-hans"):
        assert signed_in(admin).get(URL).status_code == 200
