"""Change over time. Doors: update, delete, give feedback, settle, undo, propose, restore, export.

deciding.py has the plans.
"""

from memories.lifecycle.deciding import Case, Change, Plan, Ruling, Text
from memories.lifecycle.deleting import delete_memory
from memories.lifecycle.exporting import history_export
from memories.lifecycle.feedback import give_feedback
from memories.lifecycle.proposing import mergeable, propose_clean_up, propose_merge
from memories.lifecycle.settling import Settled, case_of, learn, prepared, settle
from memories.lifecycle.shelving import archive_memory, pin_memory, restore_memory
from memories.lifecycle.undoing import returning_texts, undo
from memories.lifecycle.updating import update_memory
from memories.lifecycle.versions import Comparison, compare_versions, restore_version

__all__ = [
    "Case",
    "Change",
    "Comparison",
    "Plan",
    "Ruling",
    "Settled",
    "Text",
    "archive_memory",
    "case_of",
    "compare_versions",
    "delete_memory",
    "give_feedback",
    "history_export",
    "learn",
    "mergeable",
    "pin_memory",
    "prepared",
    "propose_clean_up",
    "propose_merge",
    "restore_memory",
    "restore_version",
    "returning_texts",
    "settle",
    "undo",
    "update_memory",
]
