"""What a disk keeps: the store and the description of a study, with bytes that went wrong."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import polars as pl

from fuzz.judge import Finding, one_line, refused
from multihop.study import Study, StudyResults
from multihop.study.store import StoreError

NO_PROCESS = 2**22 + 1
"""Above the greatest id of Linux."""

STUDY = {
    "title": "two hops",
    "question": "Does the window matter?",
    "scenario": {
        "duration_s": 3,
        "topology": {"kind": "chain", "hops": 2, "spacing_m": 200},
        "flows": [{"kind": "ftp", "source": 0, "destination": 2, "stop_s": 3}],
    },
    "schemes": ["aodv", "static"],
    "baseline": "aodv",
    "scale": {"full": {"networks": 2}},
    "record": {"series_interval_s": 0.2, "queues": [1]},
}


@cache
def _whole() -> tuple[dict[str, bytes], str]:
    """The files of a study that was killed when it had done all its runs, and what is in them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with mock.patch.object(os, "getpid", return_value=NO_PROCESS):  # its claims are dead
            results = Study(**STUDY).run(folder, workers=1)  # type: ignore[arg-type]
        contents = _contents(results)
        # While its ledger is open, some of it is in the write-ahead log.
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.name.endswith("-shm")
        }
        _close(results)
        return files, contents


def names() -> list[str]:
    """The files that a study keeps, in the order by which `store` names them."""
    return list(_whole()[0])


def store(data: bytes, folder: Path) -> None:
    """Damage, eight bytes each: which file, what is done to it, where (3 bytes), how much (3).

    Whatever is left is right, and running the study again completes it, or is refused in one line.
    """
    files, contents = _whole()
    damaged: dict[str, bytes | None] = dict(files)
    for first in range(0, len(data) - 7, 8):
        _damage(damaged, data[first : first + 8])
    _lay_out(damaged, folder)
    _read(folder, contents)
    for _ in range(2):  # the first finds what is damaged, the second does it again
        with _running(folder) as results:
            if results is None:
                return
            _check_part(results, contents)
    with _running(folder) as results:
        if results is not None and _contents(results) != contents:
            raise Finding("after running again the results are others")


def description(data: bytes, folder: Path) -> None:
    """How a study was run (`run.json`): its results are opened."""
    files, contents = _whole()
    _lay_out({**files, "run.json": data}, folder)
    _read(folder, contents)


def _damage(files: dict[str, bytes | None], orders: bytes) -> None:
    name = names()[orders[0] % len(names())]
    content = files[name]
    if content is None:
        return
    place = int.from_bytes(orders[2:5], "little") % (len(content) + 1)
    size = int.from_bytes(orders[5:8], "little") % (len(content) + 1)
    match orders[1] % 6:
        case 0:
            files[name] = content[:place]
        case 1:
            flipped = bytes(byte ^ (1 << orders[5] % 8) for byte in content[place : place + 1])
            files[name] = content[:place] + flipped + content[place + 1 :]
        case 2:
            size = min(size, len(content) - place)
            files[name] = content[:place] + bytes(size) + content[place + size :]
        case 3:
            files[name] = None
        case 4:
            files[name] = content + content[place : place + size]
        case _:
            block = content[size : size + 512]
            files[name] = content[:place] + block + content[place + len(block) :]


def _lay_out(files: dict[str, bytes | None], folder: Path) -> None:
    for name, content in files.items():
        if content is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def _read(folder: Path, contents: str) -> None:
    """Open the results as `multihop study report` does."""

    def look() -> None:
        results = Study.read(folder / "study.toml").open(folder)
        try:
            _check_part(results, contents)
        finally:
            _close(results)

    if (folder / "study.toml").exists():
        refused(look)


@contextlib.contextmanager
def _running(folder: Path) -> Iterator[StudyResults | None]:
    """The results after running again; none where that is refused."""
    try:
        results = Study(**STUDY).run(folder, workers=1)  # type: ignore[arg-type]
    except StoreError as error:
        one_line(str(error))
        yield None
        return
    try:
        yield results
    finally:
        _close(results)


def _close(results: StudyResults) -> None:
    results._store.close()


def _check_part(results: StudyResults, contents: str) -> None:
    """Refuse rows that the whole does not have."""
    try:
        found = json.loads(_contents(results))
    except StoreError as error:
        one_line(str(error))
        return
    whole = json.loads(contents)
    for what, rows in found.items():
        for row in rows:
            if row not in whole[what]:
                raise Finding(f"{what}: a row that was never stored: {row}")
    for error in results.failures.values():
        one_line(error)


def _contents(results: StudyResults) -> str:
    frames: dict[str, pl.DataFrame] = {
        "flows": results.flows,
        "runs": results.runs,
        "series": results.series(),
        "queues": results.series("queues"),
    }
    return json.dumps({name: frame.to_dicts() for name, frame in frames.items()})
