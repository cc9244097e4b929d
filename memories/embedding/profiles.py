"""What is known about an embedding model: its prompt, and the thresholds that belong to it.

Cosines of one model mean nothing for another, so a threshold is looked up by the model that made
the vectors. These are defaults; a space's policy may set its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """`prefix` goes before every text, query and memory alike. The rest are cosines.

    duplicate: same statement, same language. cross_lingual: same statement in another language.
    conflict_gate: below it two texts are not about the same thing, so no contradiction is looked
    for. unrelated: what two texts reach that have nothing in common, and unrelated_han two Chinese
    ones; recall counts relevance from there.
    """

    prefix: str
    duplicate: float
    cross_lingual: float
    conflict_gate: float
    measured: bool
    unrelated: float
    unrelated_han: float


# Measured: at .93, 19 of 20 duplicates and none of 40 other pairs; related pairs begin at .86 in
# English, .88 in Chinese. `query: ` on both sides ranks better than query/passage (MRR .849/.895
# against .79/.85, English/Chinese).
E5_SMALL = ModelProfile(
    "query: ", 0.93, 0.82, 0.86, measured=True, unrelated=0.75, unrelated_han=0.81
)

# Not measured: late to call two texts the same, early to look for a contradiction, since that only
# asks a person.
UNKNOWN = ModelProfile("", 0.95, 0.90, 0.80, measured=False, unrelated=0.20, unrelated_han=0.20)
UNKNOWN_E5 = ModelProfile(
    "query: ", 0.95, 0.90, 0.80, measured=False, unrelated=0.70, unrelated_han=0.70
)

E5_FAMILY = re.compile(r"(^|[/-])e5-(?!mistral)", re.IGNORECASE)


def profile_for(model: str) -> ModelProfile:
    """The profile of a model by its name, with or without `@revision`, or of a folder named after
    it.
    """
    name = model.partition("@")[0].rstrip("/").rpartition("/")[2].lower()
    if "multilingual-e5-small" in name:
        return E5_SMALL
    if E5_FAMILY.search(name) and "instruct" not in name:
        return UNKNOWN_E5
    return UNKNOWN
