"""A dry run of a policy's numbers, in words."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memories.distillation.trial import Moved, Trial, try_numbers
from memories.models.distillation import Candidate
from memories.pages import session_words as words
from memories.permissions import Actor
from memories.policies import PolicyNumbers
from memories.policy_changes import flat, merged
from review.pages.policy_form import plain
from review.pages.policy_words import called

LISTED = 20
# The numbers that candidates are weighed by.
TRIED = ("distilling.keep_from", "distilling.store_from", "distilling.doubtful")
TRIED_TOO = ("writing.refuse_below", "writing.confidence.")

_JUDGED = {
    "approved": gettext_lazy("people approved it"),
    "rejected": gettext_lazy("people rejected it"),
    "": "",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A candidate that would fare otherwise, in words."""

    candidate: Candidate
    was: str
    now: str
    why: str
    judged: str


@dataclass(frozen=True, slots=True)
class Told:
    """A dry run as the page shows it: sentences, what was tried, verdicts, some candidates.

    `tried` and `verdicts` are (what, before, after); `left` is whether more was changed than tried.
    """

    sentences: Sequence[str]
    tried: Sequence[tuple[str, str, str]] = ()
    left: bool = False
    verdicts: Sequence[tuple[str, int, int]] = ()
    listed: Sequence[Listed] = ()
    more: int = 0


def tried(*, actor: Actor, policy: PolicyNumbers, altered: Mapping[str, Any]) -> Told:
    """Return what the altered numbers, as change_policy() takes them, would have made."""
    counting = [path for path in altered if path.startswith(TRIED + TRIED_TOO)]
    if not counting:
        return Told([_nothing_to_try(altered)])
    stored = policy.model_dump()
    after = PolicyNumbers.model_validate(merged(stored, {p: altered[p] for p in counting}))
    trial = try_numbers(actor=actor, present=policy, tried=after)
    before, now = flat(stored), flat(after.model_dump())
    changed = [
        (called(path), plain(path, before[path]), plain(path, now[path])) for path in counting
    ]
    return Told(
        _sentences(trial, changed),
        changed,
        len(altered) > len(counting),
        [(words.verdict(v), trial.before.get(v, 0), trial.after.get(v, 0)) for v in words.VERDICTS],
        [_listed(one) for one in trial.moved[:LISTED]],
        max(len(trial.moved) - LISTED, 0),
    )


def _nothing_to_try(altered: Collection[str]) -> str:
    if altered:
        return _(
            "None of the numbers that you changed can be tried here: only those that what was "
            "learnt from sessions is weighed by."
        )
    return _("Change a number first, then try it.")


def _sentences(trial: Trial, changed: Sequence[tuple[str, str, str]]) -> list[str]:
    if not trial.weighed:
        return [_("There are no candidates yet to try it on: no session was looked back at.")]
    with_these = _with(changed)
    said = [
        _sentence(with_these, trial, moved, text)
        for moved, text in (
            (trial.became("kept"), _kept),
            (trial.became("flagged"), _reviewed),
            (trial.became("dropped"), _dropped),
        )
        if moved
    ]
    nothing = _("%(with)s, the last %(all)d candidates would have fared the same.")
    return said or [nothing % {"with": with_these, "all": trial.weighed}]


def _with(changed: Sequence[tuple[str, str, str]]) -> str:
    if len(changed) == 1:
        _called, old, new = changed[0]
        return _("With %(new)s instead of %(old)s") % {"new": new, "old": old}
    return _("With these numbers")


def _sentence(with_these: str, trial: Trial, moved: Sequence[Moved], text: Any) -> str:
    rejected = sum(one.judged == "rejected" for one in moved)
    approved = sum(one.judged == "approved" for one in moved)
    said = text(len(moved)) % {"with": with_these, "n": len(moved), "all": trial.weighed}
    none_judged = _("People judged none of those.")
    if not rejected + approved:
        return f"{said} {none_judged}"
    judged = _("People rejected %(rejected)d of those and approved %(approved)d.")
    return f"{said} {judged % {'rejected': rejected, 'approved': approved}}"


def _kept(n: int) -> str:
    return ngettext(
        "%(with)s, %(n)d of the last %(all)d candidates would have been kept.",
        "%(with)s, %(n)d of the last %(all)d candidates would have been kept.",
        n,
    )


def _reviewed(n: int) -> str:
    return ngettext(
        "%(with)s, %(n)d of the last %(all)d candidates would have waited for a person.",
        "%(with)s, %(n)d of the last %(all)d candidates would have waited for a person.",
        n,
    )


def _dropped(n: int) -> str:
    return ngettext(
        "%(with)s, %(n)d of the last %(all)d candidates would have been dropped.",
        "%(with)s, %(n)d of the last %(all)d candidates would have been dropped.",
        n,
    )


def _listed(moved: Moved) -> Listed:
    return Listed(
        moved.candidate,
        words.verdict(moved.was.verdict),
        words.verdict(moved.now.verdict),
        words.reason(moved.now.reason),
        str(_JUDGED[moved.judged]),
    )
