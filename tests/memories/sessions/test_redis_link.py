"""What becomes of working memory while Redis is away, slow, full or read-only."""

import re
import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings as configured
from django.utils import timezone
from pytest_django import Settings
from redis import Redis

from memories.models import Turn
from memories.models.ids import new_id
from memories.sessions.redis_link import OPEN_SECONDS, RedisLink, link_to
from memories.sessions.working import WorkingMemory, WorkingMemoryDown
from tests.services import free_port

COMMAND = re.compile(rb"\*\d+\r\n\$")


class Server:
    """A server on loopback that counts connections and has one answer to every command.

    None: it says nothing and keeps the connection; "": it hangs up.
    """

    def __init__(self, answer: str | None) -> None:
        self.connections = 0
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://:hidden-word@127.0.0.1:{self._listening.getsockname()[1]}/0"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _address = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            while packet := connection.recv(65_536):
                if self._answer == "":
                    return
                # A server in any state accepts the greeting: AUTH and CLIENT SETINFO.
                greeting = b"AUTH" in packet or b"SETINFO" in packet
                if self._answer is not None:
                    answer = b"+OK\r\n" if greeting else self._answer.encode()
                    connection.sendall(answer * len(COMMAND.findall(packet)))

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@pytest.fixture(autouse=True)
def _no_link_remembered() -> None:
    """A port may come again within the pause after a failure."""
    link_to.cache_clear()


@pytest.fixture
def serve() -> Iterator[Callable[[str | None], Server]]:
    servers: list[Server] = []

    def start(answer: str | None) -> Server:
        servers.append(Server(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def memory() -> WorkingMemory:
    return WorkingMemory(new_id(), turns=8, seconds=60)


def push(memory: WorkingMemory, number: int = 1) -> None:
    memory.push([Turn(number=number, content="hello", happened_at=timezone.now())])


USES: list[Callable[[WorkingMemory], object]] = [
    push,
    WorkingMemory.recent,
    WorkingMemory.results,
    WorkingMemory.clear,
    lambda memory: memory.get("a"),
    lambda memory: memory.set("a", 1),
    lambda memory: memory.set("a", None),
]


@pytest.mark.parametrize("use", USES)
def test_it_says_so_when_redis_is_away(
    settings: Settings, memory: WorkingMemory, use: Callable[[WorkingMemory], object]
) -> None:
    settings.REDIS_URL = f"redis://:hidden-word@127.0.0.1:{free_port()}/0"
    with pytest.raises(WorkingMemoryDown, match=r"does not answer: .*refused") as caught:
        use(memory)
    assert "hidden-word" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "[Tt]imeout"),
        ("", "closed"),
        ("-READONLY You can't write against a read only replica.\r\n", "read only"),
        ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", "maxmemory"),
        ("-LOADING Redis is loading the dataset in memory\r\n", "loading"),
        ("nonsense\r\n", "nonsense"),
    ],
)
def test_it_says_so_when_redis_does_not_serve(
    settings: Settings,
    memory: WorkingMemory,
    serve: Callable[[str | None], Server],
    answer: str | None,
    reason: str,
) -> None:
    settings.REDIS_URL = serve(answer).url
    with pytest.raises(WorkingMemoryDown, match=reason):
        push(memory)


def test_it_does_not_try_again_for_a_while(serve: Callable[[str | None], Server]) -> None:
    server, clock = serve(""), [100.0]
    link = RedisLink(server.url, now=lambda: clock[0])

    def ask() -> int:
        """Ask once, in vain; return the connections that this made."""
        before = server.connections
        with pytest.raises(WorkingMemoryDown), link.answering() as redis:
            redis.get("x")
        return server.connections - before

    first = ask()
    assert first > 0
    clock[0] += OPEN_SECONDS - 0.1
    assert ask() == 0
    clock[0] += 0.2
    assert ask() == first


def test_it_follows_the_setting(settings: Settings, memory: WorkingMemory) -> None:
    push(memory)
    real, settings.REDIS_URL = settings.REDIS_URL, f"redis://127.0.0.1:{free_port()}/0"
    with pytest.raises(WorkingMemoryDown):
        memory.recent()
    settings.REDIS_URL = real
    assert len(memory.recent()) == 1


def test_it_survives_a_connection_that_the_server_closed(memory: WorkingMemory) -> None:
    link = RedisLink(configured.REDIS_URL)
    with link.answering() as redis:
        redis.set("hindsight:probe", "1", ex=60)
        own = redis.client_id()
        Redis.from_url(configured.REDIS_URL).client_kill_filter(_id=str(own))
        assert redis.get("hindsight:probe") == b"1"
    link.close()
