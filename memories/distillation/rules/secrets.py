"""What must never become a memory: passwords, tokens, keys. Shapes, not names of services alone."""

import re

MASK = "•••"
# Tokens that tell by their own shape.
_SHAPES = (
    r"(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}",
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_\w{20,}",
    r"glpat-[\w-]{16,}",
    r"xox[abposr]-[\w-]{10,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[\w-]{30,}",
    r"ya29\.[\w-]{20,}",
    r"hf_[A-Za-z0-9]{20,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"hs_[A-Za-z0-9_-]{20,}",
    r"eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]+)?",
)
_NAMED = (
    r"\b(?:pass(?:word|wd|phrase|code)?|pwd|secret(?:[ _-]?key)?|token|pin(?: code)?|cvv"
    r"|(?:api|access|private|auth)[ _-]?(?:key|token))"
    r"|密码|口令|密钥|令牌|验证码|私钥"
)
_END = r"[^\s\"'”`，。,;；]"
_FORMS = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?P<pem>.*?)(?:-----END[^\n]*|\Z)",
    rf"\b(?P<shape>{'|'.join(_SHAPES)})",
    r"://[^\s/:@]+:(?P<url>[^\s/@]{3,})@",
    r"\bbearer\s+(?P<bearer>[\w.~+/=-]{12,})",
    # “password is …” only with a digit or a sign in it: “the password is wrong” is none.
    rf"(?:{_NAMED})(?: (?:for|of) [\w .-]{{1,30}}?)?\s*(?:is\b|are\b|was\b|是|为|设为|改成|改为)"
    rf"\s*[\"'“`]?(?P<told>(?=[^\s，。]*[\d\W_]){_END}{{4,}})",
    rf"(?:{_NAMED})\s+[\"'“`]?(?P<bare>(?=\S*\d){_END}{{6,}})",
    rf"(?:{_NAMED})\s*[:=：]\s*[\"'“`]?(?P<set>{_END}{{4,}})",
)
_SECRET = re.compile("|".join(_FORMS), re.DOTALL | re.IGNORECASE)


def veiled(text: str) -> str:
    """Return the text with a dot for each character of a secret: as long, every place the same."""
    return _SECRET.sub(_veil, text)


def masked(text: str) -> str:
    """Return a veiled text with each secret as MASK, so that not even its length is told."""
    return re.sub(f"{MASK[0]}+", MASK, text)


def _veil(match: re.Match[str]) -> str:
    name = next(name for name, value in match.groupdict().items() if value)
    start, end = (place - match.start() for place in match.span(name))
    return match[0][:start] + MASK[0] * (end - start) + match[0][end:]
