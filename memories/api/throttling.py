"""How many calls an agent or a person may make in a while (API_RATE)."""

import logging
from typing import TYPE_CHECKING

from redis import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from memories.permissions import Actor

if TYPE_CHECKING:  # the framework's views import this module
    from rest_framework.views import APIView

logger = logging.getLogger(__name__)


class ActorThrottle(SimpleRateThrottle):
    """Counts by agent or person, over all their keys; without Redis everyone passes."""

    scope = "actor"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Return whether this call is within the rate."""
        try:
            return super().allow_request(request, view)
        except (RedisError, OSError) as error:
            logger.warning("calls are not counted while Redis is away: %s", error)
            return True

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        """Return whose calls are counted; None (nobody known) is never throttled."""
        if isinstance(request.auth, Actor):
            return f"throttle:agent:{request.auth.id}"
        return f"throttle:user:{request.user.pk}" if request.user else None
