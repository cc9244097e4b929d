"""The SQL of the arms: a scope as columns, and what is known of its candidates."""

from itertools import accumulate, pairwise
from math import pi

from memories.text.tokens import MAX_POSITIONS

# `near` reads a row once and keeps little of it; of the keyword index only of what has a word. What
# `telling` is the same for was told in one session, of one user and by one agent; 0 without one.
#
# The words stand on the inner side of the join, so that every row is read once, whatever the
# planner guesses.
READ = """
near AS MATERIALIZED (
  SELECT id, row_number() OVER () - 1 AS place, keyword_count,
    coalesce(happened_at, created_at) AS moment,
    CASE session WHEN '' THEN 0 ELSE hashtextextended(
      concat_ws(E'\\x01', session, user_id, agent_id), 0
    ) END AS telling,
    (content ~ '[一-鿿]') = %(han)s AS same,
    CASE WHEN embedding_model = %(model)s THEN 1 - (embedding <=> %(vector)s::halfvec)
      WHEN other_model = %(model)s THEN 1 - (other_embedding <=> %(vector)s::halfvec) END AS cosine,
    CASE WHEN keywords @@ %(tsquery)s::tsquery THEN keywords END AS keywords
  FROM ({scope}) AS base
),
term AS (
  SELECT place, word - 1 AS word,
    1 + width_bucket(ts_rank('{{1,1,1,1}}', keywords, query)::float8, %(ranks)s::float8[]) AS tf
  FROM near JOIN LATERAL unnest(%(terms)s::tsquery[]) WITH ORDINALITY AS asked(query, word)
    ON keywords @@ query
  WHERE keywords IS NOT NULL
)
"""
# As columns of numbers, big-endian, which NumPy takes as they are; of rows Python would make an
# object for each value. Every aggregate sees the rows in the order in which `near` has them.
AS_COLUMNS = """
SELECT ids, moments, tellings, lengths, same, cosines, places, words, often FROM (
  SELECT string_agg(uuid_send(id), '') AS ids, string_agg(timestamptz_send(moment), '') AS moments,
    string_agg(int8send(telling), '') AS tellings,
    string_agg(int4send(keyword_count), '') AS lengths, string_agg(boolsend(same), '') AS same,
    string_agg(float8send(coalesce(cosine, 'NaN')), '') AS cosines
  FROM near
) AS memories CROSS JOIN (
  SELECT string_agg(int4send(place::int), '') AS places,
    string_agg(int4send(word::int), '') AS words, string_agg(int4send(tf), '') AS often
  FROM term
) AS said
"""
# What was said of the text that a memory has now, whatever else of it changed: of each the last
# word, so that whoever makes versions has no second voice. Nobody's praise of what they wrote
# themselves is one, nor is a complaint, said again or not, after which people kept the text. `ids`
# are the memories concerned.
VOICES = """
voices AS MATERIALIZED (
  SELECT memory_id, count(*) FILTER (WHERE verdict = 'useful' AND NOT own) AS useful,
    count(*) FILTER (WHERE verdict <> 'useful' AND NOT EXISTS (
      SELECT FROM memories_flag AS asked
      WHERE asked.memory_id = word.memory_id AND kind = 'feedback' AND resolution = 'keep'
        AND resolved_at >= word.complained_at
    )) AS wrong
  FROM (
    SELECT DISTINCT ON (said.memory_id, said.actor_kind, said.actor_id)
      said.memory_id, said.verdict, min(said.created_at) FILTER (WHERE verdict <> 'useful')
        OVER (PARTITION BY said.memory_id, said.actor_kind, said.actor_id) AS complained_at,
      coalesce(said.actor_id IN (memory.agent_id, (
        SELECT actor_id FROM memories_memoryversion AS first
        WHERE first.memory_id = memory.id AND first.content = memory.content
        ORDER BY number LIMIT 1
      )), false) AS own
    FROM memories_feedback AS said JOIN memories_memory AS memory ON memory.id = said.memory_id
      JOIN memories_memoryversion AS version
        ON version.memory_id = said.memory_id AND version.number = said.memory_version
    WHERE said.memory_id IN ({ids}) AND version.content = memory.content
    ORDER BY said.memory_id, said.actor_kind, said.actor_id, said.id DESC
  ) AS word
  GROUP BY memory_id
)
"""
_TOLD = """
SELECT place - 1, id, session, source, confidence, heat, moment, coalesce(upheld, 0),
  coalesce(refuted, 0), last_recalled_at, coalesce(useful, 0), coalesce(wrong, 0), text
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS given(id, place)
  JOIN (
    SELECT id, session, source, confidence, heat, coalesce(happened_at, created_at) AS moment,
      last_recalled_at, left(content, %(read)s) AS text, agent_id
    FROM ({scope}) AS base
  ) AS told USING (id)
  LEFT JOIN (SELECT id AS agent_id, upheld, refuted FROM memories_agent) AS writer USING (agent_id)
  LEFT JOIN voices ON voices.memory_id = id
"""
# For one word ts_rank() is Σ 1/i² over its positions, divided by π²/6: it tells how often the word
# is there without taking the tsvector apart, which costs three times as much. These are the bounds
# between one count and the next; PostgreSQL keeps no more than MAX_POSITIONS.
_SQUARES = list(accumulate(1 / n**2 for n in range(1, MAX_POSITIONS + 1)))
_BOUNDS = [(less + more) / 2 * 6 / pi**2 for less, more in pairwise(_SQUARES)]
RANKS = "{" + ",".join(map(repr, _BOUNDS)) + "}"

COLUMNS = "".join(("WITH", READ, AS_COLUMNS))
"""The whole of a scope as one row of columns; {scope} is its SQL."""
TOLD = "".join(("WITH", VOICES.replace("{ids}", "SELECT unnest(%(ids)s::uuid[])"), _TOLD))
"""What is known of the candidates besides, a row each, of those that still are in the scope."""
