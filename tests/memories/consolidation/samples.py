"""Topics told in fragments, as agents write them, and memories that belong to none."""

from collections.abc import Iterable
from typing import Any

from memories.consolidation import Cluster, find
from memories.models import Flag, Memory
from memories.permissions import Actor
from memories.policies import ConsolidatingPolicy
from memories.writing import write_memory

RELEASE = (
    "The Orion release train leaves on Tuesday at 10:00.",
    "The release notes of the Orion release train are written by Mira.",
    "The Orion release train needs a green build on main.",
)
BACKUP = (
    "payment-db is backed up every night to the bucket s3://vault-7/payment.",
    "The backups of payment-db are kept for 35 days.",
    "payment-db is restored from a backup with the script restore-payment.sh.",
)
DEPLOY = (
    "订单服务用 docker 部署，镜像在 registry.acme.cn。",
    "订单服务的 docker 部署脚本是 deploy/order.sh。",
    "订单服务部署后要等 90 秒健康检查才会通过。",
)
MIXED = (
    "Grafana 的告警阈值：checkout-api 的 p99 超过 800 ms。",
    "checkout-api 的 Grafana 告警发到 #oncall-pay 频道。",
    "The Grafana alerts of checkout-api are muted on Sundays.",
)
DIET = (
    "小林对花生过敏，聚餐时不能点花生。",
    "小林聚餐时不吃辣。",
    "小林聚餐喜欢坐在靠窗的位置。",
)
TOPICS = (RELEASE, BACKUP, DEPLOY, MIXED, DIET)
OTHERS = (
    "The office on the fourth floor has a piano.",
    "Invoices are sent on the first working day of a month.",
    "Prefer httpx to requests in new Python code.",
    "The design review meets on Thursdays.",
    "Tomas leads the mobile team.",
    "用户喜欢简短的回答。",
    "代码评审至少需要一个人同意。",
    "公司的年会在十二月举行。",
    "测试环境的数据库每周一清空。",
    "Use British spelling in the handbook.",
    "The coffee machine is descaled by the facility team.",
    "Customer calls are recorded only with consent.",
    "日志保留 14 天。",
    "设计稿放在 Figma。",
    "The Lisbon team works from 9 to 17.",
)


def remembered(actor: Actor, texts: Iterable[str], **said: Any) -> list[Memory]:
    return [write_memory(actor=actor, content=text, **said).memory for text in texts]


EARLIER = "The Orion release train needs 3 approvals."
LATER = "The Orion release train needs 5 approvals."


def contradicted(actor: Actor) -> list[Memory]:
    """A topic with a contradiction that nobody was asked about, as after an import."""
    memories = remembered(actor, [*RELEASE, EARLIER, LATER])
    Flag.objects.all().delete()
    Memory.objects.update(status="active")
    return memories


def found(actor: Actor, **numbers: float) -> list[Cluster]:
    """The clusters among everything in the actor's space, every memory a seed."""
    seeds = Memory.objects.filter(space_id=actor.space_id).order_by("pk")
    policy = ConsolidatingPolicy.model_validate({"writer": "rules"} | numbers)
    return list(find(actor.space_id, list(seeds.values_list("pk", flat=True)), policy).values())


def contents(cluster: Cluster) -> set[str]:
    return {memory.content for memory in cluster.members}
