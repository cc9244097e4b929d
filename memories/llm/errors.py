"""Why no answer came: LlmDown for callers, the others between the client's own parts."""


class LlmDown(Exception):
    """No usable answer came; the text says why, in a sentence. Do it by rules.

    `pause` is for how many seconds asking again is in vain.
    """

    def __init__(self, why: str, *, pause: float = 0.0) -> None:
        super().__init__(why)
        self.pause = pause


class LlmRefused(LlmDown):
    """The model does not want to answer this; asking again is in vain."""


class Fault(Exception):
    """One try failed and another may not; `wait` is how many seconds the server asks for."""

    def __init__(self, why: str, *, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


class FormRefused(Exception):
    """The server does not take a request of this form, or breaks on it."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}".strip())
        self.status = status


class Unfit(Exception):
    """What the model wrote is not what it was asked for; the text tells the model why."""
