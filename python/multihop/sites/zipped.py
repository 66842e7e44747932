"""KMZ: the KML file inside a ZIP archive, read as a stream; nothing is unpacked to a disk.

The archive may be a stranger's: its directory, what the file unpacks to and how much at a time are
bounded, and names inside are never taken for paths.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from multihop.sites.form import SiteError

MAGIC = b"PK\x03\x04"
MOST_UNPACKED_BYTES = 256 << 20
_MOST_DIRECTORY_BYTES = 1 << 20
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_END_BYTES, _END_64_BYTES, _MOST_COMMENT_BYTES = 22, 20, 65535
"""APPNOTE.TXT of PKWARE, sections 4.3.15 and 4.3.16."""


def is_archive(path: Path) -> bool:
    """Whether a file begins like one."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def pieces(path: Path, size: int) -> Iterator[bytes]:
    """What the first file inside whose name ends in .kml holds.

    Raises:
        SiteError: it is no archive that can be read, or too large; says what is allowed.
    """
    _check(path)
    read = 0
    try:
        with zipfile.ZipFile(path) as archive:
            names = [one for one in archive.infolist() if one.filename.lower().endswith(".kml")]
            if not names:
                raise SiteError("is a ZIP archive without a .kml file inside")
            with archive.open(names[0]) as file:
                while piece := file.read(size):
                    read += len(piece)
                    if read > MOST_UNPACKED_BYTES:
                        raise SiteError(f"unpacks to more than {MOST_UNPACKED_BYTES >> 20} MiB")
                    yield piece
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        if isinstance(error, SiteError):
            raise
        raise SiteError("is no ZIP archive that can be read, or is cut short") from None
    except RuntimeError:  # zipfile wants a password, or does not know the compression
        raise SiteError("its .kml file is encrypted or packed in a way that is not read") from None


def _check(path: Path) -> None:
    """Refuse a directory that would fill the memory before anything is read."""
    with path.open("rb") as file:
        most = _END_BYTES + _END_64_BYTES + _MOST_COMMENT_BYTES
        file.seek(max(0, path.stat().st_size - most))
        tail = file.read(most)
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        raise SiteError("is no ZIP archive that can be read, or is cut short")
    (directory_bytes,) = struct.unpack_from("<I", tail, at + 12)
    is_64 = tail[max(0, at - _END_64_BYTES) : at].startswith(_END_64)
    if is_64 or directory_bytes > _MOST_DIRECTORY_BYTES:
        raise SiteError(
            f"has a directory of more than {_MOST_DIRECTORY_BYTES >> 20} MiB, or is a ZIP64"
        )
