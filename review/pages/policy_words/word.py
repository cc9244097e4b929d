"""What one number of a policy is called."""

from dataclasses import dataclass

from django.utils.functional import Promise

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Words:
    """What a number is called, and its meaning in one or two sentences."""

    label: Text
    meaning: Text
