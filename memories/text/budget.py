"""How much of a model's context a text takes."""

import re

BYTES_A_TOKEN = 3
"""A cautious measure for any tokeniser: English has 3 to 4 bytes a token, a Chinese character
(3 bytes) is at most about one.
"""
ASTRAL_TOKENS = 3
"""Emoji and rare characters fall apart into up to so many tokens each."""

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    astral = len(_ASTRAL.findall(text))
    other = len(text.encode(errors="surrogatepass")) - 4 * astral
    return -(-other // BYTES_A_TOKEN) + ASTRAL_TOKENS * astral
