"""Who looks at the pages, and what there is to look at: plain helpers for tests of pages."""

from django.test import Client

from hindsight_site.accounts.models import User
from memories.models import Flag, Membership, Space
from memories.permissions import Actor
from memories.writing import write_memory

PASSWORD = "look-back-1"
OLD, NEW = "The billing service uses PostgreSQL.", "The billing service uses MySQL."


def member(space: Space | None, name: str, role: str = "reviewer") -> User:
    """Make a person, in a space unless that is None."""
    user = User.objects.create_user(name, password=PASSWORD)
    if space is not None:
        Membership.objects.create(space=space, user=user, role=role)
    return user


def signed_in(user: User) -> Client:
    """Return a client in which this person has signed in."""
    client = Client()
    client.force_login(user)
    return client


def conflict(actor: Actor, old: str = OLD, new: str = NEW, **said: str) -> Flag:
    """Write two statements that contradict one another and return the flag that was opened.

    They share a subject, so that the pair is found whatever the embedder is busy with.
    """
    said = {"subject": old} | said
    write_memory(actor=actor, content=old, source="tool_result", **said)
    (flag,) = write_memory(actor=actor, content=new, source="user_input", **said).flags
    return flag


def decision(choice: str = "keep_new", **more: str | int) -> dict[str, str | int]:
    """Return what the form of a flag's page sends."""
    form: dict[str, str | int] = {"choice": choice, "note": "", "content": ""}
    return form | {"versions": "1 1"} | more
