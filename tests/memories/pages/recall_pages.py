"""The pages of recalls, as tests open them."""

from django.test import Client

URL = "/recalls/"


def look(client: Client, path: str = "") -> str:
    answer = client.get(f"{URL}{path}")
    assert answer.status_code == 200
    return answer.content.decode()


def queries(client: Client, path: str = "") -> list[str]:
    rows = client.get(f"{URL}{path}").context["rows"]
    return [row.recall.query for row in rows]


def texts(client: Client, path: str) -> list[str]:
    rows = client.get(f"{URL}{path}").context["rows"]
    return [row.memory.content for row in rows]
