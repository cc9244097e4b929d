"""Writing: normalise → gate → screen → compare → store. One door: write_memory(); for many at
once write_memories(), and write_each() for a list that a caller waits for.
"""

from memories.writing.batch import Said, write_memories
from memories.writing.draft import Draft
from memories.writing.importing import import_memories
from memories.writing.many import write_each
from memories.writing.result import Outcome, WriteResult
from memories.writing.waiting import embed_waiting
from memories.writing.write import write_memory

__all__ = [
    "Draft",
    "Outcome",
    "Said",
    "WriteResult",
    "embed_waiting",
    "import_memories",
    "write_each",
    "write_memories",
    "write_memory",
]
