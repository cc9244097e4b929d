"""Passwords, tokens and keys in a text: by their own shape, or by the name they are told under."""

import re

MASK = "•••"
# Stands for a character of a secret; of the private use area, so no text means anything by it.
VEIL = "\uf8ff"

# Tokens that tell by their own shape.
_SHAPES = (
    r"(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{12,}",
    r"(?:gh[pousr]_|github_pat_|glpat-|xox[abposr]-|hs_|hf_|npm_|AIza|ya29\.)[\w-]{12,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",
    r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
)
# Fields and options; “token” without an s: max_tokens=100 is none.
_FIELD = (
    r"[\w-]*(?:(?:password|passwd|passphrase|pwd|secret|credential|api[_-]?key|access[_-]?key"
    r"|private[_-]?key)s?|token)"
)
_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',;&)}\]]+)"
# What people call it.
_NAMED = (
    r"(?:\b(?:pass(?:word|wd|phrase|code)|pwd|secret(?:[ _-]?key)?|token|pin(?: code)?|cvv"
    r"|(?:api|access|private|auth)[ _-]?(?:key|token))"
    r"|密码|口令|密钥|令牌|验证码|私钥)"
)
_END = r"[^\s\"'”`，。,;；]"
_FORMS = tuple(
    re.compile(form, re.DOTALL | re.IGNORECASE)
    for form in (
        r"(?P<it>-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))",
        r"\bauthorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token|digest)\s+)?"
        r"(?P<it>[^\s\"',;]+)",
        r"\bbearer\s+(?P<it>[\w.~+/=-]{8,})",
        r"://[^\s:/@]{0,100}:(?P<it>[^\s/@]{1,200})(?=@)",
        rf"\b(?P<it>{'|'.join(_SHAPES)})",
        rf"(?<![\w-]){_FIELD}[\"']?\s*[:=]\s*(?P<it>{_VALUE})",
        rf"(?<![\w-])-{_FIELD}\s+(?!-)(?P<it>{_VALUE})",
        # “password is …” only with a digit or a sign in it: “the password is wrong” is none.
        rf"{_NAMED}(?: (?:for|of) [\w .-]{{1,30}}?)?\s*(?:is\b|are\b|was\b|是|为|设为|改成|改为)"
        rf"\s*[\"'“`]?(?P<it>(?=[^\s，。]*(?:[\d_]|[^\w\s，。-](?=\w))){_END}{{4,}})",
        rf"{_NAMED}\s+[\"'“`]?(?P<it>(?=\S*\d){_END}{{6,}})",
        rf"{_NAMED}\s*[:=：]\s*[\"'“`]?(?P<it>{_END}{{4,}})",
    )
)
_NAME = re.compile(rf"(?:{_FIELD}|authorization|cookie)", re.IGNORECASE)


def veiled(text: str) -> str:
    """Return the text with one sign for each character of a secret: every place stays the same."""
    for form in _FORMS:
        text = form.sub(_veil, text)
    return text


def masked(text: str) -> str:
    """Return the text with each secret as MASK, so that not even its length is told."""
    return re.sub(f"{VEIL}+", MASK, veiled(text))


def names_secret(name: str) -> bool:
    """Whether a field of this name holds a secret, whatever its value looks like."""
    return _NAME.fullmatch(name) is not None


def _veil(match: re.Match[str]) -> str:
    start, end = (place - match.start() for place in match.span("it"))
    return match[0][:start] + VEIL * (end - start) + match[0][end:]
