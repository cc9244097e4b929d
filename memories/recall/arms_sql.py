"""The SQL of the arms: a scope as columns, and what is known of its candidates."""

# As columns of numbers, big-endian, which NumPy takes as they are; of rows Python would make an
# object for each value. Every aggregate sees the rows in the same order. What `tellings` has the
# same for was told in one session, of one user and by one agent; 0 without one.
COLUMNS = """
SELECT string_agg(uuid_send(id), '') AS ids,
  string_agg(timestamptz_send(coalesce(happened_at, created_at)), '') AS moments,
  string_agg(int8send(CASE session WHEN '' THEN 0 ELSE hashtextextended(
    session, hashtextextended(user_id, coalesce(uuid_hash_extended(agent_id, 0), 0))
  ) END), '') AS tellings,
  string_agg(boolsend(han = %(han)s), '') AS same,
  string_agg(float8send(coalesce(
    CASE WHEN embedding_model = %(model)s THEN 1 - (embedding <=> %(vector)s::halfvec)
      WHEN other_model = %(model)s THEN 1 - (other_embedding <=> %(vector)s::halfvec) END, 'NaN'
  )), '') AS cosines,
  string_agg(int4send(octet_length(word_codes)), '') AS sizes,
  string_agg(word_codes, '') AS codes
FROM ({scope}) AS base
"""
"""The whole of a scope as one row of columns; {scope} is its SQL."""
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
TOLD = "".join(("WITH", VOICES.replace("{ids}", "SELECT unnest(%(ids)s::uuid[])"), _TOLD))
"""What is known of the candidates besides, a row each, of those that still are in the scope."""
