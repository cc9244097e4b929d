"""What a memory is to others: whose it is, when it is asked for, what it adds (A6), its subject."""

import re
from collections.abc import Set

from memories.distillation.rules.speaker import Speaker
from memories.models.memory import Kind
from memories.text.tokens import HAN, STOP_WORDS

# One line each: the situation in which somebody looks for a memory of this kind.
_QUESTIONS = {
    Kind.PREFERENCE: ("What does {owner} like or prefer: {topic}?", "{owner}有什么偏好：{topic}？"),
    Kind.CONSTRAINT: (
        "What has to be respected for {owner}: {topic}?",
        "对{owner}有什么限制：{topic}？",
    ),
    Kind.DECISION: ("What did {owner} decide: {topic}?", "{owner}决定了什么：{topic}？"),
    Kind.CORRECTION: ("What is right, after all: {topic}?", "究竟哪个才对：{topic}？"),
    Kind.INCIDENT: (
        "What happened, as told by {owner}: {topic}?",
        "{owner}遇到过什么问题：{topic}？",
    ),
    Kind.DISCOVERY: ("What did {owner} find out: {topic}?", "{owner}发现了什么：{topic}？"),
    Kind.FACT: ("What is known of {owner}: {topic}?", "关于{owner}知道什么：{topic}？"),
}
_VALUES = {
    Kind.PREFERENCE: ("Answers can suit what is liked.", "回答可以贴合偏好。"),
    Kind.CONSTRAINT: ("Rules out what must not happen.", "排除不允许的做法。"),
    Kind.DECISION: ("Settled: it need not be discussed again.", "已有定论，不必再讨论。"),
    Kind.CORRECTION: ("Replaces what was believed before.", "替换先前的说法。"),
    Kind.INCIDENT: ("Explains what came after, and warns.", "说明后来的情况，并作为警示。"),
    Kind.DISCOVERY: ("Saves finding it out again.", "不必再查一次。"),
    Kind.FACT: ("Cannot be known unless somebody says it.", "没有人说就无从得知。"),
}
_WORD = re.compile(r"[A-Za-z][\w'’.-]*\w|[\u4e00-\u9fff]{2,}")
_HAN_SPLIT = re.compile(
    r"[我你他她它们的了着过是在有和与就都也很还要会把被给对从到这那个一不没吗呢吧啊用户]+"
)
# Words that say nothing about what a statement is about.
_SAID = """
user asked answered confirmed really just also remember note noted please actually yes yeah keep
mind forget not never always 记住 记得 别忘 另外 谢谢 以后 决定 看看 其实
"""
_PLAIN = frozenset(_SAID.split())
_CONTRACTED = re.compile(
    r"(?:\w+n|i|you|we|they|he|she|it|that|there|what|let)['’]\w{1,2}$", re.IGNORECASE
)
TOPIC = 4
"""Words of a statement that its question names."""

# What somebody or something has one of: only there another value is another truth.
_ONE = (
    r"name|birthday|job|address|e-?mail|phone(?: number)?|hometown|age|role|title|time ?zone|boss"
    r"|manager|employer|deadline|budget|database|port|version|domain|region|language|framework"
    r"|favou?rite [a-z]+(?: [a-z]+)?"
)
_THING = "deadline|budget|database|port|version|domain|region|language|framework"
_HAN_ONE = (
    "名字|生日|工作|职业|地址|邮箱|电话|手机号|老家|年龄|岗位|时区|老板|领导|截止日期|预算"
    "|数据库|端口|版本|域名|最喜欢的.{1,6}?"
)
_WHO = r"(?P<who>[Tt]he user|[A-Z][\w-]*(?: [A-Z][\w-]*){0,2})"
_SUBJECTS = (
    (re.compile(rf"^{_WHO}'s (?P<what>(?i:{_ONE})) (?:is|are)\b"), ""),
    (re.compile(rf"\b(?P<who>[Oo]ur|[Tt]he) (?P<what>{_THING}) (?:is|runs on|uses)\b"), ""),
    (re.compile(rf"^{_WHO} (?:now )?lives in\b"), "home"),
    (re.compile(rf"^{_WHO} (?:now )?works (?:at|for|as)\b"), "job"),
    (re.compile(rf"^(?P<who>\w{{1,20}}?) ?的(?P<what>{_HAN_ONE})(?:现在)?(?:是|为|改)"), ""),
    (re.compile(rf"(?P<who>我们)的?(?P<what>{_HAN_ONE})(?:现在)?(?:是|为|用)"), ""),
    (re.compile(r"^(?P<who>用户|[\w-]{1,20} |[\u4e00-\u9fff]{2,4}?)(?:现在)?住在"), "home"),
)


def subject_of(content: str) -> str:
    """Return “whose/what” when a statement gives the one value of something; "" when unsure."""
    for pattern, what in _SUBJECTS:
        if match := pattern.search(content):
            who = match["who"].strip().casefold()
            own = "" if who in {"our", "the", "我们"} else f"{who.removeprefix('the ')}/"
            return own + (what or match["what"].casefold())
    return ""


def owner_of(text: str, speaker: Speaker, user_id: str) -> str:
    """Return whose the statement is: the speaker, the user, or the team that “we” stands for."""
    han = bool(HAN.search(text))
    if re.search(r"\b(?:we|our|us)\b|我们|咱们", text, re.I) and not re.search(
        r"\b(?:i|my)\b|我(?!们)", text, re.I
    ):
        return speaker.name or ("团队" if han else "team")
    return speaker.name or user_id or ("用户" if han else "user")


def question_of(content: str, kind: str, owner: str) -> str:
    """Return one line: when would anyone look for this? "" when it is about nothing."""
    topic = _topic(content, owner)
    if not topic:
        return ""
    han = bool(HAN.search(content))
    form = _QUESTIONS.get(Kind(kind), _QUESTIONS[Kind.FACT])[han]
    return form.format(owner=owner, topic=("、" if han else ", ").join(topic))


def value_of(content: str, kind: str) -> str:
    """Return what a statement of this kind adds to a later decision."""
    return _VALUES.get(Kind(kind), _VALUES[Kind.FACT])[bool(HAN.search(content))]


def _topic(content: str, owner: str) -> list[str]:
    known = {part.casefold() for part in owner.split()} | STOP_WORDS | _PLAIN
    found: dict[str, None] = {}
    for word in _WORD.findall(content):
        for part in _HAN_SPLIT.split(word) if HAN.match(word) else [word]:
            if len(part) > 1 + part.isascii() and not _says_little(part, known):
                found[part] = None
    longest = sorted(found, key=lambda part: (part[0].isupper(), len(part)), reverse=True)[:TOPIC]
    return [part for part in found if part in longest]


def _says_little(word: str, known: Set[str]) -> bool:
    return word.removesuffix("'s").casefold() in known or bool(_CONTRACTED.match(word))
