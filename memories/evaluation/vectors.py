"""Vectors for the made-up corpus that lie as e5's do: clustered by what the texts are about.

Nothing here needs Django, so that a process that only gives vectors starts at once.
"""

import re
from functools import lru_cache
from hashlib import shake_256
from math import sqrt

import numpy as np
import numpy.typing as npt

from memories.text.tokens import HAN

Floats = npt.NDArray[np.float64]
DIMENSIONS = 384

THINGS = {
    False: ("checkout", "billing", "gateway", "search", "ledger", "mailer", "scheduler", "catalog"),
    True: ("订单服务", "结算服务", "网关", "搜索服务", "账本", "邮件服务", "调度器", "目录服务"),
}
"""What the memories are about, by whether they are Chinese; a number follows, as in search-2."""
_THING = re.compile(rf"(?:{'|'.join(THINGS[False] + THINGS[True])})-\d+")
TOPICS = {
    topic: re.compile(sign, re.IGNORECASE)
    for topic, sign in {
        "procedure": "deploy|部署",
        "fact": "backup|备份",
        "preference": "report|周报",
        "incident": "outage|故障",
        "decision": "release|版本",
        "lesson": "tests|测试",
    }.items()
}
_NUMBER = re.compile(r"(?<![-\w])\d+")
# Squares of what each part has of a vector: two statements about different things have a cosine of
# about .80, about the same thing .86, on one topic of it .90, the same statement told twice .96.
_ALIKE = {"any": 0.77, "script": 0.03, "thing": 0.06, "topic": 0.04, "statement": 0.06}
_OWN = 1.0 - sum(_ALIKE.values())


def vector(text: str) -> list[float]:
    """Return the unit vector of a text: what it is about, and a little of its own."""
    topic = about(text)
    said = f"{topic} {' '.join(_NUMBER.findall(text))}"
    sums = _common(topic) + sqrt(_ALIKE["statement"]) * _direction(said)
    sums += sqrt(_OWN) * _direction(text)
    values: list[float] = (sums / np.linalg.norm(sums)).tolist()
    return values


def about(text: str) -> tuple[bool, str, str]:
    """Return what a statement or a question is about: Chinese or not, the thing, its topic."""
    thing = _THING.search(text)
    topic = next((topic for topic, sign in TOPICS.items() if sign.search(text)), "")
    return bool(HAN.search(text)), thing[0] if thing else text, topic


def _direction(label: str) -> Floats:
    """Return a direction that nothing but `label` has; any two are nearly at right angles."""
    scale = sqrt(DIMENSIONS * (256**2 - 1) / 12)  # of so many uniform bytes
    data = np.frombuffer(shake_256(label.encode()).digest(DIMENSIONS), dtype=np.uint8)
    return (data.astype(np.float64) - 127.5) / scale


@lru_cache(maxsize=20_000)
def _common(told: tuple[bool, str, str]) -> Floats:
    han, thing, topic = told
    labels = {"any": "", "script": f"script {han}", "thing": thing, "topic": f"{thing} {topic}"}
    parts = [sqrt(_ALIKE[part]) * _direction(label) for part, label in labels.items()]
    summed: Floats = np.sum(parts, axis=0)
    return summed
