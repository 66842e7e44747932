"""The numbers beside a report as CSV and Parquet; needs nothing but the core."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from multihop.files import write_atomically
from multihop.study.figures import FigureData, figure_data
from multihop.study.ranking import RankingData, ranking_data
from multihop.study.results import StudyResults

Written = list[tuple[str, str]]
"""Kinds of files and their paths within a folder."""


def write_data(results: StudyResults, folder: Path) -> None:
    """Write all numbers of a study's report: data/ in `folder`."""
    write_frames(results, results.summary(), folder / "data")
    found: list[FigureData | RankingData] = [*figure_data(results), *ranking_data(results)]
    for data in found:
        if not data.frame.is_empty():
            write_numbers(data, folder, _name_of(data))


def write_frames(results: StudyResults, summary: pl.DataFrame, folder: Path) -> None:
    """Write all flows and runs, and the summary table."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "flows.parquet", _parquet(results.flows))
    write_atomically(folder / "runs.parquet", _parquet(results.runs))
    write_atomically(folder / "summary.csv", _read(summary, results).write_csv())


def write_numbers(data: FigureData | RankingData, folder: Path, name: str) -> Written:
    """Write the points of a figure, or all candidates of a ranking."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    contents: dict[str, str | bytes] = {
        f"data/{name}.csv": data.frame.write_csv(),
        f"data/{name}.parquet": _parquet(data.frame),
    }
    for path, content in contents.items():
        write_atomically(folder / path, content)
    return list(zip(("CSV", "Parquet"), contents, strict=True))


def _read(summary: pl.DataFrame, results: StudyResults) -> pl.DataFrame:
    """The summary with the reading that each scheme was under, where any was."""
    if not results.readings or summary.is_empty():
        return summary
    names = pl.col("scheme").replace_strict(results.readings, default=None, return_dtype=pl.String)
    return summary.with_columns(names.alias("reading"))


def _name_of(data: FigureData | RankingData) -> str:
    return data.figure.name if isinstance(data, FigureData) else data.ranking.name


def _parquet(frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()
