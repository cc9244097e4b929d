"""Change over time. Doors: update_memory(), delete_memory(), merge_text(), settle()."""

from memories.lifecycle.deleting import delete_memory
from memories.lifecycle.settling import Choice, Settled, merge_text, settle
from memories.lifecycle.updating import update_memory

__all__ = ["Choice", "Settled", "delete_memory", "merge_text", "settle", "update_memory"]
