"""Who says it: “I like tea”, said by Ann → “Ann likes tea”; what is not certain keeps its words.

A sentence is rewritten only when nothing in it can be misread: no question, quotation or other
person addressed, only verbs that are known. Else it stands as it was said, after “Ann: ”.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memories.distillation.rules.verbs import ADVERBS, after_name, changes, is_base
from memories.text.tokens import HAN

_GENERIC = frozenset(
    {"user", "human", "assistant", "ai", "bot", "system", "me", "customer", "用户"}
)
_QUOTED = re.compile(r"[\"“”「」『』]|(?<!\w)['‘].+['’](?!\w)")
_TOKEN = re.compile(r"\w+n't\b|'\w+|\w+(?:-\w+)*|[^\w\s]|\s+", re.IGNORECASE)
_FIRST = frozenset({"i", "me", "my", "mine", "myself"})
_UNSAFE = re.compile(
    r"\b(?:we|us|our|ours|ourselves|let's|you|your|yours|yourself|lemme|gonna|wanna|gotta|im"
    r"|ive)\b|[?？]",
    re.IGNORECASE,
)
# Somebody else in the sentence whom “they” could mean.
_OTHERS = re.compile(
    r"\b(?:they|them|their|theirs|themselves|people|folks|guys|kids|children|friends|parents"
    r"|\w+s who)\b",
    re.I,
)
# What may be several, so that “they” could mean it.
_MANY = re.compile(
    r"\b(?!(?:is|was|has|does|this|its|as|us|always|his|yes|plus|across|perhaps|sometimes)\b)"
    r"\w{2,}(?<!s)s\b",
    re.IGNORECASE,
)
_LATER = {"me": "them", "my": "their", "mine": "theirs", "myself": "themself"}
_HAN_UNSAFE = re.compile(
    r"\b(?:I|[Mm]y|[Mm]e)\b|你|您|我们|咱|[?？]|自我|我[国司方校行]|忘我|[“”「」『』]|本人"
)
_HAN_KIN = re.compile(
    r"我(?=妈|爸|哥|姐|弟|妹|爷|奶|爱人|老婆|老公|太太|妻子|丈夫|儿子|女儿|女友|男友|女朋友|男朋友)"
)
_HAN_I = re.compile(r"我(?!们)")


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks: a name, or nobody in particular (“the user”)."""

    name: str = ""

    def called(self, han: bool) -> str:
        return self.name or ("用户" if han else "The user")

    def within(self, han: bool) -> str:
        """Return the name as it stands inside a sentence; a Latin one keeps a space to Chinese."""
        name = self.name or ("用户" if han else "the user")
        return f"{name} " if han and not HAN.match(name[-1]) else name


def speaker_of(name: str) -> Speaker:
    """Return the speaker of a turn; “user” and the like are no names."""
    plain = " ".join(name.split())
    return Speaker("" if plain.casefold() in _GENERIC or len(plain) > 60 else plain)


def spoken(parts: Sequence[str], speaker: Speaker) -> str:
    """Return sentences of one speaker as a text that can be read alone."""
    text = "".join(parts)
    han = bool(HAN.search(text))
    rewrite: Callable[[str, str], str | None] = _in_chinese if han else _in_english
    name = speaker.called(han)
    rewritten = [rewrite(part.replace("’", "'"), name) for part in parts]
    told = joined([part for part in rewritten if part is not None])
    certain = all(part is not None for part in rewritten)
    if certain and (name in told or not speaker.name):
        return told
    return f"{name}{'：' if han else ': '}{joined(parts)}"


def joined(parts: Sequence[str]) -> str:
    """Return sentences as one text: a space between English ones, none between Chinese ones."""
    return ("" if HAN.search("".join(parts)) else " ").join(part.strip() for part in parts)


def _in_chinese(sentence: str, name: str) -> str | None:
    if not _HAN_I.search(sentence):
        return None if _HAN_UNSAFE.search(sentence) else sentence
    if _HAN_UNSAFE.search(sentence):
        return None
    owned = _HAN_KIN.sub("我的", sentence)
    if HAN.match(name[-1]):
        return _HAN_I.sub(name, owned)
    # A Latin name keeps a space to the Chinese on both sides.
    return re.sub(rf"(?<=[\u4e00-\u9fff]){_HAN_I.pattern}", f" {name} ", owned).replace(
        "我", f"{name} "
    )


def _in_english(sentence: str, name: str) -> str | None:
    tokens = _TOKEN.findall(sentence)
    mine = [place for place, token in enumerate(tokens) if token.lower() in _FIRST]
    if _UNSAFE.search(sentence) or (mine and _QUOTED.search(sentence)):
        return None
    if not mine:
        return sentence
    return _Rewriting(tokens, name).run()


class _Rewriting:
    """One sentence on its way from the first person to the third."""

    def __init__(self, tokens: list[str], name: str) -> None:
        self._tokens = tokens
        self._name = name
        self._named = False
        self._present = False
        self._form = "\0"
        self._clear = not _OTHERS.search("".join(tokens))

    def run(self) -> str | None:
        place = 0
        while place < len(self._tokens):
            word = self._tokens[place].lower()
            if word in _FIRST and not self._replace(place, word):
                return None
            if word in {"and", "or", "but"} and self._present and self._verb_follows(place):
                return None
            place += 1
        text = "".join(self._tokens)
        return text[:1].upper() + text[1:]

    def _replace(self, place: int, word: str) -> bool:
        if self._named:
            return self._again(place, word)
        if word not in {"i", "my"} or not self._begins(place):
            return False
        self._named = True
        if word == "my":
            self._tokens[place] = f"{self._called(place)}'s"
            return True
        self._tokens[place] = self._called(place)
        return self._conjugate(place)

    def _called(self, place: int) -> str:
        return self._name.replace("The user", "the user") if place else self._name

    def _begins(self, place: int) -> bool:
        """Whether the first mention is the subject of a main clause, which all else follows."""
        before = "".join(self._tokens[:place]).strip().lower()
        return not before or bool(
            re.fullmatch(r"[\w\s'-]{1,40},|(?:and|but|so|then|also|now|today|yesterday)", before)
        )

    def _conjugate(self, place: int) -> bool:
        at = self._verb_place(place)
        if at is None:
            return False
        form = after_name(self._tokens[at].lower(), self._word_after(at))
        if form is None:
            return False
        self._form = form
        self._present = self._present or changes(self._tokens[at].lower())
        self._set(at, form)
        return True

    def _again(self, place: int, word: str) -> bool:
        """A later mention: the name again, or “their”, “them” where nobody else can be meant."""
        clear = self._clear and not _MANY.search(
            "".join(self._tokens[:place]).replace(self._form, "")
        )
        if word == "i":
            self._tokens[place] = self._called(place)
            return self._conjugate(place)
        if word == "my" and not clear:
            self._tokens[place] = f"{self._called(place)}'s"
            return True
        self._tokens[place] = _LATER[word]
        return clear

    def _verb_place(self, place: int) -> int | None:
        for at in range(place + 1, min(place + 7, len(self._tokens))):
            token = self._tokens[at].lower()
            if not token.isspace() and token not in ADVERBS:
                return at
        return None

    def _word_after(self, place: int) -> str:
        later = (token.lower() for token in self._tokens[place + 1 :])
        return next((token for token in later if not token.isspace() and token not in ADVERBS), "")

    def _verb_follows(self, place: int) -> bool:
        return is_base(self._word_after(place))

    def _set(self, place: int, form: str) -> None:
        contracted = self._tokens[place].startswith("'")
        self._tokens[place] = f" {form}" if contracted else form
