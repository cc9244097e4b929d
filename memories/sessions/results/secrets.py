"""Secrets in arguments and results: recognised by their name or their form, shown as •••."""

import re

MASK = "•••"
# “token” alone: max_tokens=100 is none.
_NAME = (
    r"[\w-]*(?:(?:password|passwd|passphrase|pwd|secret|credential|api[_-]?key|access[_-]?key"
    r"|private[_-]?key)s?|token)"
)
_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',;&)}\]]+)"
# Each pattern keeps its first group, which may be empty, and hides the rest.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        r"(?i)(\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token|digest)\s+)?)[^\s\"',;]+",
        r"(?i)(\bbearer\s+)[\w.~+/=-]{8,}",
        rf"(?i)((?<![\w-]){_NAME}[\"']?\s*[:=]\s*){_VALUE}",
        rf"(?i)((?<![\w-])-{_NAME}\s+)(?!-){_VALUE}",
        r"((?:密码|口令|密钥|令牌)\s*(?:是|为|[:：=])\s*)[^\s，。；,;]+",
        r"(://[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)",
        r"()\b(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{12,}",
        r"()\b(?:AKIA|ASIA)[0-9A-Z]{12,}",
        r"()\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hs_|AIza)[\w-]{12,}",
        r"()\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
    )
)
_SECRET_NAME = re.compile(rf"(?i)(?:{_NAME}|authorization|cookie)")


def masked(text: str) -> str:
    """Return the text with what looks like a secret replaced by •••; what names it stays."""
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{MASK}", text)
    return text


def names_secret(name: str) -> bool:
    """Whether a field of this name holds a secret, whatever its value looks like."""
    return _SECRET_NAME.fullmatch(name) is not None
