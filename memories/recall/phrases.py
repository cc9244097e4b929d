"""What a memory has in common with a better one that few others say: a rare word or phrase.

Names that rules find are followed by the graph, through the whole scope. This looks only among the
best candidates, but at every word: 我去的景区是海滨公园 leads to 海滨公园的设施有点少, though no
rule knows that 海滨公园 is a name.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import islice
from math import log
from uuid import UUID

AMONG = 150
"""Of so many of the best the words are counted."""
FEW = 5
"""A word that more of them say leads nowhere."""
SEEDS = 4
"""So many of the best are followed."""
RUN, LONG = 4, 7
"""So many Chinese characters in a row, or Latin letters of one word, are rare enough to lead.

R@10 by evaluate_recall without and with them: MADial-en .739 → .757, HaluMem .953 → .959, LoCoMo
facts .802 → .803, MADial-zh .729 → .725. With words of five letters: .743, .959, .802; of three:
.742, .953, .797.
"""
# Whom one speaks of without a name: for one owner “my father” is somebody as much as a name is.
_KIN = re.compile(
    "爸爸|妈妈|父亲|母亲|爷爷|奶奶|外公|外婆|哥哥|弟弟|姐姐|妹妹|表哥|表弟|表姐|表妹|堂哥|堂弟|堂姐|堂妹"
    "|叔叔|婶婶|伯父|伯母|舅舅|舅妈|姑姑|姑妈|姑父|姨妈|姨父|丈夫|妻子|老公|老婆|儿子|女儿|侄子|侄女|外甥女|外甥"
    "|岳父|岳母|公公|婆婆|邻居|同事|室友|闺蜜|上司|下属|老板|徒弟"
)
_WORDS = re.compile(rf"[\u4e00-\u9fff]{{{RUN},}}|[a-z0-9]{{{LONG},}}")


def shared(texts: Mapping[UUID, str], question: str, size: int) -> dict[UUID, dict[UUID, float]]:
    """Return who leads to whom, `to[memory][seed]`: how specific what both say is, 0–1.

    `texts` are the best of a scope of `size` memories, best first. Two memories alone make 1, and
    FEW of them 1 − ln 4 / ln size. What the question says itself leads nowhere: that is what the
    words' arm counts.
    """
    asked = phrases(question)
    said = {key: phrases(text) - asked for key, text in islice(texts.items(), AMONG)}
    seeds = list(said)[:SEEDS]
    tellers: defaultdict[str, list[UUID]] = defaultdict(list)
    followed = set().union(*(said[seed] for seed in seeds))
    for key, has in said.items():
        for phrase in has & followed:
            tellers[phrase].append(key)
    to: defaultdict[UUID, dict[UUID, float]] = defaultdict(dict)
    for seed in seeds:
        # The fewer say it the more it tells, so the rarest comes last and stays.
        for keys in sorted((tellers[phrase] for phrase in said[seed]), key=len, reverse=True):
            if 1 < len(keys) <= FEW:
                specific = max(0.0, 1.0 - log(len(keys) - 1) / log(max(size, 3)))
                for key in keys:
                    if key != seed:
                        to[key][seed] = specific
    return dict(to)


def phrases(text: str) -> set[str]:
    """Return what may lead on from a text: long Latin words, any RUN Chinese characters in a row,
    and one's family.
    """
    found = set(_KIN.findall(text))
    for word in _WORDS.findall(text.casefold()):
        if word[0] < "\u4e00":
            found.add(word)
        else:
            found.update(word[at : at + RUN] for at in range(len(word) - RUN + 1))
    return found
