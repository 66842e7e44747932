"""Records of events as files: Parquet, with the run's result in the file's metadata."""

from __future__ import annotations

import io
import json
from pathlib import Path

from multihop.events import Watch
from multihop.results import Result

_RESULT, _WATCH = "multihop", "multihop.watch"
"""The keys of the metadata that hold the result, and which events were recorded, as JSON."""


class TraceError(ValueError):
    """A file that is no record of events; the message is one line without the file's name."""


def to_parquet(result: Result) -> bytes:
    """The record of a result, which was run with `events`, as a Parquet file.

    Raises:
        ValueError: no events were recorded.
    """
    content = io.BytesIO()
    result.events.write_parquet(
        content,
        compression_level=1,
        statistics=False,
        metadata={
            _RESULT: json.dumps(result.json),
            _WATCH: json.dumps((result.watch or Watch()).asked()),
        },
    )
    return content.getvalue()


def read(file: Path) -> Result:
    """The result of the run that a file records, with its events.

    Raises:
        OSError: the file can't be read.
        TraceError: it is no Parquet file, or holds no run.
    """
    import polars as pl  # takes 0.2 s to import, which a run without a record does not need

    content = file.read_bytes()
    try:
        metadata = pl.read_parquet_metadata(io.BytesIO(content))
        events = pl.read_parquet(io.BytesIO(content))
    except pl.exceptions.PolarsError:
        raise TraceError("no Parquet file, or a damaged one") from None
    if _RESULT not in metadata:
        fault = "does not say which run it records; write it with multihop run --trace"
        raise TraceError(fault)
    watch = json.loads(metadata.get(_WATCH, "{}"))
    return Result(json.loads(metadata[_RESULT]), events, Watch.of(watch))
