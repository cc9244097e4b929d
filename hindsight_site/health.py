"""GET /health/: does this process reach what it stands on?"""

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from redis import RedisError


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """Return 200 when the database answers, else 503; a cache that is away only degrades."""
    database, redis = _database_answers(), _redis_answers()
    body = {"status": "ok" if database else "down", "database": database, "redis": redis}
    return JsonResponse(body, status=200 if database else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Exception:
        return False
    return True


def _redis_answers() -> bool:
    try:
        cache.get("health")
    except (RedisError, OSError):
        return False
    return True
