"""The numbers beside a report as CSV and Parquet; needs nothing but the core."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from multihop.files import write_within
from multihop.study.figures import FigureData, figure_data
from multihop.study.ranking import RankingData, ranking_data
from multihop.study.results import StudyResults

_FORMULA, _NUMBER = r"^[=+@\t\r-]", r"^[+-]?[0-9.]+(e[+-]?[0-9]+)?$"

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
    write_within(folder / "flows.parquet", _parquet(results.flows))
    write_within(folder / "runs.parquet", _parquet(results.runs))
    write_within(folder / "summary.csv", csv(_read(summary, results)))


def write_numbers(data: FigureData | RankingData, folder: Path, name: str) -> Written:
    """Write the points of a figure, or all candidates of a ranking."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    contents: dict[str, str | bytes] = {
        f"data/{name}.csv": csv(data.frame),
        f"data/{name}.parquet": _parquet(data.frame),
    }
    for path, content in contents.items():
        write_within(folder / path, content)
    return list(zip(("CSV", "Parquet"), contents, strict=True))


def csv(frame: pl.DataFrame) -> str:
    """A frame as CSV in which no text begins as a formula of a spreadsheet does."""

    def safe(texts: pl.Expr) -> pl.Expr:
        is_formula = texts.str.contains(_FORMULA) & ~texts.str.contains(_NUMBER)
        return pl.when(is_formula).then(pl.lit("'") + texts).otherwise(texts)

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(safe(pl.col(name)).alias(name) for name in texts).write_csv()


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
