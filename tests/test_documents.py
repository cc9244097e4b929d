"""The documents say what the code does: every variable, every link, every script."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
CONFIGURATION = (PROJECT / "docs" / "configuration.md").read_text()
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in CONFIGURATION.splitlines()
    if line.startswith("| `")
]
DOCUMENTED = {name: row for row in ROWS for name in re.findall(r"`([A-Z_]+)`", row[0])}
ROOMS = ("hindsight_site", "mcp_bridge", "memories", "review", "docker")
DOCUMENTS = [*PROJECT.glob("*.md"), *(PROJECT / "docs").glob("*.md")]
# Belong to the operating system, or are no setting of ours.
FOREIGN = {"PATH", "TMPDIR", "LC_ALL", "CI", "DEBIAN_FRONTEND", "BASH_SOURCE", "SECONDS", "PWD"}
IN_SHELL = re.compile(r"\$\{?([A-Z][A-Z_]{3,})\b")
IN_ENV_STYLE = re.compile(r"^ +([A-Z][A-Z_]{3,}):", re.MULTILINE)


def read_by_python() -> Iterator[tuple[str, ast.Call | None]]:
    """Yield each variable that the product reads or sets, with the call that does."""
    for room in ROOMS:
        for path in (PROJECT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and named(node.func) and node.args:
                    yield from ((name, node) for name in constant(node.args[0]))
                elif isinstance(node, ast.Subscript) and named(node.value):
                    yield from ((name, None) for name in constant(node.slice))


def named(node: ast.expr) -> bool:
    """Whether an expression speaks of the environment: env.x, os.environ.x, _usable_port."""
    return bool(re.search(r"(^|\.)(env|environ)(\.|$)|_usable_port$", ast.unparse(node)))


def constant(node: ast.expr) -> list[str]:
    value = node.value if isinstance(node, ast.Constant) else None
    return [value] if isinstance(value, str) and re.fullmatch(r"[A-Z_]{2,}", value) else []


def read_by_shell() -> set[str]:
    scripts = [*(PROJECT / "script").rglob("*"), PROJECT / "docker" / "entrypoint.sh"]
    compose = (PROJECT / "docker" / "compose.yml").read_text()
    texts = [compose, *(path.read_text() for path in scripts if path.is_file())]
    found = {name for text in texts for name in IN_SHELL.findall(text)}
    return found | set(IN_ENV_STYLE.findall(compose))


def test_it_documents_every_variable() -> None:
    read = {name for name, _ in read_by_python()} | read_by_shell()
    assert "DATABASE_URL" in read
    assert read - FOREIGN <= DOCUMENTED.keys()


def test_it_documents_no_variable_that_nothing_reads() -> None:
    folders = (*ROOMS, "script", "tests")
    files = [path for folder in folders for path in (PROJECT / folder).rglob("*") if path.is_file()]
    code = "".join(p.read_text(errors="ignore") for p in files if p != Path(__file__).resolve())
    assert not [name for name in DOCUMENTED if not re.search(rf"\b{name}\b", code)]


# Where the document says in words what the code works out, or what only a developer meets.
IN_WORDS = {"HINDSIGHT_HOME", "SECRET_KEY", "DATABASE_URL", "REDIS_URL", "STATIC_ROOT"}


def test_it_documents_the_defaults_of_the_settings() -> None:
    wrong = {}
    for name, call in read_by_python():
        default = default_of(call) if call and named(call.func) else None
        if default is None or name in IN_WORDS:
            continue
        told = DOCUMENTED[name][1].strip("`").replace("*(empty)*", "").replace("*(none)*", "")
        if told != default:
            wrong[name] = (told, default)
    assert not wrong


def default_of(call: ast.Call) -> str | None:
    """The default in an env.x("NAME", default) call as the document writes it."""
    if not ast.unparse(call.func).startswith("env."):
        return None
    given = [*call.args[1:], *(k.value for k in call.keywords if k.arg == "default")]
    try:
        value = ast.literal_eval(given[0])
    except (IndexError, ValueError):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_it_links_only_to_what_exists(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", document.read_text())
    missing = [
        link
        for link in links
        if not link.startswith("https://") and not (document.parent / link).exists()
    ]
    assert not missing
