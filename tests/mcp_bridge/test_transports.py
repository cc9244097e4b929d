"""The whole life of a memory and of a session, by the official client over each real transport."""

from tests.mcp_bridge.sessions import Session


def test_it_serves_the_whole_life_of_a_memory(session: Session) -> None:  # H1
    written = session.said(
        "write_memory", content="Releases are cut on Thursdays.", source="user_input"
    )["memory"]
    found = session.said("search_memory", query="When are releases cut?")
    assert found["hits"][0]["id"] == written["id"]
    changed = session.said(
        "update_memory",
        memory_id=written["id"],
        expected_version="1",
        content="Releases are cut on Wednesdays.",
    )["memory"]
    read = session.said("get_memory", memory_id=written["id"])["memory"]
    assert (read["content"], read["version"]) == (changed["content"], 2)
    session.said("delete_memory", memory_id=written["id"], expected_version=2.0)
    assert session.said("search_memory", query="When are releases cut?")["hits"] == []


def test_it_keeps_a_list_at_once(session: Session) -> None:  # B10
    texts = ("Releases are cut on Thursdays.", "Lunch is at noon.", "用 docker 部署 👍")
    told = [{"content": text, "idempotency_key": f"k{n}"} for n, text in enumerate(texts)]
    first, again = (session.said("write_memories", memories=told[:n])["results"] for n in (2, 3))
    assert [one["outcome"] for one in again] == ["created"] * 3
    assert again[:2] == first
    refused = session.said("write_memories", memories=[{"content": ""}, "x"])["results"]
    assert [one["error"]["field"] for one in refused] == ["memories[0].content", "memories[1]"]
    assert "1 to 100" in session.refused("write_memories", memories=[])


def test_it_speaks_chinese_and_odd_characters(session: Session) -> None:
    text = "用 docker 部署 “staging” 👍\n端口是 8080"
    written = session.said("write_memory", content=text, source="tool_result")["memory"]
    assert session.said("get_memory", memory_id=written["id"])["memory"]["content"] == text


def test_it_names_the_argument_it_cannot_read(session: Session) -> None:
    assert "top_k must be" in session.refused("search_memory", query="x", top_k="many")


def test_it_serves_the_whole_life_of_a_session(session: Session) -> None:  # H1
    turns = '[{"role": "user", "content": "Which port does staging use?", "key": "1"}]'
    named = session.said("record_turns", turns=turns, user_id="alice")["session"]["session"]
    context = session.said("recall_context", session=named, user_id="alice")
    assert "Which port does staging use?" in context["text"]
    ended = session.said("end_session", session=named, user_id="alice", outcome="success")
    assert ended["session"]["state"] == "ended"
    status = session.said("distillation_status", session=named, user_id="alice")
    assert (status["candidates"], status["session"]["undistilled"]) == ([], 1)
    assert "turns[0].role" in session.refused("record_turns", turns=[{"content": "x"}])
