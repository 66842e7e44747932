"""Takes the runs that SQLite can still read out of a damaged ledger."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from multihop.study.store import LEDGER, Store, connect, unpacked

_SUFFIXES = ("", "-wal", "-shm")
_TABLES = {"runs": 9, "series": 3}
"""Columns of each table."""
_DIGITS = "0123456789abcdef"
_LONGEST = 4
"""Digits by which rows are asked for: of a ledger of 65,536 runs each has its own."""


def salvage(folder: Path) -> tuple[int, Path]:
    """Put a new ledger in the place of that of the store in `folder`.

    Returns how many finished runs it has, and where the old one is kept.

    Raises:
        StoreError: the folder can't be written.
    """
    kept = next(
        place
        for number in itertools.count(1)
        if not (place := folder / f"damaged-{number}").exists()
    )
    kept.mkdir()
    for suffix in _SUFFIXES:
        if (folder / f"{LEDGER}{suffix}").exists():
            shutil.copy2(folder / f"{LEDGER}{suffix}", kept)
    copy, new = kept / "copy", kept / "new"
    shutil.copytree(kept, copy)
    Store(new).close()
    with contextlib.closing(connect(new / LEDGER)) as ledger:
        ledger.execute("BEGIN")
        for table, columns in _TABLES.items():
            marks = ", ".join("?" * columns)
            ledger.executemany(
                f"INSERT OR IGNORE INTO {table} VALUES ({marks})", _rows(copy / LEDGER, table)
            )
        ledger.execute("DELETE FROM series WHERE key NOT IN (SELECT key FROM runs)")
        (runs,) = ledger.execute("SELECT count(*) FROM runs").fetchone()
        ledger.execute("COMMIT")
    shutil.rmtree(copy)
    for suffix in reversed(_SUFFIXES[1:]):
        (folder / f"{LEDGER}{suffix}").unlink(missing_ok=True)
    (new / LEDGER).replace(folder / LEDGER)
    shutil.rmtree(new)
    return runs, kept


def _rows(file: Path, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table that can be read: of runs, the finished ones that are whole."""
    with contextlib.closing(connect(file)) as ledger, contextlib.suppress(sqlite3.Error):
        # SQLite reads no file that is shorter than its first page says, but for who mends it.
        ledger.execute("PRAGMA writable_schema = ON")
        for row in _below(ledger, table, ""):
            if table != "runs" or _is_whole(*row):
                yield row


def _below(ledger: sqlite3.Connection, table: str, start: str) -> list[tuple[Any, ...]]:
    """The rows whose keys start so; where that meets a damaged page, by each next digit."""
    ask = f"SELECT * FROM {table} WHERE key >= ? AND key < ?"
    try:
        return ledger.execute(ask, (start, f"{start}g")).fetchall()
    except sqlite3.DatabaseError as error:
        is_a_page = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CORRUPT
        if not is_a_page or len(start) == _LONGEST:
            return []
    return [row for digit in _DIGITS for row in _below(ledger, table, start + digit)]


def _is_whole(key: object, state: object, owner: object, lease: object, *others: object) -> bool:
    if state != "done" or not isinstance(owner, str) or not isinstance(lease, (int, float)):
        return False
    return isinstance(key, str) and unpacked(others[-1]) is not None
