"""Signs in the wording that a statement tells something, or only feels. Tables, both languages."""

import re

from memories.distillation.rules.words import either

ODD = either(
    r"\b(?=\w*\d)(?=\w*[a-z])\w++|\w+[._/:@-]\w+[\w./:@-]*",
    r"《[^》]+》|\"[^\"]{2,60}\"|“[^”]{2,60}”",
)
CAMEL = re.compile(r"\b[a-z]\w*[A-Z]\w*|\b[A-Z]{2,}\b")
NUMBER = either(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand|first"
    r"|second|third|twice)\b",
    "[一二两三四五六七八九十百千万]+(?:个|只|次|岁|年|天|月|块|元|人|位|本|台|条|公里|小时|分钟)",
)
TIME = either(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since|childhood|every (?:day|week|month"
    r"|year|morning)|(?:last|next|this) (?:night|week\w*|month|year|spring|summer|fall|autumn"
    r"|winter|mon|tue|wed|thu|fri|sat|sun)\w*|january|february|april|june|july|august|september"
    r"|october|november|december|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?"
    r"|sundays?)\b",
    "昨|今天|明天|前天|上周|下周|上个?月|下个?月|去年|今年|明年|前年|周[一二三四五六日末]"
    "|\\d+[年月日号]|小时候|最近|[天年月周]前|每[天周月年]",
)
FIRST = either(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself|we|our|us|we're|we've)\b|我|咱")
PAST = either(
    r"\b(?:i|we|she|he|they)(?:'ve|'d)?(?: \w+ly| just| also| even| finally)* (?:(?!need"
    r"|feed)\w+ed|went|got"
    r"|had|made|took|saw|met|found|did|bought|won|lost|gave|told|said|started|wrote|read|felt"
    r"|ran|came|left|built|taught|learnt|became|began|kept|spent|was|were|been|done)\b",
    "了|过(?!敏|分|程)",
)
YOU = either(r"\b(?:you|your|yours|you're|you've|you'll)\b|你|您")
MOOD = either(
    r"\b(?:feel\w*|felt|happy|happiness|joy\w*|proud|excit\w*|amazing|awesome|great|wonderful"
    r"|nice|cool|fun|love|loved|lovely|inspir\w*|motivat\w*|grateful|thankful|bless\w*|rewarding"
    r"|fulfilling|special|important|incredible|positive|positivity|support\w*|journey|passion"
    r"|hope|dream\w*|believe|appreciate|means|meaningful|beautiful|strength|stay|keep)\b",
    "感觉|开心|快乐|幸福|美好|棒|激动|感动|感激|重要|努力|加油|支持|意义|温暖|期待",
)
GENERAL = either(
    r"\b(?:it's (?:so |always |really |all )*(?:about|important|amazing|great|nice|good|hard"
    r"|tough|worth|special)|life|everyone|people|someone|anything|everything|sometimes|always"
    r"|a (?:great|good|nice) way|makes? (?:a|all the) difference|one step|that's (?:what|why"
    r"|how))\b",
    "人生|生活(?:就|总)|每个人|大家|总是|无论|只要",
)
# Begins with what only the sentence before explains.
POINTS_BACK = either(
    r"^(?:it|its|it's|that's|they|he|she|his|her|their|so|because|which|there|then|also|but|and)\b",
    r"^(?:this|that|these|those) (?:is|was|are|were|has|had|will|made|makes|means|really|also)\b",
    "^(?:它|他|她|这[是就让也样]|那[是就让也样时]|因为|所以|但|而且|就|也)",
)
