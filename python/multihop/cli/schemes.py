"""`multihop run --schemes`: schemes side by side on the same networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from multihop import Result
from multihop.cli import progress, tables
from multihop.cli.failures import Failure, check_folders, naming
from multihop.cli.options import Choice, say_load, say_overridden, say_warnings
from multihop.cli.streams import write_json
from multihop.errors import ScenarioError
from multihop.metrics import METRICS, RunMetric
from multihop.overriding import reading_for
from multihop.reading import Reading
from multihop.report.wording import name_of, scale_of, with_interval
from multihop.results import title_of
from multihop.scenario import scheme_overrides
from multihop.simulate import run_tasks
from multihop.statistics import Estimate
from multihop.study import estimates
from multihop.study.estimates import Sample

_SHOWN = ("total_goodput_bps", "jain", "link_failures", "routing_packets")
"""What is shown of each scheme; ratios are of the first."""


def run_schemes(
    scenario: str,
    schemes: Sequence[str],
    choice: Choice,
    seed: int | None,
    seeds: int,
    workers: int | None,
    json_file: str | None,
    records: bool,
) -> None:
    """Run every scheme with every seed, and print or write means and paired ratios.

    `choice.reading` is for the schemes that it is about; others are under their papers' defaults.
    """
    if choice.scheme is not None:
        raise click.UsageError("--schemes stands in place of --scheme")
    if records:
        raise click.UsageError("--schemes goes with --seed, --seeds, --set, --json and --workers")
    check_folders(json_file)
    chosen = [_choice(name, choice) for name in schemes]
    for each in chosen:
        say_overridden(scenario, each)
    with naming(scenario, choice.options), progress.counted("running", len(chosen) * seeds) as done:
        say_load(scenario, chosen[0], seed)
        (first,) = run_tasks([(scenario, {**chosen[0].laid, "seed": seed})], finished=done)
        numbers = range(first.seed, first.seed + seeds)
        tasks = [
            (scenario, {**each.laid, "seed": number})
            for place, each in enumerate(chosen)
            for number in numbers
            if (place, number) != (0, first.seed)
        ]
        results = [first, *run_tasks(tasks, workers=workers, finished=done)]
    say_warnings(text for result in results for text in result.warnings)
    found = [
        _compared(name, results[place * seeds : (place + 1) * seeds], results[:seeds])
        for place, name in enumerate(schemes)
    ]
    if json_file:
        write_json(json_file, {"seeds": [*numbers], "schemes": found})
    if json_file == "-":
        return
    _show(first, found, seeds)


def _choice(name: str, choice: Choice) -> Choice:
    """What the command line lays over a scenario for one of several schemes."""
    try:
        scheme_overrides(name)
        return Choice(name, _reading(name, choice.reading), choice.settings, choice.options)
    except ScenarioError as error:
        raise Failure(f"--schemes: {error}") from None


def _reading(name: str, asked: Reading | None) -> Reading | None:
    return asked if asked is not None and asked.concerns(name) else reading_for(name, None)


def _compared(name: str, ours: Sequence[Result], first: Sequence[Result]) -> dict[str, Any]:
    """Means of a scheme, with ratios to the first on the same networks, as plain data."""
    found: dict[str, Any] = {"scheme": name, "reading": ours[0].reading}
    for metric in _SHOWN:
        mine, theirs = _sample(metric, ours), _sample(metric, first)
        found[metric] = _plain(estimates.mean(mine)) | {"values": mine.sums.tolist()}
        found[metric]["ratio"] = _plain(estimates.ratio(mine, theirs))
    return found


def _sample(metric: str, results: Sequence[Result]) -> Sample:
    """A metric of runs; a network without it, such as one without goodput, counts with nothing."""
    about = METRICS[metric]
    assert isinstance(about, RunMetric)
    values = [about.of(result.json) for result in results]
    known = np.array([value is not None for value in values], dtype=np.float64)
    sums = np.array([value or 0.0 for value in values], dtype=np.float64)
    return Sample(tuple(result.seed for result in results), sums, known)


def _plain(found: Estimate) -> dict[str, float | None]:
    ends = {"value": found.value, "low": found.low, "high": found.high}
    return {key: value if np.isfinite(value) else None for key, value in ends.items()}


def _show(first: Result, found: Sequence[dict[str, Any]], seeds: int) -> None:
    columns = [tables.Column("scheme", left=True), tables.Column("under", 5, left=True)]
    scales = []
    for number, metric in enumerate(_SHOWN):
        values = [each[metric]["value"] for each in found]
        scales.append(scale_of(METRICS[metric].unit, values))
        named, unit = name_of(metric), scales[-1][1]
        named = named if named.endswith(unit) else f"{named} {unit}"
        columns.append(tables.Column(named, number))
        if number == 0:
            columns.append(tables.Column(f"ratio to {found[0]['scheme']}"))
    rows = []
    for each in found:
        row = [each["scheme"], (each["reading"] or "").rpartition("/")[2]]
        for number, metric in enumerate(_SHOWN):
            row.append(_interval(each[metric], METRICS[metric].least, scales[number][0]))
            if number == 0:
                row.append(_interval(each[metric]["ratio"], 0.0) if each is not found[0] else "")
        rows.append(row)
    note = f"seeds {first.seed} to {first.seed + seeds - 1}" if seeds > 1 else f"seed {first.seed}"
    title = f"{title_of(first.scenario)}: {note}"
    tables.show(title, columns, rows, tables.console())
    if seeds > 1:
        tables.console().print(
            " In brackets the 95 % interval; ratios are of means on the same networks."
        )


def _interval(told: dict[str, float | None], least: float | None, factor: float = 1.0) -> str:
    ends = (told["value"], told["low"], told["high"])
    value, low, high = (None if end is None else end * factor for end in ends)
    text, between = with_interval(value, low, high, least)
    return f"{text} ({between})" if between else text
