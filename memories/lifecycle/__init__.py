"""Change over time. Doors: update, delete, give feedback, settle, undo, propose.

deciding.py has the plans.
"""

from memories.lifecycle.deciding import Case, Change, Plan, Ruling, Text
from memories.lifecycle.deleting import delete_memory
from memories.lifecycle.feedback import give_feedback
from memories.lifecycle.proposing import propose_clean_up, propose_merge
from memories.lifecycle.settling import Settled, case_of, learn, prepared, settle
from memories.lifecycle.undoing import returning_texts, undo
from memories.lifecycle.updating import update_memory

__all__ = [
    "Case",
    "Change",
    "Plan",
    "Ruling",
    "Settled",
    "Text",
    "case_of",
    "delete_memory",
    "give_feedback",
    "learn",
    "prepared",
    "propose_clean_up",
    "propose_merge",
    "returning_texts",
    "settle",
    "undo",
    "update_memory",
]
