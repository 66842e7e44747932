"""Where runs are kept: a ledger in SQLite, the recorded series as Parquet beside it.

A run is known by its content address, so the same run of two studies is one run. Several
processes may work on one store: each claims a run before it starts it, and a claim lapses when its
owner dies. What is kept has a checksum: a run that a disk damaged counts as failed, and is done
again.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import shutil
import socket
import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from multihop import json_text, shapes
from multihop.files import read_bytes
from multihop.result_types import RunResult

LEASE_S = 30.0
"""How long a claim lasts unless its owner renews it."""
LONGEST_LEASE_S = 2 * LEASE_S
"""A claim that lasts longer was made before the clock was set back, and has lapsed."""
BUSY_TIMEOUT_S = 60.0
BUSY_PAUSE_S = 0.01
PAGE_BYTES = 16384
"""Of a new ledger: results up to a quarter of it lie in one piece, spared by damage elsewhere."""
LEDGER = "ledger.sqlite"
LEAST_ROOM_BYTES = 64 * 1024
CHUNK = 500
"""Keys in one query."""
MOST_ERROR = 4000
"""Characters of the error of a run."""
MOST_SERIES_BYTES = 1 << 30
"""Of a file with the series of a run."""
VERSION = 1
"""Of the ledger's tables; 0 had no `series`."""
DAMAGED = "was damaged where it is stored; --resume runs it again"

_COLUMNS = {
    "runs": ["key", "state", "owner", "lease", "seed", "finished", "wall_s", "error", "result"],
    "series": ["key", "which", "checksum"],
}
_SCHEMA = f"""
BEGIN IMMEDIATE;
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
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS series (
  key TEXT NOT NULL,
  which TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (key, which)
) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
COMMIT;
"""


class StoreError(OSError):
    """The store can't be read or written; the message is one line."""


class DamagedError(StoreError):
    """The ledger is damaged as a whole: nothing goes on before it is salvaged."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run went: its result, or its error."""

    key: str
    seed: int
    wall_s: float
    result: RunResult | None = None
    error: str | None = None
    cpu_s: float = 0.0
    """Processor time, where others may have had a part of the wall's; not stored."""


class Store:
    """A folder with the ledger and the series."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"
        with self._named():
            if folder.exists() and not folder.is_dir():
                raise StoreError(errno.ENOTDIR, "is not a folder", str(folder))
            folder.mkdir(parents=True, exist_ok=True)
            self._sound: set[str] = set()
            """Runs that were found undamaged."""
            self._ledger = connect(folder / LEDGER)
            try:
                self._prepare()
            except BaseException:
                self._ledger.close()
                raise

    def _prepare(self) -> None:
        (version,) = self._ledger.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StoreError(
                errno.EINVAL,
                f"was written by a newer multihop (ledger {version}, this one reads up to "
                f"{VERSION}); update multihop, or keep runs elsewhere with --store",
                str(self.folder),
            )
        self._check_length()
        self._ledger.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        self._write_ahead()
        self._ledger.execute("PRAGMA synchronous = NORMAL")
        self._check_tables()
        if version < VERSION:
            self._ledger.executescript(_SCHEMA)

    def _check_tables(self) -> None:
        """Refuse what is no ledger: a view or a trigger of a stranger's runs as it is read."""
        listed = self._ledger.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_master"
        ).fetchall()
        for kind, name, of, text in listed:
            is_own = kind == "index" and text is None
            if is_own or (kind == "table" and of not in _COLUMNS):
                continue  # another table is never asked
            columns = self._ledger.execute(
                "SELECT name, hidden FROM pragma_table_xinfo(?)", (name,)
            ).fetchall()
            is_made_so = str(text).startswith("CREATE TABLE") and kind == "table"
            if not is_made_so or columns != [(column, 0) for column in _COLUMNS[of]]:
                fault = f"is no ledger of multihop: it has a {kind} {name!r} of another form"
                raise StoreError(errno.EINVAL, fault, str(self.folder))

    def _check_length(self) -> None:
        """A ledger that ends within a page was cut off there, and SQLite would read zeros.

        While a log is beside it, a page may be on its way from there, and is still whole in it.
        """
        log = self.folder / f"{LEDGER}-wal"
        if not log.exists() or not log.stat().st_size:
            (page_bytes,) = self._ledger.execute("PRAGMA page_size").fetchone()
            if (self.folder / LEDGER).stat().st_size % page_bytes:
                raise self._damaged("it ends within a page")

    def _write_ahead(self) -> None:
        """Keep a write-ahead log: while another opens it, SQLite says at once that it can't."""
        patience = time.monotonic() + BUSY_TIMEOUT_S
        while True:
            try:
                self._ledger.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not is_busy or time.monotonic() > patience:
                    raise
            time.sleep(BUSY_PAUSE_S)

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
        rows = self._select("key, state, lease BETWEEN ? AND ?", keys, (now, now + LONGEST_LEASE_S))
        return {key: state for key, state, held in rows if state != "claimed" or held}

    def claim(self, key: str) -> bool:
        """Claim a run; false if another process has claimed it or done it."""
        now = time.time()
        with self._named():
            cursor = self._ledger.execute(
                "INSERT INTO runs (key, state, owner, lease) VALUES (?, 'claimed', ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET state = 'claimed', owner = excluded.owner, "
                "lease = excluded.lease, error = NULL "
                "WHERE state = 'failed' "
                "OR (state = 'claimed' AND lease NOT BETWEEN ? AND ?)",
                (key, self.owner, now + LEASE_S, now, now + LONGEST_LEASE_S),
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
        with contextlib.closing(connect(self.folder / LEDGER)) as ledger:
            while not over.wait(LEASE_S / 3):
                with contextlib.suppress(sqlite3.Error):  # the work itself will report it
                    ledger.execute(
                        "UPDATE runs SET lease = ? WHERE owner = ? AND state = 'claimed'",
                        (time.time() + LEASE_S, self.owner),
                    )

    def put(self, outcome: Outcome) -> None:
        """Store a finished or failed run, all of it or nothing."""
        blob, checksums = None, {}
        if outcome.result is not None:
            totals = {key: value for key, value in outcome.result.items() if key != "series"}
            checksums = self._write_series(outcome.key, outcome.result.get("series") or {})
            blob = zlib.compress(json.dumps(totals, separators=(",", ":")).encode(), 1)
        with self._named(), self._at_once():
            self._ledger.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?)",
                (
                    outcome.key, "failed" if blob is None else "done", self.owner,
                    outcome.seed, time.time(), outcome.wall_s, outcome.error, blob,
                ),
            )  # fmt: skip
            self._ledger.executemany(
                "INSERT OR REPLACE INTO series VALUES (?, ?, ?)",
                [(outcome.key, which, checksum) for which, checksum in checksums.items()],
            )

    def results(self, keys: Iterable[str]) -> Iterator[tuple[str, RunResult]]:
        """Key and result JSON of every finished run among `keys` that is not damaged."""
        for key, blob in self._done(keys):
            found = _result(blob)
            if found is None:
                self._fail_damaged(key)
            else:
                yield key, found

    def fail_damaged(self, keys: Iterable[str]) -> None:
        """Note as failed the finished runs whose result is damaged or whose series are missing."""
        listed = [key for key in keys if key not in self._sound]
        checksums = self._checksums(listed)
        for key, blob in self._done(listed):
            there = all(self.series_file(key, which).is_file() for which in checksums.get(key, {}))
            if there and unpacked(blob) is not None:
                self._sound.add(key)
            else:
                self._fail_damaged(key)

    def _done(self, keys: Iterable[str]) -> Iterator[tuple[str, object]]:
        rows = self._select("key, state, result", keys)
        return ((key, blob) for key, state, blob in rows if state == "done")

    def _checksums(self, keys: Iterable[str]) -> dict[str, dict[str, int]]:
        """Of each series of runs, by key; none of runs that an older multihop stored."""
        found: dict[str, dict[str, int]] = {}
        for key, which, checksum in self._select("key, which, checksum", keys, table="series"):
            found.setdefault(key, {})[which] = checksum
        return found

    def _fail_damaged(self, key: str) -> None:
        with self._named():
            self._ledger.execute(
                "UPDATE runs SET state = 'failed', error = ? WHERE key = ? AND state = 'done'",
                (DAMAGED, key),
            )

    def errors(self, keys: Iterable[str]) -> dict[str, str]:
        """Error of every failed run among `keys`."""
        rows = self._select("key, state, error", keys)
        return {key: str(error)[:MOST_ERROR] for key, state, error in rows if state == "failed"}

    def wall_s(self, keys: Iterable[str]) -> float:
        """Time that the finished runs among `keys` took in all [s]."""
        found = (wall for (wall,) in self._select("wall_s", keys))
        return sum(wall for wall in found if isinstance(wall, (int, float)))

    def series(self, keys: Iterable[str], which: str) -> Iterator[tuple[str, pl.DataFrame]]:
        """Key and series `which`, `flows` or `queues`, of every finished run that has it."""
        listed = list(keys)
        done = {key for key, state in self._select("key, state", listed) if state == "done"}
        listed = [key for key in listed if key in done]
        checksums = self._checksums(listed)
        for key in listed:
            checksum = checksums.get(key, {}).get(which)
            try:
                content = read_bytes(self.series_file(key, which), MOST_SERIES_BYTES)
            except FileNotFoundError:
                if checksum is not None:
                    self._fail_damaged(key)
                continue
            found = _frame(content, checksum)
            if found is None:
                self._fail_damaged(key)
            else:
                yield key, found

    def series_file(self, key: str, which: str) -> Path:
        """Parquet file of a run's series `which`: `flows` or `queues`."""
        return self._series_folder(key) / f"{key}.{which}.parquet"

    def _series_folder(self, key: str) -> Path:
        return self.folder / "series" / key[:2]

    def _write_series(self, key: str, series: Mapping[str, Any]) -> dict[str, int]:
        """Write each series, and return their checksums."""
        checksums = {}
        for which, columns in series.items():
            if not columns:
                continue
            path = self.series_file(key, which)
            with self._named():
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_name(f"{path.name}.{os.getpid()}.part")
                content = io.BytesIO()
                pl.DataFrame(columns).write_parquet(content)
                checksums[which] = zlib.crc32(content.getbuffer())
                try:
                    part.write_bytes(content.getbuffer())
                    part.replace(path)
                finally:
                    part.unlink(missing_ok=True)
        return checksums

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        self._ledger.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._ledger.execute("COMMIT")
        finally:
            if self._ledger.in_transaction:
                self._ledger.execute("ROLLBACK")

    def _select(
        self,
        columns: str,
        keys: Iterable[str],
        values: tuple[object, ...] = (),
        table: str = "runs",
    ) -> Iterator[tuple[Any, ...]]:
        """Columns of the rows of `keys`; `values` are those of the columns' question marks."""
        listed = list(keys)
        for first in range(0, len(listed), CHUNK):
            chunk = listed[first : first + CHUNK]
            marks = ", ".join("?" * len(chunk))
            with self._named():
                yield from self._ledger.execute(
                    f"SELECT {columns} FROM {table} WHERE key IN ({marks})", (*values, *chunk)
                ).fetchall()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the folder in errors of SQLite and the system."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without its extension
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise self._damaged(error) from None
            raise StoreError(0, self._reason(error), str(self.folder)) from None
        except StoreError:
            raise
        except OSError as error:
            raise StoreError(
                error.errno, error.strerror, error.filename or str(self.folder)
            ) from None

    def _damaged(self, how: object) -> DamagedError:
        fault = (
            f"the ledger is damaged ({how}); `multihop study salvage {self.folder}` keeps the runs "
            "that can be read"
        )
        return DamagedError(0, fault, str(self.folder))

    def _reason(self, error: sqlite3.Error) -> str:
        """The fault of the folder where that is behind the error, else SQLite's message."""
        if self.folder.is_dir():
            if not os.access(self.folder, os.W_OK):
                return "can't be written"
            if shutil.disk_usage(self.folder).free < LEAST_ROOM_BYTES:
                return "the disk is full"
        return str(error)


def connect(file: Path) -> sqlite3.Connection:
    """A connection to the ledger in `file`, which commits by itself."""
    ledger = sqlite3.connect(file, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    ledger.text_factory = lambda text: text.decode("utf-8", "replace")
    return ledger


def runs_kept(folder: Path) -> int | None:
    """How many runs a store has, though it can't be written; None where it can't be read either."""
    place = f"{(folder / LEDGER).absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(place, uri=True)) as ledger:
            (count,) = ledger.execute("SELECT count(*) FROM runs WHERE state = 'done'").fetchone()
    except sqlite3.Error:
        return None
    return int(count)


def unpacked(blob: object) -> bytes | None:
    """A result's JSON, which has a checksum; None where it is damaged, or larger than any."""
    if not isinstance(blob, bytes):
        return None
    try:
        stream = zlib.decompressobj()
        text = stream.decompress(blob, json_text.MOST_BYTES)
    except zlib.error:
        return None
    return text if stream.eof and not stream.unused_data else None


def _result(blob: object) -> RunResult | None:
    """The result in a row of the ledger; None where it is none."""
    text = unpacked(blob)
    try:
        found = None if text is None else json_text.bounded(text)
    except ValueError:
        return None
    return None if shapes.RESULT.fault(found) else found


def _frame(content: bytes, checksum: int | None) -> pl.DataFrame | None:
    """What a Parquet file holds; None where it is damaged."""
    if checksum is None or zlib.crc32(content) == checksum:
        with contextlib.suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException):
            kinds = pl.read_parquet_schema(io.BytesIO(content)).values()
            rows = pl.scan_parquet(io.BytesIO(content)).select(pl.len()).collect().item()
            if all(kind.is_numeric() for kind in kinds) and rows <= 10_000 + 4 * len(content):
                return pl.read_parquet(io.BytesIO(content))
    return None


def _is_dead(owner: str) -> bool:
    host, _, process = owner.partition(":")
    pid = process.partition(":")[0]
    if host != socket.gethostname() or not pid.isdecimal() or sys.platform == "win32":
        return False  # on Windows signal 0 is Ctrl-C; there a dead claim lapses by itself
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
