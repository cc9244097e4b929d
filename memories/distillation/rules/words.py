"""The words by which rules read a statement, in English and Chinese. Tables only.

A cue is a name and a pattern; the first kind of CUES that a statement shows is the memory's kind.
"""

import re
from typing import NamedTuple

from memories.models.memory import Kind


def either(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


class Cue(NamedTuple):
    name: str
    kind: str
    pattern: re.Pattern[str]


_ME = r"\b(?:i|we|my|our)\b"
_RELATIVE = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|spouse|mother|father|mom|mum|dad|son"
    r"|daughter|sister|brother|aunt|uncle|cousin|niece|nephew|grand(?:ma|pa|mother|father|son"
    r"|daughter)"
    r"|kids?|children|parents|family|boss|manager|colleagues?|team|roommate|neighbou?r|friends?"
    r"|dog|cat|pets?|puppy|kitten|turtles?|therapist|doctor|coach|mentor)"
)
_HAN_RELATIVE = (
    "(?:妻子|老婆|太太|丈夫|老公|爱人|女朋友|男朋友|对象|未婚[妻夫]|妈妈?|爸爸?|母亲|父亲|父母"
    "|儿子|女儿|孩子|姐姐?|哥哥?|弟弟?|妹妹?"
    "|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|阿姨|舅舅|表[哥弟姐妹]|侄[子女]|老板|领导|经理|同事|团队"
    "|室友|邻居|朋友|同学|老师|狗狗?|猫咪?|宠物|医生|教练|导师)"
)

CUES = (
    Cue(
        "health",
        Kind.CONSTRAINT,
        either(
            r"\b(?:allerg(?:ic|y|ies)|intoleran(?:t|ce)|asthma|diabet(?:es|ic)|celiac|epilep\w+"
            r"|pregnan(?:t|cy)|vegan|vegetarian|medication|prescri(?:bed|ption)|chronic|migraines?"
            r"|blood pressure|gluten|wheelchair|halal|kosher)\b",
            r"\b(?:can(?:'|’)?(?:not|t)|never|don't|don’t|do not) (?:eat|drink)\b",
            "过敏|不耐受|哮喘|糖尿病|怀孕|孕妇|素食|吃素|高血压|低血压|心脏病|忌口|不能吃|不能喝"
            "|不吃|不喝|清真|慢性|偏头痛|处方",
        ),
    ),
    Cue(
        "remember",
        Kind.FACT,
        either(
            r"\b(?:please |do |you should |just )?(?:remember|note|keep in mind|bear in mind"
            r"|don't forget"
            r"|make a note)\b[ ,:]+(?:that\b|this\b|i\b|we\b|my\b|our\b|the\b)",
            r"\bfor (?:future|later) reference\b|\bfor the record\b|\bfrom now on\b"
            r"|\bgoing forward\b",
            "记住|请记|要记得|帮我记|记一下|记下来|别忘了?|牢记|备忘|以后.{0,8}(?:都|请|要|别"
            "|不要|就|一律)"
            "|从现在(?:起|开始)|今后",
        ),
    ),
    Cue(
        "decision",
        Kind.DECISION,
        either(
            r"\b(?:decid(?:ed?|ing)|decision|settled on|agreed (?:to|on|that)|chose|chosen|picked"
            r"|opted|made up my mind"
            r"|let(?:'|’)s (?:go with|use|stick (?:with|to))|(?:will|'ll|’ll|are|'re|’re|'m"
            r"|am) (?:go(?:ing)?|stick(?:ing)?) with"
            r"|switch(?:ed|ing) (?:to|from)|migrat(?:ed|ing) (?:to|from)|moved? from|instead of"
            r"|sign(?:ed)? up for|enrolled|accepted|turned down|quit|resigned|approved"
            r"|concluded)\b",
            r"\b(?:we|our team|the team|i) (?:now )?use[sd]?\b.*\b(?:not|instead|rather than)\b",
            "决定|商定|敲定|定下来|定了|选择了?|选定|选用|采用|改用|换成|换到|切换到|迁移到"
            "|达成一致|(?<!不)(?<!不太)同意|确定(?:了|用|采)|打算用|我们用.{1,20}不用|报了名|辞职"
            "|接受了|拒绝了"
            "|结论是",
        ),
    ),
    Cue(
        "correction",
        Kind.CORRECTION,
        either(
            r"^(?:no|nope|actually|sorry|correction|wait)\b[ ,:!.—-]+.*\b(?:not|instead|meant"
            r"|rather|wrong|it's"
            r"|it is|is|should be)\b",
            r"\b(?:that(?:'|’)s|that is|you(?:'|’)re|this is|it(?:'|’)s|was) (?:wrong|incorrect"
            r"|not (?:right|true"
            r"|correct))\b",
            r"\b(?:i meant|i misspoke|to correct (?:myself|that)|correction:|no longer"
            r"|not anymore|used to"
            r"|turns out|turned out)\b",
            "不对|不是.{1,20}[，,]?\\s*(?:而是|是)|说错|搞错|弄错|写错|纠正|更正|其实(?:是|不)"
            "|应该是|改成了|不再|已经不|原来是|并不是",
        ),
    ),
    Cue(
        "constraint",
        Kind.CONSTRAINT,
        either(
            r"\b(?:must(?! have| be so|'ve|’ve)(?: not|n't)?|mustn’t|required?|requirement"
            r"|mandatory|forbidden|prohibited"
            r"|not allowed|only (?:use|deploy|allow|accept|support)|under no circumstances"
            r"|at (?:most|least) (?:\d|an?\b|one|two|three)|no more than"
            r"|deadline|budget|limit(?:ed)? (?:of|to|is)|compliance|policy is|needs? to (?:be"
            r"|run|stay|support|work))\b",
            r"^(?:please )?(?:always|never|do not|don't|don’t|avoid|make sure|ensure)\b",
            r"\b(?:we|you|they|i) (?:always|never|do not|don't|can't|cannot) (?:use|deploy|commit"
            r"|push|store|log|send|call"
            r"|run|merge|touch|change|ship|work|write|answer)\b",
            "必须|务必|不得|禁止|严禁|不允许|不准|不可以|不能(?!吃|喝)|只能|只允许|仅限|至少"
            "|最多|不超过|上限|下限|截止|预算|要求|规定|一律|千万|绝不|绝对不|不要(?!紧)|应当",
        ),
    ),
    Cue(
        "preference",
        Kind.PREFERENCE,
        either(
            r"\b(?:prefer(?:s|red|ence)?|favou?rite|(?:i|we)(?: \w+ly| just| also| do| still"
            r"| always)* (?:love|like|enjoy|hate"
            r"|dislike|adore|loathe)d?\b(?! (?:to know|to hear|how|that you|your|it when you))"
            r"|can't stand|can’t stand|a (?:big |huge )?fan of"
            r"|not (?:really )?into|(?:i'm|i’m|i am) (?:really |so |pretty |super |totally )*into"
            r"|passion(?:ate)?(?: about| for)|obsessed with"
            r"|(?:would|'d|’d) rather|my (?:go-to|thing)|comfort food|(?:i|we) usually|my style"
            r"|i find .{1,30} (?:relaxing|calming)|the user (?:likes|loves|wants|hates"
            r"|dislikes))\b",
            r"\b(?:i|we) want (?!to\b)",
            "喜欢|偏好|偏爱|最爱|爱(?:吃|喝|看|听|玩|用|好)|讨厌|不爱|更愿意|宁愿|宁可"
            "|习惯(?!了)|感兴趣|受不了|倾向于?|热衷|迷上|钟爱|比较想用",
        ),
    ),
    Cue(
        "identity",
        Kind.FACT,
        either(
            r"\b(?:my name is|call me|i(?:'|’)?m called|i(?:'|’)m from|i am from|(?:i|we) (?:live"
            r"|work|grew up|was born"
            r"|were born|study|studied|teach|moved|come from)|my (?:job|birthday|age|address"
            r"|email|phone|hometown|home country"
            r"|role|title|major|degree|career|religion|nationality|time ?zone|pronouns|company"
            r"|startup)"
            r"|i(?:'|’| a)m an? (?:\w+ ){0,2}\w*(?:er|or|ist|ian|ant|ent|eer|man|woman|parent"
            r"|mom|dad|nurse|chef|single))\b",
            r"\b(?:i(?:'|’)m|i am) (?:\d{1,2}|single|married|divorced|engaged|retired|bisexual"
            r"|gay|trans\w*)\b",
            "我(?:叫|姓|是(?!说|想|觉得|不是|在)|的名字|来自|住在?|出生|毕业|从事"
            "|在.{1,12}(?:工作|上班|上学|读书|任职)|今年.{1,4}岁|\\d{1,2}岁)"
            "|我的?(?:生日|职业|工作是|邮箱|电话|手机号|地址|专业|老家|家乡|公司|时区|岗位|星座)",
        ),
    ),
    Cue(
        "relation",
        Kind.FACT,
        either(
            rf"\b(?:my|our) (?:\w+ ){{0,2}}{_RELATIVE}(?:'s|’s)?\b",
            f"我们?(?:家|的)?(?:大|小|二)?(?:的)?{_HAN_RELATIVE}",
        ),
    ),
    Cue(
        "possession",
        Kind.FACT,
        either(
            r"\b(?:i|we)(?:'ve|’ve)? (?:just |also |recently |finally )?(?:have|has|own|bought"
            r"|got|adopted|sold|lost|found|built"
            r"|made|wrote|started|launched|opened|won|received|inherited)(?: got)? (?:a|an|the"
            r"|my|our|two|three|four|five|\d+|some|another)\b",
            "我们?(?:家)?(?:有(?!点|些)|买了|养了|拥有|领养了|卖了|丢了|开了|建了|写了|收到了"
            "|赢了)",
        ),
    ),
    Cue(
        "technical",
        Kind.FACT,
        either(
            r"\b(?:we|our \w+|the \w+(?: \w+)?) (?:now |currently |still )?(?:use[sd]?|runs?"
            r"|is hosted|are hosted|is deployed|lives? (?:in|at|on)"
            r"|depends? on|listens? on|points? to|is written in|is stored|requires?|is called"
            r"|is named|defaults? to)\b",
            "(?:部署在|跑在|运行在|托管在|依赖于?|监听|端口是?|使用的是|用的是|存放在|位于"
            "|默认是|版本是|地址是|叫做|基于|负责人是|由.{1,12}(?:负责|审批|管理)"
            "|[是做当].{0,14}(?:负责人|工程师|经理|主管|总监|医生|护士|老师|律师|设计师"
            "|会计)(?![^，。]*[吗？]))",
        ),
    ),
    Cue(
        "habit",
        Kind.FACT,
        either(
            r"^(?:i|we)(?: also| always| never| usually| often| only| mostly| still| do not"
            r"| don't)*"
            r" (?:use|speak|play|drive|wear|cook|bake|code|deploy|release|ship|test|commute|smoke"
            r"|study|teach|sing|swim|run|ride|write|paint|practi[cs]e|train|volunteer|avoid"
            r"|take (?:my|the|a)|work|watch|listen|collect|grow|own)\b",
            "^我们?(?:从来?不|一直|总是|通常|一般|平时|每天|每周.|经常|都|只|会|不"
            "|在.{1,4})?"
            "(?:用|吃(?!饱)|喝|下(?=.{0,2}棋)|讲|弹|打|穿|写|读|学|教|练|养|骑|坐"
            "|说(?=.{1,4}语))(?![了过完得着不什])",
        ),
    ),
    Cue(
        "incident",
        Kind.INCIDENT,
        either(
            r"\b(?:outage|crash(?:ed|es)?|broke(?:n)?(?: down)?|failed|failure|went down"
            r"|timed out|lost (?:my|our|the)|accident"
            r"|injur(?:y|ed)|got hurt|hospital|died|passed away|fired|laid off|stolen"
            r"|flood(?:ed)?|fire)\b",
            "故障|宕机|崩溃|挂了|报错|失败了?|超时|事故|受伤|住院|去世|被裁|裁员|丢失|被偷|中断",
        ),
    ),
    Cue(
        "discovery",
        Kind.DISCOVERY,
        either(
            r"\b(?:found out|discovered|realized|realised|figured out|learned that|learnt that"
            r"|root cause|the reason (?:is|was)"
            r"|the problem (?:is|was)|because of|noticed)\b",
            "发现|原因是|根因|意识到|才知道|查出|查明|弄清楚|原来",
        ),
    ),
    Cue(
        "plan",
        Kind.FACT,
        either(
            r"\b(?:plan(?:s|ned|ning)? (?:to|on|for)|(?:i'm|i’m|i am|we're|we’re"
            r"|we are) (?:going to|gonna|planning|hoping to|heading|thinking"
            r"(?: about| of)|considering|looking (?:into|for|to)|working on|taking|starting"
            r"|training for|saving)|(?:i|we)(?:'ll|’ll| will) (?:be|start"
            r"|move|go|visit|take)|my (?:goal|dream|plan)|(?:i|we) (?:want|hope|wish|intend"
            r"|aim) to|scheduled|upcoming|booked|signed up)\b",
            "打算|计划|准备(?:去|在|要|把)|将要|即将|想要|希望能?|目标是|梦想|预定|安排在|约了"
            "|预约|定于|下(?:周|个?月|学期|季度).{0,6}(?:要|去|会|上线|发布)",
        ),
    ),
)

# What stays true when the talk of it is given up, and what no prototype can outweigh.
LASTING = frozenset({"health", "remember"})
