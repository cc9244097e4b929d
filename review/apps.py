from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        """Let this room hear when what it refers to is erased, and say what is always on in it."""
        from review import erasing, sweeps  # noqa: F401

        sweeps.register_all()
