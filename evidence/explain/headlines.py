"""Why headlines hold: for how long each cause keeps flows silent, under both schemes compared.

    python -m evidence.explain.headlines --networks 8            # of those that hold in the ledger
    python -m evidence.explain.headlines dcar-helps-long=ccar/ours --networks 8
    python -m evidence.explain.headlines --networks 0 --page evidence/headlines.md

Runs are as long as at the quick scale; networks have seeds from 440,001 on, used for nothing else.
`headlines.csv` beside this file has a row for each scheme, selector of flows and network; what is
there is not run again.
"""

from __future__ import annotations

import csv
import functools
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np
import polars as pl

import multihop
from multihop import catalogue, papers
from multihop.explain import CAUSES, Cause
from multihop.explain.shares import Shares
from multihop.files import put_between
from multihop.report.markdown import table_lines
from multihop.report.wording import with_interval
from multihop.reproduction.headlines import Comparison, Headline, headlines
from multihop.reproduction.network_sums import NetworkSums
from multihop.reproduction.quantities import Quantity, combined, difference, ratio
from multihop.reproduction.until_decided import MOST_NETWORKS, Campaign
from multihop.statistics import Estimate
from multihop.study import Study
from multihop.study.document import READING
from multihop.study.estimates import Sample
from multihop.study.plan import Cell
from multihop.study.precision import may_fulfil
from multihop.study.runs import rows_of
from multihop.study.selector import parse

HERE = Path(__file__).parent
ROWS = HERE / "headlines.csv"
LEDGER = HERE.parent / "headlines.parquet"
MARKERS = "<!-- because: begin -->", "<!-- because: end -->"
FIRST_SEED = 440_001
IN_ORDER = ("goodput_bps", "total_goodput_bps")
"""Metrics of which silences can be a reason: a silence is one of what arrives in order."""
_SAID = {"not decided": "open", "not run": "not reached"}
TOLD = 0.05
"""A cause of a smaller share of both silences has no row."""
COLUMNS = ("study", "cell", "at", "network", "flows", "lived_s", "delivered_bits", *CAUSES)

Key = tuple[str, str, str, int]
"""Study, cell, selector and network."""


@dataclass(frozen=True, slots=True)
class Why:
    """A headline under a reading, and what is to be explained of it."""

    headline: Headline
    reading: str
    word: str
    """In the ledger."""

    @property
    def parts(self) -> list[Comparison]:
        """Its comparisons of two schemes, each kind of flow once."""
        found = {(part.scheme, part.over, part.at): part for part in self.headline.parts
                 if part.over is not None and part.metric in IN_ORDER}  # fmt: skip
        return [*found.values()]

    def cells(self, scheme: str, at: str | None) -> list[Cell]:
        """The cells of a scheme with such flows."""
        return [
            cell
            for cell in _cells(self.headline.study)
            if cell.scheme == scheme
            and str(dict(cell.point).get(READING, "")) == self.reading
            and may_fulfil(cell.point, at)
        ]


@functools.cache
def _cells(study: str) -> list[Cell]:
    return Study.read(catalogue.study_file(study)).cells("quick")


def judged() -> list[Why]:
    """Every headline under every reading, with its word in the ledger."""
    every = [one for paper in papers.papers() for one in headlines(paper)]
    campaign = Campaign(every, NetworkSums(LEDGER), MOST_NETWORKS)
    campaign.look()
    known = {one.id: one for one in every}
    return [Why(known[one.id], one.reading, one.word) for one in campaign.verdicts()]


def read() -> dict[Key, dict[str, float]]:
    """The rows on record."""
    if not ROWS.exists():
        return {}
    with ROWS.open(newline="") as file:
        return {
            (row.pop("study"), row.pop("cell"), row.pop("at"), int(row.pop("network"))): {
                name: float(text) for name, text in row.items()
            }
            for row in csv.DictReader(file)
        }


def measure(chosen: Sequence[Why], networks: int, until: float) -> None:
    """Run and explain what is not on record, a network of all after the other."""
    known = read()
    with ROWS.open("a", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        if not known:
            table.writerow(COLUMNS)
        for study, cell, seed, selectors in planned(chosen, networks):
            lacking = [at for at in selectors if (study, cell.name, at, seed) not in known]
            if not lacking:
                continue
            if time.monotonic() > until:
                return
            for at, sums in explained(cell, seed, lacking):
                spans = [f"{sums.lengths_s[cause]:.6g}" for cause in CAUSES]
                about = [sums.flows, f"{sums.lived_s:.6g}", f"{sums.delivered_bits:.10g}"]
                table.writerow([study, cell.name, at, seed, *about, *spans])
            file.flush()


def planned(chosen: Sequence[Why], networks: int) -> Iterator[tuple[str, Cell, int, list[str]]]:
    """Study, cell and network of each run, with the selectors of flows that are asked for."""
    wanted: dict[tuple[str, str], tuple[Cell, list[str]]] = {}
    for why in chosen:
        for part in why.parts:
            for scheme in (part.scheme, part.over or ""):
                for cell in why.cells(scheme, part.at):
                    _, selectors = wanted.setdefault((why.headline.study, cell.name), (cell, []))
                    if (part.at or "") not in selectors:
                        selectors.append(part.at or "")
    for seed in range(FIRST_SEED, FIRST_SEED + networks):
        for (study, _), (cell, selectors) in wanted.items():
            yield study, cell, seed, selectors


def explained(cell: Cell, seed: int, selectors: Sequence[str]) -> Iterator[tuple[str, Shares]]:
    """Causes of the silences of the flows that a selector chooses, in one run."""
    result = multihop.run(json.loads(cell.text), seed=seed, events=True)
    found = {flow.flow: flow for flow in multihop.explain(result).flows}
    reports = {flow["id"]: flow for flow in result.json["flows"]}
    _, rows = rows_of(cell, seed, result.json, {})
    frame = pl.DataFrame(rows, infer_schema_length=None)
    for at in selectors:
        sums = Shares()
        for flow in frame.filter(parse(at or None, frame.columns))["flow"]:
            if flow in found:
                sums.add(reports[flow], found[flow])
        yield at, sums


@dataclass(frozen=True, slots=True)
class Both:
    """The flows of a comparison, on the networks on which both schemes were explained."""

    part: Comparison
    networks: tuple[int, ...]
    sums: tuple[dict[str, np.ndarray], dict[str, np.ndarray]]
    """Of the scheme and of the one it is compared with, network by network."""

    def mean(self, side: int, what: str, over: str) -> Quantity:
        """A sum over the flows of a side, over another sum of theirs."""
        sums = self.sums[side]
        return Quantity((Sample(self.networks, sums[what], sums[over]),))

    def share(self, side: int, cause: Cause) -> Estimate:
        """A cause's share of the silence."""
        return self.mean(side, cause, "silent_s").estimate()

    def of_life(self, side: int, cause: str) -> Quantity:
        """For how much of their time it keeps flows silent."""
        return self.mean(side, cause, "lived_s")

    def change(self, cause: str) -> Estimate:
        """That of the scheme less that of the other, in points of the flows' time."""
        return _times(difference(self.of_life(0, cause), self.of_life(1, cause)), 100)

    @property
    def goodput(self) -> Estimate:
        """What is delivered in order over what the other delivers."""
        sides = [self.mean(side, "delivered_bits", "lived_s") for side in (0, 1)]
        return ratio(*sides).estimate()

    @property
    def awake(self) -> Estimate:
        """The time that is not silent over that of the other."""
        sides = [self.of_life(side, "silent_s") for side in (0, 1)]
        return combined(sides, lambda both: (1 - both[0]) / (1 - both[1])).estimate()

    @property
    def pace(self) -> Estimate:
        """What is delivered in a second that is not silent, over that of the other."""
        sides = [self.mean(side, "delivered_bits", "awake_s") for side in (0, 1)]
        return ratio(*sides).estimate()

    @property
    def silent(self) -> list[int]:
        """The sides that are silent at all."""
        return [side for side in (0, 1) if self.sums[side]["silent_s"].any()]

    @property
    def told(self) -> list[Cause]:
        """The causes worth a row, those first whose time differs the most."""
        big = [c for c in CAUSES if any(self.share(side, c).value >= TOLD for side in self.silent)]
        return sorted(big, key=lambda cause: -abs(self.change(cause).value))


def both(why: Why, part: Comparison, rows: dict[Key, dict[str, float]]) -> Both | None:
    """What is on record of a comparison; None with fewer than three networks."""
    found: list[dict[int, dict[str, float]]] = []
    for scheme in (part.scheme, part.over or ""):
        by_network: dict[int, dict[str, float]] = {}
        names = {cell.name for cell in why.cells(scheme, part.at)}
        for (study, cell, at, network), row in rows.items():
            if study == why.headline.study and cell in names and at == (part.at or ""):
                so_far = by_network.setdefault(network, dict.fromkeys(row, 0.0))
                for name, value in row.items():
                    so_far[name] += value
        found.append(by_network)
    networks = tuple(sorted(n for n in found[0].keys() & found[1].keys() if found[0][n]["flows"]))
    if len(networks) < 3:
        return None
    sides = []
    for by_network in found:
        sums = {
            name: np.array([by_network[network][name] for network in networks])
            for name in COLUMNS[4:]
        }
        sums["silent_s"] = np.sum([sums[cause] for cause in CAUSES], axis=0)
        sums["awake_s"] = sums["lived_s"] - sums["silent_s"]
        sides.append(sums)
    return Both(part, networks, (sides[0], sides[1]))


def sentence(found: Both) -> str:
    """Why the one delivers more or less than the other, by its numbers."""
    part, over = found.part, found.part.over
    flows = f"flows (`{part.at}`)" if part.at else "flows"
    silent = [_percent(found.of_life(side, "silent_s").estimate()) for side in (0, 1)]
    more, awake, pace = found.change("silent_s"), found.awake, found.pace
    sure = [cause for cause in found.told if _is_sure(found.change(cause), 0)]
    causes = ", ".join(f"`{cause}` {_points(found.change(cause))}" for cause in sure)
    is_reason = any(_is_beyond(factor, part.side) for factor in (awake, pace))
    said = "because" if is_reason else "for no reason that these networks show:"
    said += f" {flows} are silent for {silent[0]} of their time under `{part.scheme}`"
    said += f" and {silent[1]} under `{over}`"
    if _is_sure(more, 0):
        said += f", {_points(more)} points of it" + (f": {causes}" if causes else "")
    else:
        said += f", a difference of {_points(more)} points that could be none"
        said += f", though causes differ: {causes}" if causes else ""
    factors = [
        _number(factor) + ("" if _is_sure(factor, 1) else ", which could be 1,")
        for factor in (awake, pace)
    ]
    return (
        f"{said}. Their ratio of {_number(found.goodput)} is {factors[0]} by silences, times "
        f"{factors[1]} by what is delivered in a second without one"
    )


def page_of(chosen: Sequence[Why], rows: dict[Key, dict[str, float]]) -> Iterator[str]:
    """A sentence and a table for each headline under each reading."""
    for why in chosen:
        word = _SAID.get(why.word, why.word)
        name = f"**{why.headline.says}** (`{why.headline.id}`, `{why.reading}`; ledger: {word})"
        if not why.parts:
            metrics = ", ".join(dict.fromkeys(f"`{part.metric}`" for part in why.headline.parts))
            yield f"{name}: silences are of what arrives in order, not of {metrics}."
        for part in why.parts:
            if (found := both(why, part, rows)) is None:
                continue
            flows = int(min(sums["flows"].sum() for sums in found.sums))
            seen = f"{len(found.networks)} networks, {flows} flows"
            yield f"{name}, {sentence(found)} ({seen})."
            lines = [
                ["cause", f"of the silence, `{part.scheme}`", f"`{part.over}`", "points of time"]
            ]
            for cause in found.told:
                shares = [
                    _percent(found.share(side, cause)) if side in found.silent else "–"
                    for side in (0, 1)
                ]
                lines.append([f"`{cause}`", *shares, _points(found.change(cause))])
            yield table_lines(lines)


def _is_sure(found: Estimate, line: float) -> bool:
    return found.low > line or found.high < line


def _is_beyond(found: Estimate, side: str) -> bool:
    """Whether a factor is for sure on the side of 1 on which the headline has it."""
    return found.low > 1 if side == "above" else found.high < 1


def _times(found: Estimate, factor: float) -> Estimate:
    low, high = factor * found.low, factor * found.high
    return replace(found, value=factor * found.value, low=low, high=high)


def _percent(found: Estimate) -> str:
    value, low, high = (
        100 * max(0.0, min(1.0, end)) for end in (found.value, found.low, found.high)
    )
    return f"{value:.0f} % ({low:.0f} to {high:.0f})"


def _points(found: Estimate) -> str:
    value, low, high = (
        f"{end:+.1f}".replace("-", "−") for end in (found.value, found.low, found.high)
    )
    return f"{value} ({low} to {high})"


def _number(found: Estimate) -> str:
    value, between = with_interval(found.value, found.low, found.high)
    return f"{value} ({between})"


@click.command()
@click.argument("names", nargs=-1, metavar="[HEADLINE=READING]...")
@click.option("--networks", default=8, show_default=True)
@click.option("--minutes", default=60.0, show_default=True, help="Begin no further run after.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Put what is on record of these here.",
)
def main(names: tuple[str, ...], networks: int, minutes: float, page: Path | None) -> None:
    """Explain what holds in the ledger, or what is named."""
    every = judged()
    holding = [why for why in every if why.word == "holds"]
    named = [why for why in every if f"{why.headline.id}={why.reading}" in names]
    if len(named) != len(names):
        raise click.UsageError("a name is HEADLINE=READING, as dcar-helps-long=ccar/ours")
    measure(named or holding, networks, time.monotonic() + 60 * minutes)
    rows = read()
    asked = [why for why in every if why in holding or why in named]
    known = [why for why in asked if why.parts and all(both(why, p, rows) for p in why.parts)]
    known += [why for why in asked if why not in known]
    text = "\n\n".join(page_of(known, rows))
    click.echo(text) if page is None else put_between(page, MARKERS, text)


if __name__ == "__main__":
    main()
