"""Keys that may be shown: UUIDv7, so that they sort by time and cannot be guessed or counted."""

import uuid

import uuid_utils.compat


def new_id() -> uuid.UUID:
    """Return a fresh UUIDv7."""
    return uuid_utils.compat.uuid7()
