"""What the operating system offers and refuses: private files, locks, ports, other processes."""

import errno
import fcntl
import getpass
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PROJECT = Path(__file__).resolve().parents[2]
# Below every system's ephemeral range (Linux 32768, macOS and Windows 49152), so that no outgoing
# connection sits on a server's port while the server is being restarted.
PORTS = range(20_000, 30_000)
LOG_LIMIT = 5_000_000  # bytes; a larger log is put aside once, when its program starts


class LocalError(Exception):
    """Why the product cannot start or go on, in one sentence that says what to do."""


def say(line: str) -> None:
    """Tell the person at the terminal; stdout belongs to the command's own output."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def home_directory() -> Path:
    """Return HINDSIGHT_HOME, by default `var` in the project, as an absolute path."""
    return Path(os.environ.get("HINDSIGHT_HOME") or PROJECT / "var").expanduser().absolute()


_REASONS = {
    errno.ENOSPC: "the disk that holds {path} is full: free some space there",
    errno.EDQUOT: "the disk quota that {path} counts towards is used up: free some space there",
    errno.EROFS: "{path} is on a read-only file system",
    errno.EACCES: "{user} may not use {path}: change its owner or permissions",
    errno.EPERM: "{user} may not use {path}: change its owner or permissions",
    errno.ENOTDIR: "a file is in the way of the directory {path}",
    errno.EEXIST: "a file is in the way of the directory {path}",
}


def refusal(number: int | None, path: object) -> str | None:
    """Return the sentence for the system error `number` about `path`; None when it has none."""
    reason = _REASONS.get(number or 0)
    if reason is None:
        return None
    told = reason.format(path=path, user=_user_name())
    return f"{told[0].upper()}{told[1:]}, or point HINDSIGHT_HOME at another directory."


def refusal_in(text: str, path: Path) -> str | None:
    """Return the sentence for the first system error that a program named in its output."""
    for number in _REASONS:
        if number != errno.EEXIST and os.strerror(number) in text:
            return refusal(number, path)
    # A full disk also swallows the log that would have said so.
    if shutil.disk_usage(path).free < 1_000_000:
        return refusal(errno.ENOSPC, path)
    return None


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the system refuses inside into a LocalError about `path` or the file it names."""
    try:
        yield
    except OSError as error:
        told = refusal(error.errno, error.filename or path)
        raise LocalError(told or f"{error.filename or path}: {error.strerror or error}.") from error


def make_home(home: Path) -> None:
    """Create the directory of all state with its folders, closed to other users.

    Raises LocalError when it cannot be created or written to.
    """
    with explained(home):
        for folder in (home, home / "logs", home / "run"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=home).close()


def write_private(path: Path, text: str) -> None:
    """Replace a file, readable by its owner only; a reader sees all of the new text or none."""
    with explained(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # made 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def read_text(path: Path) -> str | None:
    """Return the content of a file without the white space around it; None when there is none."""
    with explained(path):
        try:
            return path.read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None


def open_log(path: Path) -> BinaryIO:
    """Open a log for appending; one that grew too large is first put aside as NAME.log.1."""
    with explained(path):
        if path.exists() and path.stat().st_size > LOG_LIMIT:
            path.replace(path.with_name(f"{path.name}.1"))
        return path.open("ab")


def tail(path: Path, *, since: int = 0, lines: int = 8) -> str:
    """Return the last lines of a log, as far as they lie after byte `since`."""
    try:
        with path.open("rb") as file:
            file.seek(max(since, path.stat().st_size - 8_000))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.strip().splitlines()[-lines:])


def see(log: Path, *, since: int) -> str:
    """Return the end of a sentence that sends a person to a log, with its last lines below."""
    last = tail(log, since=since)
    return f"see {log}:\n{last}" if last else f"see {log}."


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`; waits for whoever holds it, a killed holder included."""
    with explained(path):
        file = path.open("a")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def port_is_free(port: int) -> bool:
    """Tell whether a server could listen on 127.0.0.1:port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def kept_port(path: Path) -> int:
    """Return the port kept in the file at `path`, or choose and keep another when it is taken."""
    kept = read_text(path)
    if kept and kept.isdigit() and port_is_free(int(kept)):
        return int(kept)
    for port in random.sample(PORTS, 100):
        if port_is_free(port):
            write_private(path, str(port))
            return port
    raise LocalError("No free port was found between 20000 and 29999: stop other programs.")


def birth(pid: int) -> str | None:
    """Return when the process started, which tells it from a later one with the same number.

    None when there is no such process or only its zombie is left.
    """
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return None
        return None if fields[0] in "ZX" else fields[19]
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return None if not told or told.startswith("Z") else told.split(maxsplit=1)[1]


def alive(pid: int) -> bool:
    """Tell whether the process runs; a zombie does not."""
    return birth(pid) is not None


def runs_in(pid: int, directory: Path) -> bool:
    """Tell whether the process runs and its working directory is `directory`.

    Servers stay in their data directory, which tells them from whatever program got their number
    after a crash. Without /proc (macOS) only the number counts.
    """
    if not alive(pid):
        return False
    if not Path("/proc/self").exists():
        return True
    try:
        return Path(f"/proc/{pid}/cwd").samefile(directory)
    except OSError:
        return False
