"""Change over time. Doors: update_memory(), delete_memory(), ruled() and settle(), offers_of()."""

from memories.lifecycle.deciding import Choice, Offer, Rejection, Ruling
from memories.lifecycle.deleting import delete_memory
from memories.lifecycle.settling import Settled, offers_of, ruled, settle
from memories.lifecycle.updating import update_memory

__all__ = [
    "Choice",
    "Offer",
    "Rejection",
    "Ruling",
    "Settled",
    "delete_memory",
    "offers_of",
    "ruled",
    "settle",
    "update_memory",
]
