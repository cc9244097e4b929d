"""What a process gets from the client module: one client, none inherited, nothing heavy."""

import os
import subprocess
import sys

from pytest_django.fixtures import Settings

from memories.embedding.client import configured_client


def test_it_keeps_one_client_for_the_same_settings() -> None:
    assert configured_client() is configured_client()


def test_it_makes_another_client_when_the_settings_change(settings: Settings) -> None:
    first = configured_client()
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"
    assert configured_client() is not first


def test_it_inherits_no_client_through_a_fork() -> None:
    program = (
        "import os; from memories.embedding import client;"
        "client.client_for('http://127.0.0.1:9/v1', '', 'm');"
        "child = os.fork();"
        "size = client.client_for.cache_info().currsize;"
        "os._exit(size) if child == 0 else None;"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), size)"
    )
    assert run(program) == "0 1"


def test_it_imports_neither_torch_nor_numpy() -> None:
    program = (
        "import sys; import memories.embedding.client;"
        "print(sorted({'torch', 'numpy', 'transformers'} & set(sys.modules)))"
    )
    assert run(program) == "[]"


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
