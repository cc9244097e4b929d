"""The SQL of a large scope: what is sampled of it, and what its indexes find (see nearest.py)."""

from memories.embedding.indexing import IN_HAN
from memories.recall.arms_sql import COLUMNS

# What the index of the space's sample begins with, the same memories each time; `below` is how far.
SAMPLE = COLUMNS.replace(
    "({scope}) AS base",
    "(SELECT * FROM ({scope}) AS whole WHERE uuid_hash(id) < %(below)s) AS base",
)
WORDED = COLUMNS.replace(
    "({scope}) AS base",
    "(SELECT * FROM ({scope}) AS whole WHERE keywords @@ %(leads)s::tsquery) AS base",
)
"""What has a word, or words, that lead somewhere."""
_BY_INDEX = """
(SELECT id FROM ({scope}) AS whole
  WHERE embedding_model = %(model)s AND {script}
  ORDER BY embedding::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
  LIMIT {most})
"""
# `worded` are the best by their words.
_PICKED = """
meant AS MATERIALIZED ({han} UNION {other}),
picked AS MATERIALIZED (
  SELECT id FROM meant
  UNION SELECT unnest(%(worded)s::uuid[])
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
_GATHERED = COLUMNS.replace(
    "({scope}) AS base",
    "(SELECT whole.* FROM around JOIN ({scope}) AS whole USING (id)) AS base",
)
_FOUND = "SELECT *, (SELECT count(*) FROM meant) FROM ({gathered}) AS found"


def nearest(dimensions: int) -> str:
    """Return the statement, {scope} being the SQL of the scope: COLUMNS of what the indexes find
    and of the best by words, and how many were found by meaning.

    Its values are to be written into its text, as Django's cursors do: only so the planner sees
    that an index of this space and model will do.
    """
    place = {"dimensions": str(dimensions)}
    han = _put(_BY_INDEX, script=IN_HAN, most="%(han_limit)s", **place)
    other = _put(_BY_INDEX, script=f"NOT {IN_HAN}", most="%(other_limit)s", **place)
    before = _put(_SIDE, than="<=", strictly="<", order="DESC")
    after = _put(_SIDE, than=">=", strictly=">", order="")
    picked = _put(_PICKED, han=han, other=other)
    around = _put(_ROUND, before=before, after=after)
    return f"WITH {picked},{around}{_put(_FOUND, gathered=_GATHERED)}"


def _put(text: str, **values: str) -> str:
    """Fill in some places of a text and leave the others for later."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
