"""From turns to proposals: what is kept, how it reads alone, what is turned away and why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.distillation.gate import weigh
from memories.distillation.proposal import Scene
from memories.distillation.rules import propose, statements
from memories.models import Turn
from memories.policies import DistillingPolicy, WritingPolicy
from tests.memories.distillation.rules.said import MONDAY, dropped, kept, proposed, said

pytestmark = pytest.mark.usefixtures("no_embedder")


def stored(*told: tuple[str, str] | str) -> list[str]:
    """Return the contents that the gate would let in with a new space's numbers."""
    policy = DistillingPolicy(), WritingPolicy()
    return [one.content for one in proposed(*told) if not weigh(one, *policy).reason]


@pytest.mark.parametrize(
    ("told", "content", "kind"),
    [
        (
            "I prefer dark mode in every editor.",
            "Ann prefers dark mode in every editor.",
            "preference",
        ),
        ("I'm allergic to peanuts.", "Ann is allergic to peanuts.", "constraint"),
        (
            "Never push to main without a review.",
            "Ann: Never push to main without a review.",
            "constraint",
        ),
        ("We decided to use Redis.", "Ann: We decided to use Redis.", "decision"),
        ("We use pnpm, not npm.", "Ann: We use pnpm, not npm.", "decision"),
        ("No, I meant the staging account.", "Ann meant the staging account.", "correction"),
        (
            "Remember that the office closes at six.",
            "Ann: The office closes at six.",
            "fact",
        ),
        ("My name is Ann Lee.", "Ann's name is Ann Lee.", "fact"),
        ("I live in Lisbon with my husband.", "Ann lives in Lisbon with their husband.", "fact"),
        (
            "The root cause was a full disk on db-1.",
            "Ann: The root cause was a full disk on db-1.",
            "discovery",
        ),
        (
            "I broke my ankle yesterday.",
            "Ann broke their ankle yesterday (2023-05-07).",
            "incident",
        ),
        ("I never eat fish.", "Ann never eats fish.", "constraint"),
        ("I speak German.", "Ann speaks German.", "fact"),
        ("我更喜欢深色主题。", "Ann 更喜欢深色主题。", "preference"),
        ("我对花生过敏。", "Ann 对花生过敏。", "constraint"),
        ("提交前必须跑一遍测试。", "Ann：提交前必须跑一遍测试。", "constraint"),
        ("我们决定用 Redis 做缓存。", "Ann：我们决定用 Redis 做缓存。", "decision"),
        ("不对，例会应该是周四。", "Ann：不对，例会应该是周四。", "correction"),
        ("Please note: we never push on Fridays.", "Ann: We never push on Fridays.", "constraint"),
        ("记住：测试一律用 pytest。", "Ann：测试一律用 pytest。", "constraint"),
        ("你好，另外我对花生过敏。", "Ann 对花生过敏。", "constraint"),
        ("记住我上午不接电话。", "记住 Ann 上午不接电话。", "fact"),
        ("我叫王磊，住在成都。", "Ann 叫王磊，住在成都。", "fact"),
        ("我昨天去了医院做检查。", "Ann 昨天（2023-05-07）去了医院做检查。", "fact"),
    ],
)
def test_it_keeps_what_must_be_kept_without_any_model(
    told: str, content: str, kind: str
) -> None:  # B1, A4
    one = proposed(told)[0]
    assert (one.content, one.kind) == (content, kind)
    assert stored(told) == [content]


@pytest.mark.parametrize(
    "told",
    [
        "Hello! How are you?",
        "That is so kind of you, thanks a lot!",
        "Life is full of surprises and every day matters.",
        "Translate this into French.",
        "It was such a great feeling.",
        "你好！最近怎么样？",
        "谢谢你，太棒了！",
        "生活总是充满惊喜。",
        "帮我翻译这句话。",
        "那种感觉真好。",
    ],
)
def test_it_stores_no_small_talk(told: str) -> None:  # B1
    assert stored(told) == []


def test_it_shows_what_it_turned_away_and_why() -> None:  # B2
    told = dropped("Hi! I like tea. What do you like? Translate this. My password is hunter2!")
    assert told == [
        ("Hi!", "greeting"),
        ("What do you like?", "question"),
        ("Translate this.", "one_off"),
        ("My password is •••", "secret"),
    ]


def test_it_never_shows_a_secret() -> None:
    text = "I work in Oslo. The password is\nhunter2! Keep it. I like tea."
    for one in proposed(text, ("assistant", "Is the token abc-123-def?"), "Yes."):
        assert "hunter2" not in one.content + one.quote
    assert "abc-123" not in "".join(
        kept(("assistant", "Is the token abc-123-def?"), "Yes, since May.")
    )


def test_it_answers_the_three_questions() -> None:  # A6
    one = proposed("I prefer green tea from Uji.")[0]
    assert one.owner == "Ann"
    assert one.question.startswith("What does Ann like or prefer")
    assert "Uji" in one.question
    assert one.value


def test_it_names_the_owner_it_knows() -> None:  # A6
    assert proposed(("user", "I like tea."))[0].owner == "u-1"
    assert proposed(("user", "I like tea."), user_id="")[0].owner == "user"
    assert proposed(("user", "We use Go."))[0].owner == "team"
    assert proposed(("user", "我们用 Go。"))[0].owner == "团队"


def test_it_tells_when_it_happened() -> None:
    assert proposed("I broke my ankle yesterday.")[0].happened_at.date().isoformat() == "2023-05-07"  # type: ignore[union-attr]
    assert proposed("I broke my ankle.")[0].happened_at == said("x")[0].happened_at


@pytest.mark.parametrize(
    ("told", "subject"),
    [
        ("My favourite colour is green.", "ann/favourite colour"),
        ("I live in Lisbon.", "ann/home"),
        ("Our database is PostgreSQL.", "database"),
        ("我的生日是五月三日。", "ann/生日"),
        ("我们的数据库是 PostgreSQL。", "数据库"),
        ("I like my new bike.", ""),
        ("My friend is a nurse.", ""),
        ("The role is missing a permission.", ""),
    ],
)
def test_it_names_the_subject_only_where_it_has_one_value(told: str, subject: str) -> None:
    assert proposed(told)[0].subject == subject


def test_it_keeps_sentences_together_that_belong_together() -> None:  # B6
    one = proposed("I adopted a dog in May. Wow! He is called Rex.")[0]
    assert one.content == "Ann adopted a dog in May. He is called Rex."
    assert one.quote == "I adopted a dog in May. Wow! He is called Rex."


def test_it_keeps_a_memory_short() -> None:  # B6
    told = kept("He ran around the whole big lake in Oslo. " * 20)
    assert len(told) > 3
    assert max(map(len, told)) <= 210


def test_a_rule_is_a_memory_of_its_own() -> None:  # B6
    assert kept("I went to Oslo in May. I'm allergic to nuts.") == [
        "Ann went to Oslo in May.",
        "Ann is allergic to nuts.",
    ]


def test_every_line_of_a_list_is_one_of_its_own() -> None:
    told = "1. The wiki is in Confluence.\n2. We release on Fridays.\n"
    assert kept(told) == ["Ann: The wiki is in Confluence.", "Ann: We release on Fridays."]


def test_it_does_not_distil_what_was_recalled() -> None:  # B9
    injected = "<hindsight-memories>\n- Ann lives in Rome.\n</hindsight-memories>\nI like tea."
    assert kept(injected) == ["Ann likes tea."]


def test_it_reads_messages_of_people_only() -> None:
    turns = said("I like tea.", "I like milk.", "I like rum.")
    turns[1].type, turns[2].role = "tool_result", "system"
    assert [one.turns for one in statements(turns, Scene(agent="a"))] == [(1,)]


def test_success_claimed_after_a_failed_call_is_named() -> None:  # F1, B8
    turns = said(("user", "Run it."), ("assistant", "Done, all tests pass now."), ("user", "Yes."))
    call = Turn(
        number=10,
        type="tool_result",
        role="tool",
        tool="shell",
        ok=False,
        error="exit 1",
        happened_at=MONDAY,
    )
    turns.insert(1, call)
    found = {one.content: one.drop for one in statements(turns, Scene(agent="a"))}
    assert found["Done, all tests pass now."] == "failed_claim"


def test_a_guess_is_believed_less() -> None:
    sure, guess = proposed("We use Redis.")[0], proposed("Maybe we use Redis.")[0]
    assert guess.certainty < sure.certainty
    assert guess.worth < sure.worth


def test_it_proposes_statements_and_procedures() -> None:
    assert [one.content for one in propose(said("I like tea."), Scene(agent="a"))] == [
        "Ann likes tea."
    ]


PIECES = [
    "I like tea.",
    "My dog left yesterday!",
    "never mind",
    "Yes.",
    "算了",
    "我喜欢茶。",
    "Why?",
]
PIECES += ["token: abc12345", "[photo: x]", "```", "<hindsight-memories>", "对的", "😊", "Dr. Lee"]
PIECES += ["\n", "\x00", "\ud800"]
TEXTS = st.one_of(
    st.text(max_size=120), st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join)
)
TURNS = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "system", "tool"]),
        st.sampled_from(["", "Ann", "李雷", "(", "user"]),
        TEXTS,
    ),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(TURNS)
def test_every_quote_stands_in_its_turn_whatever_is_said(told: list[tuple[str, str, str]]) -> None:
    turns = [
        Turn(number=number, role=role, speaker=speaker, content=content, happened_at=MONDAY)
        for number, (role, speaker, content) in enumerate(told, 1)
    ]
    contents = {turn.number: turn.content for turn in turns}
    for one in statements(turns, Scene(agent="a", user_id="u")):
        assert one.quote in contents[one.turns[0]]
        assert 0 <= one.worth <= 1
        assert 0 <= one.certainty <= 1
        assert one.content.strip()
        assert "abc12345" not in one.content + one.quote


def test_it_reads_ten_thousand_turns() -> None:
    turns = said(*["I went to Oslo in May and met Eva.", "算了。"] * 5000)
    assert len(statements(turns, Scene(agent="a"))) == 10_000
