"""The arguments of the tools, with the words by which a model understands them."""

import uuid
from datetime import datetime
from typing import Annotated, Any, get_args

from mcp_bridge.schemas import (
    Argument,
    each_object,
    identifier,
    identifiers,
    json_text,
    labels,
    moment,
    objects,
    one_of,
    share,
    truth,
    whole,
    words,
)
from memories.errors import Invalid
from memories.models.distillation import Candidate
from memories.models.feedback import Feedback
from memories.models.memory import Kind, Source, Status, Visibility
from memories.models.session import Session, Turn
from memories.sessions.context import LEAST_TOKENS

MOST_BUDGET = 8_000  # tokens of a context: with what stands around it, it stays under MOST_TOKENS
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
    uuid.UUID, identifier("Id of the memory, as write_memory and search_memory return it.")
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


def _part(argument: Any) -> Argument:
    """Return what reads an argument, for it to be a part of another one."""
    found: Argument = get_args(argument)[1]
    return found


STATEMENT = {
    "content": _part(Content),
    "kind": _part(KindOf),
    "subject": _part(Subject),
    "source": _part(SourceOf),
    "confidence": _part(Confidence),
    "user_id": words("The end user this one is about, where it is not that of the call."),
    "tags": _part(Tags),
    "reflection": _part(Reflection),
    "happened_at": _part(HappenedAt),
    "visibility": _part(VisibilityOf),
    "session": _part(WrittenIn),
    "idempotency_key": _part(IdempotencyKey),
}
Statements = Annotated[
    list[dict[str, Any] | Invalid],
    each_object(
        "What to keep, at most 100 memories and 200,000 characters a call. Each is said as "
        "write_memory takes it.",
        STATEMENT,
    ),
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

StatusTo = Annotated[
    str,
    one_of(
        "“archived”: true but over; “deleted”: to be gone; “active”: back in use, for people.",
        [Status.ARCHIVED.value, Status.DELETED.value, Status.ACTIVE.value],
        required=True,
    ),
]

Ids = Annotated[
    list[uuid.UUID],
    identifiers("Ids of 2 to 20 memories on one topic, as search_memory returned them."),
]
Whole = Annotated[
    str | None,
    words("The one text that says all they say. Left out: it is made of their sentences."),
]

# --- Feedback -------------------------------------------------------------------------------------
VerdictOn = Annotated[
    str,
    one_of(
        "“useful”: it helped; “wrong”: it never was true; “stale”: it is no longer true.",
        Feedback.Verdict.values,
        required=True,
    ),
]
Complaint = Annotated[
    str | None, words("Why, in one sentence, for the person who decides; at most 300 characters.")
]
RecallId = Annotated[
    uuid.UUID | None,
    identifier("The recall_id of the search_memory answer that it was in.", required=False),
]

# --- Sessions -------------------------------------------------------------------------------------
SessionName = Annotated[
    str, words("The session's name, the same in every call about it.", required=True)
]
SessionNameOrNew = Annotated[
    str | None,
    words(
        "The session's name: any text that no other conversation has, such as the conversation's "
        "id. Left out in the first call, a session is opened and the answer's `session.session` is "
        "its name."
    ),
]
TURN = {
    "role": one_of(
        "Who speaks: “user”, “assistant” (you, also for a tool_call), “system”, or “tool” for a "
        "tool_result.",
        Turn.Role.values,
        required=True,
    ),
    "content": words(
        "What was said, word for word; for a tool_result its text. At most 200,000 characters.",
        verbatim=True,
    ),
    "type": one_of(
        "“message” (default), “tool_call” or “tool_result”; the last two need `tool` or `call_id`.",
        Turn.Type.values,
    ),
    "speaker": words("The speaker's name, where several users take part."),
    "tool": words("The tool's name."),
    "call_id": words("What ties a tool_result to its tool_call."),
    "ok": truth("Of a tool_result: whether the call worked. A failed call must say false."),
    "error": words("Of a tool_result: what went wrong."),
    "data": json_text("Arguments of a tool_call, or the structured result, as JSON."),
    "duration_ms": whole("How long the call took, in milliseconds.", least=0),
    "happened_at": moment("When, if not now: ISO 8601 date or time."),
    "key": words("Your name of this turn, such as “3-user”: recording it again adds nothing."),
}
Turns = Annotated[
    list[dict[str, Any]],
    objects(
        "What happened, in order, at most 1,000 turns a call: each message, each tool call and "
        "each tool result is one turn.",
        TURN,
    ),
]
Task = Annotated[str | None, words("What the session is about, in a few words; once is enough.")]
SessionVisibility = Annotated[
    str | None,
    one_of(
        "“private”: what is kept of this session only you will see. Default “shared”.",
        Visibility.values,
    ),
]
OutcomeOf = Annotated[
    str | None,
    one_of("How the task ended, as far as you know (default unknown).", Session.Outcome.values),
]
Ahead = Annotated[
    str | None,
    words("What the user asked now. Left out: what was last recorded of the user."),
]
Budget = Annotated[
    int | None,
    whole(
        "About how many tokens the block may have (usually 1500).",
        least=LEAST_TOKENS,
        most=MOST_BUDGET,
    ),
]
OnlyVerdict = Annotated[
    str | None,
    one_of("Only candidates with this verdict.", Candidate.Verdict.values),
]
Skip = Annotated[
    int | None, whole("Where a long list goes on: the last answer's next_offset.", least=0)
]
