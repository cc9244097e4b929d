"""One decision on many flags: looked at first, carried out item by item, undone as one.

Doors: preview, start, cancel, undo_batch; carry_on and sweep for the worker; batch_of, batches_of.
"""

from review.bulk.previewing import preview
from review.bulk.reading import batch_of, batches_of
from review.bulk.starting import cancel, start, undo_batch
from review.bulk.work import carry_on, drop_drafts, waiting_batches

__all__ = [
    "batch_of",
    "batches_of",
    "cancel",
    "carry_on",
    "drop_drafts",
    "preview",
    "start",
    "undo_batch",
    "waiting_batches",
]
