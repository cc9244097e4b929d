"""The words by which names are told from other words, in English and Chinese. Tables only."""

# Capitalised and yet no names; in lower case, words divided by spaces.
_STOP = """
i i'm i'll i've i'd ok okay todo tbd fyi asap am pm utc gmt faq etc eg ie vs id ids url urls uri
api apis ui ux ip dns http https json xml yaml csv html css sql rest tcp udp ssl tls cpu gpu ram
ssd pr prs mr ci cd qa sla slo kpi okr eta mvp poc rfc pdf png jpg usb wifi vpn lan user users
agent agents assistant ai bot system tool human customer client team teams manager mom mum dad
mommy daddy monday tuesday wednesday thursday friday saturday sunday january february march april
may june july august september october november december mon tue wed thu fri sat sun jan feb mar
apr jun jul aug sep sept oct nov dec spring summer autumn winter today tomorrow yesterday english
american british chinese mrs ms dr prof sir madam tv vip txt app apps cs rpg note notes warning
error info debug true false none null yes no hi hey hello thanks thank wow oh ah haha lol omg bye
sorry please sure great good well cool nice awesome amazing yeah yep nope nah hmm congrats
congratulations absolutely definitely exactly really actually maybe also always never sometimes
usually often recently currently finally however therefore because since although though while
when where what which who whom whose why how if unless until before after during without within
about above below over under between among against toward towards through across along around
behind beside besides beyond despite except for from in into of off on onto out per than to up
upon via with and or but nor so yet the a an this that these those there here my your his her its
our their we you he she it they me him them us mine yours ours theirs each every all any both few
many most much other another some such only own same first second third last next one two three
four five six seven eight nine ten is are was were be been being do does did done doing has have
had having can could might must shall should will would let lets let's don't not doesn't didn't
isn't aren't wasn't can't cannot won't wouldn't it's that's there's here's what's who's he's she's
they're we're you're you've we've
"""
STOP = frozenset(_STOP.split())

# Imperatives and common nouns that open a sentence; what else does is decided by what follows it.
_OPENERS = """
use using used run running add set get put make made keep kept take took give go went see saw look
find found try call ask tell say said check fix update upgrade install deploy build test write
read open close start stop restart enable disable avoid remember need needs want wants prefer
prefers like likes love loves hate works working started moved changed switched decided according
based people someone everyone everything something nothing nobody family friend friends kids
children work job home school office house car money time day week month year morning evening
night meeting project service server database deployment production staging release version
feature bug issue incident outage failure success backup migration config configuration code data
file files log logs queue cache worker tests docs documentation memory session message question
answer problem solution reason result results request response query table column key value
password token limit timeout retry network traffic load disk space storage cost price budget plan
plans policy rule rules food coffee tea water music book books movie game weather travel trip
vacation holiday birthday health exercise yoga sleep art nature life things thing idea ideas part
way place world just super little even plus tons lots stay looks sounds loved crazy tough gotta
btw mixed glad haven't they've you'll cute aww woah woohoo anytime perfect positive new old big
small long short high low more less better best worse worst early late full empty
"""
OPENERS = frozenset(_OPENERS.split())

# What follows somebody or something that a sentence begins with.
_ACTS = """
is was has had does did will would can could may might must should isn't wasn't hasn't doesn't
didn't won't can't couldn't also now always never still often usually just already recently and or
"""
ACTS = frozenset(_ACTS.split())
# Endings of common nouns and of what is done: a sentence that opens with one opens with no name.
COMMON_ENDINGS = (
    *("tion", "tions", "sion", "ment", "ments", "ness", "ity", "ities", "ing", "ings", "ance"),
    *("ence", "ship", "ism", "ware", "ly", "ful", "less", "able", "ible", "ies", "ages"),
)

# A lower-case name of two parts is one if its last or first part says what it is.
_PARTS = """
service server api db database prod production dev staging stage test worker job queue cluster app
web client gateway bot ui core cli sdk lib config cache proxy node host pod vm box repo backend
frontend pipeline bucket topic index table schema module plugin agent engine store auth admin
portal runner builder scheduler exporter operator controller broker primary replica svc srv deploy
"""
PARTS = frozenset(_PARTS.split())

# Where a Chinese name cannot begin: what is before it belongs to the sentence.
HAN_BEFORE = (
    "我你您他她它们咱这那哪的地得了着过在是有和与跟及或于从到对把被让给由为向往比去来叫用把将会要想能可"
    "以就都也还又再很太最更只先每各某该此其之所而但若如因请问说讲看听见做住里时个位名次求"
    "种些点加入进入参加访问使用部署升级切换迁移离开"
)
# Chinese names end so: organisations, places, systems.
_HAN_ENDINGS = """
有限公司 公司 集团 大学 学院 医院 银行 中学 小学 高中 幼儿园 研究院 研究所 实验室 事务所 委员会
出版社 俱乐部 工作室 中心 项目 部门 团队 小组 平台 系统 服务 数据库 集群 网关 模块 中间件 框架
协议 论坛 峰会 协会 基金会 机场 火车站 高铁站 车站 地铁站 公园 博物馆 图书馆 体育馆 美术馆 餐厅
饭店 酒店 咖啡馆 咖啡厅 咖啡店 书店 超市 商场 广场 大厦 小区 街道 省 市 大赛 联赛 招聘节 音乐节
电影节 艺术节 展览会 博览会 研讨会
"""
HAN_ENDINGS = tuple(_HAN_ENDINGS.split())
# What such an ending says when nothing particular stands before it.
_HAN_PLAIN = """
一个 两个 这个 那个 整个 每个 某个 同一 新的 旧的 我们 你们 他们 本地 线上 生产 测试 开发 数据
操作 文件 管理 后台 前台 公司 部门 当前 默认 主要 核心 内部 外部 相关 其他 城 都 超 门 夜 上 下 本
全 小 大 老 新 旧 客户 客服 云 微 子 主 从 学校 附近 当地 第一 最大 所在 提供 停止 启动 重启 支持
订单 支付 用户 登录 缓存 消息 日志 监控
"""
HAN_PLAIN = frozenset(_HAN_PLAIN.split())
_HAN_STOP = """
谢谢 陆续 文中 王八 马上 高兴 高中 万一 任何 常常 安全 方便 方法 文件 文档 江湖 白天 石头 龙头
任务 用户 助手 系统 今天 昨天 明天 现在 时候 问题 事情 东西 大家 自己 公司 团队 项目 服务 你好
是的 不是 好的
"""
HAN_STOP = frozenset(_HAN_STOP.split())
SURNAMES = frozenset(
    "王李张刘陈杨赵黄吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊陆郝孔白崔康毛邱秦江史"
    "顾侯邵孟龙万段漕钱汤尹黎易常武乔贺赖龚文"
)
_HAN_TITLES = """
老师 医生 经理 总监 教授 主任 先生 女士 小姐 同学 师傅 阿姨 叔叔 大夫 律师 总 工 哥 姐
"""
HAN_TITLES = tuple(_HAN_TITLES.split())
