"""One HTTP request to a chat-completions server, bounded in time and in bytes.

Plain HTTP rather than the vendor's package: a bound on both wants the raw bytes in any case, and
then the package would only add its import (0.5-0.9 s and 18 MB, measured) and another HTTP library.
Nothing of a request or an answer is logged or put into an error: both hold what users said.
"""

import json
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.llm.errors import Fault, FormRefused, LlmDown, LlmRefused

CONNECT_SECONDS = 5.0
MOST_BYTES = 1_000_000
"""Of one answer; what is asked for here has a few thousand."""
MISSET_SECONDS = 60.0
"""A wrong setting stays wrong for a while."""
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")
# 500 and 501, too: some servers break on a form that they do not know.
_FORM = frozenset((400, 413, 415, 422, 500, 501))
_AGAIN = frozenset((408, 409, 425, 429))


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote; `cut` when it ran out of room."""

    text: str
    cut: bool = False


def post(
    http: httpx.Client,
    body: Mapping[str, Any],
    seconds: float,
    now: Callable[[], float] = time.monotonic,
) -> Reply:
    """Send one request and read its answer. Raises Fault, FormRefused, LlmDown or LlmRefused."""
    try:
        return _read(*_sent(http, body, seconds, now))
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
        raise LlmDown(
            _("No request can be sent to the LLM. Check LLM_BASE_URL and LLM_API_KEY."),
            pause=MISSET_SECONDS,
        ) from error
    except httpx.TimeoutException as error:
        raise _slow() from error
    except httpx.TransportError as error:
        # What a server said that could not be read may stand in the others' texts.
        reason = str(error) if isinstance(error, httpx.ConnectError) else type(error).__name__
        raise Fault(
            _("The LLM does not answer: %(reason)s. Check LLM_BASE_URL.") % {"reason": reason}
        ) from error


def _sent(
    http: httpx.Client, body: Mapping[str, Any], seconds: float, now: Callable[[], float]
) -> tuple[httpx.Response, bytes]:
    until = now() + seconds
    timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    with http.stream("POST", "chat/completions", content=content, timeout=timeout) as response:
        found = bytearray()
        # Raw: nothing is unpacked before it is counted.
        for chunk in response.iter_raw():
            found += chunk
            if len(found) > MOST_BYTES:
                raise Fault(_("The LLM's answer does not come to an end."))
            if now() > until:
                raise _slow()
    return response, bytes(found)


def _slow() -> Fault:
    return Fault(_("The LLM did not answer in time."))


def _read(response: httpx.Response, content: bytes) -> Reply:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if response.status_code != 200:
        raise _failure(response, _code(body))
    return _reply(body)


def _reply(body: Any) -> Reply:
    try:
        choice = body["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        refused = bool(message.get("refusal")) or reason == "content_filter"
        text = message.get("content")
    except (TypeError, KeyError, IndexError, AttributeError):
        raise Fault(
            _("The LLM sent no chat completion. Check that LLM_BASE_URL ends in /v1 or the like.")
        ) from None
    if refused:
        raise LlmRefused(_("The LLM refused to answer."))
    if not isinstance(text, str) or not text.strip():
        raise Fault(_("The LLM sent an empty answer."))
    return Reply(text, cut=reason == "length")


def _code(body: Any) -> str:
    """Return the server's own name of an error; its sentence may repeat what users said."""
    try:
        code = body["error"].get("code") or body["error"].get("type")
    except (TypeError, KeyError, AttributeError):
        return ""
    return code if isinstance(code, str) and _CODE.fullmatch(code) else ""


def _failure(response: httpx.Response, code: str) -> Exception:
    """Return what to raise for a status that is not 200."""
    status = response.status_code
    if code == "content_filter":
        return LlmRefused(_("The LLM refused to answer."))
    if status in {401, 403}:
        why = _("The LLM refuses the key (%(status)s). Check LLM_API_KEY.")
    elif status in {404, 405}:
        why = _(
            "The LLM knows no such address or model (%(status)s). Check LLM_BASE_URL, LLM_MODEL."
        )
    elif status in _FORM:
        return FormRefused(status, code)
    elif status in _AGAIN or status >= 500:
        why = _("The LLM has no time or is broken (%(status)s).")
        return Fault(why % {"status": f"{status} {code}".strip()}, wait=_asked_wait(response))
    else:
        why = _("The LLM answered %(status)s. Check LLM_BASE_URL.")
    return LlmDown(why % {"status": f"{status} {code}".strip()}, pause=MISSET_SECONDS)


def _asked_wait(response: httpx.Response) -> float:
    """Return the seconds of Retry-After, which may be a number or a date; 0 without one."""
    given = response.headers.get("retry-after", "")
    try:
        seconds = float(given)
    except ValueError:
        try:
            moment = parsedate_to_datetime(given)
        except (ValueError, TypeError):
            return 0.0
        if timezone.is_naive(moment):
            return 0.0
        seconds = (moment - timezone.now()).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else 0.0
