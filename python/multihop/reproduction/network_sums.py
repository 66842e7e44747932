"""What runs gave the headlines, network by network: small enough to be kept in a repository.

A Parquet file with a row for each run and quantity: `study`, `cell` (the scheme and its point of
the axes), `digest` (of the scenario and the engine), `network`, `cpu_s`, `metric`, `at` (the
selector of rows), and `sum` and `count` of the metric over them. A run that failed has no sum.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from multihop.errors import StudyError
from multihop.files import read_bytes, write_atomically
from multihop.result_types import RunResult
from multihop.study.plan import Cell
from multihop.study.runs import rows_of
from multihop.study.samples import sample_of

MOST_BYTES = 256 << 20
DIGITS = 16
"""Of a cell's digest."""

Wanted = tuple[str, str]
"""A metric, and the selector of its rows; empty for all."""
Sums = dict[Wanted, tuple[float, int]]

_SCHEMA = pl.Schema(
    {
        "study": pl.String, "cell": pl.String, "digest": pl.String, "network": pl.Int64,
        "cpu_s": pl.Float32, "metric": pl.String, "at": pl.String,
        "sum": pl.Float64, "count": pl.Int64,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunSums:
    """What one run gave."""

    cpu_s: float
    sums: Sums | None
    """None where it failed."""


@dataclass(slots=True)
class CellSums:
    """The runs of a cell by network."""

    digest: str
    runs: dict[int, RunSums] = field(default_factory=dict)


class NetworkSums:
    """The file, read and added to.

    Raises:
        StudyError: the file is none of these.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.cells: dict[tuple[str, str], CellSums] = {}
        """By study and cell."""
        if file.exists():
            self._read(read_bytes(file, MOST_BYTES))

    def _read(self, content: bytes) -> None:
        try:
            frame = pl.read_parquet(io.BytesIO(content))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            raise StudyError(f"{self.file}: is no Parquet file") from None
        if frame.schema != _SCHEMA:
            raise StudyError(f"{self.file}: needs the columns {', '.join(_SCHEMA)}, and no others")
        for study, cell, digest, network, cpu_s, metric, at, total, count in frame.iter_rows():
            here = self.cells.setdefault((study, cell), CellSums(digest))
            if total is None:
                here.runs[network] = RunSums(cpu_s, None)
                continue
            run = here.runs.setdefault(network, RunSums(cpu_s, {}))
            if run.sums is not None:
                run.sums[metric, at] = total, count

    def write(self) -> None:
        """Write the file, in one step."""
        failed: dict[Wanted, tuple[float | None, int]] = {("", ""): (None, 0)}
        rows = [
            (study, cell, found.digest, network, run.cpu_s, metric, at, total, count)
            for (study, cell), found in sorted(self.cells.items())
            for network, run in sorted(found.runs.items())
            for (metric, at), (total, count) in (run.sums or failed).items()
        ]
        content = io.BytesIO()
        frame = pl.DataFrame(rows, _SCHEMA, orient="row")
        frame.write_parquet(content, compression="zstd", compression_level=19)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.file, content.getvalue())

    def has(self, study: str, cell: Cell, network: int, wanted: Iterable[Wanted]) -> bool:
        """Whether a run was done, with all these quantities."""
        found = self.cells.get((study, cell.name))
        run = found.runs.get(network) if found else None
        return run is not None and (run.sums is None or all(each in run.sums for each in wanted))

    def is_of(self, study: str, cell: Cell) -> bool:
        """Whether what is kept of a cell is of this scenario and engine; so where nothing is."""
        found = self.cells.get((study, cell.name))
        return found is None or found.digest == cell.digest[:DIGITS]

    def put(self, study: str, cell: Cell, network: int, run: RunSums) -> None:
        """Keep a run."""
        key = study, cell.name
        self.cells.setdefault(key, CellSums(cell.digest[:DIGITS])).runs[network] = run

    def mean_cpu_s(self, study: str, cell: Cell) -> float | None:
        """Processor time of a cell's run; None where none was done."""
        found = self.cells.get((study, cell.name))
        times = [run.cpu_s for run in found.runs.values()] if found else []
        return sum(times) / len(times) if times else None


def sums_of(cell: Cell, network: int, result: RunResult, wanted: Iterable[Wanted]) -> Sums:
    """Sum and count of each quantity in a run of a cell."""
    run, flows = rows_of(cell, network, result, {})
    frames = [pl.DataFrame(rows, infer_schema_length=None) for rows in (flows, [run])]
    found = {}
    for metric, at in wanted:
        frame = next(frame for frame in frames if metric in frame.columns)
        sample = sample_of(frame, metric, where=at or None)
        found[metric, at] = float(sample.sums.sum()), sample.flows
    return found
