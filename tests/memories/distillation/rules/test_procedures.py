"""What calls teach: lessons, procedures, incidents; never a failure as a success (B1, B8, F1)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.distillation.gate import NO_VALUE, weigh
from memories.distillation.proposal import Proposal, Scene
from memories.distillation.rules.procedures import procedures
from memories.distillation.rules.quotes import said_in
from memories.policies import DistillingPolicy, WritingPolicy
from tests.memories.distillation.rules.traces import MISSING, SCENE, Trace, fixed_import

WON = Scene(agent="coder", user_id="anna", outcome="success")


def of(kind: str, trace: Trace, scene: Scene = SCENE) -> list[Proposal]:
    return [proposal for proposal in procedures(trace.turns, scene) if proposal.kind == kind]


def reason(proposal: Proposal) -> str:
    return weigh(proposal, DistillingPolicy(), WritingPolicy()).reason


def test_it_learns_what_fixed_a_failure() -> None:
    (lesson,) = of("lesson", fixed_import())
    assert (
        lesson.content == f"`pytest -x` failed with {MISSING}; it worked after `pip install foo`."
    )
    assert lesson.turns == (3, 2, 5, 4, 7, 6)
    assert lesson.quote == MISSING
    assert (lesson.owner, lesson.source, reason(lesson)) == ("anna", "tool_result", "")


def test_it_speaks_the_users_language() -> None:
    lesson, procedure = procedures(fixed_import("请把 pytest 测试修好").turns, SCENE)
    assert lesson.content == f"`pytest -x` 失败：{MISSING}；执行 `pip install foo` 之后重试成功。"
    assert procedure.content == (
        "“请把 pytest 测试修好”：依次执行成功：`pip install foo` → `pytest -x`。"
    )


def test_it_learns_which_arguments_worked() -> None:
    trace = Trace().user("Install it").runs("pip install foo==9", 1, "ERROR: no version 9")
    (lesson,) = of("lesson", trace.runs("pip install foo==2"))
    assert lesson.content == (
        "`pip install foo==9` failed with ERROR: no version 9; `pip install foo==2` worked."
    )


def test_it_learns_from_other_tools_by_like_arguments() -> None:
    trace = Trace().user("订一张票").uses("book", False, "日期格式不对", date="1/3", to="北京")
    (lesson,) = of("lesson", trace.uses("book", True, date="2026-03-01", to="北京"))
    assert lesson.content == (
        "`book date=1/3 to=北京` 失败：日期格式不对；改为 `book date=2026-03-01 to=北京` 成功。"
    )


@pytest.mark.parametrize(
    "trace",
    [
        Trace().runs("pytest", 1).runs("pytest", 0),  # a mere repetition
        Trace().runs("pytest", 1).runs("pip install foo"),  # never run again
        Trace().runs("pytest", 1).runs("pip install foo").runs("pytest", 1),
        Trace().runs("git push", 1).runs("git fetch"),  # another thing
        Trace().uses("search", False, q="weather tomorrow").uses("search", True, q="flu 疫苗"),
        Trace().user("Run tests").runs("pytest", 1).user("Never mind.").runs("pytest -k a"),
        Trace().user("Run tests").runs("pytest", 1).user("换个话题吧").runs("pytest -k a"),
        Trace().runs("pytest", 1).runs("pip install foo").call("bash", {"command": "pytest -v"}),
    ],
)
def test_it_learns_no_fix_without_a_success_of_the_same_thing(trace: Trace) -> None:
    assert of("lesson", trace) == []


@pytest.mark.parametrize("again", ["Please have another go at it again", "麻烦你再试一次看看吧"])
def test_it_stays_with_a_task_that_the_user_follows_up(again: str) -> None:
    trace = Trace().user("Deploy the shop").runs("make deploy", 1).user(again)
    assert len(of("lesson", trace.runs("make login").runs("make deploy"))) == 1


def test_it_ends_a_task_where_the_user_asks_for_something_else() -> None:
    trace = Trace().user("Deploy the shop").runs("make deploy", 1, "quota")
    trace.user("Translate my letter about summer holidays into French").runs("make letter")
    trace.runs("make deploy")
    # It did succeed in the end, so nobody may say that it did not.
    assert procedures(trace.turns, SCENE)[0].kind == "procedure"


def test_it_keeps_the_steps_that_worked_without_the_failed_ones() -> None:
    trace = Trace().user("Deploy the shop to staging").runs("make build").runs("ls")
    trace.runs("make push", 1, "denied").runs("docker login").runs("make push").runs("make deploy")
    (procedure,) = of("procedure", trace)
    assert procedure.content == (
        "For “Deploy the shop to staging” these steps succeeded in this order: "
        "`make build` → `docker login` → `make push` → `make deploy`."
    )
    assert procedure.question == "How to do this: Deploy the shop to staging"
    assert procedure.turns[0] == trace.turns[-1].number
    assert reason(procedure) == ""


def test_it_keeps_a_look_up_that_an_action_needed() -> None:
    trace = Trace().user("Refund order 7").uses("get_order", True, id=7)
    (procedure,) = of("procedure", trace.uses("refund", True, order=7))
    assert "`get_order id=7` → `refund order=7`" in procedure.content


@pytest.mark.parametrize(
    "trace",
    [
        Trace().user("天气怎么样").uses("search", True, q="天气"),
        Trace().user("Look").uses("search", True, q="a").uses("read_file", True, path="b"),
        Trace().user("Look").runs("ls").runs("cat a"),
        Trace().user("Build").runs("make"),
    ],
)
def test_it_takes_no_single_step_and_no_mere_reading_for_a_procedure(trace: Trace) -> None:
    assert of("procedure", trace, WON) == []


def test_it_believes_the_hosts_outcome_where_results_tell_none() -> None:
    trace = Trace().user("Publish").uses("build", None, v=1).uses("publish", None, v=1)
    assert of("procedure", trace) == []
    (procedure,) = of("procedure", trace, WON)
    assert reason(procedure) == ""
    assert of("procedure", fixed_import(), Scene(agent="coder", outcome="failure")) == []


def test_it_marks_what_the_user_gave_up() -> None:
    trace = Trace().user("Set up the database").runs("make db").runs("make seed").user("算了")
    (procedure,) = of("procedure", trace)
    assert reason(procedure) == "abandoned"  # F1


@pytest.mark.parametrize("claim", ["It works now, all tests pass!", "已经修好了，测试全部通过。"])
@pytest.mark.parametrize("scene", [SCENE, WON])
def test_it_never_makes_a_success_of_a_failure_that_was_talked_away(
    claim: str, scene: Scene
) -> None:
    trace = Trace().user("Fix the tests").runs("pip install a").runs("pip install b")
    trace.runs("pytest", 1, MISSING).says(claim).user("Great, thank you")
    found = procedures(trace.turns, scene)
    assert [proposal.kind for proposal in found] == ["incident"]  # F1
    assert reason(found[0]) == NO_VALUE


def test_it_lets_no_glance_hide_a_failure_and_no_glance_be_one() -> None:
    trace = Trace().user("Fix the tests").runs("make a").runs("make b")
    assert of("procedure", trace.runs("cat missing", 1)) != []
    assert of("procedure", trace.runs("pytest", 1).runs("cat log")) == []


@pytest.mark.parametrize("complaint", ["It still fails on my side.", "还是不行"])
def test_it_hears_that_the_user_contradicts(complaint: str) -> None:
    trace = Trace().user("Fix the tests").runs("make a").runs("make b").user(complaint)
    assert of("procedure", trace) == []


def test_it_hears_that_the_same_command_failed_later() -> None:
    trace = Trace().user("Deploy the shop").runs("make build").runs("make deploy")
    trace.user("Anyway, translate my letter into French").runs("make deploy", 1, "quota")
    assert of("procedure", trace) == []


def test_it_keeps_a_failure_that_comes_again_and_again() -> None:
    trace = Trace().user("Push it")
    for _ in range(3):
        trace.runs("git push", 1, "remote: permission denied")
    (incident,) = of("incident", trace)
    assert incident.content == (
        "`git push` failed 3 times with remote: permission denied; no success followed."
    )
    assert reason(incident) == ""


def test_it_shows_no_secret() -> None:
    trace = (
        Trace()
        .user("部署，密码是 hunter2x")
        .runs("deploy --password hunter2x a", 1, "token=hunter2x")
    )
    trace.runs("deploy --password hunter2x b").runs("check --token hunter2x")
    found = procedures(trace.turns, SCENE)
    assert {proposal.kind for proposal in found} == {"lesson", "procedure"}
    assert "hunter2x" not in repr(found)
    assert "•••" in found[0].content


def test_it_belongs_to_the_agent_where_there_is_no_user() -> None:
    assert {it.owner for it in procedures(fixed_import().turns, Scene(agent="coder"))} == {"coder"}


def test_it_does_not_take_recalled_memories_for_the_users_words() -> None:
    ask = "<hindsight-memories>old</hindsight-memories>Make the tests pass"
    assert "old" not in repr(procedures(fixed_import(ask).turns, SCENE))  # B9


def test_it_stays_short_and_says_how_many_steps_there_were() -> None:
    trace = Trace().user("Do " + "a very long task " * 40)
    for number in range(12):
        trace.runs(f"make step{number}x " + "long argument " * 20)
    (procedure,) = of("procedure", trace)
    assert "(the last 8 of 12)" in procedure.content
    assert len(procedure.content) < 500  # B6


COMMANDS = st.sampled_from(["pytest", "pip install foo", "make a", "cat x", "git push", "", "'`"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["runs", "user", "says", "uses"]), COMMANDS | st.text(), st.booleans()
    )
)


def told(steps: list[tuple[str, str, bool]]) -> Trace:
    trace = Trace()
    for what, text, ok in steps:
        if what == "runs":
            trace.runs(text, 0 if ok else 1, text)
        elif what == "uses":
            trace.uses(text, ok, arg=text)
        else:
            getattr(trace, what)(text)
    return trace


@settings(deadline=None)
@given(STEPS, st.sampled_from(["unknown", "success", "failure", "abandoned"]))
def test_it_quotes_what_stands_in_the_first_turn(steps: Any, outcome: str) -> None:
    turns = told(steps).turns
    for proposal in procedures(turns, Scene(agent="coder", outcome=outcome)):
        assert proposal.quote in said_in(turns[proposal.turns[0] - 1])
        assert proposal.content
        assert len(proposal.content) < 500


@settings(deadline=None)
@given(STEPS)
def test_it_makes_no_success_of_a_session_in_which_every_call_failed(steps: Any) -> None:
    turns = told([(what, text, False) for what, text, _ in steps]).turns
    assert {it.kind for it in procedures(turns, WON)} <= {"incident"}  # F1
