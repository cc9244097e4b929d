"""The endpoints of a memory's past: compare two versions, restore one, export all of it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import history_shapes as shapes
from memories.api import inputs, outputs
from memories.api.documented import documented
from memories.api.door import Door
from memories.lifecycle import Comparison, compare_versions, history_export, restore_version
from memories.lifecycle.exporting import plain
from memories.payloads import memory_payload
from memories.text.diff import Piece


class Compare(Door):
    """Two versions of a memory side by side."""

    @documented("compare_versions", query=shapes.CompareInput, ok={200: shapes.ComparisonOutput})
    def get(self, request: Request, memory_id: UUID) -> Response:
        """Any two versions: the word diff of both texts, and every other field that differs."""
        given = self.query(shapes.CompareInput)
        actor = self.acting_for(given)
        older, newer = given["from"], given["to"]
        found = compare_versions(actor=actor, memory_id=memory_id, older=older, newer=newer)
        return Response(_comparison(found))


class RestoreVersion(Door):
    """What a memory once said."""

    @documented(
        "restore_version",
        body=shapes.RestoreVersionInput,
        ok={200: outputs.MemoryOutput},
        errors=(409, 413, 415),
    )
    def post(self, request: Request, memory_id: UUID, number: int) -> Response:
        """Say again what that version said, as a new version, screened and compared like any other
        change. 409 when it is no longer the version you read."""
        given = self.body(shapes.RestoreVersionInput)
        actor = self.acting_for(given)
        memory = restore_version(actor=actor, memory_id=memory_id, number=number, **given)
        return Response(memory_payload(memory))


class History(Door):
    """The whole past of one memory."""

    @documented("export_history", query=inputs.OneInput, ok={200: shapes.HistoryOutput})
    def get(self, request: Request, memory_id: UUID) -> Response:
        """All that is known of the memory, to be kept elsewhere: its versions, the audit log, the
        review items it took part in, links and recalls, as far as you may see them."""
        actor = self.acting_for(self.query(inputs.OneInput))
        return Response(history_export(actor=actor, memory_id=memory_id))


def _comparison(found: Comparison) -> dict[str, Any]:
    altered = [
        {"field": one.field, "before": plain(one.before), "after": plain(one.after)}
        for one in found.altered
    ]
    return {
        "from": found.older.number,
        "to": found.newer.number,
        "content": _pieces(found.content),
        "reflection": _pieces(found.reflection),
        "altered": altered,
    }


def _pieces(pieces: Sequence[Piece]) -> list[dict[str, str]]:
    return [{"side": piece.side, "text": piece.text} for piece in pieces]
