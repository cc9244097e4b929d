"""The words of talk, both languages: greetings, questions, requests, answers, giving up. Tables."""

import re

from memories.distillation.rules.words import either

# Words of praise, with what makes them stronger.
_MUCH = "(?:(?:so|really|very|super|pretty|such|totally|absolutely|truly|quite|just|an?|kinda) )*"
_PRAISING = """
great good nice cool awesome amazing wonderful fantastic lovely sweet beautiful gorgeous stunning
impressive inspiring incredible fun interesting exciting perfect super tough hard rough sad terrible
awful neat rad dope wild crazy true right cute adorable delicious yummy relaxing peaceful touching
powerful brave fabulous excellent brilliant thoughtful kind rewarding
"""
_PRAISE = f"{_MUCH}(?:{'|'.join(_PRAISING.split())})"
# What may stand before talk.
_OPENING = (
    r"(?:(?:and|but|oh|wow|aw+|haha|yeah|well|hey|hi|man|yes|so|yep|ah|omg|thanks?)\b[ ,!.]*)*"
)
_PRAISED = r"(?:that|this|it|those|they|these|you)?"
_SEEMS = (
    r"(?:'s| is| are|'re| was| were| must(?:'ve| have)? (?:be|been|feel)"
    r"| sounds?| looks?| seems?| feels?)"
)
_FOLLOWED = (
    "to hear|to see|to know|news|idea|stuff|job|work|picture|pic|photo|shot|view|of you|for you"
    "|time|way|one|that you|about|how|you|memory|memories|point|thing"
)
# How whole sentences of greeting, thanks, congratulation, comfort and farewell begin.
_BEGINNINGS = r"""
congrats
congratulations
good (?:luck|job|going|for you|call|idea|morning|evening|night|to (?:see|hear))
great (?:job|to (?:see|hear|chat|talk)|idea|work|point|news)
nice (?:work|one|job|to (?:see|hear|meet|chat))
well done
way to go
MOVED(?:glad|happy|proud|stoked|sorry) (?:to (?:hear|see)|for you|of you|you)
MOVED(?:excited|thrilled|pumped|psyched) (?:for you|to (?:hear|see)|about your)
(?:that )?sounds? like (?:an? )?(?:\w+ ){0,3}(?:plan|time|fun|blast|experience|day|trip|idea|deal)
sounds? PRAISE
no (?:worries|problem|prob)
you're (?:welcome|awesome|amazing|the best|so|right|doing|such)
you (?:got this|can do (?:it|this)|rock|deserve|must be|look (?:great|amazing|happy|so))
keep (?:it up|up|going|pushing|on|me (?:posted|updated)|at it|chasing|spreading|dreaming)
take care
see (?:you|ya)
talk (?:to you )?(?:soon|later)
bye
goodbye
let me know
looking forward to (?:it|hear|see|catch|that|your)
can't wait to (?:see (?:it|you|what|how|your|them|more)|hear|check it)
have (?:an? )?(?:\w+ )?(?:fun|good|great|nice|blast|day|time|one)
i'm (?:here for you|rooting for you|always here|here to (?:support|help))
i'm doing (?:great|good|well|ok)
hope (?:you|to (?:see|hear|catch)|your|all|everything)
i (?:totally |completely |really |definitely |couldn't )*(?:agree|appreciate (?:it|you|your|that))
i (?:believe in you|understand|hear you|bet|know (?:what you|right))
i can (?:imagine|relate|only imagine)
i hope (?:you|so|it)
appreciate (?:it|you|your|the|that)
love (?:it|that|this|how|your)
thank(?:s| you)
cheers
likewise
same here
me too
lol
ha(?:ha)+
long time no
it's been (?:a while|ages|so long)
it's (?:always |so |really )?(?:good|great|nice|awesome) to (?:see|hear|know)
check (?:it|this|them|these) out
here(?:'s| is|'re) (?:it is|you go|an? (?:pic|photo|picture)|one)
take a look
have a look
look at (?:this|that|these)
wish (?:me|you)
best wishes
welcome
sending
let's (?:keep (?:going|in touch|it up|pushing)|do (?:it|this)|catch up|make it happen|chat|see|hope)
don't (?:worry|give up|be)
stay (?:strong|positive|safe|tuned|in touch)
enjoy (?:it|your|yourself|every)
i'll (?:keep (?:you|going|pushing|that)|let you know|be (?:there|here)|definitely)
i'll check (?:it|them|out)
i'd love to (?:see|hear|check|know|come|join)
"""
_MOVED = "(?:i'm |i am |so |really |super )*"
_BEGUN = "|".join(_BEGINNINGS.split("\n")[1:-1]).replace("PRAISE", _PRAISE).replace("MOVED", _MOVED)
# Acknowledgements: sentences of nothing else.
_NODS = (
    "always|anytime|any time|definitely|absolutely|exactly|totally|for sure|of course"
    "|sure(?: thing)?"
    "|deal|will do|no way|got it|my pleasure|gotcha|ok(?:ay)?|cool|nice|yes|yeah|yep|nope|no|right"
    "|true|wow|aw+|oh|hi|hey|hello|hm+|please|bye|fine|agreed|great|awesome|perfect|understood"
    "|there"
    "|you|sounds|not|it|is|was|again|all|everyone|both|then|so|really|buddy|friend|dude|guys"
)
GREETING = either(
    rf"^{_OPENING}{_PRAISED}{_SEEMS} (?:like )?{_PRAISE}(?: (?:{_FOLLOWED})\b.*)?"
    r"[ ,!.:)(\w]{0,14}$",
    rf"^{_OPENING}(?:what|how) {_PRAISE}.{{0,60}}$",
    rf"^{_OPENING}(?:{_BEGUN})\b",
    rf"^(?:(?:{_NODS})\b[ !.,]*)+$",
    "^(?:你|您|大家|各位)?(?:好呀?|您好|早上?好?|晚上好|下午好|中午好|早安|晚安|嗨|哈喽|哈啰|喂"
    "|再见|拜拜"
    "|回头见|下次聊|明天见|回聊|保重)[呀啊哦呢吧~～！!。，,\\s]*(?:[^，。！？]{0,4})[。！!~～]*$",
    "^(?:非常|十分|太|多)?(?:感谢|谢谢|谢啦|谢了|多谢|辛苦|麻烦)(?:你|您|啦|了|大家|帮忙|你的"
    "|您的|分享"
    "|提醒|建议|回复|支持|鼓励|帮助|的|和)*[^，,]{0,4}$",
    "^(?:(?>嗯++|哦++|噢|哈++|呵++|嘿++|好(?:的|啊|吧|呀|嘞|滴|哒|勒)?|行(?:吧|啊)?|可以(?:的|啊)?"
    "|没问题|没事|没关系|不客气|客气了|不用谢|收到|明白(?:了)?|知道了|了解(?:了)?|懂了|是(?:的|啊|呀|吧)?"
    "|对(?:的|啊|呀)?|当然|确实|没错|同意|OK|加油|恭喜|祝贺|真的|原来如此|这样啊|天哪|哇++|唉++|哎呀?"
    "|谢谢|太?(?:好|棒|酷|赞|厉害|可爱|美|难|惨|可惜|不容易))(?:了|啦|呀)?+"
    "[吧呀啊呢哦！!。，,~～…\\s]*+)++$",
    "^(?:听起来|听上去|看起来|那|这|真是?|真的|太|好|你)(?:也|就|可|真)?(?:太|很|真|非常|挺|好|蛮"
    "|特别)?"
    "(?:好|棒|酷|赞|不错|厉害|有意思|有趣|美|漂亮|可爱|难受?|辛苦|难得|感人|遗憾|可惜|精彩|浪漫"
    "|温馨|幸福"
    "|贴心|刺激|开心|期待)(?:了|啊|呀|哦|呢|吧|的|极了|啦)*[！!。~～]*$",
    "^(?:祝|希望)(?:你|您|大家|一切|我们).{0,20}$|^(?:很高兴|很开心)(?:认识|见到|听到|能帮|为你"
    "|你).{0,16}$",
    "^(?:期待|等)(?:你|您|下次|好消息).{0,12}$|^有(?:什么|任何)?(?:需要|问题).{0,8}(?:说|找我"
    "|告诉我|联系).{0,4}$",
)

QUESTION = re.compile(
    r"[?？]\s*[\"'”’」』）)\]】\s]*$|(?:吗|么|呢|嘛)[。!！~～\s]*$"
    r"|(?:是不是|对不对|好不好|行不行|可不可以|怎么样|怎么办|什么意思|是什么|在哪里?|有哪些|多少"
    r"|为什么)[。!！\s]*$"
    r"|^(?:请问|要不要|能不能|可不可以|会不会|是不是|有没有|为什么|为何|怎么|怎样|如何"
    r"|哪[里儿个些]|谁|有哪些)"
)
# “…, right?” states something and asks for a nod.
TAG = either(
    r"[,–—-]\s*(?:pretty \w+, )?(?:huh|right|you know|eh|yeah|isn'?t (?:it|that)(?: \w+)?"
    r"|don'?t (?:you|they)(?: think)?|aren'?t (?:they|you)"
    r"|ya know|wasn'?t it)\s*\?+\s*$",
)
ASKING = either(
    r"^(?:(?:so|and|but|hey|well|btw|by the way|also|ok|okay|oh|wow)\b[ ,]*)*(?:what|who|whom"
    r"|whose|where|when|why|how|which|do|does|did|is|are|was|were|am|can|could"
    r"|will|would|shall|should|may|have|has|had|any|got|ever|wanna|care to|mind)\b",
)

_REQUESTS = (
    "translate|summari[sz]e|rewrite|rephrase|proofread|explain|write|draft|generate|create|give"
    "|show|list|tell|help|find|search|look up|calculate|compute|convert"
    "|fix|debug|refactor|implement|add|remove|delete|rename|update|run|rerun|execute|test|check"
    "|open|read|print|compare|format|send|book|order|schedule|remind|set|play"
    "|describe|suggest|recommend|review|analy[sz]e|count|sort|continue|try|retry|go ahead|stop"
    "|wait|undo|repeat|make|build|deploy|install|change|use|let me see|look at|pick|choose|plot"
    "|draw"
)
# “Search latency rose”, “Test is my middle name”: the word was none of a request.
_TELLS = (
    r"(?: (?!(?:what|who|where|how|that|which|if|why|me|us)\b)[\w'-]+){0,2} (?:is|are|was|were"
    r"|has|had|rose|fell|fails?|failed|takes?|took"
    r"|needs?|runs?)\b"
)
ONE_OFF = either(
    rf"^(?:(?:ok(?:ay)?|now|then|also|next|first|and|so|great|thanks|hey"
    rf"|hi)\b[ ,!.]*)*(?:please\b[ ,]*|pls\b[ ,]*|kindly |just )*(?:{_REQUESTS})\b"
    rf"(?!{_TELLS})",
    r"^(?:(?:ok(?:ay)?|now|then|also|and|so|hey|hi)\b[ ,!.]*)*(?:please|pls|can you|could you"
    r"|would you|will you|i need you to|i(?:'|’)d like you to|i want you to)\b",
    "^(?:那|那么|现在|然后|好的?[，,]?|嗯[，,]?|再|先|接下来)*(?:请你?|麻烦你?|劳驾|帮我?|帮忙"
    "|给我|替我|你(?:能|可以)?(?:帮|给|先|再|来)|继续|重新|试试|试一下|看看|查一?下|查查|看一?下"
    "|跑(?:一?下|一?[遍次])|"
    "翻译|总结|概括|解释|写一?[个段篇封]|生成|列出|计算|算一?下|改一?下|修改|修复|润色|推荐"
    "|介绍一?下|告诉我|提醒我|打开|播放|搜索?一?下|把.{1,40}(?:翻译|改成|改为|发给|转成|删|写成"
    "|整理|总结|导出|格式化))",
    # What is told only to ask for help with it.
    r"[,;.]\s*(?:please|pls) (?:help|fix|check|(?:have|take) a look|look into)\b[\w ]{0,20}[.!]*$",
    r"[，,；;]\s*(?:请|麻烦)?(?:你|您)?(?:帮我|帮忙|给我|替我)(?:看|查|处理|解决|修|弄)"
    r"(?:看|查|一?下|好)*[吧呗。！!\s]*$",
)
# A request about every time is a rule, not a one-off.
STANDING = either(
    r"\b(?:always|never|every time|whenever|from now on|going forward|in (?:the )?future"
    r"|by default|each time|(?:before|after) (?:any|every|each)|in (?:all|every)|unless"
    r"|remember|keep in mind|don'?t forget)\b",
    "总是|永远|每次|每当|以后|今后|从现在|默认|一律|都要|都用|记住|记得|别忘",
)

# “Ok” and “sure” only acknowledge.
YES = either(
    r"^(?:yes|yep|yeah|yup|right|correct|exactly|indeed|true|confirmed|precisely"
    r"|that's (?:right|correct|it|true)|you're right)\b",
    "^(?:对的?|是的?|没错|正确|确实|正是|就是(?:这样)?)(?:[，。！,!\\s啊呀吧的]|$)",
)
ANSWER = either(
    r"^(?:yes|yep|yeah|yup|no|nope|nah|sure|not (?:really|yet|anymore)|of course|definitely"
    r"|absolutely|never|both|neither|either|just|about|around|maybe|probably|because|since|for"
    r"|in|at|on|with|to)\b",
    "^(?:对|是的?|不是|没有?|不[，,。]|嗯|有的?|会的?|可以|当然|大概|差不多|因为|都|两个|还没|在)",
)
GIVEN_UP = either(
    r"^(?:(?:oh|ok|okay|well|actually|um|hmm|no|nah|you know what|on second thought|hey"
    r"|sorry)\b[ ,.!]*)*(?:never ?mind|forget (?:it|that|about (?:it|that|this))|scratch that"
    r"|skip (?:it|this|that)"
    r"|let(?:'|’)?s (?:skip|drop|forget|not do|leave|abandon) (?:it|this|that|the \w+)|drop it"
    r"|disregard (?:that|it|this)|ignore (?:that|what i said|my last)|leave it|cancel that"
    r"|i changed my mind"
    r"|don(?:'|’)t bother|not needed anymore)\b.{0,60}$",
    "^(?:哎|唉|嗯|那|还是|呃|额)*[，,]?(?:算了|罢了|不用了|不必了|不说(?:这个|它|了)|别(?:管"
    "|提)(?:它|这个|了)|当我没说|忘了(?:它|这个)?吧|不弄了|不做了|不搞了|先不(?:弄|做|管|说|聊)"
    "|不需要了|取消吧|放弃吧|跳过(?:这个|吧)?|换个话题|我改主意了).{0,20}$",
)
SHIFT = either(
    r"^(?:(?:oh|ok|okay|so|and|well|hey|anyway)\b[ ,]*)*(?:by the way|btw|anyway|anyways"
    r"|speaking of|on another note|another (?:thing|question|topic)|moving on|next (?:question"
    r"|topic|up)|different (?:topic|question)|also,|separately|unrelated|one more thing)\b",
    "^(?:对了|另外|还有(?:一?件?事|个)|换个话题|话说|顺便|说到|接下来|下一个|再说|言归正传|另一件)",
)
HEDGE = either(
    r"\b(?:maybe|perhaps|might|probably|not sure|i guess|i suppose|seems?|looks like|possibly"
    r"|kind of thinking|wonder(?:ing)?|what if|if only|could be|hypothetically|suppose)\b",
    "也许|可能|大概|或许|说不定|不(?:太)?确定|不太清楚|好像|似乎|看来|应该吧|假如|假设"
    "|如果.{0,12}的话|万一",
)
FILLERS = re.compile(
    r"^(?:(?:hm+|yeah|yes|yep|yup|no|nope|well|oh|ooh|ah|hey(?: \w+)?|hi(?: \w+)?|wow|aww*|haha+"
    r"|lol|so|btw|by the way|thanks(?: (?:so much|a lot|a ton))?|thank you|sure|ok|okay|cool|nice"
    r"|man|right|true|exactly|absolutely|definitely|honestly|actually|anyway|plus|also|and|but"
    r"|woah|whoa|yay|woohoo|hello|good (?:morning|afternoon|evening)"
    r"|totally|for sure|of course|great|awesome|speaking of which)(?:[,!.:…—–-]+\s*|\s+-+\s*))+",
    re.IGNORECASE,
)
HAN_FILLERS = re.compile(
    r"^(?:(?:嗯+|哦+|啊+|哈+|对了|对|是的?|是啊|好的?|那个|其实|话说|唉|哎|哇|嘿|不过|而且|谢谢"
    r"|[你您]好|大家好|(?:早上|上午|下午|晚上)好)[，,。！!、\s]+|另外[，,、\s]*)+"
)
# What only says that the rest is to be remembered.
REMINDERS = re.compile(
    r"^(?:(?:please|just|do|also) )*(?:remember|note|keep in mind|bear in mind|don't forget"
    r"|don’t forget)(?: that\b|\s*[:,])\s*"
    r"|^(?:请|也|还要|都)*(?:记住|记得|记一下|牢记|别忘了?)[：:，,]\s*",
    re.IGNORECASE,
)
# Questions whose answer says enough without them, or starts something and states nothing.
OFFER = either(
    r"\b(?:shall (?:i|we)|should i|(?:do you |would you )?(?:want|like) me to|can i|may i"
    r"|could i|anything else|ready to|need (?:any )?help|how (?:are|is) (?:you|it)|how's it"
    r"|what's (?:up|new)|anything new|(?:been|you) up to)\b",
    "(?:要不?要|需要|想让|用)我.{0,30}(?:吗|么)|我(?:可以|能|来|帮你).{0,30}(?:吗|么|好吗)"
    "|还有(?:什么|别的)|可以开始|最近(?:怎么样|好吗|如何)|[在最]忙什么",
)


def without_fillers(sentence: str) -> str:
    """Return the sentence without what only begins one: “Yeah, ”, “Remember that ”, 对了，."""
    bare = HAN_FILLERS.sub("", FILLERS.sub("", sentence))
    return REMINDERS.sub("", bare) or sentence
