"""Working memory: what one session holds right now, in Redis, until it vanishes by itself (A1)."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self, cast
from uuid import UUID

from django.utils.translation import gettext as _
from redis.client import Pipeline

from memories.errors import Invalid
from memories.inputs import MAX_NAME, short_text
from memories.models.session import Session, Turn
from memories.policies import policy_for
from memories.sessions.echo import without_injected
from memories.sessions.redis_link import WorkingMemoryDown, configured_link
from memories.text.clean import storable

__all__ = ["WorkingMemory", "WorkingMemoryDown", "WorkingTurn", "forget", "working_memory_of"]

MOST_BYTES = 256 * 1024
"""Of a session's turns together, and once more of its tool results: the oldest go first."""
TURN_CHARS = 4_000
RESULT_CHARS = 20_000
"""A longer text keeps its beginning and the number of characters that are not there."""
SCRATCH_VALUES = 100
SCRATCH_BYTES = 64 * 1024
"""Of a session's scratch values with their names; more is refused."""
INJECTED = "[recalled context, not repeated here]"

# Each script is one atomic step, so that concurrent writers neither lose a turn nor pass a cap.
# A window is a sorted set by turn number: late and repeated turns find their place.
_PUSH = """
local most, bytes = tonumber(ARGV[1]), tonumber(ARGV[2])
for i = 3, #ARGV, 2 do
  if redis.call('ZCOUNT', KEYS[1], ARGV[i], ARGV[i]) == 0 then
    redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
local total, kept = 0, 0
for _, turn in ipairs(redis.call('ZRANGE', KEYS[1], 0, most - 1, 'REV')) do
  total = total + #turn
  if total > bytes then break end
  kept = kept + 1
end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -kept - 1)
"""
_SET = """
local count, total = 1, #ARGV[1] + #ARGV[2]
local held = redis.call('HGETALL', KEYS[1])
for i = 1, #held, 2 do
  if held[i] ~= ARGV[1] then
    count, total = count + 1, total + #held[i] + #held[i + 1]
  end
end
if count > tonumber(ARGV[3]) or total > tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
"""


@dataclass(frozen=True, slots=True)
class WorkingTurn:
    """A turn as working memory shows it: all it says as one text, without recalled context (B9).

    `left_out` counts the characters at the end of the text that are not there.
    """

    number: int
    type: str
    role: str
    speaker: str
    tool: str
    call_id: str
    ok: bool | None
    happened_at: str  # ISO 8601
    text: str
    left_out: int

    @classmethod
    def of(cls, turn: Turn, most: int = TURN_CHARS) -> Self:
        """Return a recorded turn with at most `most` characters of its text."""
        text = _said(turn)
        return cls(
            number=turn.number,
            type=turn.type,
            role=turn.role,
            speaker=turn.speaker,
            tool=turn.tool,
            call_id=turn.call_id,
            ok=turn.ok,
            happened_at=turn.happened_at.isoformat(),
            text=text[:most],
            left_out=max(len(text) - most, 0),
        )

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.happened_at)

    @property
    def own(self) -> str:
        """What was said in this turn itself."""
        return self.text.removeprefix(INJECTED).strip()


def _said(turn: Turn) -> str:
    """Return error, content and structured data as one text."""
    data = "" if turn.data is None else _json(turn.data)
    whole = "\n".join(part for part in (turn.error, turn.content, data) if part)
    own = without_injected(whole)
    return storable(own if own == whole else f"{INJECTED}\n{own.strip()}")[0]


class WorkingMemory:
    """The working memory of one session: at most `turns` turns, gone `seconds` after a write.

    Every method raises WorkingMemoryDown when Redis is away, slow or takes no writes.
    """

    def __init__(self, session_id: UUID, turns: int, seconds: int) -> None:
        self.turns = turns
        self.seconds = seconds
        prefix = f"hindsight:working:{session_id}"
        self._turns, self._results = f"{prefix}:turns", f"{prefix}:results"
        self._scratch = f"{prefix}:scratch"
        self._keys = (self._turns, self._results, self._scratch)

    def push(self, turns: Sequence[Turn]) -> None:
        """Add recorded turns, and tool results to their buffer, too; a number counts once."""
        if not turns:
            return
        results = [turn for turn in turns if turn.type == Turn.Type.TOOL_RESULT]
        with configured_link().answering() as redis, redis.pipeline(transaction=True) as pipe:
            self._window(pipe, self._turns, turns, TURN_CHARS)
            self._window(pipe, self._results, results, RESULT_CHARS)
            self._write(pipe)

    def recent(self, n: int | None = None) -> list[WorkingTurn]:
        """Return the last `n` turns (None: all there are), oldest first."""
        return self._newest(self._turns, self.turns if n is None else min(n, self.turns))

    def results(self, call_id: str = "") -> list[WorkingTurn]:
        """Return the last tool results, oldest first; with a call_id only those of that call."""
        found = self._newest(self._results, self.turns)
        return [turn for turn in found if turn.call_id == call_id or not call_id]

    def set(self, name: str, value: Any) -> None:
        """Keep a JSON value under a name; None removes it. Raises Invalid when it cannot be kept.

        A session holds at most SCRATCH_VALUES values and SCRATCH_BYTES bytes.
        """
        key, plain = _name(name), _plain(value)
        with configured_link().answering() as redis, redis.pipeline(transaction=True) as pipe:
            if value is None:
                pipe.hdel(self._scratch, key)
            else:
                pipe.eval(_SET, 1, self._scratch, key, plain, SCRATCH_VALUES, SCRATCH_BYTES)
            kept = self._write(pipe)[0]
        if value is not None and not kept:
            raise Invalid(
                _(
                    "Scratch values may be %(count)d in number and %(bytes)d bytes together: "
                    "remove one (set it to null) or keep less."
                )
                % {"count": SCRATCH_VALUES, "bytes": SCRATCH_BYTES},
                field="value",
            )

    def get(self, name: str) -> Any:
        """Return the value under a name; None when there is none."""
        key = _name(name)
        with configured_link().answering() as redis:
            value = cast(bytes | None, redis.hget(self._scratch, key))
        return None if value is None else json.loads(value)

    def clear(self) -> None:
        """Forget everything of this session now."""
        with configured_link().answering() as redis:
            redis.delete(*self._keys)

    def _write(self, pipe: Pipeline) -> list[Any]:
        """Run a transaction at whose end all that is held has its full time again."""
        for key in self._keys:
            pipe.expire(key, self.seconds)
        return pipe.execute()

    def _window(self, pipe: Pipeline, key: str, turns: Sequence[Turn], most: int) -> None:
        """Add to a window what may stay in it: never more than the newest `self.turns`."""
        once = {turn.number: turn for turn in reversed(turns)}
        newest = [once[number] for number in sorted(once)[-self.turns :]]
        shown = (WorkingTurn.of(turn, most) for turn in newest)
        pairs = [value for turn in shown for value in (turn.number, _json(asdict(turn)))]
        pipe.eval(_PUSH, 1, key, self.turns, MOST_BYTES, *pairs)

    def _newest(self, key: str, n: int) -> list[WorkingTurn]:
        if n < 1:
            return []
        with configured_link().answering() as redis:
            found = cast(list[bytes], redis.zrange(key, -n, -1))
        return [WorkingTurn(**json.loads(turn)) for turn in found]


def forget(session_ids: Iterable[UUID]) -> None:
    """Forget everything of these sessions now. Raises WorkingMemoryDown."""
    keys = [key for found in session_ids for key in WorkingMemory(found, 0, 0)._keys]
    if keys:
        with configured_link().answering() as redis:
            redis.delete(*keys)


def working_memory_of(session: Session) -> WorkingMemory:
    """Return a session's working memory, as large as its agent or else its space says."""
    agent = session.agent
    policy = policy_for(session.space_id)[1].sessions
    usual = policy.tool_turns if agent.profile == agent.Profile.TOOLS else policy.chat_turns
    return WorkingMemory(
        session.pk, agent.working_turns or usual, agent.working_seconds or policy.working_seconds
    )


def _name(name: str) -> str:
    found = short_text(name, "name", MAX_NAME)
    if not found:
        raise Invalid(_("name is empty: say under which name to keep it."), field="name")
    return found


def _plain(value: Any) -> bytes:
    """Return a scratch value as JSON, or raise Invalid."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(
            _("value must be plain JSON: text, finite numbers, true, false, null, lists, objects."),
            field="value",
        ) from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
