"""Structured answers from models of every make: three ways to ask for JSON, one way to read it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memories.llm.errors import Unfit

Message = Mapping[str, str]
Answer = TypeVar("Answer", bound=BaseModel)

MOST_STARTS = 50
"""Places in a text at which JSON is looked for."""
MOST_ERRORS = 5
"""Errors of one answer that the model is told."""
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_START = re.compile(r"[{\[]")
# Strict servers take a part of JSON Schema only; what is left out is still validated here.
_NOT_FOR_STRICT = frozenset(("title", "default", "maxItems", "maxLength"))


class Form(Enum):
    """How a request asks for JSON; each next one asks less of the server."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"


def request(form: Form, messages: Sequence[Message], answer: type[BaseModel]) -> dict[str, Any]:
    """Return the part of a request's body that asks for `answer` in this form."""
    if form is Form.SCHEMA:
        wanted = {"name": answer.__name__.lower(), "strict": True, "schema": schema_of(answer)}
        shape = {"type": "json_schema", "json_schema": wanted}
        return {"messages": list(messages), "response_format": shape}
    first, *others = messages
    # Not as a message of its own: many templates want user and assistant to take turns.
    told = {**first, "content": f"{first['content']}\n\n{instruction(answer)}"}
    if form is Form.OBJECT:
        return {"messages": [told, *others], "response_format": {"type": "json_object"}}
    return {"messages": [told, *others]}


def instruction(answer: type[BaseModel]) -> str:
    """Say in words what json_schema says by itself."""
    schema = json.dumps(schema_of(answer), separators=(",", ":"), ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. It must match this JSON Schema: {schema}"


def correction(answer: type[BaseModel], problem: str) -> str:
    """Say what was wrong with an answer."""
    return f"That answer cannot be used: {problem}\n{instruction(answer)}"


def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema as strict servers want it: closed, and every field required."""
    schema: dict[str, Any] = _strict(answer.model_json_schema())
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        name: _strict_each(value) if name in {"properties", "$defs"} else _strict(value)
        for name, value in node.items()
        if name not in _NOT_FOR_STRICT
    }
    if "properties" in kept:
        kept |= {"additionalProperties": False, "required": list(kept["properties"])}
    return kept


def _strict_each(named: dict[str, Any]) -> dict[str, Any]:
    """Schemas by name: a field may be called title, too."""
    return {name: _strict(schema) for name, schema in named.items()}


def read(text: str, answer: type[Answer]) -> Answer:
    """Return the first JSON in a text that fits; thoughts, fences and words around it may stand.

    Raises Unfit, which names the fields that are wrong and repeats nothing of what they hold.
    """
    problem = ""
    for found in _json_in(_THOUGHT.sub("", text)):
        try:
            return answer.model_validate(found)
        except ValidationError as error:
            problem = problem or _described(error)
    raise Unfit(problem or "there is no complete JSON in it.")


def _json_in(text: str) -> Iterator[Any]:
    """Yield what can be read as JSON, outermost first, as far as it is complete."""
    decoder = json.JSONDecoder()
    end = 0
    for tries, start in enumerate(_START.finditer(text)):
        if tries == MOST_STARTS:
            return
        if start.start() < end:
            continue
        try:
            found, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        yield found


def _described(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in found]
    more = f"; and {len(told) - MOST_ERRORS} more" if len(told) > MOST_ERRORS else ""
    return "; ".join(told[:MOST_ERRORS]) + more + "."
