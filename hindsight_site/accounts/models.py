"""The person who signs in. Custom from the first migration, so that it can grow."""

import uuid_utils.compat
from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
