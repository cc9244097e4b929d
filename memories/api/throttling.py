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
    """Counts by agent or person, over all their keys; without Redis everyone passes.

    A call that does the work of many counts as so many: it has to wait until there is room for all
    of them. One that is larger than the rate needs an empty window, and fills the next ones, too.
    """

    scope = "actor"
    calls = 1
    history: list[float]
    num_requests: int
    duration: int

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Return whether this call is within the rate."""
        self.calls = getattr(view, "calls", 1)
        try:
            return super().allow_request(request, view)
        except (RedisError, OSError) as error:
            logger.warning("calls are not counted while Redis is away: %s", error)
            return True

    def throttle_success(self) -> bool:
        """Count the call, if there is room for all that it counts as."""
        if self._too_many() > 0:
            return self.throttle_failure()
        # The newest first; what is beyond the rate counts in the windows after this one.
        windows = [place // self.num_requests for place in reversed(range(self.calls))]
        self.history = [self.now + self.duration * window for window in windows] + self.history
        self.cache.set(self.key, self.history, self.duration * (windows[0] + 1))
        return True

    def wait(self) -> float:
        """Return the seconds after which enough of the earlier calls no longer count."""
        too_many = self._too_many()
        return self.history[-too_many] + self.duration - self.now if too_many > 0 else self.duration

    def _too_many(self) -> int:
        """Return how many of the earlier calls leave no room for this one."""
        return len(self.history) + self.calls - max(self.num_requests, self.calls)

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        """Return whose calls are counted; None (nobody known) is never throttled."""
        if isinstance(request.auth, Actor):
            return f"throttle:agent:{request.auth.id}"
        return f"throttle:user:{request.user.pk}" if request.user else None
