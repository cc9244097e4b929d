"""The arguments of the tools, with the words by which a model understands them."""

import uuid
from datetime import datetime
from typing import Annotated

from mcp_bridge.schemas import labels, memory_id, moment, one_of, share, whole, words
from memories.models.memory import Kind, Source, Status, Visibility

KINDS = list(Kind.values)
AGENT_SOURCES = [source for source in Source.values if source != Source.PERSON]
SEARCHED = [status for status in Status.values if status != Status.DELETED]

User = Annotated[
    str | None,
    words(
        "The end user this is about or who is asking, as your application names them. Pass it in "
        "every call made for that user; leave it out for knowledge about nobody in particular. You "
        "see the memories of this user and those about nobody, never another user's."
    ),
]
Id = Annotated[
    uuid.UUID, memory_id("Id of the memory, as write_memory and search_memory return it.")
]
Reason = Annotated[str | None, words("Why, in a few words, for the people who read the history.")]

# --- What a memory says ---------------------------------------------------------------------------
Content = Annotated[
    str,
    words("One idea in one or two complete sentences, at most 10,000 characters.", required=True),
]
NewContent = Annotated[str | None, words("The new text, complete.")]
KindOf = Annotated[str | None, one_of("What sort of statement it is (default fact).", KINDS)]
NewKind = Annotated[str | None, one_of("The new kind.", KINDS)]
Subject = Annotated[
    str | None,
    words(
        "What the statement is about, as a short stable key such as “alice/editor” or “ci/runner”: "
        "a new value for the same subject is recognised as a contradiction."
    ),
]
SourceOf = Annotated[
    str | None,
    one_of(
        "Where you know it from. It decides how far the memory is believed: the user said it (1.0),"
        " a tool returned it (0.8), an incident was analysed (0.6), you concluded it (0.5), unknown"
        " (0.4, the default), you summarised it (0.3).",
        AGENT_SOURCES,
    ),
]
Confidence = Annotated[
    float | None, share("Only to lower what the source stands for. Under 0.3 nothing is stored.")
]
Tags = Annotated[list[str] | None, labels("A few words to filter by later.")]
NewTags = Annotated[list[str] | None, labels("The new tags, all of them.")]
Reflection = Annotated[
    str | None, words("The judgement added afterwards: why it happened, what to do next time.")
]
HappenedAt = Annotated[
    datetime | None,
    moment("When it happened, if not now: ISO 8601 date or time, e.g. 2026-03-31."),
]
VisibilityOf = Annotated[
    str | None,
    one_of("“shared” with the space (default) or “private” to you.", Visibility.values),
]
WrittenIn = Annotated[str | None, words("The session in which it was learnt.")]
IdempotencyKey = Annotated[
    str | None,
    words("Any unique text: repeating a call with the same key and text writes only once."),
]

# --- Searching and reading ------------------------------------------------------------------------
Query = Annotated[
    str,
    words("What you want to know, as a question or keywords, Chinese or English.", required=True),
]
TopK = Annotated[int | None, whole("How many memories at most (default 5).", least=1, most=50)]
OnlyKind = Annotated[str | None, one_of("Only this kind.", KINDS)]
OnlyTags = Annotated[list[str] | None, labels("Only memories that have all of these.")]
Since = Annotated[
    datetime | None, moment("Only what happened from here on: ISO 8601 date or time.")
]
Until = Annotated[
    datetime | None,
    moment("Only what happened until here; a bare date includes that day.", end_of_day=True),
]
OnlySession = Annotated[str | None, words("Only memories of this session.")]
CurrentSession = Annotated[
    str | None, words("The session you are in: its own memories rank higher.")
]
OnlyAgent = Annotated[str | None, words("Only what this agent wrote (its name).")]
MinConfidence = Annotated[float | None, share("Only what is believed at least this far.")]
OnlyStatus = Annotated[
    str | None,
    one_of("Only this status. Left out: active and pending, what may be believed.", SEARCHED),
]
Offset = Annotated[
    int | None, whole("Where a long content goes on: the last answer's next_offset.", least=0)
]

# --- Changing -------------------------------------------------------------------------------------
ExpectedVersion = Annotated[
    int,
    whole(
        "The version you read. If it is no longer current, nothing is changed.",
        least=1,
        required=True,
    ),
]
VersionIfKnown = Annotated[
    int | None, whole("The version you read. If it is stale, nothing is deleted.", least=1)
]
