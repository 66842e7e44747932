"""Where runs are kept: a ledger in SQLite, the recorded series as Parquet beside it.

A run is known by its content address, so the same run of two studies is one run. Several
processes may work on one store: each claims a run before it starts it, and a claim lapses when its
owner dies.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import socket
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from multihop.result_types import RunResult

LEASE_S = 30.0
"""How long a claim lasts unless its owner renews it."""
BUSY_TIMEOUT_S = 60.0
LEAST_ROOM_BYTES = 64 * 1024
CHUNK = 500
"""Keys in one query."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'done', 'failed')),
  owner TEXT NOT NULL,
  lease REAL NOT NULL,
  seed INTEGER,
  finished REAL,
  wall_s REAL,
  error TEXT,
  result BLOB
) WITHOUT ROWID
"""


class StoreError(OSError):
    """The store can't be read or written; the message is one line."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run went: its result, or its error."""

    key: str
    seed: int
    wall_s: float
    result: RunResult | None = None
    error: str | None = None


class Store:
    """A folder with the ledger and the series."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"
        with self._named():
            if folder.exists() and not folder.is_dir():
                raise StoreError(errno.ENOTDIR, "is not a folder", str(folder))
            folder.mkdir(parents=True, exist_ok=True)
            self._ledger = sqlite3.connect(
                folder / "ledger.sqlite", timeout=BUSY_TIMEOUT_S, isolation_level=None
            )
            self._ledger.execute("PRAGMA journal_mode = WAL")
            self._ledger.execute("PRAGMA synchronous = NORMAL")
            self._ledger.execute(_SCHEMA)

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def states(self, keys: Iterable[str]) -> dict[str, str]:
        """State of each known key: `done`, `failed`, or `claimed` by a live process."""
        now = time.time()
        rows = self._select("key, state, lease", keys)
        return {key: state for key, state, lease in rows if state != "claimed" or lease > now}

    def claim(self, key: str) -> bool:
        """Claim a run; false if another process has claimed it or done it."""
        now = time.time()
        with self._named():
            cursor = self._ledger.execute(
                "INSERT INTO runs (key, state, owner, lease) VALUES (?, 'claimed', ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET state = 'claimed', owner = excluded.owner, "
                "lease = excluded.lease, error = NULL "
                "WHERE state = 'failed' OR (state = 'claimed' AND lease <= ?)",
                (key, self.owner, now + LEASE_S, now),
            )
        return cursor.rowcount > 0

    @contextmanager
    def claiming(self) -> Iterator[None]:
        """Renew this process's claims while the block lasts, then release those left."""
        over = threading.Event()
        thread = threading.Thread(target=self._renew_until, args=[over], daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            with self._named():
                self._ledger.execute(
                    "DELETE FROM runs WHERE owner = ? AND state = 'claimed'", (self.owner,)
                )

    def drop_dead_claims(self) -> None:
        """Release at once the claims of dead processes of this machine."""
        with self._named():
            claims = self._ledger.execute(
                "SELECT owner, key FROM runs WHERE state = 'claimed'"
            ).fetchall()
            dead = {owner for owner in {owner for owner, _ in claims} if _is_dead(owner)}
            for owner, key in claims:
                if owner in dead:
                    for part in self._series_folder(key).glob(f"{key}.*.part"):
                        part.unlink(missing_ok=True)
                    self._ledger.execute(
                        "DELETE FROM runs WHERE key = ? AND owner = ? AND state = 'claimed'",
                        (key, owner),
                    )

    def _renew_until(self, over: threading.Event) -> None:
        # A connection of its own: this is another thread.
        ledger = sqlite3.connect(
            self.folder / "ledger.sqlite", timeout=BUSY_TIMEOUT_S, isolation_level=None
        )
        with contextlib.closing(ledger):
            while not over.wait(LEASE_S / 3):
                with contextlib.suppress(sqlite3.Error):  # the work itself will report it
                    ledger.execute(
                        "UPDATE runs SET lease = ? WHERE owner = ? AND state = 'claimed'",
                        (time.time() + LEASE_S, self.owner),
                    )

    def put(self, outcome: Outcome) -> None:
        """Store a finished or failed run, all of it or nothing."""
        blob = None
        if outcome.result is not None:
            totals = {key: value for key, value in outcome.result.items() if key != "series"}
            self._write_series(outcome.key, outcome.result.get("series") or {})
            blob = zlib.compress(json.dumps(totals, separators=(",", ":")).encode(), 1)
        with self._named():
            self._ledger.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?)",
                (
                    outcome.key, "failed" if blob is None else "done", self.owner,
                    outcome.seed, time.time(), outcome.wall_s, outcome.error, blob,
                ),
            )  # fmt: skip

    def results(self, keys: Iterable[str]) -> Iterator[tuple[str, RunResult]]:
        """Key and result JSON of every finished run among `keys`."""
        for key, state, blob in self._select("key, state, result", keys):
            if state == "done":
                yield key, json.loads(zlib.decompress(blob))

    def errors(self, keys: Iterable[str]) -> dict[str, str]:
        """Error of every failed run among `keys`."""
        rows = self._select("key, state, error", keys)
        return {key: error for key, state, error in rows if state == "failed"}

    def wall_s(self, keys: Iterable[str]) -> float:
        """Time that the finished runs among `keys` took in all [s]."""
        return sum(wall or 0.0 for (wall,) in self._select("wall_s", keys))

    def series_file(self, key: str, which: str) -> Path:
        """Parquet file of a run's series `which`: `flows` or `queues`."""
        return self._series_folder(key) / f"{key}.{which}.parquet"

    def _series_folder(self, key: str) -> Path:
        return self.folder / "series" / key[:2]

    def _write_series(self, key: str, series: Mapping[str, Any]) -> None:
        for which, columns in series.items():
            if not columns:
                continue
            path = self.series_file(key, which)
            with self._named():
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_name(f"{path.name}.{os.getpid()}.part")
                try:
                    pl.DataFrame(columns).write_parquet(part)
                    part.replace(path)
                finally:
                    part.unlink(missing_ok=True)

    def _select(self, columns: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        listed = list(keys)
        for first in range(0, len(listed), CHUNK):
            chunk = listed[first : first + CHUNK]
            marks = ", ".join("?" * len(chunk))
            with self._named():
                yield from self._ledger.execute(
                    f"SELECT {columns} FROM runs WHERE key IN ({marks})", chunk
                ).fetchall()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the folder in errors of SQLite and the system."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(0, self._reason(error), str(self.folder)) from None
        except StoreError:
            raise
        except OSError as error:
            raise StoreError(
                error.errno, error.strerror, error.filename or str(self.folder)
            ) from None

    def _reason(self, error: sqlite3.Error) -> str:
        """The fault of the folder where that is behind the error, else SQLite's message."""
        if self.folder.is_dir():
            if not os.access(self.folder, os.W_OK):
                return "can't be written"
            if shutil.disk_usage(self.folder).free < LEAST_ROOM_BYTES:
                return "the disk is full"
        return str(error)


def _is_dead(owner: str) -> bool:
    host, pid, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
