"""Closed classes and synonym groups, in English and Chinese.

An underscore is a space. The Chinese words stand after ``|``.
"""

# Words that carry no content of their own: they never have to be matched.
FUNCTION = """
the a an this that these those it its is are was were be been being am 's of on in at to for and or
  by with from into onto first_of_all as so then there here has have had having do does did will
  would shall i me my we us our ours you your he she him his her hers they them their theirs who
  whom whose which what when where how if_any also_known just really very quite otherwise or_else
  now currently nowadays today already presently meanwhile actually simply each every all any both
  some such only than per via through about around within since until during while under over up
  out off_of up_to_now one own same itself himself herself themselves again anymore any_more
  any_longer so_far please make_sure ensure be_sure sure not_only must should need_to needs_to
  have_to has_to ought got get gets getting set_to set kind_of sort_of still as_well_known new
  latest current recently lately total number amount value level times last_week last_month
  last_year last_night last_spring last_summer last_autumn last_fall last_winter last_quarter
  this_week this_month this_year this_spring this_summer next_week next_month next_year yesterday
  ago s dr mr mrs ms prof
| 今年 去年 前年 上个月 上月 上周 本月 本周 这周 这个月 昨天 今天 昨日 日前 期 期间 为期 否则 不然
  要不 的 了 着 过 是 在 把 被 给 对 与 和 及 或 而 且 由 从 先 再 然后 到 向 往 于 以 为 为了 就
  都 才 则 即 之 其 这 那 这个 那个 这些 那些 它 它们 他 她 他们 她们 我 我们 我方 你 你们 咱们
  自己 某 该 此 个 只 位 名 条 件 张 台 辆 把 款 种 项 份 次 里 上 下 中 内 时 时候 后来 现在 目前
  当前 如今 已 已经 已将 正 正在 将 会 要 得 需 需要 必须 应 应该 应当 一定 一定要 请 务 地 所 所有
  全部 每 每个 各 各个 任何 很 非常 十分 更 最 太 比较 真 的话 吧 呢 啊 嘛 呀 哦 啦 一个 一只 一条
  一位 一家 一下 一种 一款 一台 一份 一项 一名 一张 一次 一辆 一套 一些 有些 等 等等 之类 方面 情况
  进行 加以 予以 最近 近来 刚 刚刚 今后 以后都 起 来 去 通过 经过 经由 按 按照 根据 关于 数 数量
  总数 总共 一共 共 大约 大概 左右 约 用来 用于 那里 那边 这里 这边 现 新 以内 之间
"""

# Change of state: what follows is the new value, so the earlier one is out of date.
CHANGE = """
switch switched switching switched_to move moved moving moved_to migrate migrated migrating change
  changed changing changed_to replace replaced replacing upgrade upgraded upgrading downgrade
  downgraded relocate relocated relocating transfer transferred raise raised raising increase
  increased lower lowered reduce reduced reducing bump bumped reschedule rescheduled postpone
  postponed convert converted rename renamed rewrite rewritten rewrote extend extended shorten
  shortened cut become became becomes update updated updating correct corrected swap swapped shift
  shifted adopt adopted took_over taken_over take_over takes_over handed_over expand expanded grow
  grew promoted transition transitioned port_over ported shrink shrunk shrank drop_to dropped_to
  rose risen went_up instead
| 换 换成 换到 换为 换成了 换到了 改 改成 改为 改到 改用 改由 改在 改成了 改为了 改到了 改名 改叫
  变成 变为 变更为 调整为 调整到 调整 调到 调成 调为 迁移 迁移到 迁到 迁往 迁移至 迁至 搬 搬到
  搬到了 搬去 搬去了 搬家 搬至 搬迁到 升级 升级到 升级为 升级成 升到 升至 升为 降级 降到 降至 降为
  降低到 提高 提高到 提高至 提升到 提升至 增加到 增加至 上调到 上调至 下调到 下调至 减少到 缩短到
  缩短为 延长到 延长至 延长 扩大到 扩容到 扩容至 切换 切换到 切换成 切换为 切到 转到 转为 转成 转用
  替换 替换成 替换为 取代 代替 接替 接手 重写 改写 更新为 更新到 更新成 推迟到 提前到 改期到 延期到
  涨到 涨至 跌到
"""

# What follows one of these is the alternative that is not taken.
INSTEAD = """
instead_of rather_than as_opposed_to
| 而不是 而非 比起 相比 与其
"""

# Words after which a statement is not an assertion of fact.
IRREALIS = """
if whether unless might maybe perhaps possibly could considering consider considers considered
  plan_to plans_to planning_to planned_to planning hope hopes hoping hoped wish wishes wishing
  would_like would_love would_prefer thinking_about thinking_of thinks_about thinks_of discussing
  propose proposed proposes proposal suggested suggest suggests wondering wonders evaluating
  evaluate evaluates evaluated aims aiming intends intending intend dreams dreaming supposedly
  rumored rumoured likely in_case suppose assume hypothetically potentially want_to wants_to
  wanted_to going_to explore exploring trying looking_to looking_into
| 如果 假如 要是 倘若 万一 假设 若 也许 可能 或许 大概会 考虑 正在考虑 打算 计划把 计划将 计划用
  计划去 计划在 计划迁 准备把 准备将 准备用 准备去 准备换 准备迁 想 想要去 想去 希望能 有望 建议
  提议 讨论 是否 能否 要不要 会不会 评估 听说 据说 传闻 假定 梦想 设想 预计 应该会 或会 探索 试试
  吗 么
"""

ADDITIVE = """
also too as_well in_addition additionally besides another other else plus furthermore moreover
| 也 还 还会 还有 也会 另外 另 此外 再加上 同时 以及 又 额外 另一 另一个 其他 其它 也都
"""

NEGATION = """
not no never n't without neither nor none nobody nothing nowhere don't doesn't didn't isn't aren't
  wasn't weren't won't wouldn't shouldn't mustn't needn't haven't hasn't hadn't no_longer
  not_anymore
| 不 没 没有 未 无 非 别 勿 不再 从不 从来不 从未 并不 并非 并没有 不是 尚未 还没 还没有 毫不 决不
  绝不 绝不能 不要 未曾 不会 不用再 莫 不必
"""

# Two negatives in one idiom: an assertion.
FORMER = """
used_to formerly previously once_was in_the_past back_then originally
| 曾 曾经 原先 以往 过去 原本 早年
"""

AFFIRMATIVE = """
not_only no_doubt without_fail don't_forget do_not_forget never_forget never_fails_to not_until
| 不得不 不仅 不但 不只 不光 别忘了 不要忘记 别忘记 不要忘了 不可不 无不 不能不 不断 不错 不同 不久
  不论 不管 无论 非常 无线 未来 特别 级别 分别 区别 类别 性别 没问题 差不多 了不起 不少 不好意思
  不得了 对不起 不如说 非洲 无人机 无限 是非 除非 并且 无法忘记 不忘 从不缺席
"""

# Verbs and nouns so general that either statement may leave them out.
GENERAL = """
use utilize utilise utilised run hold keep make take go come give put work happen occur exist stay
  remain perform execute handle process deal operate carry provide offer configure setup specify
  define state note mention say call mean involve include require base locate place situate deploy
  host store save write read send ship return listen open format formatted display live reside
  system service-wide people person thing something someone everything rule policy setting option
  mode theme type format way part side team-wide company-wide company place time period last lasts
  lasted duration currently-used official main-one go_through be_about count language_used version
  name amount issue_instruction
| 使用 用 采用 选用 运用 运行 跑 执行 进行 放 存 存放 保存 保留 存储 保管 写 写入 位于 处于 处在
  坐落 设在 设定 设置 配置 定 定为 定在 规定 要求 属于 有 做 作 成 成为 担任 叫 叫做 名叫 称为 举行
  举办 开展 发生 走 发送 发给 送 住 居住 办 弄 搞 部署 托管 处理 操作 提供 人 东西 系统 版 版本
  格式 模式 主题 方式 类型 时间 日期 名字 名称 名 部分 公司 我们公司 当作 作为 开发 构建 编写 开 点
  号 处 端 库 语言 环境
"""

SYNONYMS = """
keep: retain preserve kept keep | 保留 保存 留存
each: each every per
database: database databases db | 数据库 库
message: message messages | 消息
queue: queue queues | 队列
backup: backup backups back_up | 备份
meeting: meeting meetings call_meeting sync sync-up get-together | 会议 例会 开会 碰头会
standup: standup stand-up daily_scrum | 站会 晨会 早会
release: release releases ship_out releasing rollout publish published | 发布 发版 上线 版本发布
deploy: deploy deploys deployment deployments deployed | 部署
lead: lead leads led leader head_of heads headed lead_by in_charge_of responsible_for responsible
  responsibility charge owner owns owned own manage manages managed manager maintain maintains
  maintained maintainer run_by chair chairs chaired supervise supervises supervised oversee
  oversees approve approves approved approver on-call_lead coordinate coordinates coordinated
  coordinator | 负责 负责人 主管 领导 带领 管理 维护 审批 主持 牵头 组长 队长 带队 经理 主任 上司
  主席 统筹 掌管 接管 所有者 拥有者
origin: comes_from come_from is_from originates_from hails_from native_of | 来自 老家在 籍贯
report: report_to reports_to reporting_to | 汇报 报告给
user: user users_own | 用户 使用者
customer: customer customers client_company | 客户 顾客
error: error errors fail failed fails failure failures fault outage incident crash crashed | 错误
  故障 失败 报错 崩溃
cause: cause caused because due_to_the reason owing_to | 导致 造成 引起 原因 因为 由于
prefer: prefer prefers preferred preference rather want wants like_best | 偏好 更喜欢 更爱 倾向
  想要 要求 希望 首选 更愿意 宁愿
reply: reply replies answer answers response responses respond | 回复 回答 答复 应答
server: server servers machine host | 服务器 主机
service: service services | 服务
project: project projects | 项目 工程
deadline: deadline due due_date due_by | 截止 截止日期 截止时间 期限 到期
expire: expire expires expiry expiration | 到期 过期 失效
begin: begin begins start starts kickoff kick_off | 开始 启动 起始 开工
end: end ends finish finishes | 结束 完成 收工
birthday: birthday birth_date date_of_birth | 生日 出生日期
born: born | 出生 生于 出生于
hold: held is_held take_place takes_place took_place be_held | 举行 举办 召开 进行
live: live lives living reside resides lived dwell | 住 居住 住在 定居 家住
locate: locate located location based situated headquarter headquarters headquartered | 位于 总部
  所在地 坐落 办公
work: work works working employed job_is occupation profession career | 工作 上班 就职 任职 职业
  供职
married: marry married_to wife_is husband_is spouse | 结婚 配偶 嫁给 娶了
is_called: is_called are_called was_called is_named was_named named | 叫 名叫 名字叫 取名 名为
cost: cost costs price priced fee charge_of | 价格 费用 售价 月费 收费 成本 花费 价钱
salary: salary wage pay income earns earn | 工资 薪水 月薪 年薪 收入
port: port ports | 端口
timeout: timeout time-out timeouts | 超时 超时时间
limit: limit limits limited cap capped quota ceiling rate_limit at_most up_to no_more_than | 限制
  上限 限额 配额 限流 最多 至多 不超过
size: size sizes capacity | 大小 容量 尺寸 规模
password: password passwords passcode passphrase | 密码 口令
key: key keys secret secrets credential credentials | 密钥 秘钥 凭据
rotate: rotate rotates rotation rotated | 轮换 更换 轮转
commit: commit commits committed check_in | 提交
merge: merge merges merging merged | 合并
branch: branch branches | 分支
review: review reviews code_review | 评审 审查 代码评审 代码审查
test: test tests testing_code | 测试 单测
log: log logs logging log_files log_file | 日志 日志文件
file: file files | 文件
folder: folder folders directory directories | 文件夹 目录
api: api apis interface | 接口 api
endpoint: endpoint endpoints | 端点
website: website site web_page webpage | 网站 站点
cache: cache caches caching cached | 缓存
cluster: cluster clusters | 集群
frontend_word: ui user_interface | 界面
editor: editor editors ide | 编辑器
theme: theme mode appearance | 主题 模式 外观
font: font fonts typeface | 字体 字号
color_word: colour color colours colors | 颜色
favourite: favourite favorite | 最喜欢 最爱 最喜爱
child: child children kid kids | 孩子 小孩 子女
house: house home apartment flat | 房子 家 公寓
office: office offices | 办公室
store: shop store shops | 商店 门店 店铺
allergy: allergy allergic allergies | 过敏 过敏史
eat: eat eats eating ate | 吃
drink: drink drinks drinking drank | 喝 饮用
visit: visit visits visited travel travelled traveled trip went_to flew | 去过 访问 旅行 游览 到过
  飞去 参观
attend: attend attends attended participate participated join joined took_part | 参加 出席 参与
buy: buy bought purchase purchased | 买 购买 买了
speak: speak speaks speaking spoke | 说 会说 讲
know: know knows knew | 知道 认识
study_at: study_at studies_at studied_at studying_at graduated_from enrolled_at | 读书 上学 就读
  念书 毕业 毕业于 就读于
destination: stored_in stored_as stored_on stored_at kept_in kept_on kept_at saved_in saved_as
  saved_to written_to written_in writes_to write_to written_as sent_to sends_to shipped_to
  hosted_on hosted_in hosted_at deployed_to deployed_on runs_on run_on running_on listens_on
  connects_to points_to redirects_to backed_up_to located_in located_at located_on exported_as
  exported_to formatted_as logs_to logged_to published_to mounted_at served_from installed_on
  installed_in go_to goes_to delivered_to returns return | 放在 存放在 存到 存在于 存为 存成 写到
  写入 写入到 发送到 发到 部署在 部署到 跑在 运行在 托管在 指向 连接到 导出为 导出到 保存为 保存在
  保存到 备份到 挂载在 输出到 输出为 返回 归 放到
learn: learn learns learned learning study studies studied | 学 学习 学会
work_on: work_on works_on working_on worked_on | 研究 从事于
play: play plays played | 玩 弹 拉 打
own_pet: keep_a_pet raise_a_pet | 养 养了
support: support supports supported supporting | 支持
require: require requires required requirement needs need | 要求 需要 必需
contain: contain contains contained hold_of | 包含 含有
contact: contact emergency_contact reach_out notify notified remind reminder reminders | 联系人
  紧急联系人 联系 通知 提醒
escalate: escalate escalates escalated | 升级给 上报
assign: assign assigns assigned assignee | 分配 指派 分给 交给
team: team teams squad group | 团队 小组 组 部门
quarter: quarter quarters | 季度
issue: issue issues ticket tickets bug bugs | 问题 工单 缺陷
contract: contract contracts agreement | 合同 协议
invoice: invoice invoices bill | 发票 账单
order: order orders | 订单
payment: payment payments pay_for | 支付 付款 收款 缴费
night: nightly night | 夜间 夜里 每晚
session: session sessions | 会话
request: request requests | 请求
retry: retry retries | 重试
result: result results | 结果
worker: worker workers | worker
memory: memory ram | 内存
disk: disk disks | 磁盘 硬盘
seat: seat seats | 座位 席位 座
client: each_client clients | 客户端
restart: restart restarts restarted reboot rebooted | 重启
indent: indent indentation indented | 缩进
import_job: imports importing | 导入任务
repository: repository repositories repo repos | 仓库 代码库
access: access accessible accesses | 访问
exhausted: exhausted used_up ran_out run_out runs_out running_out | 耗尽 用光 用完 不足
pool: pool pools | 池 连接池
migrate_noun: migration migrations | 迁移
capital: capital capital_city | 首都 省会
address: address addresses | 地址 住址
phone_number: phone_number mobile_number | 电话号码 手机号
title: title job_title position_title | 职位 头衔
framework: framework frameworks | 框架
model: model models | 模型
country: country countries nation | 国家
cities: city cities town | 城市
"""

# What a relation accepts as a replaced value. ``*`` any value; otherwise classes of the value.
# A relation is named by a concept of SYNONYMS or by a word of its own.
SINGLE_VALUED = """
*: origin destination study_at work deadline expire birthday born married cost salary port timeout
  limit password favourite capital address phone_number title report escalate assign contact age
  nationality version retention gender hometown spouse default is_called theme native_language
  mother_tongue destination nickname location headquarters occupation
place: live locate deploy host store keep office house meeting work ship hold
person: lead owner
wish: prefer favourite
when: deadline expire birthday born hold
"""

# Relations that hold of many values at once: another value is another fact.
MANY_VALUED = """
work_on speak know learn visit attend buy play own_pet support contain eat drink like accept
  accepts accepted has have own read watch meet met try tried see saw like love enjoy adore collect
  write wrote integrate integrates recommend recommends help helped teach taught call called_on
  talk talked mention mentioned share shared receive received gift donate includes offers sell
  sells cook cooks bake bakes paint paints painted grow grows follows follow uses_also befriend go
  went take took made make found find discover discovered feel felt think thought practise practice
  practises practices
| 有 吃 喝 看 读 听 买 玩 弹 拉 学 去 参加 认识 喜欢 支持 包含 做 画 写 收集 推荐 分享 收到 送给
  帮助 教 聊 提到 觉得 感到 发现 练习 打 唱 拍 种 养
"""

# What happens on a calendar: its time is a property of it, not of one occurrence.
SCHEDULED = """
meeting standup release deploy deadline expire begin end birthday born due deadline backup cron job
  schedule scheduled appointment flight exam interview launch launches freeze opens closes open
  close webinar retro retrospective sync class lesson course event party wedding conference shift
  maintenance takes_place take_place held collected review demo delivery invoice payday runs run
  renewal renews departs arrives check-in checkout session offsite import export
| 定时任务 会议 周会 例会 站会 截止 到期 生日 出生 发布 发版 上线 备份 面试 考试 航班 预约 婚礼
  课程 课 值班 维护 冻结 开门 关门 营业 举行 举办 运行 启动 开始 结束 任务 收 演示 评审 复盘 出发
  到达 发车 团建 发工资 发薪 续费 例行 导出 导入 活动 培训 开会 见面 交付 提醒 安排
"""

# Chinese compounds that must not be read as the shorter words inside them.
COMPOUNDS = """
超过 功能 性能 智能 能力 能源 可能性 可靠性 可用性 大会 大学 大楼 大家 大型 小学 小组 小区 小说
  小时候 高中 高新区 高级 高速 高铁站 长期 校长 部长 会长 市长 家长 成长 长度 长城 开发 开发者 开会
  开源 开销 公开课 前台 后台 前端 后端 前门 后门 前轮 后轮 前排 后排 前任 后任 前半 后半 前面 后面
  前天 后天 今后 最后 先后 后果 后悔 前提 目前 午后 午前 以前 以后 之前 之后 先生 学生 医生 新人
  新闻 新建 新版 多少 多数 多样 少年 老板 老家 老师 热水 热门 冷门 冷静 白天 黑板 红酒 绿化 蓝牙
  黄金 强度 弱点 快递 快照 慢性 满足 空间 空调 真实 真正 对方 对话 对象 对比 错过 自动化 手动挡
  存在 现在 实在 正在 内存 内容 内部 外面 里面 上面 下面 上级 下级 上海人 下属 上传 下载 上线 下线
  用户 用法 作用 应用 应用程序 手机应用 使用者 费用 信用 信用卡 公用 有限 有效 有关 所有者 没收
  无关 会员 机会 社会 协会 聚会 会话 会计 学会 学习 学校 大学生 数学 科学 做法 看法 听说 听众 说明
  小说家 说法 养老 爱人 爱情 可爱 爱心 画面 计划 打印 打卡 打算 拍照 重要 重量 重点 轻松 体重 沉默
  干净 能干 干部 湿度 厚度 苦恼 辛苦 到达 得到 达到 提到 收到 感到 遇到 看到 见到 找到 做到 等到
  方向 倾向 向导 为什么 因为 认为 行为 作为 从事 从前 从来 自从 由于 理由 自由 给予 供给 被子 被动
  把握 对于 关于 至于 终于 属于 位于 等于 基于 是否 还是 就是 总是 可是 但是 或是 成为 需要 需求
  重要性 主要 要素 年会 晚会 社团 二手 一起 一样 一直 一般 一致 一切 一定 万一 千万 三明治 四季
  五官 百货 十足 锁住 抓住 停住 留住 一边 一半 唯一 统一 单一 第一
"""

EVENTS = """
crash crashed failed broke locked lost collapsed exploded leaked hacked
| 宕机 崩溃 失败 失败了 出错 报错 中断 挂了 丢失 锁住 泄露 断电
"""

PAST = """
went flew ran saw met bought took made gave found got came left read told said thought felt began
  wrote drove rode ate drank swam sang spoke won lost built taught caught brought broke chose fell
  held knew paid sent sold slept spent stood threw wore hung did was_at were_at
"""
