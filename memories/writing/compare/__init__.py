"""Compare two statements, in Chinese and/or English: conflict, duplicate or distinct (B7, E3).

Rules only: they propose, a person decides, so precision counts for more than recall. Contradiction
is judged first, because contradictions are near-duplicates too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memories.writing.compare.align import align
from memories.writing.compare.contradiction import contradiction
from memories.writing.compare.difference import Difference
from memories.writing.compare.duplicate import duplicate
from memories.writing.compare.glance import apart, glance
from memories.writing.compare.parse import parse
from memories.writing.compare.text import folded
from memories.writing.compare.thresholds import Thresholds

__all__ = ["Kind", "Statement", "Thresholds", "Verdict", "compare"]

Kind = Literal["conflict", "duplicate", "distinct"]

# Longer statements are documents, not one idea: only sameness is judged, since similarity cannot
# say that a merge would lose nothing.
MAX_RULE_CHARS = 2000
MAX_RULE_TOKENS = 400
# Without an embedding the words alone must agree this far (share of the smaller statement).
LEXICAL_OVERLAP = 0.6


@dataclass(frozen=True, slots=True)
class Statement:
    """A text and, if the writer gave one, the key of its subject ("order-service/database")."""

    content: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` is a stable code; ``detail`` shows a reviewer what changed ("8080 → 9090")."""

    kind: Kind
    reason: str
    scores: Mapping[str, float] = field(default_factory=dict)
    detail: str = ""


def _key(subject: str) -> str:
    return folded(subject) if subject else ""


def compare(
    new: Statement, old: Statement, cosine: float | None, thresholds: Thresholds
) -> Verdict:
    """Judge whether ``new`` contradicts ``old``, repeats it, or neither.

    ``cosine`` is the similarity of the two contents, None when no embedding could be had: then the
    words alone decide, more strictly. Never raises for any text.
    """
    scores = {} if cosine is None else {"cosine": float(cosine)}
    long = max(len(new.content), len(old.content)) > MAX_RULE_CHARS
    seen = folded if long else lambda text: glance(text).folded
    if seen(new.content) == seen(old.content):
        return Verdict("duplicate", "same_words", scores | {"overlap": 1.0})
    if long:
        return Verdict("distinct", "long", scores)
    return _judge(new, old, cosine, thresholds, scores)


def _judge(
    new: Statement,
    old: Statement,
    cosine: float | None,
    thresholds: Thresholds,
    scores: dict[str, float],
) -> Verdict:
    seen, said = glance(old.content), glance(new.content)
    if max(seen.tokens, said.tokens) > MAX_RULE_TOKENS:
        return Verdict("distinct", "long", scores)
    keys = _key(new.subject), _key(old.subject)
    same_subject = keys[0] != "" and keys[0] == keys[1]
    if not same_subject and apart(seen, said, cosine, thresholds):
        return Verdict("distinct", "different", scores)
    before, after = parse(old.content), parse(new.content)
    alignment = align(before, after)
    diff = Difference(before, after, alignment)
    scores |= {"overlap": round(alignment.overlap, 4), "jaccard": round(alignment.jaccard, 4)}
    if same_subject or not all(keys):
        evidence = contradiction(diff, same_subject=same_subject)
        if evidence and (
            same_subject or _believable(evidence.strong, cosine, alignment.overlap, thresholds)
        ):
            return Verdict("conflict", evidence.reason, scores, evidence.detail)
    reason = duplicate(diff, cosine, thresholds.duplicate, thresholds.cross_duplicate)
    if reason:
        return Verdict("duplicate", reason, scores)
    return Verdict("distinct", "different", scores)


def _believable(strong: bool, cosine: float | None, overlap: float, thresholds: Thresholds) -> bool:
    if cosine is None:
        return strong or overlap >= LEXICAL_OVERLAP
    return strong or cosine >= thresholds.conflict_gate
