"""A merged text may say what its sources say, no less and no more (B3, E8)."""

import pytest

from memories.consolidation.facts import fault
from tests.memories.consolidation.samples import BACKUP, DEPLOY, MIXED, RELEASE

TRAIN = "The Orion release train leaves on Tuesday at 10:00 and needs a green build on main"


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        (f"{TRAIN}; Mira writes its release notes.", RELEASE),
        (
            "payment-db is backed up every night to the bucket s3://vault-7/payment; its backups "
            "are kept for 35 days and restored with the script restore-payment.sh.",
            BACKUP,
        ),
        (
            "订单服务用 docker 部署：镜像在 registry.acme.cn，脚本是 deploy/order.sh，"
            "部署后要等 90 秒健康检查才会通过。",
            DEPLOY,
        ),
        (
            "checkout-api 的 p99 超过 800 ms 时 Grafana 告警（阈值），发到 #oncall-pay 频道；"
            "Grafana alerts of checkout-api are muted on Sundays.",
            MIXED,
        ),
        ("Kept for two weeks, by Mira.", ["Kept for 14 days.", "Kept by Mira."]),
    ],
)
def test_other_words_for_the_same_are_taken(text: str, sources: tuple[str, ...]) -> None:
    assert fault(text, sources) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"{TRAIN.replace('Tuesday', 'Friday')}; Mira writes its release notes.", "lost_value"),
        (f"{TRAIN.replace(' at 10:00', '')}; Mira writes its release notes.", "lost_value"),
        (f"{TRAIN}; Vera writes its release notes.", "lost_name"),
        (f"{TRAIN}.", "lost_name"),
        (f"{TRAIN}; Mira and Vera write its release notes.", "added_name"),
        (f"{TRAIN} since 2024; Mira writes its release notes.", "added_value"),
        (f"{TRAIN}; Mira writes its release notes. See docs/release.md.", "added_literal"),
        (f"{TRAIN}; Mira writes its release notes. It smells of fresh paint.", "added_words"),
    ],
)
def test_what_is_lost_or_added_is_named(text: str, code: str) -> None:
    found = fault(text, RELEASE)
    assert found is not None
    assert found.code == code
    assert found.what


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Deploys are allowed on Friday.", "Deploys are not allowed on Friday."),
        ("Deploys are not allowed on Friday.", "Deploys are allowed on Friday."),
        ("Never use tabs.", "Use tabs."),
        ("Use tabs.", "Never use tabs."),
        ("周五可以部署。", "周五不可以部署。"),
        ("小林吃辣。", "小林不吃辣。"),
        ("Caching is enabled.", "Caching is disabled."),
        ("The service uses PostgreSQL.", "The service uses MySQL, not PostgreSQL."),
        ("It was on 7 May.", "It was on 2026-05-07."),
        ("Use --force.", "Use --force-with-lease."),
        ("It runs on k8s-prod-02.", "It runs on k8s-prod-01."),
        ("Anna leads.", "Anna Lee leads."),
    ],
)
def test_the_sense_may_not_turn(text: str, source: str) -> None:
    assert fault(text, [source]) is not None
    assert fault(source, [source]) is None
