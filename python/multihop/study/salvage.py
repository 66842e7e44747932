"""Takes the runs that can still be read out of a damaged ledger."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import sqlite3
from pathlib import Path

from multihop.study.sqlite_pages import Value, rows
from multihop.study.store import LEDGER, Store, connect, unpacked

_SUFFIXES = ("", "-wal", "-shm")
_TABLES = {"runs": 9, "series": 3}
"""Columns of each table."""


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
    copy = kept / "copy"
    shutil.copytree(kept, copy)
    found = _readable(copy / LEDGER)
    shutil.rmtree(copy)
    new = kept / "new"
    Store(new).close()
    with contextlib.closing(connect(new / LEDGER)) as ledger:
        ledger.execute("BEGIN")
        for table, columns in _TABLES.items():
            marks = ", ".join("?" * columns)
            ledger.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", found[table])
        ledger.execute("COMMIT")
    for suffix in reversed(_SUFFIXES[1:]):
        (folder / f"{LEDGER}{suffix}").unlink(missing_ok=True)
    (new / LEDGER).replace(folder / LEDGER)
    shutil.rmtree(new)
    return len(found["runs"]), kept


def _readable(file: Path) -> dict[str, list[tuple[Value, ...]]]:
    """The rows of each table that are whole: of runs, the finished ones."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(connect(file)) as ledger:
        # SQLite opens no file that is shorter than its first page says, but for who mends it.
        ledger.execute("PRAGMA writable_schema = ON")
        ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    runs: dict[Value, tuple[Value, ...]] = {}
    series: dict[tuple[Value, ...], tuple[Value, ...]] = {}
    for row in rows(file.read_bytes()):
        if len(row) == _TABLES["runs"] and _is_whole(row):
            runs[row[0]] = row
        elif len(row) == _TABLES["series"] and isinstance(row[2], int):
            series[row[:2]] = row
    return {"runs": [*runs.values()], "series": [row for row in series.values() if row[0] in runs]}


def _is_whole(row: tuple[Value, ...]) -> bool:
    key, state, owner, lease, _, _, _, _, result = row
    if state != "done" or not isinstance(owner, str) or not isinstance(lease, (int, float)):
        return False
    return isinstance(key, str) and unpacked(result) is not None
