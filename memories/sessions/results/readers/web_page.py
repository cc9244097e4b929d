"""A web page: its title, its main text and where its links go."""

import re
from contextlib import suppress
from html.parser import HTMLParser

from memories.sessions.results.given import Given
from memories.sessions.results.meaning import Reader, Reading, bounded

WEB = re.compile(r"\b(?:fetch|browse\w*|web\w*|url|page|scrape|crawl|navigate|open url)\b")
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|article|title)\b", re.IGNORECASE)
_MOST = 300_000
_NOT_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "nav", "header", "footer", "aside", "form")
)
_MAIN = frozenset(("main", "article"))
_LINKS = 3


class _Page(HTMLParser):
    """Collects a page's title, text, the text of its main part, and links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.text: list[str] = []
        self.main: list[str] = []
        self.links: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _NOT_TEXT or tag in _MAIN or tag == "title":
            self._inside.append(tag)
        target = dict(attrs).get("href") if tag == "a" else None
        if target and not self._hidden() and not target.startswith(("#", "javascript:")):
            self.links.append(target[:200])

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside[-8:]:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not data.strip():
            return
        if "title" in self._inside[-1:]:
            self.title.append(data)
        elif not self._hidden():
            self.text.append(data)
            if not _MAIN.isdisjoint(self._inside):
                self.main.append(data)

    def _hidden(self) -> bool:
        return not _NOT_TEXT.isdisjoint(self._inside[-8:])


def _read(given: Given) -> Reading | None:
    html = given.words("html", "body", "content", "text") or given.text
    if _HTML.search(html[:5000]):
        return Reading(_of_html(html))
    if given.words("url", "href") and given.words("title", "text", "content", "markdown"):
        return Reading(_of_fields(given))
    if WEB.search(given.tool) and given.text.strip():
        return Reading(bounded(given.text))
    return None


def _of_html(html: str) -> str:
    page = _Page()
    # Never closed: the parser would look through an unclosed rest again for every “<” in it. The
    # last tag makes it hand out the last text. AssertionError is its word for a broken “<![”.
    with suppress(AssertionError):
        page.feed(html[:_MOST] + "<br>")
    return _told(" ".join(page.title), " ".join(page.main or page.text), page.links)


def _of_fields(given: Given) -> str:
    found = given.facts.get("links")
    links = [link for link in found if isinstance(link, str)] if isinstance(found, list) else []
    return _told(given.words("title"), given.words("text", "content", "markdown"), links)


def _told(title: str, text: str, links: list[str]) -> str:
    where = "; ".join(dict.fromkeys(links[:_LINKS]))
    more = f"; {len(links) - _LINKS} more" if len(links) > _LINKS else ""
    tail = f" [links: {bounded(where, 150)}{more}]" if where else ""
    body = " — ".join(part for part in (title.strip(), text.strip()) if part)
    return bounded(body, 400 - min(len(tail), 200)) + tail


READER = Reader(shape="web_page", rank=20, read=_read)
