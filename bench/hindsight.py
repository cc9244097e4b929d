"""Hindsight over REST: HINDSIGHT_URL says where a server runs, HINDSIGHT_KEY is an agent's key."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from uuid import uuid4

from bench.system import Unusable
from memories.evaluation.clients import rest

MOST = 100
"""Texts that the server takes in one call."""


class Hindsight:
    """A running server. The users of each run are new ones; what they said stays in the space."""

    def setup(self) -> None:
        self._run = uuid4().hex[:8]
        self._open = ExitStack()
        url = os.environ.get("HINDSIGHT_URL", "http://127.0.0.1:8000")
        key = os.environ.get("HINDSIGHT_KEY")
        if not key:
            raise Unusable("Set HINDSIGHT_KEY to an agent's key: manage.py create_key prints one.")
        self._rest = self._open.enter_context(rest(url, key))

    def write(self, texts: Sequence[str], user_id: str) -> Sequence[str]:
        told = [(text, self._own(user_id)) for text in texts]
        batches = [told[start : start + MOST] for start in range(0, len(told), MOST)]
        kept = [answer for batch in batches for answer in self._rest.write_many(batch)]
        return [answer["memory"]["id"] for answer in kept]

    def search(self, query: str, user_id: str, k: int) -> Sequence[str]:
        found = self._rest.search(query, self._own(user_id), top_k=k)
        return [hit["id"] for hit in found["hits"]]

    def close(self) -> None:
        self._open.close()

    def _own(self, user_id: str) -> str:
        return f"{self._run}-{user_id}"
