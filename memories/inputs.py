"""Short texts and words that any door may hand to any room: cleaned and bounded, or refused by
name."""

from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.text.clean import storable

MAX_NAME = 200  # characters of a user_id, a session, a subject, a key


def short_text(value: str, name: str, most: int) -> str:
    """Return a cleaned optional text of at most `most` characters."""
    if not isinstance(value, str):
        raise Invalid(_("%(field)s must be text.") % {"field": name}, field=name)
    text, _notes = storable(value)
    if len(text) > most:
        raise Invalid(
            _("%(field)s has %(have)d characters, at most %(most)d fit.")
            % {"field": name, "have": len(text), "most": most},
            field=name,
        )
    return text


def one_of(value: str, allowed: list[str], name: str) -> str:
    """Return `value` when it is one of the allowed words."""
    if value in allowed:
        return value
    raise Invalid(
        _("%(field)s must be one of: %(allowed)s.")
        % {"field": name, "allowed": ", ".join(allowed)},
        field=name,
    )
