"""The command: what it says when it cannot start, and that it starts light."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from memories.management.commands.run_embedder import make_app


def test_it_says_when_its_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"127.0.0.1:{port} .* Set EMBEDDER_PORT"):
            call_command("run_embedder", port=port)


def test_it_says_when_its_port_is_no_port() -> None:
    with pytest.raises(CommandError, match="Set EMBEDDER_PORT to a free port"):
        call_command("run_embedder", port=99999)


def test_it_loads_the_heavy_libraries_only_when_the_server_is_up() -> None:
    program = (
        "import sys; import memories.embedding.service, memories.management.commands.run_embedder;"
        "print(sorted({'torch', 'numpy', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_it_goes_by_the_configured_name(settings: Settings, tmp_path: Path) -> None:
    settings.EMBEDDING_MODEL = "/models/mine"
    settings.HINDSIGHT_HOME = tmp_path
    assert make_app(1).state.models.default.names == {"/models/mine"}
