"""The words a page uses for codes: verbs of the log, ages, decisions. One place, translated."""

from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

# What the audit log's verbs mean, as a sentence without its subject.
VERBS = {
    "created": gettext_lazy("wrote it"),
    "imported": gettext_lazy("imported it"),
    "updated": gettext_lazy("changed it"),
    "restored": gettext_lazy("made an earlier version the newest again"),
    "deleted": gettext_lazy("deleted it"),
    "reinforced": gettext_lazy("said it again"),
    "released": gettext_lazy("released it: nothing about it is disputed any more"),
    "flagged": gettext_lazy("found a contradiction"),
    "resembled": gettext_lazy("found that it resembles another one"),
    "feedback": gettext_lazy("gave feedback on it"),
    "questioned": gettext_lazy("asked people whether it still holds"),
    "doubted": gettext_lazy("was not sure of it and put it to a person"),
    "flag_resolved": gettext_lazy("settled a review item"),
    "confirmed": gettext_lazy("confirmed it"),
    "superseded": gettext_lazy("marked it superseded"),
    "overturned": gettext_lazy("marked it overturned"),
    "archived": gettext_lazy("archived it"),
    "faded": gettext_lazy("archived it: it went cold, nobody recalled it for a long time"),
    "expiring": gettext_lazy("warned that it expires unless somebody needs it"),
    "spared": gettext_lazy("lifted its date of expiry: it was needed"),
    "expired": gettext_lazy("archived it: its date of expiry had come"),
    "brought_back": gettext_lazy("took it out of the archive or the trash"),
    "pinned": gettext_lazy("pinned it"),
    "unpinned": gettext_lazy("unpinned it"),
    "proposed": gettext_lazy("proposed it to a person"),
    "quarantined": gettext_lazy("put it into quarantine"),
    "undone": gettext_lazy("undid a decision on it"),
    "flag_rebased": gettext_lazy("compared a review item again after a change"),
    "flag_reopened": gettext_lazy("opened a review item again"),
    "snoozed": gettext_lazy("put it off"),
    "woken": gettext_lazy("brought it back"),
    "assigned": gettext_lazy("said who should decide it"),
    "commented": gettext_lazy("commented on it"),
    "model_change_begun": gettext_lazy("began to change the embedding model"),
    "model_switched": gettext_lazy("switched to the other embedding model"),
    "model_change_ended": gettext_lazy("ended the change of the embedding model"),
    "purged": gettext_lazy("removed it for good"),
    "user_erased": gettext_lazy("erased everything about a user"),
    "job_started": gettext_lazy("started a job"),
    "job_done": gettext_lazy("ended a job"),
    "job_stopped": gettext_lazy("stopped a job"),
    "job_retried": gettext_lazy("let a job go on"),
    "evaluation_begun": gettext_lazy("began an evaluation"),
    "evaluation_finished": gettext_lazy("finished an evaluation"),
    "benchmark_exported": gettext_lazy("exported the judgements as a benchmark"),
}

# What an arm or a rule of recall is called, and what a comparison measured.
ARMS = {
    "semantic": gettext_lazy("meaning"),
    "keyword": gettext_lazy("words"),
    "context": gettext_lazy("said beside other matches"),
    "graph": gettext_lazy("shared rare words"),
    "time": gettext_lazy("time asked about"),
    "recency": gettext_lazy("recency"),
    "importance": gettext_lazy("importance"),
    "source": gettext_lazy("source"),
    "feedback": gettext_lazy("feedback"),
    "rerank": gettext_lazy("reranking"),
    "ceiling": gettext_lazy("1 at most"),
    # In recalls logged before source and confidence were told apart.
    "trust": gettext_lazy("trust"),
    "writer": gettext_lazy("writer's credibility"),
    "session": gettext_lazy("same session"),
    "cosine": gettext_lazy("similarity"),
    "overlap": gettext_lazy("shared words"),
    "jaccard": gettext_lazy("shared of all words"),
    "confidence": gettext_lazy("confidence"),
    "store_from": gettext_lazy("confidence needed"),
    "worth": gettext_lazy("worth keeping"),
}

_DAY = 24 * 3600
_AGES = [
    (365.25 * _DAY, ngettext_lazy("%(n)d year ago", "%(n)d years ago", "n")),
    (30.44 * _DAY, ngettext_lazy("%(n)d month ago", "%(n)d months ago", "n")),
    (_DAY, ngettext_lazy("%(n)d day ago", "%(n)d days ago", "n")),
    (3600, ngettext_lazy("%(n)d hour ago", "%(n)d hours ago", "n")),
    (60, ngettext_lazy("%(n)d minute ago", "%(n)d minutes ago", "n")),
]


def arm(code: str) -> str:
    """Return what an arm, a rule or a score is called."""
    return str(ARMS.get(code, code.replace("_", " ")))


def verb(code: str) -> str:
    """Return what an event's verb means, or the verb itself when it is new here."""
    return str(VERBS.get(code, code))


def ago(moment: datetime, now: datetime | None = None) -> str:
    """Return the age of a moment in its largest unit: "3 days ago"."""
    seconds = ((now or timezone.now()) - moment).total_seconds()
    if seconds < -60:
        return date_format(timezone.localtime(moment), "SHORT_DATETIME_FORMAT")
    for unit, text in _AGES:
        if seconds >= unit:
            return text % {"n": int(seconds // unit)}
    return _("just now")
