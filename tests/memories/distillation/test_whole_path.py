"""From a recorded session to its memories, with the real rules and a server in place of an LLM."""

from typing import Any

import pytest
from pytest_django import Settings

from memories.distillation import distil
from memories.models import DistillationRun, Memory
from memories.permissions import Actor
from memories.sessions import end_session, recall_context, record_turns
from memories.writing import write_memory
from tests.memories.distillation.llm_helpers import NOTHING, memory
from tests.memories.llm.server import Answer, fails, llm, says

pytestmark = pytest.mark.usefixtures("embedder")


def look_back(actor: Actor, *turns: Any, outcome: str = "", user_id: str = "") -> DistillationRun:
    """Record turns (texts are the user's), end the session and distil it."""
    given = [{"content": turn} if isinstance(turn, str) else turn for turn in turns]
    record_turns(actor=actor, session="s", turns=given, user_id=user_id)
    session = end_session(actor=actor, session="s", outcome=outcome, user_id=user_id)
    found = distil(session.pk)
    assert found is not None
    assert found.state == "done", found.note
    return found


def kept() -> list[str]:
    return sorted(Memory.objects.values_list("content", flat=True))


def call(command: str, ok: bool, said: str, number: str) -> list[dict[str, Any]]:
    return [
        {"type": "tool_call", "tool": "shell", "call_id": number, "data": {"command": command}},
        {
            "type": "tool_result",
            "tool": "shell",
            "call_id": number,
            "data": {"exit_code": int(not ok), "stdout": said if ok else "", "stderr": said},
        },
    ]


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("I am allergic to peanuts.", "peanuts"),
        ("Remember that our tests run on pytest, never on unittest.", "pytest"),
        ("我对花生过敏。", "花生"),
        ("记住：我们的 docker 镜像一律用 alpine。", "alpine"),
    ],
)
def test_it_keeps_what_will_matter(actor: Actor, said: str, word: str) -> None:
    """B1: explicit preferences, facts and constraints, in both languages."""
    look_back(actor, "Hello!", said, "Thanks, bye!")
    [found] = kept()
    assert word in found


def test_it_says_nothing_of_small_talk(actor: Actor) -> None:
    """B1, B2."""
    run = look_back(
        actor, "Hello!", {"role": "assistant", "content": "Hi!"}, "你好", "谢谢，再见！"
    )
    assert kept() == []
    assert run.candidates.count() > 0
    assert all(one.reason for one in run.candidates.all())


@pytest.mark.parametrize("claim", ["It works now, all tests pass.", "已经修好了，测试都通过了。"])
@pytest.mark.parametrize("thanks", ["", "Great, thanks!", "太好了，谢谢！"])
def test_it_never_remembers_a_failure_as_a_success(actor: Actor, claim: str, thanks: str) -> None:
    """B8, F1: the outcome is the tool's, whatever the model says about it."""
    turns = [*call("make test", False, "2 failed, 40 passed", "a")]
    turns.append({"role": "assistant", "content": claim})
    look_back(actor, "Please run the tests.", *turns, *filter(None, [thanks]), outcome="success")
    assert not [text for text in kept() if "pass" in text or "work" in text or "通过" in text]


def test_it_learns_how_a_failure_was_mended(actor: Actor) -> None:
    """A4, B1."""
    look_back(
        actor,
        "Please run the tests.",
        *call("pytest", False, "ModuleNotFoundError: No module named 'freezegun'", "a"),
        *call("pip install freezegun", True, "Successfully installed freezegun", "b"),
        *call("pytest", True, "42 passed", "c"),
        outcome="success",
    )
    lesson = Memory.objects.get(kind="lesson")
    assert "freezegun" in lesson.content
    assert (lesson.source, lesson.confidence) == ("tool_result", 0.8)


def test_it_does_not_distil_the_context_that_was_given(actor: Actor) -> None:
    """B9: what was recalled and recorded with the turn does not come back as new."""
    write_memory(actor=actor, content="The staging cluster runs in Frankfurt.", source="unknown")
    record_turns(actor=actor, session="s", turns=[{"content": "Where does staging run?"}])
    context = recall_context(actor=actor, session="s").text
    assert "Frankfurt" in context
    look_back(
        actor,
        {"role": "system", "content": context},
        f"{context}\nWhere does staging run?",
        "The staging cluster runs in Frankfurt.",
    )
    assert kept() == ["The staging cluster runs in Frankfurt."]
    assert Memory.objects.get().confidence == 0.4


def test_it_keeps_a_users_session_to_that_user(actor: Actor) -> None:
    """D1."""
    look_back(actor, "I am allergic to peanuts.", user_id="ann")
    assert Memory.objects.get().user_id == "ann"


# --- With an LLM (I3, B3) -------------------------------------------------------------------------

FISH = "I never eat fish."


def test_it_lets_the_llm_propose_and_the_rules_decide(actor: Actor, settings: Settings) -> None:
    answer = [
        memory(FISH, "Ann never eats fish.", kind="constraint"),
        memory("She owns a boat.", "Ann owns a boat."),
        memory(FISH, "Ann dislikes the sea.", worth=0.1),
    ]
    with llm(says({"memories": answer})) as server:
        server.configure(settings)
        run = look_back(actor, FISH, {"role": "assistant", "content": "Noted."}, "Good.")
    assert kept() == ["Ann never eats fish."]
    assert (run.distiller, run.model, run.note) == ("llm", "fake", "")
    assert [one.reason for one in run.candidates.all()] == ["stored", "unquoted", "no_value"]


def test_it_takes_nothing_for_an_answer(actor: Actor, settings: Settings) -> None:
    with llm(says(NOTHING)) as server:
        server.configure(settings)
        run = look_back(actor, FISH)
    assert (kept(), run.distiller) == ([], "llm")


@pytest.mark.parametrize(
    "answer",
    [fails(401), says("", refusal="I cannot help with that.")],
    ids=["closed", "refusal"],
)
def test_it_falls_back_to_rules_and_says_so(
    actor: Actor, settings: Settings, answer: Answer
) -> None:
    with llm(answer) as server:
        server.configure(settings)
        run = look_back(actor, FISH)
    assert run.distiller == "rules"
    assert run.note.startswith("Distilled by rules, because the LLM did not help: ")
    assert len(kept()) == 1
