"""The product's settings on servers of the tests' own; see tests/services.py."""

import os

from tests import services

services.start()

from hindsight_site.settings import *  # noqa: E402, F403

SECRET_KEY = "tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# A Redis database a worker, as there is a PostgreSQL database a worker.
_worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
REDIS_URL = CELERY_BROKER_URL = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{_worker}"
CACHES["default"]["LOCATION"] = REDIS_URL  # noqa: F405
WHITENOISE_AUTOREFRESH = True
