"""Make an agent (if it is new) and a key for it; the key is printed once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from memories.identity import issue_key
from memories.models import Agent, AgentKey, Space


class Command(BaseCommand):
    help = "Create a key for an agent of a space and print it once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("space", help="slug of the space")
        parser.add_argument("agent", help="name of the agent; made when it does not exist")
        parser.add_argument(
            "--scope",
            action="append",
            choices=AgentKey.Scope.values,
            help="default: read and write",
        )
        parser.add_argument("--user", default="", help="bind a new agent to one end user")

    def handle(self, *args: Any, **options: Any) -> None:
        space = Space.objects.filter(slug=options["space"]).first()
        if space is None:
            known = ", ".join(Space.objects.values_list("slug", flat=True)) or "-"
            raise CommandError(
                _("There is no space “%(slug)s”. Known: %(known)s.")
                % {"slug": options["space"], "known": known}
            )
        agent, _made = Agent.objects.get_or_create(
            space=space, name=options["agent"], defaults={"user_id": options["user"]}
        )
        _key, token = issue_key(agent, scopes=options["scope"] or AgentKey.Scope.values)
        self.stdout.write(token)
