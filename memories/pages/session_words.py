"""The words for what became of a session and of each candidate in it. One place, translated."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from memories.distillation.again import Difference
from memories.models.distillation import Candidate

# Why a candidate got its verdict: what distillers drop, what the gate says, what storing found.
REASONS = {
    "greeting": gettext_lazy("A greeting or an acknowledgement."),
    "question": gettext_lazy("A question: it states nothing that could be remembered."),
    "one_off": gettext_lazy("A one-off: it matters in this task alone."),
    "assistant_claim": gettext_lazy("Only the model claims it; no person and no tool said so."),
    "failed_claim": gettext_lazy("Success was claimed after a call that had failed."),
    "abandoned": gettext_lazy("The topic was given up midway."),
    "injected": gettext_lazy("It stood in what Hindsight itself had put into the session."),
    "secret": gettext_lazy("It looks like a secret: a password or a key."),
    "unquoted": gettext_lazy("The words it is said to come from stand nowhere in the session."),
    "too_long": gettext_lazy("It is too long for one memory: it holds more than one idea."),
    "too_many": gettext_lazy("So many were proposed that only the best of them were weighed."),
    "no_owner": gettext_lazy("It is not clear whose memory it would be."),
    "no_question": gettext_lazy("There is no situation in which anyone would look for it."),
    "no_value": gettext_lazy("It would add too little to a later decision."),
    "not_believed": gettext_lazy("Its source is believed too little to be written at all."),
    "low_confidence": gettext_lazy("Its confidence is too low to be stored as active."),
    "stored": gettext_lazy("Nothing known said it yet: it became a memory."),
    "duplicate": gettext_lazy("A memory says the same already."),
    "reinforced": gettext_lazy("It was said again within a day: the first memory was reinforced."),
    "conflict": gettext_lazy("It contradicts what is known: both wait for a decision."),
    "quarantine": gettext_lazy("It is suspicious: kept from every agent until a person decides."),
    "echo": gettext_lazy("It had been recalled into this session, so it is nothing new."),
    "tombstone": gettext_lazy("It had been rejected or deleted before."),
    "unusable": gettext_lazy("It could not be stored as it is."),
}

# What the scores of a candidate were made of.
SIGNALS = {
    "remember": gettext_lazy("asks to be remembered"),
    "preference": gettext_lazy("preference"),
    "constraint": gettext_lazy("constraint"),
    "decision": gettext_lazy("decision"),
    "correction": gettext_lazy("correction"),
    "incident": gettext_lazy("incident"),
    "discovery": gettext_lazy("discovery"),
    "health": gettext_lazy("health"),
    "identity": gettext_lazy("who somebody is"),
    "relation": gettext_lazy("who belongs together"),
    "possession": gettext_lazy("what somebody has"),
    "technical": gettext_lazy("technical"),
    "plan": gettext_lazy("plan"),
    "habit": gettext_lazy("habit"),
    "named": gettext_lazy("names something"),
    "length": gettext_lazy("length"),
    "time": gettext_lazy("says when"),
    "number": gettext_lazy("says how many"),
    "first": gettext_lazy("about the speaker"),
    "past": gettext_lazy("has happened"),
    "attached": gettext_lazy("describes a picture or file"),
    "resembles": gettext_lazy("resembles what is worth keeping"),
    "you": gettext_lazy("about the other one"),
    "general": gettext_lazy("a general truth"),
    "mood": gettext_lazy("a mood"),
    "hedge": gettext_lazy("not sure"),
    "dangling": gettext_lazy("not clear by itself"),
    "talk": gettext_lazy("small talk"),
    "failures": gettext_lazy("calls that failed"),
    "steps": gettext_lazy("steps"),
    "outcome": gettext_lazy("the task succeeded"),
    "llm_confidence": gettext_lazy("how sure the LLM is"),
    "llm_worth": gettext_lazy("worth, says the LLM"),
}

# What became of a session as a whole.
STATES = {
    "open": pgettext_lazy("session", "open"),
    "waiting": gettext_lazy("waiting to be looked back at"),
    "running": gettext_lazy("being looked back at"),
    "failed": gettext_lazy("looking back failed"),
    "empty": gettext_lazy("nothing was recorded"),
    "done": gettext_lazy("looked back at"),
}

_VERDICTS = {
    "kept": pgettext_lazy("verdict", "kept"),
    "merged": pgettext_lazy("verdict", "merged"),
    "flagged": pgettext_lazy("verdict", "flagged"),
    "dropped": pgettext_lazy("verdict", "dropped"),
}
VERDICTS = tuple(_VERDICTS)


def reason(code: str) -> str:
    """Return why a candidate got its verdict, as a sentence; an unknown code stays readable."""
    return str(REASONS.get(code, code.replace("_", " ")))


def signal(code: str) -> str:
    """Return what a sign that counted in a candidate's scores is called."""
    return str(SIGNALS.get(code, code.replace("_", " ")))


def verdict(code: str) -> str:
    """Return the word for a verdict."""
    return str(_VERDICTS.get(code, code))


def changed(differences: Iterable[Difference]) -> list[str]:
    """Return what other numbers would change, a sentence a verdict: "5 more would be kept."."""
    now = [difference.now.verdict for difference in differences]
    more, fewer, review = (now.count(code) for code in ("kept", "dropped", "flagged"))
    sentences = (
        (more, ngettext("%(n)d more would be kept.", "%(n)d more would be kept.", more)),
        (fewer, ngettext("%(n)d would be dropped.", "%(n)d would be dropped.", fewer)),
        (
            review,
            ngettext("%(n)d would wait for a person.", "%(n)d would wait for a person.", review),
        ),
    )
    said = [text % {"n": count} for count, text in sentences if count]
    return said or [_("Nothing would change.")]


@dataclass(frozen=True, slots=True)
class Told:
    """A candidate that would fare otherwise, in words."""

    candidate: Candidate
    was: str
    now: str
    why: str


def told(difference: Difference) -> Told:
    """Return a difference in words: the verdicts, and why it would be so now."""
    was, now = verdict(difference.was.verdict), verdict(difference.now.verdict)
    passes = _("It would pass; what is known already might still merge or flag it.")
    why = passes if difference.now.reason == "stored" else reason(difference.now.reason)
    return Told(difference.candidate, was, now, why)


def seconds(span: float) -> str:
    """Return a duration given in seconds: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min"."""
    if span < 9.95:
        return _("%(n)s s") % {"n": f"{span:.1f}"}
    whole = round(span)
    if whole < 60:
        return _("%(n)s s") % {"n": whole}
    if whole < 3600:
        return _("%(m)s min %(s)s s") % {"m": whole // 60, "s": whole % 60}
    return _("%(h)s h %(m)s min") % {"h": whole // 3600, "m": whole % 3600 // 60}
