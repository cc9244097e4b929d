"""The one way to ask an LLM: a validated answer within a deadline, or LlmDown.

Safe to use from many threads and after a fork. No connection to the database is held meanwhile.
"""

import atexit
import logging
import math
import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _
from pydantic import BaseModel

from memories.llm.errors import Fault, FormRefused, LlmDown, Unfit
from memories.llm.forms import Answer, Form, Message, correction, read, request
from memories.llm.wire import MISSET_SECONDS, Reply, post

logger = logging.getLogger(__name__)

SECONDS = 120.0
"""For one question with all its tries."""
TRIES = 4
CORRECTIONS = 2
"""How often a model is told what is wrong with its answer."""
FIRST_WAIT, MOST_WAIT = 1.0, 20.0
"""Seconds between tries, doubling; up to half of it is taken off at random."""
PAUSE_SECONDS, MOST_PAUSE = 60.0, 600.0
"""After a failure nobody asks again for so long, or for as long as the server wants: ten sessions
do not each wait for the deadline.
"""
REPEATED = 4_000
"""Characters of a wrong answer that the model gets to see again."""
FORMS = tuple(Form)


class LlmClient:
    """One model of one server. `now` and `sleep` are its clock, in seconds."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str,
        model: str,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        self._now, self._sleep = now, sleep
        self._closed_until, self._why = -math.inf, ""
        self._form = Form.SCHEMA
        loopback = urlsplit(url).hostname in {"127.0.0.1", "localhost", "::1"}
        key = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx.Client(
            base_url=url.rstrip("/") + "/",
            headers=key | {"Content-Type": "application/json", "Accept-Encoding": "identity"},
            trust_env=not loopback,  # a proxy of the environment cannot reach our own loopback
        )

    def ask(
        self, messages: Sequence[Message], answer: type[Answer], *, seconds: float = SECONDS
    ) -> Answer:
        """Ask and return the validated answer. Raises LlmDown, LlmRefused."""
        if self._now() < self._closed_until:
            raise LlmDown(self._why)
        try:
            return self._corrected(messages, answer, _Deadline(self._now, seconds))
        except LlmDown as down:
            if down.pause:
                self._why = str(down)
                self._closed_until = self._now() + min(down.pause, MOST_PAUSE)
            logger.info("no answer from the LLM: %s", down)
            raise

    def close(self) -> None:
        self._http.close()

    def _corrected(
        self, messages: Sequence[Message], answer: type[Answer], deadline: "_Deadline"
    ) -> Answer:
        """Ask, and tell the model what is wrong with its answer, CORRECTIONS times at most."""
        talk = list(messages)
        for _again in range(CORRECTIONS + 1):
            reply = self._retried(talk, answer, deadline)
            try:
                return read(reply.text, answer)
            except Unfit as unfit:
                problem = f"it was cut off: be shorter. {unfit}" if reply.cut else str(unfit)
            talk += [
                {"role": "assistant", "content": reply.text[:REPEATED]},
                {"role": "user", "content": correction(answer, problem)},
            ]
        raise LlmDown(_("The LLM's answers do not have the form that was asked for."))

    def _retried(
        self, talk: Sequence[Message], answer: type[BaseModel], deadline: "_Deadline"
    ) -> Reply:
        """Send one request, again after a fault as long as there are tries and time."""
        for tried in count(1):
            try:
                return self._formed(talk, answer, deadline)
            except Fault as fault:
                wait = max(fault.wait, backoff(tried))
                if tried == TRIES or wait >= deadline.left():
                    raise LlmDown(str(fault), pause=max(fault.wait, PAUSE_SECONDS)) from fault
                logger.info("trying the LLM again in %.1f s: %s", wait, fault)
                self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _formed(
        self, talk: Sequence[Message], answer: type[BaseModel], deadline: "_Deadline"
    ) -> Reply:
        """Send a request in the first form that the server takes, and remember which it was."""
        refused = FormRefused(0, "")
        for form in FORMS[FORMS.index(self._form) :]:
            body = {"model": self._model, **request(form, talk, answer)}
            try:
                reply = post(self._http, body, deadline.of_one_try(), self._now)
            except FormRefused as error:
                refused = error
                continue
            self._form = form
            return reply
        if refused.status >= 500:
            raise Fault(_("The LLM is broken (%(status)s).") % {"status": refused})
        why = _("The LLM does not take the request (%(status)s). Check LLM_MODEL and its context.")
        raise LlmDown(why % {"status": refused})


class _Deadline:
    """The time that one question has; one try takes at most half of it, so that another fits."""

    def __init__(self, now: Callable[[], float], seconds: float) -> None:
        self._now = now
        self._until = now() + seconds
        self._half = seconds / 2

    def left(self) -> float:
        return self._until - self._now()

    def of_one_try(self) -> float:
        return max(min(self._half, self.left()), 0.01)


def backoff(tried: int) -> float:
    """Return the seconds to wait after so many tries."""
    most = min(FIRST_WAIT * 2.0 ** (tried - 1), MOST_WAIT)
    return most * random.uniform(0.5, 1.0)  # noqa: S311 (to spread tries is no secret)


def available() -> bool:
    """Whether an LLM is configured; it may be down all the same."""
    return bool(settings.LLM_BASE_URL and settings.LLM_MODEL)


def ask(messages: Sequence[Message], answer: type[Answer], *, seconds: float = SECONDS) -> Answer:
    """Ask the configured LLM and return its answer, validated. Raises LlmDown, LlmRefused.

    Call it outside of transactions: it takes up to `seconds`, and gives the thread's connection to
    the database back before. A test's transaction keeps its own.
    """
    client = configured_client()
    if not connection.in_atomic_block:
        connection.close()
    return client.ask(messages, answer, seconds=seconds)


@cache
def client_for(url: str, api_key: str, model: str) -> LlmClient:
    client = LlmClient(url, api_key=api_key, model=model)
    atexit.register(client.close)
    return client


_making = threading.Lock()


def configured_client() -> LlmClient:
    """The process's one client of LLM_BASE_URL, LLM_API_KEY and LLM_MODEL. Raises LlmDown."""
    if not available():
        raise LlmDown(_("No LLM is configured: set LLM_BASE_URL and LLM_MODEL."))
    try:
        with _making:
            return client_for(
                settings.LLM_BASE_URL, settings.LLM_API_KEY.strip(), settings.LLM_MODEL
            )
    except (httpx.InvalidURL, ValueError) as error:
        raise LlmDown(
            _("LLM_BASE_URL or LLM_API_KEY cannot be used as it is."), pause=MISSET_SECONDS
        ) from error


def _forget_after_fork() -> None:
    """A child must not share its parent's sockets, nor a lock that a thread held at the fork."""
    global _making
    _making = threading.Lock()
    client_for.cache_clear()


os.register_at_fork(after_in_child=_forget_after_fork)
