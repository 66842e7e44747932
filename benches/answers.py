"""Time to an answer: what ten questions cost, from the study file to the interval.

    python -m benches.answers                      # some five minutes of two idle cores
    python -m benches.answers --page evidence/performance.md

Each file of `benches/answers` is a question with a precision, or a selection of the best. It is
asked as a user asks it, with `multihop study run` on two workers, and timed from start to report.
Beside it stand the runs that equal allocation takes, as many networks for every cell as the one
that needs most, and what they take on ns-2.35: one run of the scenario there, with plain AODV or
DSR and NewReno, times as many runs. That last column is a product; nothing waits for it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from benches.peers import Peer, Run, find_peer, time_call

import multihop
from multihop.files import put_between
from multihop.peers.ns2 import UnsupportedError
from multihop.study.document import Precision
from multihop.study.plan import Cell

MARKERS = "<!-- answers: begin -->", "<!-- answers: end -->"
FOLDER = Path(__file__).with_name("answers")
WORKERS = 2
PEER_RUNS = 3
MOST_SHOWN = 4
ROUTINGS = {"03": "dsr", "04": "dsr"}
"""Of the runs on ns-2; AODV for the others."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question took."""

    question: str
    found: str
    run: Run
    runs: int
    equal_runs: int
    peer_s: float | None
    """Of one run on ns-2; none where it has no such radio or transport."""


@click.command()
@click.option("--only", default="*", help="Only files of this pattern.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Page to put the table into.",
)
def main(only: str, page: Path | None) -> None:
    """Ask each question, and print the table."""
    peer, answers = find_peer("ns2"), []
    for file in sorted(FOLDER.glob(f"{only}.toml")):
        answers.append(ask(file, peer))
        print(f"{answers[-1].run.wall_s:6.1f} s  {answers[-1].found}", flush=True)
    if not answers:
        raise click.UsageError(f"no question is called {only}")
    lines = "\n".join(table(answers))
    print(f"\n{lines}")
    if page is not None:
        put_between(page, MARKERS, lines)


def ask(file: Path, peer: Peer | None) -> Answer:
    """Ask one question, here and of the peer."""
    with tempfile.TemporaryDirectory() as folder:
        command = [Path(sys.executable).with_name("multihop"), "study", "run", file]
        command += ["--out", folder, "--workers", str(WORKERS)]

        def call() -> int:
            subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
            return 0

        run = time_call(call)
        study = multihop.Study.read(file)
        results = study.run(folder)
    cells = [len(seeds) for seeds in results.cell_seeds]
    equal_runs = max(cells) * len(cells)
    peer_s = peer and time_on(peer, file)
    return Answer(study.table.question, found(results), run, sum(cells), equal_runs, peer_s)


def found(results: multihop.StudyResults) -> str:
    """The answer in words."""
    for ranking in results.selected():
        best = ranking.frame.row(0, named=True)
        name = " + ".join(str(best[column]) for column in ("scheme", *ranking.ranking.over))
        left = sum(len(race.remaining) - 1 for race in ranking.races)
        rest = f"; {left} not distinguishable from it" if left else ""
        return f"{name}, {best['value'] / 1e3:,.0f} kbit/s{rest}"
    (held,) = results.attained()
    wanted, order = held.wanted, results.cells.index
    cells = sorted((width.cell for width in held.cells), key=order)
    if len(cells) > MOST_SHOWN:
        return f"{len(cells)} cells, the widest ± {held.cells[0].width:.1%}"
    return ", ".join(_value(results, wanted, cell) for cell in cells)


def _value(results: multihop.StudyResults, wanted: Precision, cell: Cell) -> str:
    where = " and ".join(f"{axis} == {value!r}" for axis, value in cell.point) or None
    if wanted.relative_to is not None:
        ratio = results.ratio(wanted.metric, cell.scheme, wanted.relative_to, where)
        return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"
    mean = results.mean(wanted.metric, cell.scheme, where)
    return f"{mean.value / 1e3:,.0f} ± {mean.half_width / 1e3:,.0f} kbit/s"


def time_on(peer: Peer, file: Path) -> float | None:
    """Processor time of one run of the scenario on the peer, the median of some networks."""
    tables = tomllib.loads(file.read_text("utf-8"))
    scenario = {**tables["scenario"], "routing": {"scheme": ROUTINGS.get(file.name[:2], "aodv")}}
    scenario["transport"] = {**scenario.get("transport", {}), "scheme": "newreno"}
    first = tables["first_seed"]
    try:
        calls = [
            peer.prepare(multihop.run(scenario, seed=seed))
            for seed in range(first, first + PEER_RUNS)
        ]
    except UnsupportedError:
        return None
    return statistics.median(time_call(call).processor_s for call in calls)


def table(answers: Sequence[Answer]) -> Iterator[str]:
    """The lines of the table."""
    head = ["question", "answer", "runs", "two cores", "processor"]
    yield _row([*head, "equal allocation", "ns-2.35, equal allocation"])
    yield "|---|---|--:|--:|--:|--:|--:|"
    for each in answers:
        equal_s = each.run.processor_s * each.equal_runs / each.runs
        times = [_time(each.run.wall_s), _time(each.run.processor_s)]
        equal = f"{each.equal_runs:,} runs, {_time(equal_s)}"
        peer = "" if each.peer_s is None else _time(each.peer_s * each.equal_runs)
        yield _row([each.question, each.found, f"{each.runs:,}", *times, equal, peer])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


if __name__ == "__main__":
    main()
