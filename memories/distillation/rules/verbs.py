"""English verbs as they follow “I”, and as they follow a name: “I have tried” → “Ann has tried”."""

import re

# Forms of the present that a name changes; every verb not known here is left to its speaker.
_CHANGED = {
    "am": "is", "'m": "is", "have": "has", "'ve": "has", "do": "does", "don't": "doesn't",
    "haven't": "hasn't", "go": "goes", "ain't": "isn't",
}  # fmt: skip
_UNCHANGED = """
was wasn't had hadn't did didn't can can't cannot could couldn't will won't would wouldn't
should shouldn't must mustn't may might used 'll ate awoke beat became began bent bit bled
blew bore bought bound broke brought built burnt came caught chose clung crept dealt drank
dreamt drew drove dug fell felt fled flew forgot fought found froze gave got grew ground heard
held hid hung kept knelt knew laid learnt led left lent lit lost made meant met misunderstood
outgrew overcame paid proved ran rang realised rode rose said sang sank sat saw sent shook
shot shrank slept slid sold sought spent spilt spoke spoilt spun stole stood struck stuck
stung swam swept swore swung taught thought threw told took tore understood undid upheld went
wept withdrew woke won wore wound wove wrote
"""
_SAME = frozenset(_UNCHANGED.split())
_PRESENT = """
accept add admire adore advise agree aim allow answer appreciate ask assume attend avoid bake
begin believe belong bike book bring build buy call care carry change chat check choose clean
climb close code collect commit commute compete consider contribute cook count crave create
cry dance decide depend deploy deserve design develop dislike draw dream drink drive earn eat
enjoy exercise expect explore fear feed feel fight find finish fish fix fly focus follow
forget garden get give grow guess handle hang hate hear help hike hold hope host imagine
improve intend invest jog join keep know lack lead learn leave lift like listen live look lose
love maintain make manage mean meditate mentor merge miss move need notice offer open organize
organise own paint participate pay perform pick plan play practice practise pray prefer
prepare push receive recommend refer relate rely remember rent report require respect review
ride run save say search see sell send serve share shop sing sit sketch skate ski sleep speak
spend stand start stay stick stop store stream struggle study suffer suggest support surf
suspect swim take talk teach tend test think train travel treasure try tutor understand use
value visit volunteer wait wake walk want wash watch wear wish wonder work worry write
"""
_BASE = frozenset(_PRESENT.split())
_NO_PAST = "need feed speed bleed breed proceed exceed succeed embed shed wed heed"
_PLAIN_ED = frozenset(_NO_PAST.split())
_BETWEEN = """
absolutely actually almost also always already clearly completely currently deeply definitely
especially even eventually ever finally fully generally genuinely gladly hardly honestly
initially instead just kinda lately literally mainly mostly never normally now obviously
occasionally often once only originally personally probably quickly rarely really recently
regularly seldom seriously simply slowly sometimes soon still strictly strongly suddenly then
thankfully therefore totally truly typically usually
"""
ADVERBS = frozenset(_BETWEEN.split())
_WISHES = "like love prefer rather say hate recommend want suggest appreciate"
_WOULD = frozenset(_WISHES.split())
_DONE = """
been become begun bought brought built chosen come done drawn driven eaten fallen felt
forgotten found given gone got gotten grown had heard held kept known left lost made meant met
never read run said seen sent set shown sold spent spoken taken taught thought told won worn
written
"""
_PARTICIPLES = frozenset(_DONE.split())


def after_name(verb: str, follows: str) -> str | None:
    """Return the form of `verb` after a name, None when that is not certain.

    `follows` is the next word, which tells what “'d” stands for.
    """
    if verb == "'d":
        return _contracted(follows)
    if verb in _CHANGED:
        return _CHANGED[verb]
    if verb == "'ll":
        return "will"
    if verb in _SAME or (verb.endswith("ed") and verb not in _PLAIN_ED and len(verb) > 3):
        return verb
    return _third_person(verb) if is_base(verb) else None


def is_base(verb: str) -> bool:
    """Whether this is a verb's present form, as far as they are known here."""
    return verb in _BASE or verb in _PLAIN_ED


def changes(verb: str) -> bool:
    """Whether a name asks for another form of this verb than “I” does."""
    return verb in _CHANGED or is_base(verb)


def _contracted(follows: str) -> str | None:
    if follows in _WOULD:
        return "would"
    if follows in _PARTICIPLES or (follows.endswith("ed") and follows not in _PLAIN_ED):
        return "had"
    return None


def _third_person(verb: str) -> str:
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return verb + "es"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + "s"
