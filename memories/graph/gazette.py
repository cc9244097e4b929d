"""Names that are known beforehand, with their aliases: products and places, in both languages."""

import re
from collections.abc import Mapping
from functools import cache

from memories.text.names import folded
from memories.writing.compare import gazetteer, lexicon

# Classes whose values are notions rather than things with a name.
_NOTIONS_TEXT = """
branch encoding timezone indent format protocol license encryption hash auth
"""
_NOTIONS = frozenset(_NOTIONS_TEXT.split())
# Names that are common words too: only where they are capitalised, or in a Chinese sentence.
_WORDS_TEXT = """
aurora spanner drone bamboo travis tekton celery chef puppet salt bun pip poetry cargo bazel
gradle linear notion slack teams discord signal skype zoom cursor eclipse nano fish shell zed atom
edge safari opera brave caddy envoy sentry square mint phoenix rails spring express flask gin
react vue angular ember preact ionic flutter swarm oracle cassandra firestore snowflake redshift
varnish dragonfly pulsar nats elastic milvus chroma pinecone weaviate playwright cypress jest
mocha yarn vite rollup parcel windows alpine tabs spaces stage lark kimi claude gemini llama
mistral bootstrap chakra prisma biome ruff loki solr typesense hazelcast sublime avro go gitea
make ant apple bear
"""
_WORDS = frozenset(_WORDS_TEXT.split())


@cache
def known() -> Mapping[str, tuple[str, ...]]:
    """Return each known surface form (lower case) → the keys of its value, the main one first."""
    found: dict[str, tuple[str, ...]] = {}
    for value in _values():
        forms = value.split("=")
        found |= dict.fromkeys(forms, tuple(dict.fromkeys(map(folded, forms))))
    return found


@cache
def aliases() -> frozenset[str]:
    """Return all keys that nobody had to teach."""
    return frozenset(key for keys in known().values() for key in keys)


@cache
def ambiguous() -> frozenset[str]:
    """Return the known forms that count only when capitalised: common words, and places."""
    return _WORDS | {form for value in _places() for form in value.split("=")}


def _values() -> list[str]:
    software = lexicon.grouped(gazetteer.SOFTWARE)
    things = [value for cls in software if cls not in _NOTIONS for value in software[cls]]
    return things + _places()


def _places() -> list[str]:
    return lexicon.grouped(gazetteer.WORLD)["place"]


@cache
def pattern() -> re.Pattern[str]:
    """Return what finds the known names in a text, the longest first."""
    forms = sorted(known(), key=len, reverse=True)
    latin = "|".join(re.escape(form).replace(r"\ ", r"[\s-]") for form in forms if form.isascii())
    han = "|".join(re.escape(form) for form in forms if not form.isascii() and len(form) > 1)
    return re.compile(rf"(?<![A-Za-z0-9_.@/-])(?:{latin})(?![A-Za-z0-9_@]|[.\-/]\w)|{han}", re.I)
