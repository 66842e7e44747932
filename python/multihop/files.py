"""Writing files so that no half-written one is ever seen."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write beside `path`, then move it there in one step; interrupted, leave nothing behind.

    Raises:
        OSError: with `path` as the file's name.
    """
    with replacing(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the name of a file beside `path` to write, which is moved there if all goes well.

    Raises:
        OSError: with `path` as the file's name.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
        part = Path(name)
        try:
            yield part
            part.chmod(0o666 & ~_umask())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


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
        before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    except (OSError, UnicodeDecodeError) as error:
        raise PageError(f"{page}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        raise PageError(f"{page}: needs a line {begin} and below it one {end}")
    if text is not None:
        write_atomically(page, f"{before}{begin}\n{text}\n{end}{after}")
