"""Keys that may be shown: UUIDv7, so that they sort by time and cannot be guessed or counted."""

import uuid
from datetime import datetime

import uuid_utils.compat


def new_id() -> uuid.UUID:
    """Return a fresh UUIDv7."""
    return uuid_utils.compat.uuid7()


def least_id(moment: datetime) -> uuid.UUID:
    """Return what no UUIDv7 made at that moment or later is less than, and every earlier one is.

    Keys are indexed; so rows older or newer than a moment are found by them.
    """
    return uuid.UUID(int=max(0, int(moment.timestamp() * 1000)) << 80 | 7 << 76 | 0b10 << 62)
