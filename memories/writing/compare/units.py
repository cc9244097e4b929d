"""Number words, months, weekdays and units of both languages, as plain tables."""

import re


def _listed(text: str) -> list[str]:
    return text.split()


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mondays mon 一", "tuesday tuesdays tue tues 二", "wednesday wednesdays wed 三",
            "thursday thursdays thu thur thurs 四", "friday fridays fri 五",
            "saturday saturdays sat 六", "sunday sundays sun 日 天",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip

ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        _listed(
            "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
            " sixteen seventeen eighteen nineteen twenty"
        ),
        2,
    )
} | {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "dozen": 12, "twice": 2, "thrice": 3,
}  # fmt: skip

ORDINALS = {
    word: number
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        1,
    )
}

MULTIPLIERS = {
    "k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9, "hundred": 100,
    "百": 1e2, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8,
}  # fmt: skip

# Base units: second, month, byte, metre, gram, litre, hertz.
_SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "duration": (
        (1e-6, "μs us microsecond microseconds 微秒"),
        (1e-3, "ms msec millisecond milliseconds 毫秒"),
        (1, "s sec secs second seconds 秒 秒钟"),
        (60, "min mins minute minutes 分钟 分"),
        (3600, "h hr hrs hour hours 小时 个小时 钟头 个钟头"),
        (86400, "d day days 天 日"),
        (604800, "week weeks 周 星期 个星期 礼拜 个礼拜"),
    ),
    "months": (
        (1, "month months 个月"),
        (3, "quarter quarters 个季度"),
        (12, "year years yr yrs 年"),
    ),
    "bytes": (
        (1, "byte bytes 字节"),
        (1024, "kb kib"),
        (1024**2, "mb mib 兆"),
        (1024**3, "gb gib"),
        (1024**4, "tb tib"),
        (1024**5, "pb"),
    ),
    "bitrate": ((1e3, "kbps kbit/s"), (1e6, "mbps mbit/s"), (1e9, "gbps gbit/s")),
    "length": (
        (1e-3, "mm millimetre millimetres millimeter millimeters 毫米"),
        (1e-2, "cm centimetre centimetres centimeter centimeters 厘米 公分"),
        (1, "m metre metres meter meters 米"),
        (1e3, "km kilometre kilometres kilometer kilometers 公里 千米"),
        (0.0254, "inch inches 英寸"),
        (0.3048, "ft foot feet 英尺"),
        (1609.344, "mile miles 英里"),
        (500, "里地"),
    ),
    "area": ((1, "m2 sqm 平米 平方米 平方"),),
    "weight": (
        (1e-3, "mg milligram milligrams 毫克"),
        (1, "g gram grams 克"),
        (1e3, "kg kilo kilos kilogram kilograms 公斤 千克"),
        (500, "斤"),
        (1e6, "ton tons tonne tonnes 吨"),
        (453.592, "lb lbs pound_weight"),
    ),
    "volume": ((1e-3, "ml millilitre millilitres 毫升"), (1, "l litre litres liter liters 升")),
    "pressure": ((1, "bar bars"), (0.0689476, "psi")),
    "percent": ((1, "% percent pct 个百分点"),),
    "celsius": ((1, "°c ℃ celsius 摄氏度 度"),),
    "hertz": ((1, "hz 赫兹"), (1e6, "mhz"), (1e9, "ghz")),
    "rate": ((1, "rps qps tps req/s"),),
    "power": ((1, "w watt watts 瓦"), (1e3, "kw kilowatt")),
    "energy": ((1, "kcal calories 卡路里 大卡"),),
    "pixels": ((1, "px pixel pixels 像素"),),
    "points": ((1, "pt point points -point"),),
    "usd": ((1, "$ usd dollar dollars 美元 美金"),),
    "eur": ((1, "€ eur euro euros 欧元"),),
    "gbp": ((1, "£ gbp pound pounds 英镑"),),
    "cny": ((1, "¥ 元 块 块钱 rmb cny yuan 人民币"),),
    "jpy": ((1, "jpy yen 日元"),),
    "age": ((12, "岁 周岁"),),
}

# Names of the dimensions, and of a bare count.
DIMENSIONS = ("number", *_SCALES)

UNITS: dict[str, tuple[str, float]] = {
    name.replace("_", " "): (dimension, factor)
    for dimension, scale in _SCALES.items()
    for factor, names in scale
    for name in names.split()
}

CURRENCY_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "cny"}

# Chinese measure words that turn a numeral into a count.
MEASURES = _listed(
    "个 条 次 台 人 位 只 件 张 名 家 辆 本 套 层 份 倍 档 轮 颗 页 "
    "席 间 项 种 杯 瓶 封 门 组 行 列 核 口 头 匹 把 副 票 款 级 段 "
    "节 句 字 步 架 艘 座 根 棵 支 遍 趟 期 届 班 集 篇 部 首 副本 "
    "节点 分支 号店 实例 线程 进程 并发 孩子 号 "
)

ZH_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_ZH_TENS = {"十": 10, "百": 100, "千": 1000}


def chinese_number(text: str) -> int:
    """The value of a Chinese numeral such as 三百二十 or 二〇二七."""
    if not any(char in text for char in "十百千万亿"):
        return int("".join(str(ZH_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in ZH_DIGITS:
            digit = ZH_DIGITS[char]
        elif char in _ZH_TENS:
            section += (digit or 1) * _ZH_TENS[char]
            digit = 0
        else:
            total = (total + section + digit) * (10**4 if char == "万" else 10**8)
            section = digit = 0
    return total + section + digit


def alternatives(names: object) -> str:
    """A regular-expression alternation, longest first."""
    return "|".join(re.escape(str(name)) for name in sorted(names, key=len, reverse=True))  # type: ignore[call-overload]
