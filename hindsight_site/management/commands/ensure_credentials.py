"""The first person, the first space and the first agent key, made once and remembered in a file."""

import json
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from hindsight_site.accounts.models import User
from hindsight_site.local.system import read_text, write_private
from memories.identity import actor_for_key, issue_key
from memories.models import Agent, Membership, Space

USERNAME, SPACE, AGENT = "admin", "home", "first-agent"


class Command(BaseCommand):
    help = "Make the first user, space and agent key if they are missing, and print them as JSON."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--remember",
            action="store_true",
            help="keep them in HINDSIGHT_HOME",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = settings.HINDSIGHT_HOME / "credentials.json"
        known = _remembered(path) if options["remember"] else {}
        with transaction.atomic():
            space, _made = Space.objects.get_or_create(slug=SPACE, defaults={"name": "Home"})
            password = _password(space, known.get("password", ""))
            key = _agent_key(space, known.get("agent_key", ""))
        now = {"username": USERNAME, "password": password, "agent_key": key, "space": space.slug}
        if options["remember"] and now != known:
            write_private(path, json.dumps(now))
        self.stdout.write(json.dumps(now))


def _remembered(path: Path) -> dict[str, str]:
    text = read_text(path)
    known: dict[str, str] = json.loads(text) if text else {}
    return known


def _password(space: Space, known: str) -> str:
    """Return the first person's password, or "" when the person has changed it since."""
    user = User.objects.filter(username=USERNAME).first()
    if user is not None:
        return known if known and user.check_password(known) else ""
    password = secrets.token_urlsafe(9)
    user = User.objects.create_superuser(USERNAME, password=password)
    Membership.objects.create(space=space, user=user, role=Membership.Role.ADMIN)
    return password


def _agent_key(space: Space, known: str) -> str:
    actor = actor_for_key(known)
    if actor is not None and actor.space_id == space.pk:
        return known
    agent, _made = Agent.objects.get_or_create(space=space, name=AGENT)
    return issue_key(agent)[1]
