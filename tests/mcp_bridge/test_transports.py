"""The whole life of a memory, by the official client over each real transport."""

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


def test_it_speaks_chinese_and_odd_characters(session: Session) -> None:
    text = "用 docker 部署 “staging” 👍\n端口是 8080"
    written = session.said("write_memory", content=text, source="tool_result")["memory"]
    assert session.said("get_memory", memory_id=written["id"])["memory"]["content"] == text


def test_it_names_the_argument_it_cannot_read(session: Session) -> None:
    assert "top_k must be" in session.refused("search_memory", query="x", top_k="many")
