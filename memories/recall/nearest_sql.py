"""The SQL of a large scope: what is sampled of it, and what its indexes find (see nearest.py)."""

from memories.recall.arms_sql import AS_COLUMNS, COLUMNS, READ

# What the index of the space's sample begins with, the same memories each time; `below` is how far.
SAMPLE = COLUMNS.replace(
    "({scope}) AS base",
    "(SELECT * FROM ({scope}) AS whole WHERE uuid_hash(id) < %(below)s) AS base",
)
_GIVEN = """
given AS MATERIALIZED (SELECT %(n)s::bigint AS n, %(avgdl)s::float8 AS avgdl)
"""
# What has a word that leads somewhere. Of the words that are not `common` all of the scope is here
# that has them, so they are counted exactly; of the others `shares` says how many have them.
_WORDED = """
matched AS MATERIALIZED (
  SELECT id, keyword_count, keywords FROM ({scope}) AS whole
  WHERE keywords @@ %(leads)s::tsquery
),
tally AS MATERIALIZED (
  SELECT id, keyword_count, place,
    1 + width_bucket(ts_rank('{{1,1,1,1}}', keywords, query)::float8, %(ranks)s::float8[]) AS tf
  FROM matched LEFT JOIN LATERAL
    unnest(%(terms)s::tsquery[]) WITH ORDINALITY AS asked(query, place) ON keywords @@ query
),
often AS MATERIALIZED (
  SELECT place, least(n, coalesce(share, counted, 0)) AS many
  FROM given CROSS JOIN unnest(%(shares)s::float8[]) WITH ORDINALITY AS asked(share, place)
    LEFT JOIN (SELECT place, count(*) AS counted FROM tally GROUP BY place) AS exact USING (place)
),
known AS MATERIALIZED (
  SELECT place, ln(1 + (n - many + 0.5) / (many + 0.5))::float8 AS idf
  FROM often CROSS JOIN given WHERE many > 0
)
"""
_BY_INDEX = """
(SELECT id FROM ({scope}) AS whole
  WHERE embedding_model = %(model)s AND {script}
  ORDER BY embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
  LIMIT {most})
"""
_PICKED = """
meant AS MATERIALIZED ({han} UNION {other}),
picked AS MATERIALIZED (
  SELECT id FROM meant
  UNION (SELECT tally.id FROM tally JOIN known USING (place) CROSS JOIN given
    GROUP BY tally.id
    ORDER BY sum(idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * keyword_count / avgdl))) DESC, id
    LIMIT %(limit)s)
  UNION (SELECT id FROM ({scope}) AS whole
    ORDER BY coalesce(happened_at, created_at) DESC LIMIT %(recent)s)
  UNION (SELECT id FROM unnest(%(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
      AS named(first, last) CROSS JOIN LATERAL (
        SELECT id, coalesce(happened_at, created_at) AS moment FROM ({scope}) AS whole
        WHERE coalesce(happened_at, created_at) >= first
          AND coalesce(happened_at, created_at) < last
        ORDER BY 2 DESC LIMIT %(limit)s
      ) AS happened ORDER BY moment DESC, id LIMIT %(limit)s)
)
"""
# Two on either side: what stands beside a candidate may be one, and has neighbours itself.
_ROUND = """
around AS MATERIALIZED (
  SELECT id FROM picked
  UNION SELECT other.id FROM (
    SELECT id, session, user_id, agent_id, coalesce(happened_at, created_at) AS moment
    FROM memories_memory JOIN picked USING (id) WHERE session <> ''
  ) AS told CROSS JOIN LATERAL ({before} UNION ALL {after}) AS other
)
"""
_SIDE = """
(SELECT id FROM ({scope}) AS whole
  WHERE session = told.session AND session <> '' AND user_id = told.user_id
    AND agent_id IS NOT DISTINCT FROM told.agent_id
    AND coalesce(happened_at, created_at) {than} told.moment AND (
      coalesce(happened_at, created_at) <> told.moment OR id {strictly} told.id
    )
  ORDER BY coalesce(happened_at, created_at) {order}, id {order} LIMIT 2)
"""
_GATHERED = READ.replace(
    "({scope}) AS base",
    "(SELECT whole.* FROM around JOIN ({scope}) AS whole USING (id)) AS base",
)
_FOUND = """
SELECT *, (SELECT array_agg(many ORDER BY place) FROM often), (SELECT count(*) FROM meant)
FROM ({columns}) AS read
"""


def nearest(dimensions: int) -> str:
    """Return the statement, {scope} being the SQL of the scope: COLUMNS of what the indexes find,
    how many memories have each word, and how many were found by meaning.

    Its values are to be written into its text, as Django's cursors do: only so the planner sees
    that an index of this space and model will do.
    """
    place = {"dimensions": str(dimensions)}
    han = _put(_BY_INDEX, script="content ~ '[一-鿿]'", most="%(han_limit)s", **place)
    other = _put(_BY_INDEX, script="NOT content ~ '[一-鿿]'", most="%(other_limit)s", **place)
    before = _put(_SIDE, than="<=", strictly="<", order="DESC")
    after = _put(_SIDE, than=">=", strictly=">", order="")
    parts = (_GIVEN, _WORDED, _put(_PICKED, han=han, other=other))
    around = (_put(_ROUND, before=before, after=after), _GATHERED)
    return "".join(("WITH", ",".join((*parts, *around)), _put(_FOUND, columns=AS_COLUMNS)))


def _put(text: str, **values: str) -> str:
    """Fill in some places of a text and leave the others for later."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
