"""`manage.py run_mcp`: the MCP bridge, by default over stdio, with --http for many clients."""

import argparse
import asyncio
import logging
import os
import signal
import socket
from types import FrameType
from typing import Any

import anyio
import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from mcp_bridge import database
from mcp_bridge.auth import Keys, held, known
from mcp_bridge.server import http_app, make_server
from memories.errors import ServiceError


class Command(BaseCommand):
    help = "Serve the MCP tools: over stdio, or over HTTP with --http."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--http", action="store_true", help="listen on MCP_HOST:MCP_PORT instead of stdio"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # The SDK tells of every message; what matters reaches the log as a warning.
        logging.getLogger("mcp").setLevel(logging.WARNING)
        database.set_up()
        signal.signal(signal.SIGTERM, _end)
        try:
            serve_http() if options["http"] else serve_stdio()
        finally:
            database.tear_down()


def _end(number: int, _frame: FrameType | None) -> None:
    """End as the signal would have it, which no `finally` survives, but with all work done."""
    database.tear_down()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def serve_stdio() -> None:
    """Serve the one client that started this process, as the holder of HINDSIGHT_AGENT_KEY."""
    key = os.environ.get("HINDSIGHT_AGENT_KEY", "").strip()
    if not key:
        raise CommandError(
            _("HINDSIGHT_AGENT_KEY is not set: put an agent's key into the env of this server.")
        )
    keys = Keys()

    async def serve() -> None:
        await known(keys, key)
        await make_server(held(keys, key)).run_stdio_async()

    try:
        anyio.run(serve)
    except ServiceError as error:
        raise CommandError(f"HINDSIGHT_AGENT_KEY: {error.message}") from error


def serve_http() -> None:
    """Serve any number of clients until the process is told to stop."""
    host, port = os.environ.get("MCP_HOST", "127.0.0.1"), settings.MCP_PORT
    config = uvicorn.Config(
        http_app(),
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        # Streams that clients keep open do not end by themselves.
        timeout_graceful_shutdown=3,
    )
    try:
        listening = socket.create_server((host, port), backlog=config.backlog)
    except OSError as error:
        raise CommandError(
            _(
                "The MCP bridge cannot listen on %(host)s:%(port)d (%(reason)s). "
                "Set MCP_PORT to a free port."
            )
            % {"host": host, "port": port, "reason": error.strerror or error}
        ) from error
    # asyncio does this only for sockets that name their protocol. Without it every answer waits
    # 40 ms for the client's delayed acknowledgement of the headers.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with listening:
        asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
