"""The picture of a neighbourhood: boxes, arrows, words, and a list that says the same."""

import re
from itertools import combinations

from django.template.loader import render_to_string

from memories.graph import links_of, pictured
from memories.graph.picture import BOX, HEIGHT, LINE, MOST_DRAWN, Picture, _width
from memories.models import Memory
from memories.models.graph import Link
from memories.permissions import Actor
from tests.memories.recall.helpers import jot


def picture(actor: Actor, memory: Memory) -> Picture:
    found = pictured(links_of(actor=actor, memory=memory))
    assert found is not None
    return found


def around(actor: Actor, many: int, text: str = "the cache was full, number {}") -> Memory:
    middle = jot(actor, text.format("of all"))
    for n in range(many):
        Link.objects.create(source=middle, target=jot(actor, text.format(n)), type="supports")
    return middle


def test_it_draws_nothing_for_a_lone_memory(actor: Actor) -> None:
    assert pictured(links_of(actor=actor, memory=jot(actor, "alone"))) is None


def test_it_lays_boxes_out_without_overlap(actor: Actor) -> None:
    for many in (1, 2, 5, 12):
        found = picture(actor, around(actor, many, f"{many} notes, {{}}"))
        boxes = [found.middle, *found.boxes]
        assert len(found.boxes) == min(many, MOST_DRAWN) == len(found.edges)
        for one, other in combinations(boxes, 2):
            assert abs(one.x - other.x) >= BOX or abs(one.y - other.y) >= HEIGHT
        for box in boxes:
            assert 0 <= box.x <= found.width - BOX
            assert 0 <= box.y <= found.height - HEIGHT


def test_it_fits_chinese_and_english_into_boxes(actor: Actor) -> None:
    for text in ("生产环境的数据库每天凌晨两点备份到对象存储，保留三十天{}", "word " * 40 + "{}"):
        found = picture(actor, around(actor, 2, text))
        lines = [line for box in found.boxes for line in box.lines]
        assert lines
        assert all(_width(line) <= LINE for line in lines)
        assert found.boxes[0].lines[-1].endswith("…")


def test_it_points_the_way_the_link_goes(actor: Actor) -> None:
    effect, cause = jot(actor, "checkout failed"), jot(actor, "cache was full")
    Link.objects.create(source=effect, target=cause, type="caused_by")
    assert [edge.arrow for edge in picture(actor, effect).edges] == ["end"]
    (edge,) = picture(actor, cause).edges
    assert (edge.arrow, edge.label) == ("start", "caused by")


def test_it_says_everything_in_words_too(actor: Actor) -> None:
    middle = around(actor, 3, "<b>缓存</b> {}")
    html = render_to_string("memories/_links.html", {"links": picture(actor, middle)})
    assert "style=" not in html
    assert "<b>" not in html
    assert 'role="img"' in html
    assert re.search(r"<title[^>]*>[^<]+</title>\s*<desc", html)
    listed = html[html.index("<ul") :]
    assert listed.count("<li>") == 3
    assert "supports" in listed


def test_it_renders_nothing_without_links() -> None:
    assert render_to_string("memories/_links.html", {"links": None}).strip() == ""
