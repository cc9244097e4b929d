"""Opposites, in English and Chinese.

One record is one scale: words of the positive pole, ``/``, words of the negative pole; an
indented line goes on with the record. Several words of a pole are synonyms; an underscore is a
space. Meaning is a concept (the first word of the record) and a sign, so that "not enabled" and
"disabled" come out equal and two negatives cancel.
"""

# Verbs and adjectives that deny by themselves: their sign counts even when the other statement
# only negates ("likes" against "does not like" against "hates").
DENIERS = """
allow allowed permit permitted may can able permissible authorized authorised entitled 允许 可以
  准许 许可 能够 能 可 准 / forbid forbidden prohibit prohibited ban banned disallow disallowed
  deny denied cannot can't mustn't must_not may_not not_allowed not_permitted unable 禁止 不许 不准
  不得 不能 不可以 不可 严禁 不允许 禁用于 无法 不让 勿 切勿 请勿
enable enabled on turned_on turn_on switched_on switch_on activate activated active is_on 启用 打开
  开启 启动了 激活 开通 已启用 开着 打开着 / disable disabled off turned_off turn_off switched_off
  switch_off deactivate deactivated inactive 停用 关闭 禁用 关掉 关停 关了 未启用 关上
like love enjoy adore fond_of keen_on fan_of 喜欢 爱 喜爱 热爱 偏爱 爱好 / dislike hate detest
  loathe can't_stand cannot_stand 讨厌 厌恶 不喜欢 反感 憎恶 不爱 受不了
do does keep continue still 继续 仍然 仍 保持 / stop stopped quit cease ceased give_up gave_up
  given_up drop dropped abandon abandoned discontinue discontinued retire retired deprecate
  deprecated remove removed cancel cancelled canceled unsubscribe 停止 停了 放弃 取消 戒了 戒掉 戒
  废弃 弃用 终止 中止 停掉 下线 移除 退订 取消了 不干了
use_it / avoid 避免
"""

# Scales: the sign counts only when both statements speak of the same scale.
SCALES = """
agree accept approve 同意 接受 批准 赞成 / disagree refuse reject decline 拒绝 反对 驳回 不同意
  谢绝
trust 信任 相信 / distrust mistrust doubt 不信任 怀疑
include contain 包含 包括 含有 含 / exclude omit lack 排除 不含 缺少 缺乏 不包括
before prior_to ahead_of 之前 以前 前 / after following 之后 以后 后
long lengthy detailed verbose elaborate thorough wordy 长 详细 详尽 冗长 详 细致 / short brief
  concise terse succinct compact 短 简短 简洁 简要 简明 精简 扼要
open opened 开放 开着门 开门 营业 开 / close closed shut 关闭着 关门 打烊 歇业 关着
public 公开 公有 公用 / private confidential 私有 保密 私密 不公开
sync synchronous 同步 / async asynchronous 异步
opt-in 默认不参与 / opt-out 默认参与
automatic automated automatically auto 自动 自动化 / manual manually by_hand 手动 人工 手工
mandatory required compulsory obligatory 必选 必须的 强制 必填 必需 必做 / optional voluntary 可选
  选填 自愿 非必需 任选 非强制
stateful 有状态 / stateless 无状态
light bright 浅色 亮色 明亮 浅 亮 / dark 深色 暗色 黑暗 暗 深
locked lock 上锁 锁定 锁着 锁上 / unlocked unlock 解锁 未上锁 没锁
hot warm 热 炎热 温暖 烫 / cold cool chilly 冷 寒冷 凉 冰
big large huge bulky 大 巨大 庞大 / small little tiny 小 微小 细小
fast quick rapid speedy 快 快速 迅速 / slow sluggish 慢 缓慢 迟缓
high tall 高 / low 低 矮
strong 强 强壮 / weak feeble 弱 虚弱
cheap inexpensive affordable 便宜 廉价 / expensive costly pricey 贵 昂贵 高价
easy simple 简单 容易 轻松 / hard difficult complex complicated tricky 困难 难 复杂 不易
good great excellent 好 优秀 良好 棒 / bad poor terrible awful 坏 差 糟糕 糟 劣
safe secure 安全 / unsafe insecure dangerous risky 不安全 危险
stable reliable 稳定 可靠 / unstable unreliable flaky 不稳定 不可靠
married 已婚 结婚了 结婚 / single unmarried divorced bachelor 单身 未婚 离婚 离异
alive living 活着 在世 / dead deceased 死了 去世 已故 过世
present attending 在场 出席 / absent missing 缺席 不在场
pass passed succeed succeeded successful success 通过 成功 / fail failed failure unsuccessful 失败
  未通过 没通过 不成功
fixed resolved solved repaired 修好 修复 已修复 解决 已解决 修好了 / broken still_open ongoing
  pending in_progress unfixed unresolved unsolved 坏了 未修复 未解决 没修好 故障着
full occupied 满 满员 / empty vacant free_of 空 空着
true correct right accurate 正确 对 准确 真 / false incorrect wrong inaccurate 错误 错 不正确
  不准确 假
online connected 在线 联网 连线 / offline disconnected 离线 断网 脱机 断开
increase raise grow rise up 增加 上升 增长 上涨 提升 / decrease reduce lower shrink fall down 减少
  下降 降低 下跌 缩减
encrypted 加密 / unencrypted plaintext plain-text cleartext 明文 未加密
mutable writable read-write 可变 可写 读写 / immutable read-only readonly 不可变 只读
internal inside within 内部 内网 里面 之内 / external outside 外部 外网 外面 之外
local on-premise on-premises on-prem self-hosted 本地 自托管 自建 / remote cloud hosted 远程 云端
  云上 托管
full-time 全职 / part-time 兼职
paid 付费 收费 / free free_of_charge 免费
rich wealthy 富有 有钱 / poor_man broke 贫穷 没钱
happy glad 高兴 开心 快乐 / sad unhappy 难过 伤心 不高兴 不开心
healthy well 健康 / ill sick unwell 生病 患病 病了
young 年轻 / old elderly 年老 老
new 新 / used second-hand 二手 旧
temporary interim 临时 暂时 / permanent 永久 长期
singular 单数 / plural 复数
available 可用 有货 / unavailable out_of_stock 不可用 缺货 没货
valid 有效 / invalid expired void 无效 过期 失效
visible shown show displayed 可见 显示 / hidden hide invisible 隐藏 不可见
early 早 提前 / late delayed 晚 迟 推迟 延后 延迟
maximum max at_most no_more_than up_to 最多 至多 不超过 最大 / minimum min at_least no_less_than
  no_fewer_than 至少 最少 不少于 不低于 下限 最小
more 更多 多 / less fewer 更少 少
always every_time 总是 一直 始终 每次都 每次 / seldom rarely hardly_ever 很少 几乎不 难得
sweet 甜 / bitter sour salty 苦 酸 咸
spicy hot-spiced 辣 / mild 不辣 清淡
wet 湿 / dry 干 干燥
thick 厚 / thin 薄
heavy 重 沉 / lightweight 轻 轻便
noisy loud 吵 嘈杂 吵闹 / quiet silent 安静 静音
ascending asc 升序 / descending desc 降序
horizontal 水平 横向 横屏 / vertical 垂直 纵向 竖屏
formal 正式 / informal casual 随意 非正式 口语化
compatible 兼容 / incompatible 不兼容
opensource open-source open_source 开源 / proprietary closed-source closed_source 闭源
dynamic 动态 / static 静态
blocking 阻塞 / non-blocking nonblocking 非阻塞
centralized centralised 集中式 中心化 / decentralized decentralised distributed 分布式 去中心化
monolith monolithic 单体 / microservice microservices 微服务
eager 立即加载 / lazy 惰性 懒加载 延迟加载
verified 已验证 / unverified 未验证
strict 严格 / lenient loose relaxed 宽松
employed 在职 就业 / unemployed jobless 失业 离职 待业
pregnant 怀孕 / not_pregnant 未孕
introvert introverted 内向 / extrovert extroverted 外向
indoor indoors 室内 / outdoor outdoors 室外 户外
smoker smoking 吸烟者 / nonsmoker non-smoker smoke-free 不吸烟者
bullish 看涨 / bearish 看跌
backward-compatible 向后兼容 / breaking 破坏性
case-sensitive 区分大小写 / case-insensitive 不区分大小写
uppercase upper-case 大写 / lowercase lower-case 小写
positive 阳性 积极 正面 / negative 阴性 消极 负面
win won 赢 赢了 获胜 / lose lost 输 输了 落败
possible 可能的 / impossible 不可能
necessary needed 必要 需要 / unnecessary unneeded needless 不必要 不需要 无需
satisfied content 满意 / dissatisfied unsatisfied discontent 不满 不满意
known 已知 / unknown 未知
legal lawful 合法 / illegal unlawful 非法 违法
window_seat window window-side 靠窗 窗边 / aisle_seat aisle 靠过道 靠走道 过道
import 导入 进口 / export 导出 出口
upload 上传 / download 下载
buy purchase 购买 买 / sell 出售 卖 卖掉
push 推送 / pull 拉取
start begin commence launch 开始 启动 / end finish 结束 完结
win-win / zero-sum
"""
