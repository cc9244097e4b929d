"""The comparison with any system: what it measures, which files it takes, and ours for once."""

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from bench.compare import Memory, Query, compare, lines, main, read_memories, read_queries
from bench.echo import Echo
from bench.hindsight import Hindsight
from bench.made import made
from bench.system import Unusable, system
from memories.evaluation import serving
from memories.evaluation.standin import embedding_by_standin
from tests.services import PROJECT

MEMORIES = [
    Memory("a", "ada", "The backup runs every 30 minutes."),
    Memory("b", "ada", "Deploy with Docker on port 8000."),
    Memory("c", "bo", "Deploy by hand."),
]
QUERIES = [
    Query("1", "ada", "Deploy with what?", frozenset({"b"})),
    Query("2", "bo", "Deploy how?", frozenset({"c", "elsewhere"})),
    Query("3", "bo", "Deploy when?", frozenset()),
]


class Watched(Echo):
    """Notes how it is used."""

    def __init__(self) -> None:
        self.writes: list[tuple[Sequence[str], str]] = []
        self.closed = False

    def write(self, texts: Sequence[str], user_id: str) -> Sequence[str]:
        self.writes.append((texts, user_id))
        return super().write(texts, user_id)

    def close(self) -> None:
        self.closed = True


def test_it_measures_writes_searches_and_what_was_found() -> None:
    figures = compare(Echo(), MEMORIES, QUERIES, batch=1, at_once=[1, 4], k=10)
    assert (figures.memories, figures.writes.calls) == (3, 3)
    assert [(load.at_once, load.calls) for load in figures.searches] == [(1, 2), (4, 1)]
    assert figures.found == 0.75
    assert figures.write_rate > 0
    told = list(lines(figures))
    assert [line.partition(":")[0] for line in told] == [
        *("write", "search, 1 at once", "search, 4 at once", "R@10")
    ]


def test_it_counts_only_the_first_k() -> None:
    class Late(Echo):
        def search(self, query: str, user_id: str, k: int) -> Sequence[str]:
            return ["nothing", *super().search(query, user_id, k)]

    assert compare(Late(), MEMORIES, QUERIES, batch=1, at_once=[1], k=1).found == 0


def test_it_tells_no_share_where_no_query_says_what_is_relevant() -> None:
    figures = compare(Echo(), MEMORIES, QUERIES[2:], batch=1, at_once=[1], k=10)
    assert figures.found is None
    assert not any(line.startswith("R@") for line in lines(figures))


def test_it_takes_a_memory_that_stands_for_two() -> None:
    class Merging(Echo):
        def write(self, texts: Sequence[str], user_id: str) -> Sequence[str]:
            return [super().write(texts, user_id)[0]] * len(texts)

    both = Query("1", "ada", "Deploy backup", frozenset({"a", "b"}))
    twice = [MEMORIES[1], Memory("a", "ada", MEMORIES[1].content)]
    assert compare(Merging(), twice, [both], batch=2, at_once=[1], k=1).found == 1


def test_it_writes_in_batches_of_one_user() -> None:
    watched = Watched()
    compare(watched, MEMORIES, QUERIES, batch=3, at_once=[1], k=10)
    assert [(len(texts), user) for texts, user in watched.writes] == [(2, "ada"), (1, "bo")]


def test_it_asks_no_query_twice() -> None:
    asked: list[str] = []

    class Remembering(Echo):
        def search(self, query: str, user_id: str, k: int) -> Sequence[str]:
            asked.append(query)
            return super().search(query, user_id, k)

    compare(Remembering(), MEMORIES, QUERIES, batch=1, at_once=[1, 2, 1], k=10)
    assert sorted(query for query in asked if "?" in query) == sorted(one.query for one in QUERIES)


def test_it_says_that_it_needs_a_query_for_each_way_of_searching() -> None:
    with pytest.raises(Unusable, match="2 ways of searching need at least as many queries"):
        compare(Echo(), MEMORIES, QUERIES[:1], batch=1, at_once=[1, 8], k=10)


def test_it_closes_a_system_that_fails() -> None:
    class Failing(Watched):
        def search(self, query: str, user_id: str, k: int) -> Sequence[str]:
            raise ConnectionError("gone")

    failing = Failing()
    with pytest.raises(ConnectionError, match="gone"):
        compare(failing, MEMORIES, QUERIES, batch=1, at_once=[2], k=10)
    assert failing.closed


def written(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def test_it_reads_what_evaluate_recall_reads(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "content": "Line\u2028separated",
        "occurred_at": "2026-01-01",
        "user_id": None,
    }
    path = written(tmp_path, row, json.dumps(row, ensure_ascii=False))
    assert read_memories(path) == [Memory("a", "", "Line\u2028separated")] * 2
    asked = {"id": "q", "user_id": "ada", "query": "Why?", "relevant": ["a"]}
    path = written(tmp_path, asked, {"id": "r", "query": "Who?"})
    assert read_queries(path) == [
        Query("q", "ada", "Why?", frozenset({"a"})),
        Query("r", "", "Who?", frozenset()),
    ]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"id": "a", "content": "x"}, "{"], "line 3 is not JSON"),
        (["[]"], "line 1 is not an object"),
        ([{"id": "a"}], "“content” must be a text"),
        ([], "has no memories"),
    ],
)
def test_it_says_what_is_wrong_with_a_file(
    tmp_path: Path, rows: list[object], sentence: str
) -> None:
    with pytest.raises(Unusable, match=sentence):
        read_memories(written(tmp_path, *rows))


@pytest.mark.parametrize("named", ["bench.echo:Nothing", "bench.nowhere:Echo", "bench.echo", ""])
def test_it_says_how_to_name_an_adapter(named: str) -> None:
    with pytest.raises(Unusable, match="MODULE:CLASS"):
        system(named)


def test_it_says_that_ours_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HINDSIGHT_KEY", raising=False)
    with pytest.raises(Unusable, match="Set HINDSIGHT_KEY"):
        Hindsight().setup()


def test_it_runs_where_nothing_but_python_is() -> None:
    told = subprocess.run(
        [sys.executable, "-S", "-m", "bench.compare", "--help"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "MODULE:CLASS" in told.stdout


def test_it_makes_files_that_hold_the_answers() -> None:
    memories, queries = made(120, 3, 30)
    assert (memories, queries) == made(120, 3, 30)
    by_id = {row["id"]: row for row in memories}
    assert len(by_id) == 120
    assert len({row["query"] for row in queries}) == 30
    for row in queries:
        assert {by_id[name]["user_id"] for name in row["relevant"]} <= {row["user_id"]}
    assert sum(bool(row["relevant"]) for row in queries) >= 27


@pytest.mark.django_db(transaction=True)
def test_it_measures_hindsight(
    agent_key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    memories, queries = made(24, 2, 6)
    files = []
    for name, rows in (("memories", memories), ("queries", queries)):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(row) for row in rows))
        files += [f"--{name}", str(path)]
    with embedding_by_standin(), serving.web() as url:
        monkeypatch.setenv("HINDSIGHT_URL", url)
        monkeypatch.setenv("HINDSIGHT_KEY", agent_key)
        arguments = ["compare", "bench.hindsight:Hindsight", *files, "--at-once", "1,3", "--json"]
        arguments += ["--batch", "12"]
        monkeypatch.setattr(sys, "argv", arguments)
        main()
    told = json.loads(capsys.readouterr().out)
    assert told["memories"] == 24
    assert told["writes"]["calls"] == 2
    assert [load["at_once"] for load in told["searches"]] == [1, 3]
    assert told["found"] >= 0.8


def test_ours_takes_a_larger_batch_in_calls_of_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    class Told:
        def write_many(self, batch: Sequence[tuple[str, str]]) -> list[dict[str, dict[str, str]]]:
            calls.append(len(batch))
            return [{"memory": {"id": f"{user}/{text}"}} for text, user in batch]

    monkeypatch.setenv("HINDSIGHT_KEY", "hs_x")
    monkeypatch.setattr("bench.hindsight.rest", lambda _url, _key: nullcontext(Told()))
    ours = Hindsight()
    ours.setup()
    ids = ours.write([str(number) for number in range(230)], "ada")
    assert calls == [100, 100, 30]
    assert [name.rpartition("/")[2] for name in ids] == [str(number) for number in range(230)]
    assert ids[0].endswith("-ada/0")
