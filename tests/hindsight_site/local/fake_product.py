"""`manage.py up` with small stand-ins for the five programs, on real servers.

What the supervisor does is the same; what takes seconds to load is not there.
"""

import json
import sys
from functools import partial
from pathlib import Path

from hindsight_site.local import processes, run
from hindsight_site.local.processes import Look, Program
from hindsight_site.local.product import Ports, get
from hindsight_site.local.system import LocalError

SERVER = """
import http.server, os, pathlib, sys
name, port = sys.argv[1], int(sys.argv[2])
home = pathlib.Path(os.environ["HINDSIGHT_HOME"])
(home / f"{name}.pid").write_text(str(os.getpid()))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""
CREDENTIALS = {"username": "demo", "password": "look", "agent_key": "hs_1", "space": "demo"}


def stand_in(name: str, port: int) -> Program:
    argv = (sys.executable, "-c", SERVER, name, str(port))
    return Program(name=name, argv=argv, look=lambda _: Look(ready=get(port, "/")[0] == 200))


def programs(home: Path, ports: Ports) -> list[Program]:
    return [stand_in("web", ports.web), stand_in("mcp", ports.mcp)]


def manage(self: object, *arguments: str) -> str:
    sys.stderr.write(f"ran {' '.join(arguments)}\n")
    return json.dumps(CREDENTIALS)


def main() -> None:
    processes.PATIENCE = 60.0  # so that only a second request ends a program that does not listen
    run.programs = programs  # type: ignore[attr-defined]
    run.embedder = lambda port: stand_in("embedder", port)  # type: ignore[attr-defined]
    run._Run._manage = manage  # type: ignore[method-assign]
    try:
        run.up(demo="--no-demo" not in sys.argv, tell=partial(print, flush=True))
    except LocalError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
