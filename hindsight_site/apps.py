from django.apps import AppConfig


class HindsightSiteConfig(AppConfig):
    name = "hindsight_site"

    def ready(self) -> None:
        # The Celery app becomes the current one, so that every room can dispatch by task name.
        from hindsight_site import celery, checks  # noqa: F401
