"""The graph: names in memories, and what one memory is to another (A3, J1).

Doors: links_of() for what a memory is connected to, pictured() to draw it, link_all() and the job
“link” to put what is new in.
"""

from memories.graph.linking import link_all
from memories.graph.links import Neighbour, Neighbourhood, links_of
from memories.graph.picture import Picture, pictured

__all__ = ["Neighbour", "Neighbourhood", "Picture", "link_all", "links_of", "pictured"]
