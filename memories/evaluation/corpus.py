"""Made-up memories in any number, the same each time; vectors.py has their vectors.

What is measured with them is the product's own work; how well a model understands texts is not.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count, islice

from memories.evaluation.vectors import THINGS
from memories.models.memory import Kind, Source, Status

YEARS = 2
TOPIC = 4
"""So many fragments tell of one topic, where there is more than one."""
SHARE_IN_TOPICS, SHARE_TOLD_TWICE, SHARE_CONFLICTING = 0.15, 0.02, 0.01

# Four different statements on each topic; TOPICS of vectors.py tells the topics apart by a word.
_TOPICS: dict[Kind, dict[bool, tuple[str, str, str, str]]] = {
    Kind.PROCEDURE: {
        False: (
            "Deploy {e} with Docker on port {n}.",
            "After a deploy of {e} wait {n} seconds for its health check.",
            "To deploy {e} you need the key that team {n} keeps.",
            "The deploy of {e} is watched on dashboard {n}.",
        ),
        True: (
            "部署 {e} 时使用 Docker，端口是 {n}。",
            "{e} 部署完成之后要等待 {n} 秒做健康检查。",
            "部署 {e} 需要第 {n} 小组保管的密钥。",
            "{e} 的部署过程在看板 {n} 上查看。",
        ),
    },
    Kind.FACT: {
        False: (
            "The backup of {e} runs every {n} minutes.",
            "A backup of {e} is kept for {n} days.",
            "Machine {n} holds the backup of {e}.",
            "Restoring the backup of {e} took {n} seconds in the last drill.",
        ),
        True: (
            "{e} 每 {n} 分钟备份一次。",
            "{e} 的备份保留 {n} 天。",
            "{e} 的备份存放在机器 {n} 上。",
            "上次演练中恢复 {e} 的备份用了 {n} 秒。",
        ),
    },
    Kind.PREFERENCE: {
        False: (
            "The user prefers reports on {e} of at most {n} lines.",
            "In reports on {e} the user wants tables with {n} columns.",
            "Reports on {e} go to group {n} first.",
            "The user reads reports on {e} before meeting {n}.",
        ),
        True: (
            "用户希望 {e} 的周报不超过 {n} 行。",
            "{e} 的周报里用户想看 {n} 列的表格。",
            "{e} 的周报先发给第 {n} 组。",
            "用户在第 {n} 次会议之前看 {e} 的周报。",
        ),
    },
    Kind.INCIDENT: {
        False: (
            "The outage of {e} began with ticket {n}, when its memory was full.",
            "During the outage of {e} node {n} answered nothing.",
            "The outage of {e} ended after {n} minutes, once the queue was empty.",
            "The review of the outage of {e} is document {n}.",
        ),
        True: (
            "{e} 的故障由工单 {n} 引起，当时内存已满。",
            "{e} 故障期间节点 {n} 没有响应。",
            "队列清空之后，{e} 的故障在 {n} 分钟后结束。",
            "{e} 的故障复盘是文档 {n}。",
        ),
    },
    Kind.DECISION: {
        False: (
            "The team keeps the release of {e} on number {n} until the migration is over.",
            "Who changes the release of {e} asks reviewer {n}.",
            "The release notes of {e} are page {n}.",
            "A release of {e} needs {n} approvals.",
        ),
        True: (
            "迁移结束之前，{e} 的版本固定为 {n}。",
            "修改 {e} 的版本要先问审核人 {n}。",
            "{e} 的版本说明在第 {n} 页。",
            "{e} 发布版本需要 {n} 个批准。",
        ),
    },
    Kind.LESSON: {
        False: (
            "Tests of {e} need fixture {n}.",
            "The slow tests of {e} are in group {n}.",
            "Tests of {e} fail when more than {n} workers run.",
            "The tests of {e} found bug {n} too late.",
        ),
        True: (
            "{e} 的测试需要夹具 {n}。",
            "{e} 较慢的测试在第 {n} 组。",
            "超过 {n} 个进程时 {e} 的测试会失败。",
            "{e} 的测试太晚才发现缺陷 {n}。",
        ),
    },
}
_QUESTIONS: dict[Kind, dict[bool, str]] = {
    Kind.PROCEDURE: {
        False: "How do we deploy {e}? It is for ticket {n}.",
        True: "怎么部署 {e}？工单 {n} 在问。",
    },
    Kind.FACT: {
        False: "How long is a backup of {e} kept, asks ticket {n}?",
        True: "{e} 的备份保留多久？工单 {n} 在问。",
    },
    Kind.PREFERENCE: {
        False: "What does the user want in reports on {e}, as in ticket {n}?",
        True: "用户对 {e} 的周报有什么要求？见工单 {n}。",
    },
    Kind.INCIDENT: {
        False: "Why did the outage of {e} begin, which ticket {n} mentions?",
        True: "{e} 的故障是怎么开始的？工单 {n} 提到过。",
    },
    Kind.DECISION: {
        False: "Who approves a release of {e}? Ticket {n} waits for it.",
        True: "{e} 发布版本由谁批准？工单 {n} 在等。",
    },
    Kind.LESSON: {
        False: "When do the tests of {e} fail, as in ticket {n}?",
        True: "{e} 的测试什么时候会失败？见工单 {n}。",
    },
}
_AGAIN = {False: "Once more: ", True: "再说一遍："}
# How often what comes from where, and how far it is believed.
_SOURCES = {
    Source.USER_INPUT: (30, 1.0),
    Source.TOOL_RESULT: (30, 0.8),
    Source.LLM_REASONING: (15, 0.5),
    Source.LLM_SUMMARY: (10, 0.3),
    Source.INCIDENT_ANALYSIS: (5, 0.6),
    Source.PERSON: (5, 0.95),
    Source.UNKNOWN: (5, 0.4),
}
_STATUSES = {Status.ACTIVE: 90, Status.ARCHIVED: 4, Status.DELETED: 3, Status.SUPERSEDED: 3}


@dataclass(frozen=True, slots=True)
class Made:
    """One made-up memory; `written` lies within the two years before the corpus is made."""

    content: str
    subject: str
    kind: Kind
    source: Source
    confidence: float
    status: Status
    written: datetime


def owned(owner: int, count: int, now: datetime) -> list[Made]:
    """Return one owner's memories, oldest first; every second owner speaks Chinese."""
    chance = random.Random(owner)  # noqa: S311 (the same memories each time)
    texts = list(islice(_texts(chance, han=owner % 2 == 1), count))
    span = timedelta(days=365 * YEARS)
    # One in four was written within the last 60 days: a memory that is in use is written to.
    moments = sorted(
        now - (span if chance.random() < 0.75 else timedelta(days=60)) * chance.random()
        for _text in texts
    )
    chance.shuffle(texts)
    return [_made(chance, text, at) for text, at in zip(texts, moments, strict=True)]


def untold(owner: int, known: int) -> Iterator[str]:
    """Yield what an owner has not said yet, after the `known` memories that owned() made."""
    chance = random.Random(owner)  # noqa: S311 (goes on where owned() ended)
    for text, _kind, _subject in islice(_texts(chance, han=owner % 2 == 1), known, None):
        yield text


def question(owner: int, number: int, known: int) -> str:
    """Return something to ask one of an owner's `known` memories; each number has its text."""
    han = owner % 2 == 1
    # There are fewer topics than memories: some are told in fragments, or twice.
    thing, kind = _topic(number % max(1, known * 4 // 5), han=han)
    return _QUESTIONS[kind][han].format(e=thing, n=f"{owner}-{number}")


def _topic(place: int, *, han: bool) -> tuple[str, Kind]:
    """Return the thing and the kind of an owner's topics, one after the other."""
    thing = f"{THINGS[han][place % 8]}-{place // 8 // len(_TOPICS)}"
    return thing, list(_TOPICS)[place // 8 % len(_TOPICS)]


def _texts(chance: random.Random, *, han: bool) -> Iterator[tuple[str, Kind, str]]:
    """Yield texts with their kind and subject: topics in fragments, repetitions, single ones."""
    number = 10
    for place in count():
        thing, kind = _topic(place, han=han)
        sentences = _TOPICS[kind][han]
        dice = chance.random()
        first = sentences[chance.randrange(TOPIC)]
        if dice < SHARE_IN_TOPICS / TOPIC:
            told: tuple[str, ...] = sentences
        elif dice < SHARE_IN_TOPICS / TOPIC + SHARE_CONFLICTING:
            told = (first, first)
        else:
            told = (first,)
        for sentence in told:
            number += 1
            text = sentence.format(e=thing, n=number)
            yield text, kind, f"{thing}/{kind}" if chance.random() < 0.3 else ""
            if chance.random() < SHARE_TOLD_TWICE:
                yield _AGAIN[han] + text, kind, ""


def _made(chance: random.Random, text: tuple[str, Kind, str], written: datetime) -> Made:
    content, kind, subject = text
    source = chance.choices(list(_SOURCES), [often for often, _sure in _SOURCES.values()])[0]
    status = chance.choices(list(_STATUSES), list(_STATUSES.values()))[0]
    return Made(content, subject, kind, source, _SOURCES[source][1], status, written)
