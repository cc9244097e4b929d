"""The endpoints of what memories are to one another: links, and making one of several."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import history_shapes as shapes
from memories.api import inputs
from memories.api.documented import documented
from memories.api.door import Door
from memories.consolidation import consolidate
from memories.graph import links_of
from memories.payloads import consolidation_payload, memory_payload
from memories.reading import get_memory


class Links(Door):
    """What a memory is connected with."""

    @documented("list_links", query=inputs.OneInput, ok={200: shapes.LinksOutput})
    def get(self, request: Request, memory_id: UUID) -> Response:
        """The memories that support, contradict, replace or explain it, that it was merged from,
        that were told in one session with it or mention the same rare names."""
        actor = self.acting_for(self.query(inputs.OneInput))
        found = links_of(actor=actor, memory=get_memory(actor=actor, memory_id=memory_id))
        items = [
            {
                "type": one.type,
                "outward": one.outward,
                "names": list(one.names),
                "memory": memory_payload(one.memory),
            }
            for one in found.neighbours
        ]
        return Response({"items": items, "more": found.more})


class Consolidations(Door):
    """Several memories that should be one."""

    @documented(
        "consolidate",
        body=shapes.ConsolidationInput,
        ok={201: shapes.ConsolidationOutput},
        errors=(409, 413, 415),
    )
    def post(self, request: Request) -> Response:
        """Propose one text in place of several memories of one topic; a person decides. Asking
        again before they do returns what waits."""
        given = self.body(shapes.ConsolidationInput)
        actor = self.acting_for(given)
        return Response(consolidation_payload(consolidate(actor=actor, **given)), status=201)
