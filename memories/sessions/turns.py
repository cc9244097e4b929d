"""What a host tells of one turn → a Turn that can be stored, or a sentence that says why not."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.inputs import MAX_NAME, one_of, short_text
from memories.models.session import Turn
from memories.sessions.results import meaning_of
from memories.text.clean import REPLACEMENT, storable
from memories.writing.draft import clean_time

MAX_CALL = 1_000  # turns that one call may bring
MAX_CONTENT = 200_000  # characters of a turn's content, and of its error
MAX_DATA = 200_000  # characters of JSON
MAX_DEPTH = 100  # lists and objects within each other; no result of a tool is nested like that
MAX_DURATION = 2**31 - 1  # ms, what a column of PostgreSQL holds: 24 days

_ROLES = {
    Turn.Type.MESSAGE: Turn.Role.USER,
    Turn.Type.TOOL_CALL: Turn.Role.ASSISTANT,
    Turn.Type.TOOL_RESULT: Turn.Role.TOOL,
}


class TurnGiven(TypedDict, total=False):
    """One turn as a host tells it; None counts as left out. `key` makes a retry harmless."""

    type: str
    role: str
    speaker: str
    content: str
    tool: str
    call_id: str
    data: Any
    ok: bool | None
    error: str
    duration_ms: int | None
    happened_at: datetime | None
    key: str


def cleaned_turns(turns: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """Return the turns, unsaved and without numbers, or raise Invalid for the first unusable one.

    Its field is the place, as in "turns[3].content", counted from 0.
    """
    if not isinstance(turns, list | tuple) or not turns:
        raise Invalid(_("turns must be a list of at least one turn."), field="turns")
    if len(turns) > MAX_CALL:
        raise Invalid(
            _("%(have)d turns are too many for one call: send them in batches of %(most)d.")
            % {"have": len(turns), "most": MAX_CALL},
            field="turns",
        )
    return [_placed(given, f"turns[{place}]") for place, given in enumerate(turns)]


def _placed(given: Mapping[str, Any], place: str) -> Turn:
    try:
        return cleaned_turn(given)
    except Invalid as error:
        field = f"{place}.{error.field}" if error.field else place
        raise Invalid(f"{place}: {error.message}", field=field) from error


def cleaned_turn(given: Mapping[str, Any]) -> Turn:
    """Return one turn, unsaved, or raise Invalid naming its field and what to do."""
    said = _said(given)
    kind = Turn.Type(one_of(said.get("type", Turn.Type.MESSAGE), Turn.Type.values, "type"))
    names = {name: _name(said, name) for name in ("speaker", "tool", "call_id", "key")}
    turn = Turn(
        type=kind,
        role=one_of(said.get("role", _ROLES[kind]), Turn.Role.values, "role"),
        content=_long(said, "content"),
        error=_long(said, "error"),
        data=_data(said.get("data")),
        duration_ms=_duration(said.get("duration_ms")),
        happened_at=clean_moment(said.get("happened_at", timezone.now()), "happened_at"),
        **names,
    )
    turn.ok = _ok(turn, said.get("ok"))
    _require_substance(turn)
    return turn


def clean_moment(moment: Any, name: str) -> datetime:
    """Return a time with its zone, taken in the server's when it has none."""
    if not isinstance(moment, datetime):
        raise Invalid(
            _("%(field)s must be a date and time, such as 2026-05-01T09:30:00+02:00.")
            % {"field": name},
            field=name,
        )
    try:
        return clean_time(moment) or moment
    except Invalid as error:
        raise Invalid(
            _("%(field)s must lie between the year 1000 and a hundred years ahead.")
            % {"field": name},
            field=name,
        ) from error


def _said(given: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise Invalid(_("a turn must be an object with fields such as role and content."))
    for name in given:
        if name not in TurnGiven.__annotations__:
            raise Invalid(
                _("a turn has no field “%(name)s”; it may have: %(allowed)s.")
                % {"name": str(name)[:60], "allowed": ", ".join(TurnGiven.__annotations__)},
                field=str(name)[:60],
            )
    return {name: value for name, value in given.items() if value is not None}


def _name(said: Mapping[str, Any], name: str) -> str:
    return short_text(said.get(name, ""), name, MAX_NAME)


def _long(said: Mapping[str, Any], name: str) -> str:
    text = said.get(name, "")
    if not isinstance(text, str):
        raise Invalid(_("%(field)s must be text.") % {"field": name}, field=name)
    cleaned, _notes = storable(text)
    if len(cleaned) > MAX_CONTENT:
        raise Invalid(
            _(
                "%(field)s has %(have)d characters, at most %(most)d fit: "
                "split it into several turns, or keep it elsewhere and say where it is."
            )
            % {"field": name, "have": len(cleaned), "most": MAX_CONTENT},
            field=name,
        )
    return cleaned


def _data(data: Any) -> Any:
    """Return plain JSON that PostgreSQL can hold; unlike in prose, white space stays."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
        plain = _kept(json.loads(text), MAX_DEPTH)
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(
            _("data must be plain JSON without NaN, nested at most %(most)d deep.")
            % {"most": MAX_DEPTH},
            field="data",
        ) from error
    if len(text) > MAX_DATA:
        raise Invalid(
            _(
                "data has %(have)d characters of JSON, at most %(most)d fit: "
                "send only what matters of it."
            )
            % {"have": len(text), "most": MAX_DATA},
            field="data",
        )
    return plain


def _kept(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _kept_text(value)
    if isinstance(value, list | dict) and depth == 0:
        raise RecursionError
    if isinstance(value, list):
        return [_kept(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {_kept_text(name): _kept(item, depth - 1) for name, item in value.items()}
    return value


def _kept_text(text: str) -> str:
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.replace("\x00", REPLACEMENT)


def _duration(duration: Any) -> int | None:
    if duration is None:
        return None
    if type(duration) is int and 0 <= duration <= MAX_DURATION:
        return duration
    raise Invalid(
        _("duration_ms must be a whole number of milliseconds from 0 to %(most)d.")
        % {"most": MAX_DURATION},
        field="duration_ms",
    )


def _ok(turn: Turn, ok: Any) -> bool | None:
    """Return what the host says of a call's result, else False when the result itself says so."""
    if ok is None:
        return False if turn.type == Turn.Type.TOOL_RESULT and _failed(turn) else None
    if not isinstance(ok, bool):
        raise Invalid(_("ok must be true or false."), field="ok")
    if turn.type != Turn.Type.TOOL_RESULT:
        raise Invalid(
            _("ok belongs to a tool_result: say there whether the call worked."), field="ok"
        )
    return ok


def _failed(turn: Turn) -> bool:
    """Whether a result tells of a failure (B8). That it tells of a success is not kept as a fact:
    read together with its call it may mean something else.
    """
    return bool(turn.error) or meaning_of(turn).ok is False


def _require_substance(turn: Turn) -> None:
    if turn.type == Turn.Type.MESSAGE:
        if not turn.content:
            raise Invalid(_("a message needs content: say what was said."), field="content")
    elif not (turn.tool or turn.call_id):
        raise Invalid(
            _("a %(type)s needs tool or call_id: say which call it is.") % {"type": turn.type},
            field="tool",
        )
