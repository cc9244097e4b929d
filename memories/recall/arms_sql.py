"""The SQL of the arms, in parts: what is read, what words say of it, what is proposed of it."""

from itertools import accumulate, pairwise
from math import pi

from memories.text.tokens import MAX_POSITIONS

# `near` reads a row once and keeps little of it; of the keyword index only of what has a word.
NEAR = """
near AS MATERIALIZED (
  SELECT id, session, user_id, agent_id, keyword_count, source, confidence, heat, last_recalled_at,
    coalesce(happened_at, created_at) AS moment,
    (content ~ '[一-鿿]') = %(han)s AS same,
    CASE WHEN embedding_model = %(model)s THEN 1 - (embedding <=> %(vector)s::halfvec)
      WHEN other_model = %(model)s THEN 1 - (other_embedding <=> %(vector)s::halfvec) END AS cosine,
    CASE WHEN keywords @@ %(tsquery)s::tsquery THEN keywords END AS keywords
  FROM ({scope}) AS base
)
"""
# The scale of every arm, over the whole scope or over the %(share)s of it that `near` is.
#
# Two texts in one script are nearer to each other than to the same text in another: a question in
# Chinese would find everything in Chinese first. So memories in the other script (Han or not) are
# lifted by the difference of the two means, in proportion as there are enough of them to have one.
# Measured on 60 memories told in both languages, R@10 of 40 Chinese questions .50 → .90, the same
# in English .85 → .90; where one script is all there is, nothing changes.
STATS = """
stats AS MATERIALIZED (
  SELECT n, avgdl, rarest, gap, familiar, least(low, far_low + gap) AS low,
    greatest(high, far_high + gap) AS high
  FROM (
    SELECT round(count(*) / %(share)s::float8)::bigint AS n,
      greatest(avg(keyword_count::float8), 1) AS avgdl,
      ln(1 + (count(*) / %(share)s::float8 + 0.5) / 0.5)::float8 AS rarest,
      greatest(0, coalesce(
        avg(cosine) FILTER (WHERE same) - avg(cosine) FILTER (WHERE NOT same), 0
      ) * count(*) FILTER (WHERE NOT same)
        / (count(*) FILTER (WHERE NOT same) + 10 * %(share)s::float8)) AS gap,
      coalesce(bool_or(same AND cosine IS NOT NULL), false) AS familiar,
      min(cosine) FILTER (WHERE same) AS low, max(cosine) FILTER (WHERE same) AS high,
      min(cosine) FILTER (WHERE NOT same) AS far_low,
      max(cosine) FILTER (WHERE NOT same) AS far_high
    FROM near
  ) AS scale
)
"""
# How often each asked word is in what has it. The words stand on the inner side of the join, so
# that every row is read once, whatever the planner guesses.
TERM = """
term AS MATERIALIZED (
  SELECT id, keyword_count, place,
    1 + width_bucket(ts_rank('{{1,1,1,1}}', keywords, query)::float8, %(ranks)s::float8[]) AS tf
  FROM near LEFT JOIN LATERAL unnest(%(terms)s::tsquery[]) WITH ORDINALITY AS asked(query, place)
    ON keywords @@ query
  WHERE keywords IS NOT NULL
)
"""
KNOWN = """
known AS MATERIALIZED (
  SELECT place, ln(1 + (n - count(*) + 0.5) / (count(*) + 0.5))::float8 AS idf
  FROM term CROSS JOIN stats GROUP BY place, n
)
"""
# BM25 has k1 = 1.2 and b = 0.75. `most` is what the query's own words could reach: nobody says a
# word so often that 2.2 · idf is exceeded. A word that no memory has counts as the rarest; of a
# long query no more is asked than eight such words.
#
# Everything that `line` joins is joined by hash: on each side there are as many rows as the planner
# believes. What stands beside a memory comes from the row before and after it in its session; a
# join for each of the two took most of the time that 500 memories take.
CHOSEN = """
most AS MATERIALIZED (
  SELECT greatest(2.2 * least(
    (SELECT coalesce(sum(idf), 0) + (%(distinct)s - count(*)) * rarest FROM known), 8 * rarest
  ), 1e-9) AS bm25 FROM stats
),
words AS MATERIALIZED (
  SELECT term.id, sum(
    idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * keyword_count / avgdl))
  ) AS bm25
  FROM term JOIN known USING (place) CROSS JOIN stats GROUP BY term.id
),
found AS MATERIALIZED (
  SELECT id, bool_or(place <= %(leading)s) AS best FROM (
    (SELECT id, row_number() OVER () AS place FROM (
      SELECT id FROM near CROSS JOIN stats WHERE cosine IS NOT NULL
      ORDER BY cosine + CASE WHEN same THEN 0 ELSE gap END DESC, id LIMIT %(limit)s
    ) AS meant)
    UNION ALL (SELECT id, row_number() OVER () FROM (
      SELECT id FROM words ORDER BY bm25 DESC, id LIMIT %(limit)s
    ) AS worded)
    UNION ALL (SELECT id, NULL FROM near ORDER BY moment DESC, id LIMIT %(recent)s)
    UNION ALL (
      SELECT id, NULL FROM near
      JOIN unnest(%(firsts)s::timestamptz[], %(lasts)s::timestamptz[]) AS named(first, last)
        ON moment >= first AND moment < last
      ORDER BY moment DESC, id LIMIT %(limit)s
    )
  ) AS proposal GROUP BY id
),
line AS (
  SELECT near.id, session, user_id, agent_id, source, confidence, heat, last_recalled_at, moment,
    coalesce(bm25, 0) AS bm25, cosine + CASE WHEN same THEN 0 ELSE gap END AS lifted,
    best, found.id IS NOT NULL AS proposed
  FROM near CROSS JOIN stats LEFT JOIN words USING (id) LEFT JOIN found USING (id)
  WHERE found.id IS NOT NULL OR session <> '' AND session IN (
    SELECT session FROM near WHERE id IN (SELECT id FROM found)
  )
),
chosen AS MATERIALIZED (
  SELECT * FROM (
    SELECT *, session <> '' AND lag(true) OVER said AS before, lag(bm25) OVER said AS bm25_before,
      lag(lifted) OVER said AS lifted_before,
      session <> '' AND lead(true) OVER said AS after, lead(bm25) OVER said AS bm25_after,
      lead(lifted) OVER said AS lifted_after,
      session <> '' AND (lag(best) OVER said OR lead(best) OVER said) AS beside
    FROM line WINDOW said AS (PARTITION BY session, user_id, agent_id ORDER BY moment, id)
  ) AS told WHERE proposed OR beside
)
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
SHOWN = """
SELECT chosen.id, bm25, bm25 / (SELECT bm25 FROM most), lifted, session, source, confidence, heat,
  moment, coalesce(upheld, 0), coalesce(refuted, 0), last_recalled_at, coalesce(useful, 0),
  coalesce(wrong, 0), text, before, bm25_before, lifted_before, after, bm25_after, lifted_after,
  low, high, familiar, gap, n
FROM chosen CROSS JOIN stats
  JOIN (
    SELECT id AS told, left(content, %(read)s) AS text FROM memories_memory
  ) AS said ON told = chosen.id
  LEFT JOIN memories_agent AS writer ON writer.id = chosen.agent_id
  LEFT JOIN voices ON voices.memory_id = chosen.id
"""
# For one word ts_rank() is Σ 1/i² over its positions, divided by π²/6: it tells how often the word
# is there without taking the tsvector apart, which costs three times as much. These are the bounds
# between one count and the next; PostgreSQL keeps no more than MAX_POSITIONS.
_SQUARES = list(accumulate(1 / n**2 for n in range(1, MAX_POSITIONS + 1)))
_BOUNDS = [(less + more) / 2 * 6 / pi**2 for less, more in pairwise(_SQUARES)]
RANKS = "{" + ",".join(map(repr, _BOUNDS)) + "}"

_VOICED = VOICES.replace("{ids}", "SELECT id FROM chosen")
EXACT = "".join(("WITH", ",".join((NEAR, STATS, TERM, KNOWN, CHOSEN, _VOICED)), SHOWN))
"""All that counts is counted over the whole scope; {scope} is its SQL."""
