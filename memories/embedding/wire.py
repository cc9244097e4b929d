"""What the clients of an embedding and of a reranking server share: HTTP, and its errors."""

from urllib.parse import urlsplit

import httpx
from django.utils.translation import gettext as _

SHOWN = 200
"""Letters of a server's error text that are passed on."""
RETRIED = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError, httpx.CloseError)
"""A kept connection that the server closed meanwhile, as after its restart. Computing twice harms
nothing.
"""


def http_client(url: str, api_key: str) -> httpx.Client:
    """Return a client whose paths are below `url`; it may be used from many threads."""
    loopback = urlsplit(url).hostname in {"127.0.0.1", "localhost", "::1"}
    return httpx.Client(
        base_url=url.rstrip("/") + "/",
        headers={"Content-Type": "application/json"}
        | ({"Authorization": f"Bearer {api_key}"} if api_key else {}),
        trust_env=not loopback,  # a proxy of the environment cannot reach our own loopback
    )


def post(http: httpx.Client, path: str, content: bytes, timeout: httpx.Timeout) -> httpx.Response:
    """Send JSON, once more where a kept connection was closed. Raises httpx.TransportError."""
    try:
        return http.post(path, content=content, timeout=timeout)
    except RETRIED:
        return http.post(path, content=content, timeout=timeout)


def reason_of(error: Exception) -> str:
    """Return why no answer came, in the transport's words."""
    return str(error) or type(error).__name__


def error_text(response: httpx.Response) -> str:
    """The message of an OpenAI error, or the beginning of whatever came."""
    try:
        text = str(response.json()["error"]["message"])
    except (ValueError, TypeError, KeyError, RecursionError):
        text = response.text
    return text[:SHOWN]


def describe(error: Exception) -> str:
    """Return what is wrong with an answer that cannot be read."""
    if isinstance(error, KeyError):
        return _("%(field)s is missing") % {"field": error}
    return str(error)[:SHOWN]
