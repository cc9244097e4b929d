"""The endpoints by which a memory is put away, taken back, or kept from aging."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import history_shapes as shapes
from memories.api import outputs
from memories.api.documented import documented
from memories.api.door import Door
from memories.lifecycle.shelving import archive_memory, pin_memory, restore_memory
from memories.payloads import memory_payload

_CHANGES = (409, 413, 415)


class Archive(Door):
    """Cold storage."""

    @documented(
        "archive_memory", body=shapes.ShelfInput, ok={200: outputs.MemoryOutput}, errors=_CHANGES
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Put it into the archive: out of every search that does not ask for the archive, and back
        at any time. Twice is harmless. An agent archives only what it wrote itself."""
        given = self.body(shapes.ShelfInput)
        actor = self.acting_for(given)
        return Response(memory_payload(archive_memory(actor=actor, memory_id=memory_id, **given)))


class Restore(Door):
    """The way back from the archive and from the trash."""

    @documented(
        "restore_memory", body=shapes.ShelfInput, ok={200: outputs.MemoryOutput}, errors=_CHANGES
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Take it out of the archive or the trash; it becomes what it was. For people. Twice is
        harmless; 400 when another memory says exactly this by now."""
        given = self.body(shapes.ShelfInput)
        actor = self.acting_for(given)
        return Response(memory_payload(restore_memory(actor=actor, memory_id=memory_id, **given)))


class Pin(Door):
    """What never ages."""

    @documented("pin_memory", body=shapes.PinInput, ok={200: outputs.MemoryOutput}, errors=_CHANGES)
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Pin it, so that it never fades, expires or is proposed for clean-up; or let it age again.
        For people. Twice is harmless."""
        given = self.body(shapes.PinInput)
        actor = self.acting_for(given)
        return Response(memory_payload(pin_memory(actor=actor, memory_id=memory_id, **given)))
