"""`manage.py run_embedder`: the process that holds the embedding model. Needs no database."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from memories.embedding.batching import Engine, Load
from memories.embedding.reranking_service import LoadScorer, Scorer
from memories.embedding.service import create_app, listen, serve
from memories.embedding.weights import say


class Command(BaseCommand):
    help = "Serve the embedding model, and a reranking model if named, over HTTP."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        environ = os.environ
        parser.add_argument("--host", default=environ.get("EMBEDDER_HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=environ.get("EMBEDDER_PORT", "8001"))
        parser.add_argument(
            "--threads",
            type=int,
            default=environ.get("EMBEDDER_THREADS") or usable_cores(),
            help="threads of the model (default: EMBEDDER_THREADS, else one for each core)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        try:
            bound = listen(host, port)
        except (OSError, OverflowError) as error:
            raise CommandError(
                _(
                    "The embedder cannot listen on %(host)s:%(port)s (%(reason)s)."
                    " Set EMBEDDER_PORT to a free port."
                )
                % {"host": host, "port": port, "reason": error}
            ) from error
        place = {"host": host, "port": bound.getsockname()[1]}
        say(_("Embedder listening on http://%(host)s:%(port)s") % place)
        serve(make_app(max(1, options["threads"])), bound)


def make_app(threads: int) -> Any:
    """The service with the configured models; the engine's libraries are imported when the server
    is up.
    """
    first, *others = dict.fromkeys([settings.EMBEDDING_MODEL, *settings.EMBEDDING_MODELS])
    return create_app(
        loader(first, threads),
        names=frozenset({first}),
        others={name: loader(name, threads) for name in others},
        reranker=reranker(settings.RERANK_MODEL, threads),
        api_key=settings.EMBEDDER_API_KEY,
    )


def loader(model: str, threads: int) -> Load:
    """What loads one model; is given a function that takes the name of each phase."""
    home = Path(settings.HINDSIGHT_HOME)

    def load(phase: Callable[[str], None]) -> Engine:
        from memories.embedding.engine import load_engine

        return load_engine(model, home, threads, phase)

    return load


def reranker(model: str, threads: int) -> tuple[str, LoadScorer] | None:
    """The cross-encoder's name and what loads it, if one is named."""

    def load(phase: Callable[[str], None]) -> Scorer:
        from memories.embedding.cross_encoder import load_scorer

        return load_scorer(model, threads, phase)

    return (model, load) if model else None


def usable_cores() -> int:
    """Cores this process may run on; a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
