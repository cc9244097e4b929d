"""Names in texts, by rules: English, Chinese and both in one sentence (A3)."""

import pytest

from memories.graph.entities import MOST, entities
from memories.text.names import folded, keys_in

TEXTS = [
    ("Anna Schmidt works at Orion Labs in Berlin.", {"Anna Schmidt", "Orion Labs", "Berlin"}),
    ("Caroline: Hey Mel! Good to see you!", {"Caroline", "Mel"}),
    ("The order-service talks to Postgres 16 via pgbouncer.", {"order-service", "Postgres"}),
    ("Deployments fail when REDIS_URL is missing.", {"REDIS_URL"}),
    ("Fixed in v2.3.1 by @alice, see PROJ-123 and src/app/main.py.", None),
    ('Read "Deep Work" by Cal Newport.', {"Deep Work", "Cal Newport"}),
    ("Backups are written by GitHub Actions.", {"GitHub Actions"}),
    ("The team uses a well-known state-of-the-art approach.", set()),
    ("Please remember: the meeting is on Monday at 10 AM.", set()),
    ("Running the tests takes long. However, they pass.", set()),
    ("Deployment was slow on Friday.", set()),
    ("我在北京大学读书，导师是王建国。", {"北京大学", "王建国"}),
    ("生产环境用 docker 部署 order-service", {"docker", "order-service"}),
    ("《三体》是刘慈欣的小说", {"三体", "刘慈欣"}),
    ("我家的猫叫“团子”，喜欢吃鱼。", {"团子"}),
    ("小王和李老师去了上海交通大学。", {"小王", "李老师", "上海交通大学"}),
    ("今天天气很好，我们一起去吃饭。", set()),
    ("Bart在圣诞节晚会上跳舞。", {"Bart"}),
    ("", set()),
]


@pytest.mark.parametrize(("text", "names"), TEXTS)
def test_it_finds_names(text: str, names: set[str] | None) -> None:
    found = {one.name for one in entities(text)}
    assert found == (
        {"v2.3.1", "@alice", "PROJ-123", "src/app/main.py"} if names is None else names
    )


@pytest.mark.parametrize(
    ("text", "key", "alias"),
    [
        ("Kubernetes (K8s) runs everything.", "kubernete", "k8s"),
        ("The Acme Billing Platform (ABP) is slow.", "acmebillingplatform", "abp"),
        ("Martin, also known as Marty, prefers tea.", "martin", "marty"),
        ("order-service aka osvc is down", "orderservice", "osvc"),
        ("订单中心（Order Hub）又称 OH，由张伟负责。", "订单中心", "oh"),
        ("微服务网关Atlas，简称阿特。", "atla", "阿特"),
        ("We moved to Postgres.", "postgresql", "pgsql"),
    ],
)
def test_it_learns_aliases(text: str, key: str, alias: str) -> None:
    assert alias in {one.key: one.aliases for one in entities(text)}[key]


@pytest.mark.parametrize(
    "text", ["Anna (on leave) is back.", "Redis (see docs) is fast.", "Berlin (2024) was fun."]
)
def test_it_takes_no_note_in_brackets_for_an_alias(text: str) -> None:
    known = {"redi", "redis"}
    assert not any(set(one.aliases) - known for one in entities(text) if one.key != "berlin")


def test_it_takes_the_subject_and_telling_tags() -> None:
    found = entities("It uses port 8080.", "order-service/port", ["docker", "deployment"])
    assert [one.name for one in found] == ["order-service", "docker"]


def test_it_keeps_no_more_than_a_dozen() -> None:
    text = " ".join(f"We saw Place{n} North." for n in range(40))
    assert len(entities(text)) == MOST


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Docker Compose", "docker-compose"),
        ("docker_compose", "DockerCompose"),
        ("Ｏｒｉｏｎ", "orion"),
        ("Orion's", "Orion"),
        ("Servers", "server"),
    ],
)
def test_it_folds_what_is_one_name(one: str, other: str) -> None:
    assert folded(one) == folded(other) != ""


def test_it_looks_up_names_in_questions() -> None:
    assert {"dockercompose", "k8s"} <= set(keys_in("how do docker compose and K8s differ?"))
    assert "北京大学" in keys_in("他在北京大学读什么？")
    assert "qq音乐" in keys_in("怎么退订QQ音乐会员")
    assert len(keys_in("某" * 4000)) <= 400
