"""Files that people write: scenarios, settings, studies, readings, movement files, tables."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from tests.test_positions_file import SCENARIO as ROOFS
from tests.test_study import SCENARIO

import multihop
from fuzz.judge import Finding, command, refused, short_run
from multihop import engine, sites
from multihop.cli.streams import guarded
from multihop.cli.tables import console, show_result
from multihop.foreign import in_markdown
from multihop.result_types import RunResult
from multihop.scenario import load, to_toml
from multihop.sites import elevation
from multihop.study import Study
from multihop.study.store import Outcome, Store

CHAIN = to_toml(SCENARIO)

MOVING = """\
duration_s = 3
[topology]
kind = "setdest"
file = "moving.tcl"
nodes = 3
area_m = [600, 400]
[mobility]
kind = "setdest"
file = "moving.tcl"
[[flows]]
kind = "ftp"
source = 0
destination = 2
"""

TRACED = """\
duration_s = 3
topology = { kind = "chain", hops = 2 }
[[flows]]
kind = "trace"
over = "tcp"
file = "messages.csv"
source = 0
destination = 2
"""

MOST_RUNS = 12
"""Studies of more are planned only."""


def scenario(data: bytes, folder: Path) -> None:
    """A scenario in TOML: checked, and run for a moment."""
    _scenario(data, folder / "scenario.toml")


def scenario_json(data: bytes, folder: Path) -> None:
    """A scenario in JSON: checked, and run for a moment."""
    _scenario(data, folder / "scenario.json")


def _scenario(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    if command("check", file) and not _is_large(file):
        short_run(file)


def _is_large(file: Path) -> bool:
    found: list[object] = []

    def look() -> None:
        source = load(file)
        found.append(engine.load(source.text, source.overrides, syntax=source.syntax))

    return refused(look) or found[0] is not None


def setting(data: bytes, folder: Path) -> None:
    """Settings of the command line, `KEY=VALUE`, one a line, laid over a scenario."""
    file = folder / "chain.toml"
    file.write_text(CHAIN)
    settings = [
        part for line in data.decode("utf-8", "replace").split("\n") for part in ("--set", line)
    ]
    command("movement", file, *settings, "--out", folder / "movement.tcl")


def reading(data: bytes, folder: Path) -> None:
    """A reading: checked against every scheme that it is for."""
    (folder / "paper").mkdir()
    file = folder / "paper" / "name.toml"
    file.write_bytes(data)
    command("check", file)


def movement(data: bytes, folder: Path) -> None:
    """A movement file of ns-2's setdest: read, written again, and run for a moment."""
    (folder / "moving.tcl").write_bytes(data)
    file = folder / "moving.toml"
    file.write_text(MOVING)
    if command("check", file):
        command("movement", file, "--out", folder / "again.tcl")
        short_run(file)


def positions(data: bytes, folder: Path) -> None:
    """A CSV of positions: read, and run for a moment."""
    (folder / "roofs.csv").write_bytes(data)
    _scenario(ROOFS.encode(), folder / "roofs.toml")


def trace(data: bytes, folder: Path) -> None:
    """A CSV of messages: read, and sent for a moment."""
    (folder / "messages.csv").write_bytes(data)
    _scenario(TRACED.encode(), folder / "traced.toml")


STEERED = f"""\
{CHAIN}
[[agents]]
file = "policy.json"
"""


def policy(data: bytes, folder: Path) -> None:
    """A policy of weights: read, and run for a moment."""
    (folder / "policy.json").write_bytes(data)
    _scenario(STEERED.encode(), folder / "steered.toml")


def real_sites(data: bytes, folder: Path) -> None:
    """A file of real sites: read, made a scenario, and run for a moment."""
    (folder / "file").write_bytes(data)
    made: dict[str, Iterable[str]] = {}

    def read() -> None:
        mesh = sites.joined([sites.read(folder / "file")])
        made.update(sites.written(mesh, sites.Options("town"))[0])

    if not refused(read):
        for name, text in made.items():
            (folder / name).write_text("".join(text), "utf-8")
        if command("check", folder / "scenario.toml"):
            short_run(folder / "scenario.toml")


def heights(data: bytes, folder: Path) -> None:
    """Heights of the ground, at places inside and outside of most."""
    (folder / "N51E012.hgt").write_bytes(data)
    places = np.array([51.999, 0.0, -90.0]), np.array([12.001, 0.0, 180.0])
    refused(lambda: elevation.read(folder / "N51E012.hgt").at(*places))


MARKS = [
    "[/b]", "[red]", "<img src=x onerror=f()>", "</script>", "<!--", "\x1b[31m", "\u202e", "\n",
    "`", "](", "| ", "=cmd()", "{{", ":smile:", "$\\frac{", "&lt;", '"', "\\", "@title@",
    "\x9b", "\x00",
]  # fmt: skip


def names(data: bytes, folder: Path) -> None:
    """A title and the names of a flow, told in a terminal, a page, a table and a script of ns-2.

    Raises:
        Finding: one of them obeys it.
    """
    text = data.decode("utf-8", "replace")
    flow = {"kind": "ftp", "source": 0, "destination": 2, "stop_s": 3}
    name = text.replace(".", "")[:60] or "x"
    tables = {**SCENARIO, "duration_s": 3, "title": text, "flows": [{**flow, "name": name}]}
    file = folder / "named.json"
    file.write_text(json.dumps(tables))
    if refused(lambda: multihop.Scenario(file)):
        return
    result = multihop.run(file, record=multihop.Recording(series_interval_s=0.5))
    told = io.StringIO()
    with contextlib.redirect_stdout(told), guarded():
        show_result(result, console())
    if set(told.getvalue()) & {"\x1b", "\x07", "\x9b", "\x00", "\u202e"}:
        raise Finding(f"reaches the terminal: {told.getvalue()!r}")
    for page in (result._repr_html_(), multihop.Scenario(file)._repr_html_()):
        ElementTree.fromstring(f"<p>{page.replace('&nbsp;', ' ')}</p>")
        if re.search(r"<(img|script|!--)", page):
            raise Finding(f"is of the page: {page}")
    if "\n" in in_markdown(text) or "<" in in_markdown(text):
        raise Finding(in_markdown(text))


def study(data: bytes, folder: Path) -> None:
    """A study: planned; a small one is given a made-up result for each run, and evaluated."""
    file = folder / "study.toml"
    file.write_bytes(data)
    if command("check", file):
        refused(lambda: _evaluated(file, folder))


def _evaluated(file: Path, folder: Path) -> None:
    try:
        found = Study.read(file)
    except multihop.StudyError:  # a scenario or a reading
        return
    scale = found.which_scale()
    cells, networks = found.cells(scale), found.networks(scale)
    if len(cells) * networks > MOST_RUNS:
        return
    seeds = range(found.table.first_seed, found.table.first_seed + networks)
    with Store(folder / "store") as store:
        for cell in cells:
            for seed in seeds:
                store.put(Outcome(cell.key(seed), seed, 1.0, result=_result()))
    results = found.open(folder)
    results.summary()
    results.selected()
    results.attained()
    for figure in found.table.figures:
        results.figure_data(figure.name)
    for ranking in found.table.rankings:
        results.ranking(ranking.name)


@cache
def _result() -> RunResult:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chain.toml"
        file.write_text(CHAIN)
        return multihop.run(file, record=multihop.Recording(series_interval_s=0.5)).json
