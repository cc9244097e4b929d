"""Calls find their results; success claimed after a failure is seen through (F1)."""

import pytest

from memories.distillation.rules.calls import claimed_success, paired
from memories.distillation.rules.commands import command_of, families_of, looks
from memories.models.session import Turn
from tests.memories.distillation.rules.traces import MISSING, Trace


def pairs(trace: Trace) -> list[tuple[int | None, int | None]]:
    return [
        (
            call.call.number if call.call else None,
            call.result.number if call.result else None,
        )
        for call in paired(trace.turns)
    ]


def test_it_pairs_by_call_id() -> None:
    trace = Trace().call("a", call_id="1").call("a", call_id="2")
    trace.result("second", call_id="2").result("first", call_id="1")
    assert pairs(trace) == [(1, 4), (2, 3)]


def test_it_pairs_by_order_and_tool_without_ids() -> None:
    trace = Trace().call("read").call("write").call("read")
    trace.result("w", tool="write").result("1").result("2", tool="read")
    assert pairs(trace) == [(1, 5), (2, 4), (3, 6)]


def test_it_tolerates_calls_and_results_without_their_other_half() -> None:
    trace = (
        Trace().result("lost", tool="x", ok=False).call("y", call_id="9").result("z", call_id="8")
    )
    assert pairs(trace) == [(None, 1), (2, None), (None, 3)]
    assert [call.ok for call in paired(trace.turns)] == [False, None, None]


def test_it_reads_a_result_by_the_tool_of_its_call() -> None:
    call = paired(Trace().call("run_sql").result(data=[{"id": 1}]).turns)[0]
    assert call.meaning is not None
    assert (call.ok, call.meaning.shape) == (True, "sql")


def test_it_does_not_take_arguments_for_an_outcome() -> None:
    trace = Trace().call("log", {"error": "x", "exit_code": 1})
    assert paired(trace.turns)[0].ok is None


@pytest.mark.parametrize(
    ("turn", "command", "families", "only_looks"),
    [
        (Turn(tool="bash", data={"command": "cd app && FOO=1 pytest -x"}),
         "cd app && FOO=1 pytest -x", {"pytest"}, False),
        (Turn(tool="run_command", content="sudo git push origin"), "sudo git push origin",
         {"git push"}, False),
        (Turn(tool="shell", data={"cmd": ["python", "-m", "pip", "install", "x"]}),
         "python -m pip install x", {"pip install"}, False),
        (Turn(tool="bash", data={"command": "cat a | grep b"}), "cat a | grep b",
         {"cat", "grep"}, True),
        (Turn(tool="bash", data={"command": "echo a > b"}), "echo a > b", {"echo"}, False),
        (Turn(tool="read_file", data={"path": "a.py", "n": 3}), "read_file path=a.py n=3",
         {"read file"}, True),
        (Turn(tool="http_post", data={"token": "abc", "url": "https://x"}),
         "http_post token=••• url=https://x", {"http post"}, False),
    ],
)  # fmt: skip
def test_it_says_what_a_call_does(
    turn: Turn, command: str, families: set[str], only_looks: bool
) -> None:
    assert (command_of(turn), set(families_of(turn)), looks(turn)) == (
        command,
        families,
        only_looks,
    )


@pytest.mark.parametrize(
    "claim",
    ["It works now!", "All tests pass.", "I've fixed the bug.", "Successfully deployed.",
     "Fixed.", "Great, the build is working.", "已经修好了。", "现在可以用了", "测试全部通过。",
     "问题解决了！"],
)  # fmt: skip
def test_it_sees_through_success_claimed_after_a_failure(claim: str) -> None:
    trace = Trace().user("Fix it please").runs("pytest", 1, MISSING).says(claim)
    assert claimed_success(trace.turns) == {4}  # F1


@pytest.mark.parametrize(
    "honest",
    ["It doesn't work yet.", "The tests are not fixed.", "Does it work now?", "I will try again.",
     "Once it is fixed we can deploy.", "还没有修好。", "修好了吗？", "如果成功了我再告诉你。"],
)  # fmt: skip
def test_it_lets_honest_words_be(honest: str) -> None:
    trace = Trace().user("Fix it please").runs("pytest", 1, MISSING).says(honest)
    assert claimed_success(trace.turns) == set()


def test_it_believes_a_claim_once_the_same_thing_succeeded() -> None:
    trace = Trace().runs("pytest", 1).runs("pytest", 0).says("It works now!")
    assert claimed_success(trace.turns) == set()


@pytest.mark.parametrize("step", ["pip install foo", "cat setup.py", "sed -i s/a/b/ x.py"])
def test_it_wants_another_test_after_a_failed_test(step: str) -> None:
    trace = Trace().runs("pytest", 1, MISSING).runs(step).says("已经修好了，测试通过。")
    assert claimed_success(trace.turns) == {5}


def test_it_accepts_another_way_that_worked() -> None:
    trace = Trace().runs("apt-get install x", 1).runs("pip install x").says("It works now.")
    assert claimed_success(trace.turns) == set()


def test_it_forgets_a_failure_with_its_topic() -> None:
    trace = Trace().user("Deploy the shop").runs("make deploy", 1)
    trace.user("Never mind.").says("All done.")
    assert claimed_success(trace.turns) == set()
