"""A caller of the REST API, as a script would be."""

from typing import Any

from rest_framework.test import APIClient

ROOT = "/api/v1"


class Caller:
    """Sends JSON with an agent's key (or as whoever `client` is) and returns the response."""

    def __init__(self, key: str = "", client: APIClient | None = None) -> None:
        self.client = client or APIClient()
        if key:
            self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(ROOT + path, query)

    def post(self, path: str, body: Any, **headers: str) -> Any:
        return self.client.post(ROOT + path, body, format="json", headers=headers)

    def patch(self, path: str, body: Any) -> Any:
        return self.client.patch(ROOT + path, body, format="json")

    def delete(self, path: str, **query: Any) -> Any:
        return self.client.delete(ROOT + path, query_params=query)

    def write(self, content: str, **said: Any) -> dict[str, Any]:
        """Write a memory and return it."""
        answer = self.post("/memories", {"content": content, "source": "user_input"} | said)
        assert answer.status_code in (200, 201), answer.content
        memory: dict[str, Any] = answer.json()["memory"]
        return memory


def refusal(response: Any, status: int, code: str) -> dict[str, Any]:
    """Check the one shape of a refusal and return what it says."""
    assert (response.status_code, response["Content-Type"]) == (status, "application/json")
    body = response.json()
    assert set(body) == {"error"}
    error: dict[str, Any] = body["error"]
    assert error["code"] == code
    assert set(error) <= {"code", "message", "field", "details"}
    assert error["message"]
    assert all(error.values())
    return error


# --- Sessions -------------------------------------------------------------------------------------
HELLO = {"role": "user", "content": "I prefer tea to coffee.", "key": "1-user"}
FAILED = {"type": "tool_result", "tool": "pytest", "ok": False, "error": "2 failed", "key": "3"}


def start(caller: Caller, **said: Any) -> str:
    """Start a session and return its path."""
    answer = caller.post("/sessions", said)
    assert answer.status_code in (200, 201), answer.content
    return f"/sessions/{answer.json()['id']}"


def turns(caller: Caller, path: str, *said: dict[str, Any], **more: Any) -> Any:
    """Record turns and return the response."""
    return caller.post(f"{path}/turns", {"turns": list(said), **more})
