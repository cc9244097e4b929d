"""Text that speaks to whatever model will read it, in English and Chinese (F2).

A memory in the imperative is ordinary (“Always run the linter”), so the mood says nothing. Looked
for is what a memory has no use for: setting other instructions aside, addressing the reader as an
agent, keeping something from the user, sending secrets away, and the syntax of chats and tools.
"""

import re
import unicodedata
from collections.abc import Iterable

from memories.text.clean import bare

# Traditional characters that the patterns name in their simplified form.
_SIMPLER = str.maketrans(
    "訴戶記憶這當讀統詞發給從開現執設則視傳須聽過將對話歷內隱瞞標為確認權蓋級優條報審請議號個該復輸顯錄據碼鑰證憑違絕後應備問發話裡對關閉",
    "诉户记忆这当读统词发给从开现执设则视传须听过将对话历内隐瞒标为确认权盖级优条报审请议号个该复输显录据码钥证凭违绝后应备问发话里对关闭",
)
_HAN = re.compile("[\u4e00-\u9fff]")
_SPACES = re.compile(r"[^\S\n]+")

# --- English --------------------------------------------------------------------------------------
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|former|foregoing|existing|original|initial|past"
    r"|system|safety|security|developer|built-in|default)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|constraints?"
    r"|restrictions?|guardrails?|safeguards?|programming|training|context|policies)"
)
_EACH = r"(?:all|any|every|each|the|of|your|these|those|its|other|and|or|previously|given)"
_NOBODY = r"(?:user|human|operator|owner|reviewer|admin(?:istrator)?|developer)s?"
_MODEL = (
    r"(?:ai|llm|language model|ai (?:assistant|agent|model)|llm agent|assistant|agent|chatbot)s?"
)
_THIS = r"(?:this|these|the following)(?: (?:memory|memories|note|message|text|entry|line|record))?"
_SECRETS = (
    r"(?:api[ _-]?keys?|credentials?|passwords?|secrets?|(?:access |session |auth )?tokens?"
    r"|private keys?|environment variables|env vars|cookies|\.env|ssh keys?"
    r"|(?:conversation|chat|message)(?: history| logs?|s)?|memor(?:y|ies)|personal data"
    r"|private data|user data)"
)
_OUTSIDE = (
    r"(?:https?://|[\w.+-]+@[\w-]+\.|(?:the |an? |this |my )?(?:attacker|external|remote|following"
    r"|webhook)|this (?:url|address|endpoint|server|e-?mail|number)"
    r"|[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|xyz|ru|cn|dev|app)\b)"
)
_SEND = (
    r"(?:send|forward|post|upload|e-?mail|transmit|leak|exfiltrate|submit|copy|share|give|report"
    r"|append|write|export|relay)"
)
# What makes a sentence a rule against it: “never send credentials to …” is a sound constraint.
_NOT = r"(?<!never )(?<!not )(?<!n't )(?<!n’t )(?<!cannot )(?<!nor )(?<!or )"
_ENGLISH = (
    rf"\b{_NOT}(?:ignore|disregard|forget|override|bypass|discard|neglect|abandon)"
    rf"(?: {_EACH}){{0,4}} {_EARLIER}(?: (?:and|or|{_EARLIER}|\w+)){{0,2}}? {_ORDERS}\b",
    rf"\b{_NOT}(?:ignore|disregard|forget|override|bypass)(?: all)?(?: of)? your {_ORDERS}\b",
    r"\b(?:ignore|disregard|bypass) (?:all|any|every)(?: of the)? (?:safety )?(?:restrictions?"
    r"|instructions?|directives?|guardrails?|safeguards?)\b",
    rf"\bstop (?:following|obeying)(?: {_EACH}){{1,3}} (?:{_EARLIER} )?{_ORDERS}\b",
    rf"\ball (?:of )?(?:the |your )?{_EARLIER} (?:instructions|prompts|directives|guardrails)"
    r" (?:are|have been) (?:now )?(?:null and )?(?:void|revoked|cancelled|lifted|suspended)\b",
    r"\b(?:include|insert|append|add|put|mention) [^.\n]{0,40}https?://\S{1,200}"
    r" (?:in|to|at the end of) (?:every|all|each)(?: of)?(?: your)? (?:repl(?:y|ies)|answers?"
    r"|responses?)\b",
    r"\b(?:ignore|disregard|forget) (?:everything|anything|all|what)(?: that)?"
    r"(?: (?:is |was )?(?:above|before this|said above)| you (?:were|have been|are) (?:told|taught"
    r"|instructed|given)| came before)",
    rf"\b(?:when(?:ever)?|once|as soon as|every time|each time|if|after|upon)"
    rf" (?:you |an? {_MODEL} |any {_MODEL} |the {_MODEL} )?(?:are |is )?"
    rf"(?:reads?|sees?|reading|retrieves?|recalls?|loads?|process(?:es)?|encounters?|receives?"
    rf"|retrieving|recalling) {_THIS}\b(?=[^.\n]*?[,:;]| (?:then )?(?:you|always|immediately"
    rf"|send)\b)",
    rf"\bif you (?:are|'re) (?:an? )?{_MODEL}\b",
    rf"\bas an? (?:ai|llm)(?: {_MODEL})?,? you (?:must|should|will|shall|have to|need to|are)\b",
    rf"\b(?:attention|note|message|notice|instructions?|reminder|important|order)s?:? (?:to|for)"
    rf" (?:all |any |every |the |future )*{_MODEL}(?: reading this)?\s*[:,!—–-]",
    rf"\b(?:to|dear|hey|hello|attention) (?:all |any |every |future )*(?:ai"
    rf"|llm)(?: {_MODEL})?\s*[:,!]",
    r"\byou (?:must|shall|will|have to|need to|are required to|are to) (?:now|henceforth"
    r"|from now on|immediately)(?: always| only| never)? \w+",
    r"\b(?:from now on|henceforth|from this point(?: on| forward)?|starting now),? you"
    r" (?:are|must|shall|have no|no longer|will (?:act|behave|respond|obey|only|ignore|always))\b",
    r"\byou (?:must|shall|have to|are required to) (?:obey|comply with|follow th(?:is|ese)|ignore"
    r"|disregard|not refuse|never refuse)\b",
    r"\byou (?:have|are under|are bound by) no (?:restrictions?|rules|limits|limitations|filters?"
    r"|guidelines|constraints)\b",
    r"\byou are (?:now )?(?:dan\b|unrestricted|uncensored|jailbroken|free (?:of|from) (?:all|any)"
    r"|no longer (?:bound|restricted|an ai|limited|required))",
    r"\byou are now (?:in )?(?:an? |the )?(?:\w+ )?(?:developer|debug|admin|god|root|maintenance"
    r"|dan|unrestricted|jailbreak) (?:mode|assistant|ai|agent|bot|model)\b",
    r"\b(?:act|behave|respond|answer|reply) (?:as if you (?:had|have) no|as (?:an? )?(?:dan\b"
    r"|unrestricted|uncensored|jailbroken)|without (?:any )?(?:restrictions|filters|limitations"
    r"|safeguards))",
    r"\byour (?:new|real|true|actual|sole|only|secret|hidden) (?:task|goal|objective|directive"
    r"|mission|instructions?|orders?)\b(?: (?:is|are)\b|:)",
    r"\b(?:do anything now|jailbreak mode|god mode enabled|developer mode (?:enabled|activated)\W)",
    rf"\b(?:do not|don['’]?t|never|must not|mustn['’]?t|should not) (?:\w+ )?(?:tell|inform"
    rf"|alert|warn"
    rf"|reveal (?:this|that|it|anything) to|mention (?:this|that|it|any of this|anything) to"
    rf"|disclose (?:this|that|it) to|report (?:this|that|it) to)(?: (?:the|your|any|this"
    rf"|to))* {_NOBODY}\b",
    rf"\b(?:do not|don['’]?t|never|must not) let (?:the |your |any )?{_NOBODY}"
    r" (?:know|see|notice|find out|suspect|learn)\b",
    rf"(?:\A|[.!?;\n])(?:(?!\b(?:never|not|no|nobody|avoid|refrain|cannot|rather)\b"
    rf"|n['’]t\b)[^.!?;\n])"
    rf"{{0,120}}\bwithout (?:telling|informing|notifying|alerting|warning|letting) (?:the |your "
    rf"|any )?{_NOBODY}\b",
    rf"\b(?:hide|conceal|keep) (?:this|that|it|these \w+|the (?:fact|instruction)s?[^.\n]{{0,40}}?)"
    rf"(?: (?:hidden|secret|away))? from (?:the |your |any )?{_NOBODY}\b",
    r"\b(?:secretly|covertly|stealthily|surreptitiously) (?:send|forward|exfiltrate|upload|insert"
    r"|append|transmit|copy|add|include|leak|log|email|post)\b",
    rf"\b{_NOT}{_SEND}\b[^.\n]{{0,40}}?\b{_SECRETS}\b[^\n]{{0,60}}?\b(?:to|at|via|into"
    rf"|with) {_OUTSIDE}",
    rf"\b{_NOT}{_SEND}\b(?: \w+){{0,3}} (?:to|at) {_OUTSIDE}[^\n]{{0,60}}?\b(?:the user's|all"
    rf"|any|your)"
    rf"(?: \w+){{0,3}} {_SECRETS}\b",
    r"\b(?:reveal|print|output|repeat|show|display|disclose|expose|recite|leak|dump|share|return)"
    r"(?: me)?(?: (?:all|the|of|full|entire|complete|exact|verbatim))*"
    r" your (?:(?:full|entire|complete|initial|original|hidden|secret|own|exact|internal) )*"
    r"(?:system (?:prompt|message|instructions?)|prompt|instructions|api keys?|credentials)\b",
    r"\b(?:reveal|print|output|repeat|recite|leak|dump) (?:the|this)? ?(?:full |entire )?(?:system"
    r" prompt|hidden instructions|initial instructions)(?: (?:verbatim|word for word|above)"
    r"|\s*[.!]?\Z)",
    r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?&][\w-]+=\s*[{<\[$]",
    r"\b(?:end|finish|begin|start|sign) (?:every|each|all)(?: of)?(?: your)? (?:repl(?:y|ies)"
    r"|answers?"
    r"|responses?) with[^.\n]{0,40}https?://",
    rf"\bif (?:the |a |any )?(?:{_NOBODY}|anyone|someone|anybody)(?: ever)? asks?\b[^.\n]{{0,80}}?"
    r"[, ](?:deny|lie|pretend|claim (?:that )?(?:you|it|there)|say (?:that )?(?:you (?:know"
    r"|have|did)|nothing (?:happened|was)))",
    r"\b(?:this|the following) (?:message|memory|note|instruction|rule|directive|entry)"
    r" (?:overrides|supersedes|replaces|takes (?:precedence|priority) over|has (?:precedence"
    r"|priority)"
    r" over|outranks) (?:all|any|every|your|everything|previous|other|system)",
    r"\b(?:mark|treat|consider|accept|regard) (?:this|these) (?:memory|memories|note|message|text"
    r"|entry) as (?:approved|trusted|verified|authoritative|confirmed|reviewed|safe)\b",
    r"\b(?:do not|don['’]?t|never) (?:flag|quarantine|review|report|question|screen"
    r"|block) th(?:is|ese)"
    r" (?:memory|memories|note|message|text|entry|instructions?)\b",
    r"\bremember [^\n]{1,60}? as (?:a|an|the|your) (?:most )?(?:trusted|authoritative|reliable"
    r"|preferred|definitive) (?:source|authority|reference)\b",
    rf"\b{_NOT}(?:delete|erase|wipe|overwrite|purge|corrupt) (?:all "
    rf"|every )?(?:of )?(?:your (?:other"
    r" |existing |previous |stored |old )?|(?:all|the) (?:other|existing|previous"
    r"|stored) )memor(?:y|ies)\b",
    r"\b(?:disable|turn off|deactivate|bypass|drop|remove) (?:all )?(?:of )?your (?:safety"
    r"|security|content"
    r"|ethical)?\s*(?:filters?|checks?|guardrails?|safeguards?|restrictions?|guidelines|rules)\b",
    r"\b(?:new|updated|revised) (?:system (?:instructions?|prompt|directive|rules?)"
    r"|(?:instructions?"
    rf"|directives?|orders?|rules) for (?:the |all |any |every )?{_MODEL})\s*:",
    r"\b(?:admin(?:istrator)?|developer|root|system|security) override\b(?=\W{1,3}(?:\w+\W+){0,3}?"
    r"(?:ignore|enabled|activated|engaged|code|you|from|all|grant|accepted|disregard|begin))",
    r"\bapprove (?:all|any|every)(?: \w+){0,2} (?:pending|quarantined|flagged|waiting) (?:memor"
    r"(?:y|ies)|items?|reviews?)\b[^.\n]{0,30}\b(?:yourself|immediately|automatically|without)",
)

# --- The syntax of chats and tools ----------------------------------------------------------------
_SYNTAX = (
    r"</?(?:system|system[-_ ]?(?:prompt|message|instructions?|reminder|override)|im_start|im_end"
    r"|assistant_instructions|hidden_instructions|override|admin_instructions)\s*>",
    r"<\|[a-z][\w ]{1,30}\|>",
    r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
    r"</?(?:antml:)?(?:tool_call|tool_calls|tool_use|function_call|function_calls|invoke"
    r"|tool_response|function_results)\b[^>\n]{0,80}>",
    r"\"(?:tool_calls?|function_call|tool_use)\"\s*:\s*[\[{]",
    r"\{\s*\"(?:name|tool|function|recipient_name)\"\s*:\s*\"[\w.-]{1,60}\"\s*,\s*\"(?:arguments"
    r"|parameters|args|tool_input)\"\s*:\s*[\"{]",
    r"(?:^|\n)\W{0,4}(?:system|developer|admin)(?: (?:message|prompt|override|note|notice"
    r"|instructions?|alert|update))?\W{0,4}[:：]\W{0,4}(?:you (?:are|must|will|should|have|now)"
    r"|ignore"
    r"|disregard|from now|override|forget|new instructions?|as an ai|the assistant (?:must|will"
    r"|should"
    r"|shall)|all (?:previous|prior))",
    r"(?:^|\n)\W{0,4}assistant\W{0,4}[:：]\W{0,4}(?:ignore|disregard) (?:the|all|any|every|your)\b",
    r"[\[【(](?:system|admin|developer|root)(?: (?:message|prompt|override|note|instructions?"
    r"|notice|alert))[\])】]",
    r"[\[【(]system[\])】]\W{0,4}(?:you (?:are|must|will)|ignore|disregard|from now|override"
    r"|forget)",
    r"(?:^|\n)#{1,6} ?(?:(?:new|updated|hidden|system) )+(?:instructions?|prompt)\b",
)

# --- Chinese --------------------------------------------------------------------------------------
_YOU = r"[你您]"
_RULES = (
    r"(?:指令|指示|命令|提示词|提示语|系统提示|提示|规则|规定|设定|限制|约束|prompt|准则|安全策略)"
)
_SINCE = (
    r"(?:之前|以前|先前|上面|上述|以上|前面|此前|原有|原来|原先|系统|已有|现有|其他|其它|所有|一切"
    r"|任何|全部|初始|安全|收到过?|你|您)"
)
_USERS = r"(?:用户|使用者|主人|管理员|人类|操作员|审核员|审核人员|开发者)"
_NO = r"(?:不要|不许|不准|不得|禁止|切勿|千万别|绝不能|不能|不可|无需|不必|别|勿)"
_GOODS = (
    r"(?:密码|密钥|口令|令牌|凭证|凭据|api ?key|token|聊天记录|对话记录|对话历史|聊天历史|对话内容"
    r"|记忆|隐私|个人信息|环境变量|cookie|用户数据|系统提示词?|银行卡号|私钥)"
)
_AWAY = (
    r"(?:https?://|[\w.+-]+@|攻击者|外部|以下(?:地址|网址|邮箱|链接|服务器)|[这该此]个?(?:地址|网址"
    r"|邮箱|链接|服务器|号码)|[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|xyz|ru|cn|dev|app))"
)
_MACHINE = r"(?:ai|人工智能|智能体|语言模型|大模型|模型|助手|助理|代理|机器人|agent){1,2}"
_CHINESE = (
    rf"(?<!不要)(?<!不能)(?<!不得)(?<!不会)(?<!别)(?:忽略|无视|忘记|忘掉|忘了|不理会|不要理会"
    rf"|不用管"
    rf"|抛弃|绕过|推翻|不再遵守|不要遵守|覆盖)掉?(?:{_SINCE}|的|关于|给|被|告知|过){{1,8}}{_RULES}",
    r"(?:以上|上面|上述|之前|先前)的?(?:所有|全部)?(?:指令|指示|规则|设定|提示词?)"
    r"(?:全部|都|一律|统统)(?:作废|失效|无效|取消)",
    r"(?:忽略|无视|忘记|忘掉)掉?(?:以上|上述|上面|前面|之前)的?(?:所有|全部|一切)(?:内容|要求"
    r"|对话|文字|信息|话)",
    rf"{_NO}(?:再|把这|将这|把此)?[^，。；！？,;!?\n]{{0,10}}?(?:告诉|告知|透露给"
    rf"|泄露给)(?:任何)?{_USERS}",
    rf"{_NO}(?:再)?(?:向|对|跟|和|与)(?:任何)?{_USERS}(?:提及|提起|透露|披露|说起|说明|报告|坦白"
    rf"|承认)",
    rf"{_NO}让(?:任何)?{_USERS}(?:知道|发现|看到|察觉|注意到|得知|起疑)",
    rf"(?<!不要)(?<!不能)(?<!不得)(?:瞒着|背着|瞒住|隐瞒){_USERS}|对{_USERS}(?:保密|隐瞒)"
    rf"|在{_USERS}(?:毫)?不知情",
    rf"(?:当|每当|每次|只要|一旦|如果|若|在){_YOU}(?:读到|看到|读取到?|阅读到?|检索到|召回"
    rf"|回忆起|加载"
    rf"|收到|遇到|处理)了?[这此本该](?:条|段|则|个|份|些|句)?(?:记忆|消息|文字|内容|信息|笔记"
    rf"|指令|话|文本|记录)",
    rf"从(?:现在|此刻|今|即日|这一刻)(?:开始|起|以后)?[，,： ]*{_YOU}(?:就?是|将是|必须|不再|只能"
    rf"|将?扮演|要扮演|只听|没有|将忽略|要忽略|无条件)",
    rf"{_YOU}(?:现在|已经|将)?(?:是|扮演|进入|变成|成为|处于)了?(?:一个|一名|个)?(?:不受|没有"
    rf"|无)任何?"
    rf"(?:限制|约束|审查|道德|规则)",
    rf"{_YOU}(?:现在|已经|已)?(?:进入|处于|切换到|启用)了?(?:开发者|越狱|上帝|调试|管理员|无限制"
    rf"|root|dan|维护)模式",
    r"(?:越狱|上帝|无限制|dan)模式已?(?:启用|开启|激活|启动|打开)",
    rf"{_YOU}不受(?:任何)?(?:限制|约束|规则|审查|道德)",
    rf"(?:输出|打印|显示|展示|透露|泄露|告诉我|发送|重复|复述|公开|列出|说出)出?(?:一下"
    rf"|一遍)?{_YOU}的?"
    rf"(?:完整|全部|初始|原始|所有|隐藏|内部|的)*(?:系统提示词?|提示词|系统指令|系统消息|指令"
    rf"|system prompt"
    rf"|api ?key|密钥)",
    rf"(?<!不要)(?<!禁止)(?<!不得)(?<!不能)(?<!严禁)(?<!切勿)(?<!别)(?<!不可)(?:把|将)"
    rf"[^，。；！？,;!?\n]{{0,30}}?{_GOODS}[^，。；！？,;!?\n]{{0,12}}?(?:发送|发|上传|转发|提交"
    rf"|泄露"
    rf"|传送?|寄|同步"
    rf"|透露|外传|导出)(?:给|到|至|往)[^，。；,;\n]{{0,12}}?{_AWAY}",
    rf"(?:偷偷|悄悄|暗中|秘密|私下)地?(?:把|将)[^，。；！？,;!?\n]{{0,30}}?{_GOODS}",
    r"(?:偷偷|悄悄|暗中|秘密|私下)地?(?:上传|转发|外传|窃取|植入|篡改|泄露|插入)",
    r"系统(?:指令|命令|覆盖|提示词|级指令)\s*[:：]\s*(?=你|您|请|忽略|无视|从现在|立即|所有|必须"
    r"|新|不要|禁止)",
    r"[\[【(（](?:系统|system|管理员|开发者)(?:指令|消息|提示|覆盖|命令|通知)?[\]】)）]\s*[:：]?\s*"
    r"(?:你|您|请?忽略|请?无视|从现在|必须|覆盖|不要告诉)",
    rf"{_YOU}(?:必须|只能|一定要|务必|现在必须|现在起必须)(?:无条件|绝对|完全)?(?:地)?(?:服从"
    rf"|听从|遵从|照做"
    rf"|执行以下|执行下面|按照?以下指令|遵守以下指令|忽略|无视)",
    rf"{_YOU}现在(?:必须|只能|务必)",
    rf"(?:给|致|告)(?:所有|各位|全体|读到此处的|任何)?(?:的)?{_MACHINE}(?:们)?的?(?:指令|命令"
    rf"|通知|提示|留言|提醒)?\s*[:：！]",
    rf"(?:如果|若|假如){_YOU}是(?:一个|一名|个)?{_MACHINE}",
    rf"作为(?:一个|一名)?{_MACHINE}[，,]?{_YOU}(?:必须|应该|应当|需要|要|不得)",
    r"[这此本该](?:条|段|个)?(?:指令|消息|记忆|内容|规则)的?(?:优先级(?:高于|最高)|优先于|覆盖"
    r"|高于|凌驾于?)"
    r"(?:所有|一切|其他|其它|你|系统|之前|任何|，|,|。|\Z)",
    r"(?:把|将)[这此本该](?:条|段|则)?(?:记忆|内容|消息)(?:标记|视|当|认定)(?:为|作|成)(?:已批准"
    r"|已审核|可信"
    r"|已验证|已确认|权威|安全|真实)",
    rf"{_NO}(?:标记|隔离|上报|审核|审查|举报|怀疑|拦截)[这此本该](?:条|段|则|些)?(?:记忆|内容"
    rf"|消息|指令)?",
    rf"(?:删除|清空|清除|抹去|抹掉|覆盖|篡改)(?:掉)?(?:{_YOU}的?|所有|全部)(?:其他|其它|已有"
    rf"|现有|之前的?|的|存储的)+记忆"
    rf"|(?:删除|清空|清除|抹去|抹掉|篡改){_YOU}的(?:全部|所有)?记忆",
    rf"(?:如果|当|若|要是)(?:{_USERS}|有人|别人)(?:问|询问|追问|问起"
    rf"|提问)[^。；\n]{{0,24}}?[，,就]?(?:否认|撒谎|谎称"
    rf"|隐瞒|假装|装作|就说(?:不知道|没有|你))",
    rf"{_YOU}的(?:新|真正|真实|唯一|秘密|隐藏)的?(?:任务|目标|使命|指令|命令)(?:是|为|：|:)",
    rf"(?:关闭|禁用|解除|取消|绕过){_YOU}的?(?:所有|全部)?(?:安全|内容|道德)?(?:限制|过滤|防护"
    rf"|审查|约束|护栏)",
    r"(?:在|于)(?:每次|每一?条|所有)的?(?:回复|回答|答复)[^，。,\n]{0,12}?(?:插入|附上|加上|加入"
    r"|添加)[^，。,\n]{0,20}?https?://",
    r"(?:记住|牢记)[^，。,\n]{1,30}?(?:是|为)(?:唯一|最)?(?:可信|权威|可靠)的?(?:来源|信息源"
    r"|消息源)[^\n]{0,12}?(?:总是|始终|优先|一律)推荐",
)


def _joined(forms: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{form})" for form in forms))


_PATTERNS = (_joined(_SYNTAX), _joined(_ENGLISH), _joined(_CHINESE))


def steering(text: str) -> str:
    """Return the words in which a text speaks to a model that reads it, "" when it does not."""
    plain = _plain(text)
    patterns = _PATTERNS if _HAN.search(plain) else _PATTERNS[:-1]
    for pattern in patterns:
        if found := pattern.search(plain):
            return found[0].strip()
    return ""


def _plain(text: str) -> str:
    """The text without what would hide its words: invisible signs, wide letters, other cases."""
    lines = (_SPACES.sub(" ", bare(line)) for line in text.split("\n"))
    folded = unicodedata.normalize("NFKC", "\n".join(lines)).casefold()
    return folded.translate(_SIMPLER)
