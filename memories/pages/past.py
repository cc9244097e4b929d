"""The pages of a memory's past: two versions side by side, who said what, the export."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories.errors import Invalid, Stale
from memories.lifecycle import compare_versions, history_export, restore_version
from memories.lifecycle.versions import blame_of
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.forms import ChangeForm
from memories.pages.toast import undoable
from memories.reading import get_memory


@require_safe
@member_page
def compare(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """Two versions side by side; without numbers the newest and the one before."""
    memory = get_memory(actor=request.actor, memory_id=memory_id)
    newer = number_of(request.GET.get("to")) or memory.version
    older = number_of(request.GET.get("from")) or max(newer - 1, 1)
    found = compare_versions(actor=request.actor, memory_id=memory_id, older=older, newer=newer)
    may_write = "write" in request.actor.verbs
    same = not found.altered and all(
        piece.side == "both" for piece in (*found.content, *found.reflection)
    )
    context = {
        "memory": memory,
        "found": found,
        "ends": (found.older, found.newer),
        "same": same,
        "may_write": may_write,
    }
    return render(request, "memories/compare.html", context)


@require_safe
@member_page
def blame(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """The present text, each sentence with the version that brought it."""
    memory = get_memory(actor=request.actor, memory_id=memory_id)
    context = {"memory": memory, "told": blame_of(actor=request.actor, memory=memory)}
    return render(request, "memories/blame.html", context)


@require_safe
@member_page
def export(request: MemberRequest, memory_id: UUID) -> HttpResponse:
    """The whole history as a file."""
    told = history_export(actor=request.actor, memory_id=memory_id)
    answer = JsonResponse(told, json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer["Content-Disposition"] = f'attachment; filename="memory-{memory_id}.json"'
    return answer


@posts_to("memories:version")
@member_page
def restore(request: MemberRequest, memory_id: UUID, number: int) -> HttpResponse:
    """Make what a version said the newest version; a refusal says so on the memory's page."""
    form = ChangeForm(request.POST)
    get_memory(actor=request.actor, memory_id=memory_id)
    if not form.is_valid():
        messages.error(request, _("This form was sent in part. Load the page again."))
        return redirect("memories:detail", memory_id)
    try:
        memory = restore_version(
            actor=request.actor,
            memory_id=memory_id,
            number=number,
            expected_version=form.cleaned_data["version"],
            reason=form.cleaned_data["reason"],
        )
    except (Invalid, Stale) as error:
        messages.error(request, error.message)
    else:
        said = _("Version %(old)d is version %(new)d now.") % {"old": number, "new": memory.version}
        back = reverse("memories:restore_version", args=(memory_id, memory.version - 1))
        messages.success(request, undoable(request, said, back, version=memory.version))
    return redirect("memories:detail", memory_id)


@require_safe
@member_page
def version(request: MemberRequest, memory_id: UUID, number: int) -> HttpResponse:
    """A version is seen beside the newest one."""
    get_memory(actor=request.actor, memory_id=memory_id)
    return redirect(f"{reverse('memories:compare', args=(memory_id,))}?from={number}")


def number_of(text: str | None) -> int | None:
    """Return the number that an address gives, None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
