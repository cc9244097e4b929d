"""Results that fit into a model's context. What does not fit is said, never silently cut."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Payload = dict[str, Any]

USUAL_TOKENS = 3_000
MOST_TOKENS = 10_000
# A cautious measure for any tokeniser: English JSON has 3 to 4 bytes a token, a Chinese character
# (3 bytes) at most about one.
BYTES_A_TOKEN = 3
_FRAME = 900  # bytes for what stands around the memories: outcome, note, and the like
_OF_MEMORY = ("id", "version", "status", "disputed")
_OF_ERROR = ("code", "message", "field")
_SENTENCES = (500, 100, 50, 20)  # characters a sentence may keep, tried in turn
_LENGTHS = (10_000, 2_000, 1_000, 500, 250)  # characters a text may keep, tried in turn


def rendered(payload: Mapping[str, Any]) -> str:
    """Return the text of a result: the same as its structured content."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    return -(-len(text.encode()) // BYTES_A_TOKEN)


def shortened(memory: Mapping[str, Any], most: int) -> Payload:
    """Return a memory whose texts have at most `most` characters; longer metadata is left out."""
    shown = _beginnings(memory, ("content", "reflection"), most)
    metadata = rendered(memory["metadata"])
    if len(metadata) <= most:
        return shown
    return shown | {"metadata": {}, "left": shown.get("left", {}) | {"metadata": len(metadata)}}


def brief(candidate: Mapping[str, Any], most: int) -> Payload:
    """Return a candidate of a distillation run whose texts have at most `most` characters."""
    return _beginnings(candidate, ("content", "quote"), most)


def entry(step: Mapping[str, Any], most: int) -> Payload:
    """Return a step of a memory's history whose text has at most `most` characters."""
    return _beginnings(step, ("content",), most)


def fit(
    items: Sequence[Mapping[str, Any]],
    limit: int,
    shorten: Callable[[Mapping[str, Any], int], Payload] = shortened,
) -> list[Payload]:
    """Return as many items as fit into `limit` tokens, long texts shortened where necessary.

    A shortened item says in `left` how many characters of which field are not shown.
    """
    room = limit * BYTES_A_TOKEN - _FRAME
    shown: list[Payload] = []
    sizes: list[int] = []
    for most in _LENGTHS:
        shown = [shorten(item, most) for item in items]
        sizes = [_size([item]) for item in shown]
        if sum(sizes) <= room:
            break
    while len(shown) > 1 and sum(sizes) > room:
        shown.pop()
        sizes.pop()
    return shown


def fit_results(results: Sequence[Mapping[str, Any]]) -> list[Payload]:
    """Return what became of every write of a batch, so briefly that they all fit (MOST_TOKENS).

    Of a memory there is what its writer needs to change it. Where sentences do not fit, `left` says
    how many characters of which are not shown.
    """
    shown: list[Payload] = []
    for most in _SENTENCES:
        shown = [_brief_result(one, most) for one in results]
        if _size(shown) <= MOST_TOKENS * BYTES_A_TOKEN - _FRAME:
            break
    return shown


def _brief_result(result: Mapping[str, Any], most: int) -> Payload:
    if "error" in result:
        error = {name: result["error"][name] for name in _OF_ERROR if name in result["error"]}
        return {"error": _beginnings(error, ("message",), most)}
    memory = {name: result["memory"][name] for name in _OF_MEMORY}
    told = {"outcome": result["outcome"], "memory": memory}
    if result["outcome"] == "created":  # there is nothing more to say
        return told
    return _beginnings(told | {"reason": result["reason"]}, ("reason",), most)


def page(memory: Mapping[str, Any], offset: int) -> Payload:
    """Return a memory with as much of its content from `offset` as one answer holds.

    `left` counts the characters of content after what is shown, and of metadata that did not fit.
    """
    shown, left = dict(memory), {}
    room = MOST_TOKENS * BYTES_A_TOKEN - _FRAME
    shown["content"] = ""
    if _size([shown]) > room * 0.6:
        left["metadata"] = len(rendered(memory["metadata"]))
        shown["metadata"] = {}
    rest = memory["content"][offset:]
    shown["content"] = _beginning(rest, room - _size([shown]))
    if more := len(rest) - len(shown["content"]):
        left["content"] = more
    return shown | {"left": left} if left else shown


def _beginnings(item: Mapping[str, Any], names: Sequence[str], most: int) -> Payload:
    left = {name: len(item[name]) - most for name in names if len(item[name]) > most}
    shown = dict(item) | {name: item[name][:most] for name in left}
    return shown | {"left": left} if left else shown


def _beginning(text: str, room: int) -> str:
    """Return the longest beginning that takes at most `room` bytes inside JSON."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len(json.dumps(text[:middle], ensure_ascii=False).encode()) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def _size(memories: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(rendered(memory).encode()) + 1 for memory in memories)
