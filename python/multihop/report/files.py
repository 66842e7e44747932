"""The files beside a page: figures as SVG and PNG, data as CSV and Parquet."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl

from multihop.files import write_atomically
from multihop.report import charts
from multihop.study.figures import FigureData
from multihop.study.ranking import RankingData
from multihop.study.results import StudyResults


def write_figure(
    data: FigureData, spec: dict[str, Any], folder: Path, name: str
) -> list[tuple[str, str]]:
    """Write a figure's picture and data; gives their kinds and paths within `folder`."""
    for part in ("figures", "data"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    contents: dict[str, str | bytes] = {
        f"figures/{name}.svg": charts.svg(spec),
        f"figures/{name}.png": charts.png(spec),
        f"data/{name}.csv": data.frame.write_csv(),
        f"data/{name}.parquet": _parquet(data.frame),
    }
    for path, content in contents.items():
        write_atomically(folder / path, content)
    return list(zip(("SVG", "PNG", "CSV", "Parquet"), contents, strict=True))


def write_ranking(data: RankingData, folder: Path, name: str) -> list[tuple[str, str]]:
    """Write all candidates of a ranking; gives kinds and paths as `write_figure`."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    contents: dict[str, str | bytes] = {
        f"data/{name}.csv": data.frame.write_csv(),
        f"data/{name}.parquet": _parquet(data.frame),
    }
    for path, content in contents.items():
        write_atomically(folder / path, content)
    return list(zip(("CSV", "Parquet"), contents, strict=True))


def write_frames(results: StudyResults, summary: pl.DataFrame, folder: Path) -> None:
    """Write all flows and runs, and the summary table."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "flows.parquet", _parquet(results.flows))
    write_atomically(folder / "runs.parquet", _parquet(results.runs))
    write_atomically(folder / "summary.csv", summary.write_csv())


def _parquet(frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()
