"""Rows of a damaged SQLite file, page by page: what the file's own index no longer leads to.

Reads the b-tree pages of tables WITHOUT ROWID, as https://sqlite.org/fileformat2.html has them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_INTERIOR, _LEAF = 0x02, 0x0A
_SIZE_AT = 16
"""Place of the page size in the file's header."""
_SIZES = {1 << power for power in range(9, 16)}
_LEDGERS = (4096, 16384)
"""Page sizes of ledgers: SQLite's default was the first ones'."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of an integer by its type."""

Value = int | float | str | bytes | None

MOST_TIMES = 8
"""So many times its size is read of a file: with pages of two sizes, and some that are free."""


def rows(file: bytes) -> Iterator[tuple[Value, ...]]:
    """Every row that can be read, of any table and of pages that are free; some more than once."""
    left = MOST_TIMES * len(file)  # of a forged ledger every cell may be the whole of it
    for size in _page_sizes(file):
        for first in range(0, len(file) - size + 1, size):
            page = file[first : first + size]
            if page[0] not in (_INTERIOR, _LEAF):
                continue
            head, child = (12, 4) if page[0] == _INTERIOR else (8, 0)
            (cells,) = struct.unpack_from(">H", page, 3)
            for number in range(min(cells, (size - head) // 2)):
                (place,) = struct.unpack_from(">H", page, head + 2 * number)
                try:
                    payload = _payload(file, page, place + child)
                    left -= len(payload)
                    if left < 0:
                        return
                    yield _values(payload)
                except (IndexError, ValueError, struct.error):
                    continue


def _page_sizes(file: bytes) -> tuple[int, ...]:
    """The size in the file's header, or those of ledgers where that is damaged."""
    (size,) = struct.unpack_from(">H", file.ljust(_SIZE_AT + 2, b"\0"), _SIZE_AT)
    return (size,) if size in _SIZES else _LEDGERS


def _payload(file: bytes, page: bytes, place: int) -> bytes:
    size, place = _varint(page, place)
    if size > len(file):
        raise ValueError
    local = _local(size, len(page))
    parts = [page[place : place + local]]
    left = size - len(parts[0])
    following = place + local
    whole = len(page)
    while left > 0:
        (number,) = struct.unpack_from(">I", page, following)
        page = file[(number - 1) * whole : number * whole] if number else b""
        parts.append(page[4 : 4 + left])
        if not parts[-1]:
            raise ValueError
        left -= len(parts[-1])
        following = 0
    return b"".join(parts)


def _local(size: int, page_bytes: int) -> int:
    """How much of a payload is on the page of its row."""
    most, least = ((page_bytes - 12) * share // 255 - 23 for share in (64, 32))
    if size <= most:
        return size
    local = least + (size - least) % (page_bytes - 4)
    return local if local <= most else least


def _values(record: bytes) -> tuple[Value, ...]:
    end, place = _varint(record, 0)
    kinds = []
    while place < end:
        kind, place = _varint(record, place)
        kinds.append(kind)
    found: list[Value] = []
    for kind in kinds:
        size = _INTEGERS.get(kind, 8 if kind == 7 else max(0, (kind - 12) // 2))
        part = record[place : place + size]
        if len(part) < size:
            raise ValueError
        place += size
        found.append(_value(kind, part))
    return tuple(found)


def _value(kind: int, part: bytes) -> Value:
    if kind in _INTEGERS:
        return int.from_bytes(part, "big", signed=True)
    if kind == 7:
        (number,) = struct.unpack(">d", part)
        return float(number)
    if kind in (8, 9):
        return kind - 8
    if kind < 12:
        return None
    return part.decode() if kind % 2 else part


def _varint(text: bytes, place: int) -> tuple[int, int]:
    value = 0
    for number in range(8):
        byte = text[place + number]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + number + 1
    return value << 8 | text[place + 8], place + 9
