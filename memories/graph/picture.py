"""A neighbourhood as a small picture: numbers for an SVG, laid out here, drawn by a template.

The memory is in the middle, its neighbours left and right of it in the order of their links. All
lengths are in the picture's own units.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.graph.links import TYPES, Neighbour, Neighbourhood
from memories.models.memory import LIVE

BOX, HEIGHT, GAP = 210, 52, 140
"""Width and height of a box, and what is between two of them for an edge's label."""
STEP = 64
"""From one neighbour to the next one beneath it."""
MARGIN = 8
MOST_DRAWN = 8
"""Neighbours in the picture; the list beside it has all."""
LINE = 24
"""Halves of a wide character that a line of a box holds."""
LABEL_UNIT = 7


@dataclass(frozen=True, slots=True)
class Box:
    """A memory's place: its corner and its text in at most two lines; `past`: not in use now."""

    x: int
    y: int
    lines: tuple[str, ...]
    past: bool = False

    @property
    def text_x(self) -> int:
        return self.x + 12

    @property
    def rows(self) -> list[tuple[int, str]]:
        """Each line with its baseline."""
        first = 31 if len(self.lines) == 1 else 22
        return [(self.y + first + 18 * place, line) for place, line in enumerate(self.lines)]


@dataclass(frozen=True, slots=True)
class Edge:
    """A curve from the middle to a neighbour; its label reads along the `arrow`, if any."""

    path: str
    type: str
    label: str
    label_x: int
    label_y: int
    label_top: int
    label_left: int
    label_width: int
    arrow: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything a template needs to draw a neighbourhood; `links` is what it shows."""

    links: Neighbourhood
    width: int
    height: int
    box_width: int
    box_height: int
    middle: Box
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]


def pictured(links: Neighbourhood) -> Picture | None:
    """Return the picture of a neighbourhood, None for a memory without neighbours."""
    drawn = links.neighbours[:MOST_DRAWN]
    if not drawn:
        return None
    right, left = drawn[::2], drawn[1::2]
    height = len(right) * STEP - (STEP - HEIGHT) + 2 * MARGIN
    centre = MARGIN + (BOX + GAP if left else 0)
    width = centre + BOX + GAP + BOX + MARGIN
    middle = Box(centre, (height - HEIGHT) // 2, _lines(links.memory.content))
    placed = [*_column(right, width - BOX - MARGIN, height), *_column(left, MARGIN, height)]
    boxes = tuple(box for _one, box in placed)
    edges = tuple(_edge(one, middle, box) for one, box in placed)
    return Picture(links, width, height, BOX, HEIGHT, middle, boxes, edges)


def _column(side: Sequence[Neighbour], x: int, height: int) -> Iterator[tuple[Neighbour, Box]]:
    """Yield the neighbours of one side with their places, from the top."""
    top = (height - len(side) * STEP + STEP - HEIGHT) // 2
    for place, one in enumerate(side):
        past = one.memory.status not in LIVE
        yield one, Box(x, top + place * STEP, _lines(one.memory.content), past)


def _edge(one: Neighbour, middle: Box, box: Box) -> Edge:
    """Return the curve between two boxes with its label half-way."""
    to_right = box.x > middle.x
    x1, x2 = (middle.x + BOX, box.x) if to_right else (middle.x, box.x + BOX)
    y1, y2 = middle.y + HEIGHT // 2, box.y + HEIGHT // 2
    bend = (x2 - x1) // 2
    gap = 3 if to_right else -3
    path = f"M{x1 + gap} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2 - gap} {y2}"
    label = str(TYPES[one.type][0])
    width = round(_width(label) * LABEL_UNIT) + 12
    # Nearer to the neighbour, where the curves have parted.
    x, y = round(x1 + (x2 - x1) * 0.6), round(y1 + (y2 - y1) * 0.72)
    arrow = "" if not one.directed else "end" if one.outward else "start"
    return Edge(path, one.type, label, x, y + 4, y - 9, x - width // 2, width, arrow)


def _lines(text: str) -> tuple[str, ...]:
    """Break a text into at most two lines that fit a box, cut with an ellipsis."""
    rest = " ".join(text.split())
    lines: list[str] = []
    while rest and len(lines) < 2:
        line, rest = _line(rest, last=len(lines) == 1)
        lines.append(line)
    return tuple(lines)


def _line(text: str, *, last: bool) -> tuple[str, str]:
    if _width(text) <= LINE:
        return text, ""
    fits = 0
    for size in range(1, len(text) + 1):
        if _width(text[:size]) > LINE - last:
            break
        fits = size
    if last:
        return text[:fits].rstrip() + "…", ""
    space = text.rfind(" ", fits // 2, fits + 1)
    cut = space if space > 0 else fits
    return text[:cut].rstrip(), text[cut:].lstrip()


def _width(text: Sequence[str]) -> int:
    """Return how many halves of a wide character a text takes."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
