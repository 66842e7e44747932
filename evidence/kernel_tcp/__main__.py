"""The command line of the rig."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

import click

from evidence.kernel_tcp import cases, grid, recording, rig
from evidence.kernel_tcp.case import Case
from multihop.files import write_atomically

RECORDINGS = Path(__file__).parents[2] / "crates/multihop/src/transport/tests/kernel"
GRID = Path(__file__).parent / "grid.csv"
LATEST_US = 1000.0
"""A run in which the wire was later than this, once, is done again."""
TRIES = 12


Item = TypeVar("Item")
Found = TypeVar("Found")


@click.group()
def main() -> None:
    """The kernel's TCP over a wire of our own: see evidence/kernel-tcp.md."""


@main.command()
@click.argument("names", nargs=-1)
@click.option("--workers", default=2, show_default=True, help="Connections at once.")
@click.option("--missing", is_flag=True, help="Only those that aren't there.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=RECORDINGS, help="Where recordings go."
)
def record(names: tuple[str, ...], workers: int, missing: bool, out: Path) -> None:
    """Record the cases of these NAMES (or beginnings of names); all by default. Needs root."""
    _need_root()
    chosen = {
        name: case
        for name, case in cases.recorded().items()
        if (not names or name.startswith(names))
        and not (missing and (out / f"{name}.txt").exists())
    }
    if not chosen:
        raise click.UsageError(f"no case begins with {' or '.join(names)}")
    out.mkdir(parents=True, exist_ok=True)
    for case, (text, latest, tries) in _each(_record, list(chosen.values()), workers):
        if text is None:
            click.echo(f"{case.name}: late by {latest:.0f} us, {tries} tries: not kept")
            continue
        write_atomically(out / f"{case.name}.txt", text)
        click.echo(f"{case.name}: latest {latest:.0f} us, {tries} tries")


@main.command("list")
@click.option("--out", type=click.Path(path_type=Path), default=RECORDINGS)
def list_recordings(out: Path) -> None:
    """Print a line on each recording."""
    for path in sorted(out.glob("*.txt")):
        found = recording.read(path)
        again = found.retransmissions()
        phases = {state.ca_state for _, state in found.states}
        click.echo(
            f"{path.stem:32} {found.sends[-1].time_us / 1e6:7.3f} s "
            f"{sum(send.length > 0 for send in found.sends):5} segments "
            f"{len(again):4} again {len(found.acks):5} acks {' '.join(sorted(phases))}"
        )


@main.command("grid")
@click.option("--workers", default=8, show_default=True, help="Connections at once.")
@click.option("--out", type=click.Path(path_type=Path), default=GRID, help="Where the CSV goes.")
def run_grid(workers: int, out: Path) -> None:
    """Measure completion times and goodput over the grid of wires; 20 minutes. Needs root."""
    _need_root()
    cells = list(grid.cells())
    place = {cell: number for number, cell in enumerate(cells)}
    # The long ones first, so that none is left alone at the end.
    order = sorted(cells, key=lambda cell: -(cell.bytes or math.inf))
    rows: dict[int, dict[str, object]] = {}
    for cell, row in _each(grid.row, order, workers):
        rows[place[cell]] = row
        click.echo(f"{len(rows)} of {len(cells)}: {' '.join(map(str, row.values()))}")
        write_atomically(out, grid.text([rows[number] for number in sorted(rows)]))


def _each(
    work: Callable[[Item], Found], items: Sequence[Item], workers: int
) -> Iterator[tuple[Item, Found]]:
    """What each item came to, as they end; an error lets go of those that haven't begun."""
    with ProcessPoolExecutor(workers) as pool:
        jobs = {pool.submit(work, item): item for item in items}
        try:
            for job in as_completed(jobs):
                yield jobs[job], job.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _record(case: Case) -> tuple[str | None, float, int]:
    for tries in range(1, TRIES + 1):
        run = rig.run(case)
        latest = run.late_us()[2]
        if latest <= LATEST_US:
            return recording.write(run, tries), latest, tries
    return None, latest, tries


def _need_root() -> None:
    if os.geteuid() != 0:
        raise click.UsageError("needs root: it makes network namespaces and devices")


if __name__ == "__main__":
    main()
