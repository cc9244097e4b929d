"""A host that remembers: it records every turn, recalls before each answer, and ends the session.

Try it with an agent's key: HINDSIGHT_AGENT_KEY=hs_… python host_loop.py
"""

import os
import uuid
from collections.abc import Callable, Iterable
from typing import Any

import httpx

# From what is known and what was asked to all that came of it: tool calls, results, the answer.
Model = Callable[[str, str], list[dict[str, Any]]]


def converse(api: httpx.Client, user_id: str, asked: Iterable[str], model: Model) -> Any:
    """Answer one question after the other, and return the ended session."""

    def post(path: str, tries: int = 3, **body: Any) -> Any:
        try:
            answer = api.post(path, json=body | {"user_id": user_id})
        except httpx.TransportError:
            if tries == 1:
                raise
            return post(path, tries - 1, **body)  # harmless: sessions have names, turns have keys
        return answer.raise_for_status().json()

    session = post("sessions", session=str(uuid.uuid4()), task="Support chat")
    path, outcome = f"sessions/{session['id']}", "failure"
    try:
        for number, question in enumerate(asked, 1):
            said = {"role": "user", "content": question, "key": f"{number}"}
            post(f"{path}/turns", turns=[said])
            known = post(f"{path}/context")["text"]
            turns = enumerate(model(known, question), 1)
            post(f"{path}/turns", turns=[{**turn, "key": f"{number}.{n}"} for n, turn in turns])
        outcome = "success"
    finally:
        ended = post(f"{path}/end", outcome=outcome)
    return ended


def parrot(known: str, question: str) -> list[dict[str, Any]]:
    """Stand in for your model: put `known` into its system prompt, and return what it did."""
    return [{"role": "assistant", "content": f"Knowing this:\n{known}\nyou ask: {question}"}]


if __name__ == "__main__":
    key = {"Authorization": f"Bearer {os.environ['HINDSIGHT_AGENT_KEY']}"}
    with httpx.Client(base_url="http://127.0.0.1:8000/api/v1/", headers=key) as client:
        print(converse(client, "alice", iter(lambda: input("> "), ""), parrot))  # noqa: T201
