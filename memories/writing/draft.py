"""A statement on its way in: cleaned, bounded and typed, or refused with a sentence."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.inputs import MAX_NAME, one_of, short_text
from memories.models.memory import Kind, Source, Visibility
from memories.text.clean import bare, storable

MAX_CONTENT = 10_000  # B6: the hard cap, in characters
MAX_REFLECTION = 2_000
MAX_TAGS, MAX_TAG = 20, 60
MAX_METADATA = 8_000  # characters of JSON
EARLIEST = datetime(1000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything a writer says about one memory, ready to be judged."""

    content: str
    kind: str = Kind.FACT
    subject: str = ""
    reflection: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    happened_at: datetime | None = None
    source: str = Source.UNKNOWN
    claimed: float | None = None
    visibility: str = Visibility.SHARED
    session: str = ""
    notes: tuple[str, ...] = ()


def drafted(
    *,
    content: str,
    kind: str = Kind.FACT,
    subject: str = "",
    reflection: str = "",
    tags: Sequence[str] = (),
    metadata: dict[str, Any] | None = None,
    happened_at: datetime | None = None,
    source: str = Source.UNKNOWN,
    confidence: float | None = None,
    visibility: str = Visibility.SHARED,
    session: str = "",
) -> Draft:
    """Return the cleaned draft, or raise Invalid naming the field and what to do."""
    text, notes = clean_content(content)
    return Draft(
        content=text,
        kind=one_of(kind, Kind.values, "kind"),
        subject=short_text(subject, "subject", MAX_NAME),
        reflection=short_text(reflection, "reflection", MAX_REFLECTION),
        tags=clean_tags(tags),
        metadata=clean_metadata(metadata or {}),
        happened_at=clean_time(happened_at),
        source=one_of(source, Source.values, "source"),
        claimed=clean_share(confidence),
        visibility=one_of(visibility, Visibility.values, "visibility"),
        session=short_text(session, "session", MAX_NAME),
        notes=tuple(notes),
    )


def clean_content(content: str) -> tuple[str, list[str]]:
    """Return (storable content, notes on what was done to it)."""
    if not isinstance(content, str):
        raise Invalid(_("content must be text."), field="content")
    text, notes = storable(content)
    if not bare(text):
        raise Invalid(_("content is empty: say in one sentence what to remember."), field="content")
    if len(text) > MAX_CONTENT:
        raise Invalid(
            _("content has %(have)d characters, at most %(most)d fit: write one idea a memory.")
            % {"have": len(text), "most": MAX_CONTENT},
            field="content",
        )
    return text, notes


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return the tags, cleaned, without empty ones and repetitions, in the order given."""
    if isinstance(tags, str) or len(tags) > MAX_TAGS:
        raise Invalid(
            _("tags must be a list of at most %(most)d texts.") % {"most": MAX_TAGS}, field="tags"
        )
    cleaned = (short_text(tag, "tags", MAX_TAG) for tag in tags)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))


def clean_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata as plain JSON that PostgreSQL can hold."""
    if not isinstance(metadata, dict):
        raise Invalid(_("metadata must be a JSON object."), field="metadata")
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(_("metadata must be plain JSON without NaN."), field="metadata") from error
    if len(text) > MAX_METADATA:
        raise Invalid(
            _("metadata has %(have)d characters of JSON, at most %(most)d fit.")
            % {"have": len(text), "most": MAX_METADATA},
            field="metadata",
        )
    plain: dict[str, Any] = _storable_json(json.loads(text))
    return plain


def _storable_json(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)[0]
    if isinstance(value, list):
        return [_storable_json(item) for item in value]
    if isinstance(value, dict):
        return {storable(key)[0]: _storable_json(item) for key, item in value.items()}
    return value


def clean_time(moment: datetime | None) -> datetime | None:
    """Return the moment with its time zone; one without is taken in the server's zone."""
    if moment is None:
        return None
    if timezone.is_naive(moment):
        # Not make_aware(): the first and the last day of the calendar have no other zone's time.
        moment = moment.replace(tzinfo=timezone.get_current_timezone())
    if not EARLIEST <= moment <= timezone.now() + timedelta(days=366 * 100):
        raise Invalid(
            _("happened_at must lie between the year 1000 and a hundred years ahead."),
            field="happened_at",
        )
    return moment


def clean_share(value: float | None) -> float | None:
    """Return a confidence between 0 and 1, or None."""
    if value is None or (not isinstance(value, bool) and 0.0 <= value <= 1.0):
        return value
    raise Invalid(_("confidence must be a number from 0 to 1."), field="confidence")
