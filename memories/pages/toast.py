"""What a page says after something was done to a memory, with the way back."""

from django.template.loader import render_to_string

from memories.pages.access import MemberRequest


def undoable(request: MemberRequest, said: str, undo: str, **fields: str | int) -> str:
    """Return the HTML that says what was done, with a form that posts `fields` to `undo`."""
    context = {"said": said, "undo": undo, "fields": fields}
    return render_to_string("memories/_toast.html", context, request)
