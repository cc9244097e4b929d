"""What every number of a policy is called and means. A number without words fails a test."""

from collections.abc import Mapping

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from memories.models.memory import Source
from review.kinds import KINDS
from review.pages.policy_words.recall import RECALL
from review.pages.policy_words.word import Text, Words

SECTIONS: Mapping[str, Words] = {
    "writing": Words(
        _("Writing"),
        _("What is taken in, and when two statements count as one or as a contradiction."),
    ),
    "writing.confidence": Words(
        _("Confidence by source"),
        _(
            "How far a statement is believed by where it comes from. Whoever writes it may claim "
            "less, never more."
        ),
    ),
    "recall": Words(_("Recall"), _("How memories are found and put in order when an agent asks.")),
    "recall.credibility": Words(
        _("Weight by source"),
        _(
            "What is left of a hit's score by where the memory comes from: enough to decide "
            "between equals."
        ),
    ),
    "sessions": Words(
        _("Sessions"), _("How long conversations are kept, and what an agent gets of them.")
    ),
    "distilling": Words(
        _("Looking back"), _("What of an ended session becomes a memory, and what is dropped.")
    ),
    "review": Words(_("Review"), _("How people decide what waits.")),
    "review.risks": Words(
        _("Risk by kind of item"),
        _(
            "How grave it is to leave an item of this kind open, from 0 to 1. The queue is sorted "
            "by risk, recalls and age."
        ),
    ),
    "review.credibility": Words(
        _("Credibility of writers"),
        _("What people's decisions on its memories make of an agent's weight in recall."),
    ),
    "aging": Words(
        _("Aging"),
        _("How what nobody needs fades, expires and is removed. Pinned memories do not."),
    ),
    "consolidating": Words(
        _("Consolidation"), _("When fragments of one topic are proposed as one fuller memory.")
    ),
    "jobs": Words(
        _("Jobs"),
        _("How many days lie between two runs of a job. 0: only when a person starts it."),
    ),
}

_WRITING: Mapping[str, Words] = {
    "writing.refuse_below": Words(
        _("Refuse below"),
        _("A statement that is believed less than this is not stored at all."),
    ),
    "writing.screen": Words(
        _("Screen what agents write"),
        _(
            "A text that reads like an instruction to agents, hides something or holds a secret is "
            "put into quarantine until a person looks at it."
        ),
    ),
    "writing.neighbours": Words(
        _("Neighbours compared"),
        _("With how many of the most similar memories a new statement is compared."),
    ),
    "writing.most_conflicts": Words(
        _("Conflicts per statement"),
        _(
            "How many review items one new statement may open at most, against the nearest "
            "memories that it contradicts."
        ),
    ),
    "writing.same_subject_hours": Words(
        _("Same subject within (hours)"),
        _(
            "A statement on the same subject that says nearly the same within this time "
            "reinforces the first one."
        ),
    ),
    "writing.same_subject_margin": Words(
        _("Margin on the same subject"),
        _(
            "How far under the usual similarity two statements on one subject may lie and still "
            "count as one."
        ),
    ),
}

_SESSIONS: Mapping[str, Words] = {
    "sessions.working_seconds": Words(
        _("Working memory (seconds)"),
        _("How long the last turns of a session stay at hand after the last one."),
    ),
    "sessions.chat_turns": Words(
        _("Turns of talk at hand"), _("How many of the last things said stay in working memory.")
    ),
    "sessions.tool_turns": Words(
        _("Tool results at hand"), _("How many of the last tool results stay in working memory.")
    ),
    "sessions.context_tokens": Words(
        _("Size of the context (tokens)"),
        _("How long the text is at most that an agent gets of a session and of its memories."),
    ),
    "sessions.idle_minutes": Words(
        _("Idle time-out (minutes)"),
        _("A session in which nothing was said for so long ends by itself and is looked back at."),
    ),
    "sessions.retention_days": Words(
        _("Turns are kept (days)"),
        _("After so many days the turns of a session are removed. What was learnt from it stays."),
    ),
}

_DISTILLING: Mapping[str, Words] = {
    "distilling.distiller": Words(
        _("Who looks back"),
        _("Whether a language model looks back at sessions if there is one, or always the rules."),
    ),
    "distilling.keep_from": Words(
        _("Least worth"),
        _("What is worth less adds too little to later decisions: it is dropped."),
    ),
    "distilling.store_from": Words(
        _("Least confidence"),
        _("What is believed less does not become active; the next number says what becomes of it."),
    ),
    "distilling.doubtful": Words(
        _("Below that confidence"), _("Whether what is doubtful is dropped, or a person decides.")
    ),
    "distilling.attempts": Words(
        _("Attempts"),
        _("After so many failures a session is not looked back at again until a person asks."),
    ),
}

_REVIEW: Mapping[str, Words] = {
    "review.two_people": Words(
        _("Two people"),
        _(
            "A text that a person wrote by hand needs somebody else's approval before agents "
            "believe it."
        ),
    ),
    "review.claim_minutes": Words(
        _("A claim holds (minutes)"),
        _("How long an item that somebody has opened is kept for that person."),
    ),
    "review.credibility.prior_right": Words(
        _("Right to begin with"),
        _("A new writer begins as if so many of its memories had been upheld."),
    ),
    "review.credibility.prior_wrong": Words(
        _("Wrong to begin with"),
        _("A new writer begins as if so many of its memories had been found wrong."),
    ),
    "review.credibility.least": Words(
        _("Least weight of a writer"),
        _("What is left of a score, at the least, of a writer that nobody believes any more."),
    ),
}

_AGING: Mapping[str, Words] = {
    "aging.half_life_days": Words(
        _("Half-life (days)"),
        _("Every recall warms a memory by 1. After so many days without one, half of it is left."),
    ),
    "aging.archive_below": Words(
        _("Archive below warmth"), _("A memory that is colder than this may be archived.")
    ),
    "aging.archive_after_days": Words(
        _("Archive after (days)"),
        _("Nothing is archived for being cold before so many days without a recall."),
    ),
    "aging.season_days": Words(
        _("Season (days)"),
        _(
            "Spared is what was recalled at this time a quarter or a year ago, give or take so "
            "many days."
        ),
    ),
    "aging.expire_below": Words(
        _("Expire below confidence"),
        _("What is believed less than this expires, unless it is used."),
    ),
    "aging.expire_recalls": Words(
        _("Recalls that keep it"), _("What was recalled so often does not expire.")
    ),
    "aging.expire_after_days": Words(
        _("Expire after (days)"), _("How long it lasts without a recall; then it is archived.")
    ),
    "aging.warn_days": Words(
        _("Warn before (days)"), _("How long before it expires a memory is marked for people.")
    ),
    "aging.audit_below": Words(
        _("Audit below confidence"),
        _("What is believed less than this, and unused, is put to a person."),
    ),
    "aging.audit_after_days": Words(
        _("Audit after (days)"), _("How long it must not have been recalled for that.")
    ),
    "aging.log_days": Words(
        _("Log of recalls (days)"),
        _(
            "How long searches and their hits are kept. With less than a year nobody sees any more "
            "what is asked for once a year, and forgetting does not spare it."
        ),
    ),
    "aging.trash_days": Words(
        _("Trash (days)"),
        _("How long a deleted memory can be restored; then it is removed for good."),
    ),
}
_CONSOLIDATING: Mapping[str, Words] = {
    "consolidating.fragments": Words(
        _("Fragments at least"), _("How many memories on one topic are proposed as one.")
    ),
    "consolidating.most_fragments": Words(
        _("Fragments at most"), _("No proposal stands for more memories than this.")
    ),
    "consolidating.nearness": Words(
        _("Nearness"),
        _(
            "How far above merely related the meanings must lie: 0 takes whatever is related, 1 "
            "only what says nearly the same."
        ),
    ),
    "consolidating.writer": Words(
        _("Who writes the text"), _("What puts the fragments together into one text.")
    ),
}
_EVERY = _("0: only when a person starts it.")
_JOBS: Mapping[str, Words] = {
    "jobs.link_days": Words(_("Linking (days)"), _EVERY),
    "jobs.fade_days": Words(_("Forgetting (days)"), _EVERY),
    "jobs.expire_days": Words(_("Expiry (days)"), _EVERY),
    "jobs.audit_days": Words(_("Audit (days)"), _EVERY),
    "jobs.consolidate_days": Words(_("Consolidation (days)"), _EVERY),
    "jobs.purge_days": Words(_("Purge (days)"), _EVERY),
    "jobs.trim_log_days": Words(_("Trimming the log (days)"), _EVERY),
    "jobs.index_days": Words(_("Indexing large owners (days)"), _EVERY),
}

WORDS: Mapping[str, Words] = {
    **_WRITING,
    **RECALL,
    **_SESSIONS,
    **_DISTILLING,
    **_REVIEW,
    **_AGING,
    **_CONSOLIDATING,
    **_JOBS,
}

# What the values of a choice are called.
CHOICES: Mapping[str, Mapping[str, Text]] = {
    "recall.decay_curve": {
        "hyperbolic": _("fast at first, then slowly"),
        "exponential": _("by the same share every day"),
        "none": _("not at all"),
    },
    "distilling.distiller": {
        "auto": _("the language model, if there is one"),
        "rules": _("the rules"),
    },
    "consolidating.writer": {
        "auto": _("the language model, if there is one"),
        "rules": _("the rules"),
    },
    "distilling.doubtful": {"drop": _("it is dropped"), "review": _("a person decides")},
}

_BY_SOURCE = {
    "writing.confidence": _("The most that a statement is believed when this is its source."),
    "recall.credibility": _("The share of a score that such a memory keeps; 1 takes nothing."),
}
_RISK = _("The kind's own risk holds unless the space says otherwise.")


def words_of(path: str) -> Words:
    """Return the words for the number at a path; one that has none yet stays readable."""
    section, _dot, name = path.rpartition(".")
    if section in _BY_SOURCE and name in Source.values:
        return Words(capfirst(Source(name).label), _BY_SOURCE[section])
    if section == "review.risks" and name in KINDS:
        return Words(KINDS[name].many, _RISK)
    return WORDS.get(path, Words(name.replace("_", " "), ""))


def called(path: str) -> str:
    """Return what a number is called, with its section; a path that is gone stays readable."""
    room = SECTIONS.get(path.rpartition(".")[0])
    label = str(words_of(path).label)
    return f"{room.label}: {label}" if room else label
