"""Reading files of anybody, and writing so that no half-written file is ever seen."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MOST_BYTES = 64 << 20
"""The largest text that is read: a scenario, a study, a class."""


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """What a regular file holds: a device has no end, and a pipe may wait for ever.

    Raises:
        OSError: it can't be read, is no regular file, or has more than `most` bytes.
    """
    told = path.stat()
    if stat.S_ISDIR(told.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(told.st_mode):
        raise OSError(errno.EINVAL, "is no regular file", str(path))
    if told.st_size > most:
        fault = f"has more than {most >> 20} MiB, the most that is read"
        raise OSError(errno.EFBIG, fault, str(path))
    with path.open("rb") as file:
        return file.read(told.st_size)  # what the kernel makes up tells no size


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """The same as text, with line feeds alone.

    Raises:
        OSError: as above.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bytes(path, most).decode().replace("\r\n", "\n").replace("\r", "\n")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file that a user named; interrupted, leave nothing behind. See `replacing`.

    Raises:
        OSError: with `path` as the file's name.
    """
    with replacing(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


def write_within(path: Path, content: str | bytes) -> None:
    """Write a file of a folder that multihop fills: a link of its name is replaced, not followed.

    Such a folder may come from a stranger, with links to anywhere.

    Raises:
        OSError: with `path` as the file's name.
    """
    with _naming(path), _beside(path, path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to be written, that takes the place of `path` at the end.

    A file is replaced in one step, and keeps its mode; so is the file that a link leads to. What
    is no regular file, such as a device or a pipe, is written into. If the end is not reached,
    nothing is left behind.

    Raises:
        OSError: with `path` as the file's name.
    """
    with _naming(path):
        if _is_written_into(path):
            with _into(path) as part:
                yield part
        else:
            with _beside(path, Path(os.path.realpath(path))) as part:
                yield part


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _is_written_into(path: Path) -> bool:
    """Whether `path` is something else than a file, or leads to what a descriptor stands for."""
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return False
    is_descriptor = str(path.absolute()).startswith(("/dev/fd/", "/dev/std", "/proc/"))
    return is_descriptor or not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


@contextmanager
def _into(path: Path) -> Iterator[Path]:
    """A file whose content is written into `path` at the end."""
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="multihop-") as folder:
        part = Path(folder, "part")
        part.touch()
        yield part
        with part.open("rb") as content, os.fdopen(os.open(path, os.O_WRONLY), "wb") as to:
            copyfileobj(content, to)


@contextmanager
def _beside(path: Path, target: Path) -> Iterator[Path]:
    """A file in the folder of `target` that takes its place at the end."""
    from tempfile import mkstemp

    handle, name = mkstemp(dir=target.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        with suppress(OSError):  # there was none, or another's
            old = target.lstat()
            if stat.S_ISREG(old.st_mode):
                os.chown(part, old.st_uid, old.st_gid)
                part.chmod(stat.S_IMODE(old.st_mode))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class PageError(Exception):
    """A page that results can't be put into; the message says why."""


def put_between(page: Path, markers: tuple[str, str], text: str | None) -> None:
    """Replace the text between two markers of a page; with None, only check that it could be.

    Raises:
        PageError: the page can't be read, or lacks the markers.
    """
    begin, end = markers
    try:
        before, found, rest = read_text(page).partition(begin)
    except (OSError, UnicodeDecodeError) as error:
        raise PageError(f"{page}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise PageError(f"{page}: needs a line {begin} and below it one {end}")
    if text is not None:
        write_atomically(page, f"{before}{begin}\n{text}\n{end}{after}")
