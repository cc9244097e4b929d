"""The HTTP bridge as a process of its own."""

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.services import PROJECT, free_port


@dataclass
class Bridge:
    """`manage.py run_mcp --http` on a free port; it can be killed and started again."""

    environment: dict[str, str]
    log: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def health(self) -> str:
        return f"http://127.0.0.1:{self.port}/health"

    def start(self) -> "Bridge":
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "run_mcp", "--http"],
                cwd=PROJECT,
                env=self.environment | {"MCP_PORT": str(self.port)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._wait()
        return self

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(20)

    def _wait(self) -> None:
        deadline = time.monotonic() + 60
        with httpx.Client(trust_env=False) as client:
            while time.monotonic() < deadline:
                assert self.process is not None
                assert self.process.poll() is None, self.log.read_text()
                try:
                    if client.get(self.health).status_code == 200:
                        return
                except httpx.TransportError:
                    time.sleep(0.1)
        raise AssertionError(f"the bridge did not answer: {self.log.read_text()}")
