"""The playground: as whom one may ask, what it shows, and how its numbers become a policy."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils.translation import override

from hindsight_site.accounts.models import User
from memories.models import Agent, Memory, Policy, Recall, Space
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy, policy_for
from memories.policy_changes import change_policy, numbers
from memories.recall.result import Scored
from memories.recall.trial import Answer
from review.pages.playground_form import OTHERS, NumbersForm, dialled
from review.pages.playground_present import Part, columns, parts_of
from tests.memories.recall.helpers import jot
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db
URL = "/playground/"
QUESTION = "Which database does the billing service use?"
POSTGRES = "The billing service uses PostgreSQL."


@pytest.fixture
def ada(space: Space) -> User:
    return member(space, "ada2", "admin")


@pytest.fixture(autouse=True)
def _words_alone(settings: Any) -> None:
    """The embedder is away, so that what a page says depends on words and numbers alone."""
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"


def page(who: User, *, htmx: bool = False, **given: Any) -> Any:
    given.setdefault("q", QUESTION)
    asked = {name.replace("__", "."): value for name, value in given.items()}
    return signed_in(who).get(URL, asked, headers={"HX-Request": "true"} if htmx else {})


def text(answer: Any) -> str:
    return str(answer.content.decode())


def two_databases(actor: Actor) -> None:
    """Of the two, the doubtful one has more words of the question."""
    jot(actor, "The billing service does use a database: PostgreSQL.", confidence=0.5)
    jot(actor, "Our billing database is MySQL.", confidence=1.0)


# --- rights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["viewer", "reviewer", "admin"])
def test_everyone_may_ask_and_only_admins_may_save(
    space: Space, actor: Actor, role: str
) -> None:  # G4
    two_databases(actor)
    user = member(space, "vi", role)
    shown = text(page(user, recall__keyword_weight="0.9"))
    assert POSTGRES[:3] in shown
    assert ("Save as policy" in shown) is (role == "admin")
    assert ("Only admins save a policy. Your role in this space" in shown) is (role != "admin")
    saved = signed_in(user).post(f"{URL}?q=x&recall.keyword_weight=0.9", {"note": ""})
    assert saved.status_code == (302 if role == "admin" else 403)
    assert Policy.objects.exists() is (role == "admin")


def test_a_viewer_sees_nothing_private_by_asking_as_an_agent(
    space: Space, actor: Actor, agent: Agent, reviewer: User
) -> None:  # D1
    jot(actor, "Our billing database is a secret of the coder.", visibility="private")
    jot(actor, "Our billing database was another.", visibility="private", status="archived")
    viewer = member(space, "vi", "viewer")
    shown = text(page(reviewer, agent=agent.pk, q="billing database"))
    assert "secret of the coder" in shown
    assert "was another" in shown
    shown = text(page(viewer, agent=agent.pk, q="billing database"))
    assert "secret of the coder" not in shown
    assert "was another" not in shown


def test_it_asks_for_the_user_of_an_agent(reviewer: User, actor: Actor, agent: Agent) -> None:
    jot(actor, "The billing database of alice.", user_id="alice")
    assert "of alice" in text(page(reviewer, agent=agent.pk, user="alice"))
    assert "of alice" not in text(page(reviewer, agent=agent.pk, user="bob"))


def test_a_bound_agent_is_asked_for_its_own_user(reviewer: User, agent: Agent) -> None:
    Agent.objects.update(user_id="alice")
    answer = page(reviewer, agent=agent.pk, user="bob")
    assert answer.status_code == 400
    assert "only ever acts for the user alice" in text(answer)


def test_an_agent_of_another_space_is_an_unknown_one(reviewer: User, stranger: Actor) -> None:
    for key in (stranger.id, "00000000-0000-7000-8000-000000000000"):
        answer = page(reviewer, agent=key)
        assert answer.status_code == 400
        assert f"Select a valid choice. {key} is not one" in text(answer)
        assert "stranger" not in text(answer)


def test_a_version_of_another_space_is_a_missing_one(reviewer: User, stranger: Actor) -> None:
    Policy.objects.create(space_id=stranger.space_id, version=1, numbers={})
    assert page(reviewer, version="1").status_code == 404
    assert page(reviewer, a="1").status_code == 400


def test_it_needs_a_space() -> None:
    assert page(member(None, "nobody")).status_code == 403


# --- asking ---------------------------------------------------------------------------------------


def test_it_leaves_no_trace(reviewer: User, actor: Actor, agent: Agent) -> None:  # C6
    two_databases(actor)
    page(reviewer, agent=agent.pk)
    assert not Recall.objects.exists()
    assert not Memory.objects.filter(recall_count__gt=0).exists()


def test_a_page_costs_the_same_however_much_is_known(
    ada: User, actor: Actor, django_assert_max_num_queries: Any
) -> None:
    for n in range(30):
        jot(actor, f"The billing database number {n}.", status="archived" if n % 3 else "active")
        change_policy(
            actor=Actor("user", ada.pk, "ada", actor.space_id, frozenset({"administer"})),
            numbers={"recall.top_k": n + 6},
            expected_version=n,
        )
    client = signed_in(ada)
    with django_assert_max_num_queries(22):
        asked = {"q": QUESTION, "recall.keyword_weight": "0.9", "a": "3"}
        assert client.get(URL, asked).status_code == 200


def test_it_begins_by_saying_what_it_is_for(reviewer: User, actor: Actor) -> None:
    jot(actor, POSTGRES, subject="billing/database")
    shown = text(page(reviewer, q=""))
    assert "Ask something, and see why the answer is what it is" in shown
    assert f'href="{URL}?q=billing%2Fdatabase"' in shown


def test_it_answers_empty_with_the_relevance_that_was_missing(
    reviewer: User, actor: Actor
) -> None:  # C7
    jot(actor, "The cat is called Momo.")
    shown = text(page(reviewer))
    assert "Nothing relevant is known" in shown
    assert "The best candidate has relevance 0.000, 0.340 is needed." in shown


def test_it_says_so_where_nothing_can_be_found(reviewer: User) -> None:
    assert "nothing is remembered yet" in text(page(reviewer))


def test_it_says_why_something_was_left_out(reviewer: User, actor: Actor, agent: Agent) -> None:
    new = jot(actor, "We pay by card.")
    jot(actor, POSTGRES, status="superseded", replaced_by=new)
    jot(actor, "The billing database waits.", status="pending", withheld=True)
    jot(actor, "The billing database was decided.", kind="decision")
    jot(actor, "The billing database is a fact.")
    shown = text(page(reviewer, agent=agent.pk, kind="fact"))
    assert "It is superseded; otherwise it would be number" in shown
    assert f'Replaced by: <a href="/memories/{new.pk}/">' in shown
    assert "Kept from agents until a person decides" in shown
    assert "Without the filters it would be number" in shown


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"recall__keyword_weight": "2"}, "must be a number from 0 to 1, not 2."),
        ({"recall__top_k": "1.5"}, "must be a whole number from 1 to 50, not 1.5."),
        ({"hits": "21"}, "less than or equal to 20"),
        ({"since": "yesterday"}, "Enter a valid date."),
    ],
)
def test_it_says_what_does_not_fit(reviewer: User, given: Any, sentence: str) -> None:
    answer = page(reviewer, **given)
    assert answer.status_code == 400
    assert sentence in text(answer)


def test_an_htmx_request_gets_the_answers_and_the_address(reviewer: User, actor: Actor) -> None:
    two_databases(actor)
    answer = page(reviewer, htmx=True, version="0", recall__keyword_weight="0.4", kind="")
    assert "<form class" not in text(answer)
    address = urlsplit(answer["HX-Replace-Url"])
    assert parse_qs(address.query) == {"space": ["team"], "q": [QUESTION]}
    assert "HX-Request" in answer["Vary"]


def test_the_address_says_what_was_altered_and_nothing_else(
    reviewer: User, actor: Actor, agent: Agent
) -> None:
    given = {"agent": str(agent.pk), "recall__top_k": "7", "recall__decay_curve": "none"}
    answer = page(reviewer, htmx=True, **given)
    query = parse_qs(urlsplit(answer["HX-Replace-Url"]).query)
    assert query == {
        "space": ["team"],
        "q": [QUESTION],
        "agent": [str(agent.pk)],
        "version": ["0"],
        "recall.decay_curve": ["none"],
        "recall.top_k": ["7"],
    }


# --- two policies ---------------------------------------------------------------------------------


def test_one_answer_until_a_number_is_turned_then_two(reviewer: User, actor: Actor) -> None:
    two_databases(actor)
    assert [c.letter for c in page(reviewer).context["columns"]] == [""]
    a, b = page(reviewer, recall__doubtful_factor="0.1").context["columns"]
    assert [row.hit.memory.confidence for row in a.rows] == [0.5, 1.0]
    assert [row.hit.memory.confidence for row in b.rows] == [1.0, 0.5]
    assert [row.move.sign for row in b.rows] == ["▲ 1", "▼ 1"]
    assert (a.title, b.title) == ("Defaults, in force", "Defaults, changes: 1")


def test_what_is_new_and_what_is_gone_is_marked(reviewer: User, actor: Actor) -> None:
    two_databases(actor)
    a, b = page(reviewer, recall__doubtful_factor="0.1", recall__top_k="1", hits="1").context[
        "columns"
    ]
    assert [row.move.words for row in a.rows] == ["gone in B"]
    assert [row.move.words for row in b.rows] == ["new"]


def test_it_compares_with_an_earlier_version(ada: User, admin: Actor, actor: Actor) -> None:
    two_databases(actor)
    for version, value in enumerate((0.9, 0.1)):
        change_policy(
            actor=admin, numbers={"recall.doubtful_factor": value}, expected_version=version
        )
    a, b = page(ada, a="1").context["columns"]
    assert (a.title, b.title) == ("Version 1", "Version 2, in force")
    assert a.rows[0].hit.memory.confidence == 0.5
    assert b.rows[0].hit.memory.confidence == 1.0


def test_an_address_says_which_version_its_numbers_were_begun_from(
    ada: User, admin: Actor, actor: Actor
) -> None:
    two_databases(actor)
    change_policy(actor=admin, numbers={"recall.top_k": 1}, expected_version=0)
    a, b = page(ada, version="0", recall__newest="10").context["columns"]
    assert (len(a.rows), len(b.rows)) == (1, 2)
    assert b.title == "Defaults, changes: 1"


# --- the parts of a score -------------------------------------------------------------------------


def scored(parts: dict[str, float], arms: dict[str, float]) -> Scored:
    score = min(1.0, sum(parts.values()))
    return Scored(Memory(content="x"), 1, score, arms, parts, "")


def made(parts: dict[str, float], **arms: float) -> dict[str, Part]:
    return {part.name: part for part in parts_of(scored(parts, arms))}


def test_an_arm_times_its_weight_makes_its_part() -> None:  # C4
    told = made({"keyword": 0.2, "semantic": 0.3}, keyword=0.5, semantic=0.5)
    assert (told["keyword"].how, told["keyword"].exact) == ("× 0.4", "+0.2000")
    assert told["semantic"].how == "× 0.6"


def test_a_rule_leaves_a_share_of_what_there_was() -> None:
    parts = {"keyword": 0.5, "source": -0.05, "recency": -0.045}
    told = made(parts, keyword=1.0, source=0.9, recency=0.0)
    assert told["source"].how == "leaves 90% of 0.5000"
    assert (told["recency"].how, told["recency"].short) == ("leaves 90% of 0.4500", "−0.04")


def test_the_parts_shown_add_up_to_the_score_shown() -> None:  # C4
    parts = {"keyword": 1 / 3, "semantic": 1 / 7, "recency": -1 / 17, "graph": 1 / 19}
    told = parts_of(scored(parts, {"keyword": 1.0}))
    assert round(sum(part.part for part in told), 4) == round(sum(parts.values()), 4)


def test_bars_go_right_from_the_line_and_left_of_it_on_one_scale() -> None:
    one = scored({"keyword": 0.6, "semantic": 0.2, "recency": -0.2}, {})
    other = scored({"keyword": 0.3}, {})
    (column,) = columns([Answer((one, other), (), 0.5)], ["x"])
    first, second = column.rows
    assert first.zero == second.zero == 20.0
    assert [(bar.series, bar.x, bar.width) for bar in first.bars] == [
        ("keyword", 20.0, 60.0),
        ("semantic", 80.0, 20.0),
        ("recency", 0.0, 20.0),
    ]
    assert [bar.width for bar in second.bars] == [30.0]


# --- the numbers ----------------------------------------------------------------------------------


def test_every_number_of_recall_has_an_input_and_a_slider(ada: User) -> None:
    shown = text(page(ada))
    every = [n for n in numbers().values() if n.path.startswith("recall.")]
    assert dialled() == every
    for number in every:
        assert f'name="{number.path}"' in shown, number.path
    sliders = sum(number.sort != "choice" for number in every)
    assert shown.count('type="range"') == sliders


def test_a_number_that_no_heading_names_stands_under_everything_else() -> None:
    groups = NumbersForm(PolicyNumbers(), {}).groups()
    listed = [dial.number.path for group in groups for dial in group.dials]
    assert sorted(listed) == sorted(number.path for number in dialled())
    others = next(group for group in groups if group.label == OTHERS)
    assert "recall.candidates" in [dial.number.path for dial in others.dials]


def test_what_is_not_given_is_as_it_was() -> None:
    base = PolicyNumbers(recall=RecallPolicy(top_k=9))
    form = NumbersForm(base, {"recall.newest": "10", "recall.keyword_weight": ""})
    assert form.is_valid()
    assert form.altered() == {"recall.newest": 10}
    assert (form.policy().recall.top_k, form.policy().recall.newest) == (9, 10)


# --- saving ---------------------------------------------------------------------------------------


def save(user: User, note: str = "", **given: Any) -> Any:
    query = "&".join(f"{name.replace('__', '.')}={value}" for name, value in given.items())
    return signed_in(user).post(f"{URL}?q=billing&{query}", {"note": note})


def test_it_saves_what_was_altered_as_the_next_version(ada: User, space: Space) -> None:  # F5
    answer = save(ada, "we miss words", version=0, recall__keyword_weight="0.9")
    assert answer.status_code == 302
    assert "recall.keyword_weight" not in answer["Location"]
    made = Policy.objects.get()
    assert (made.version, made.note, made.actor_name) == (1, "we miss words", "ada2")
    assert made.numbers == {"recall": {"keyword_weight": 0.9}}
    shown = text(signed_in(ada).get(answer["Location"]))
    assert 'value="0.9"' in shown


def test_it_says_which_version_it_became(ada: User) -> None:
    client = signed_in(ada)
    answer = client.post(f"{URL}?q=x&recall.keyword_weight=0.9", {"note": ""}, follow=True)
    assert "Saved as version 1: Weight of words 0.4 → 0.9." in text(answer)


def test_saving_keeps_the_rest_of_the_policy(ada: User, admin: Actor, space: Space) -> None:
    change_policy(actor=admin, numbers={"writing.refuse_below": 0.2}, expected_version=0)
    save(ada, version=1, recall__top_k="9")
    policy = policy_for(space.pk)[1]
    assert (policy.writing.refuse_below, policy.recall.top_k) == (0.2, 9)


def test_it_does_not_overwrite_what_somebody_saved_meanwhile(
    ada: User, admin: Actor, space: Space
) -> None:
    change_policy(actor=admin, numbers={"recall.top_k": 9}, expected_version=0)
    answer = save(ada, version=0, recall__keyword_weight="0.9", recall__top_k="5")
    assert answer.status_code == 409
    assert "ada changed the policy meanwhile: it is version 1 now." in text(answer)
    assert policy_for(space.pk)[0] == 1
    form = answer.context["numbers"]
    assert form.changes() == [("Weight of words", "0.4", "0.9")]
    assert form.policy().recall.top_k == 9
    assert 'name="version" value="1"' in text(answer)


@pytest.mark.parametrize("given", [{}, {"recall__top_k": "5"}, {"recall__top_k": "900"}])
def test_it_saves_nothing_that_does_not_fit_or_changes_nothing(ada: User, given: Any) -> None:
    assert save(ada, **given).status_code == 400
    assert not Policy.objects.exists()


# --- around it ------------------------------------------------------------------------------------


def test_the_policies_lead_to_it(ada: User) -> None:
    assert f'href="{URL}"' in text(signed_in(ada).get("/policies/"))


def test_it_can_be_read_in_chinese(ada: User, actor: Actor) -> None:
    two_databases(actor)
    with override("zh-hans"):
        assert page(ada, recall__top_k="1").status_code == 200
