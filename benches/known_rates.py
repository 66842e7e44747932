"""What random access carries of rates that a schedule could give, when every source knows its rate.

    python -m benches.known_rates --networks 20 --first-seed 50001
    python -m benches.known_rates --networks 8 --first-seed 1 --over udp

Each of ten flows on the tournament's networks has its rate in the bound (proportionally fair, or
the highest least rate). Its source then offers a share of that to TCP NewReno, and no more: nothing
has to be found out, and whatever is not carried is lost to medium access, or to routes. Over UDP
there is no TCP to be at fault, nor acknowledgments to be carried. Prints a table: what is offered
and carried, over the total of NewReno without a limit, and Jain's index.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from benches.bound_certificates import scenario

import multihop
from multihop.bound import bound
from multihop.bound.objectives import Name
from multihop.statistics import Estimate, jain, mean_interval
from multihop.study.estimates import Sample, ratio

Floats = npt.NDArray[np.float64]
Rates = Mapping[tuple[str, int], Floats]

OBJECTIVES: tuple[Name, ...] = ("max-min", "proportional")
SHARES = (0.3, 0.45, 0.6, 0.8)
ROUTES = {
    "AODV": {"routing": {"scheme": "aodv", "expanding_ring": False, "local_repair": False}},
    "static": {"routing": {"scheme": "static"}},
}
TCP = {"scheme": "newreno", "segment_bytes": 1460, "window_segments": 8, "link_failure": "ignore"}
LEAST_BPS = 200.0
"""Of what a source offers; a rate may be 0."""


def main() -> None:
    """Bound the networks, run every way, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=50001)
    parser.add_argument("--seconds", type=float, default=25.0, help="for each bound")
    parser.add_argument("--over", choices=("tcp", "udp"), default="tcp", help="of known rates")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.networks)
    with ThreadPoolExecutor(arguments.workers) as pool:
        rates = dict(pool.map(lambda asked: _rates(*asked, arguments.seconds), _asked(seeds)))
        for line in table(seeds, rates, arguments.over, pool):
            print(line, flush=True)


def table(seeds: Sequence[int], rates: Rates, over: str, pool: ThreadPoolExecutor) -> Iterable[str]:
    """The lines of the table, in Markdown."""
    free = {name: list(pool.map(partial(goodputs, by=by), seeds)) for name, by in ROUTES.items()}
    yield "| rates | routes | offered, kbit/s | carried | over NewReno's | Jain |"
    yield "|---|---|--:|--:|---|---|"
    for name, found in free.items():
        yield _row(["no limit", name, ""], found, free["AODV"])
    for objective in OBJECTIVES:
        for name, by in ROUTES.items():
            for share in SHARES:
                offered = [rates[objective, seed] * share for seed in seeds]
                found = list(pool.map(partial(goodputs, by=by, over=over), seeds, offered))
                kbps = np.mean([held.sum() for held in offered]) / 1e3
                labels = [f"{share:g} of {objective}", name, f"{kbps:.0f}"]
                yield _row(labels, found, free["AODV"])


def goodputs(
    seed: int, held_bps: Floats | None = None, *, by: Mapping[str, Any], over: str = "tcp"
) -> Floats:
    """Each flow's goodput [bit/s]; without `held_bps` its source always has data, over TCP."""
    asked = {**scenario(10), "transport": TCP, **by, "seed": seed}
    if held_bps is not None:
        asked["flows"] = held(asked, held_bps, over)
    return np.array([flow["goodput_bps"] for flow in multihop.run(asked).json["flows"]])


def held(asked: Mapping[str, Any], rates_bps: Floats, over: str = "tcp") -> list[dict[str, Any]]:
    """The scenario's flows, each of which offers its rate all the time that it runs."""
    # Flows begin within 5 s.
    known = multihop.run({**asked, "duration_s": 5.5}).json["flows"]
    return [
        {
            "kind": "on-off", "over": over, "packet_bytes": 1460, "rate_bps": max(rate, LEAST_BPS),
            "on_s": 1000, "off_s": 1, "source": flow["source"], "destination": flow["destination"],
            "start_s": flow["start_s"], "stop_s": flow["start_s"] + 100,
        }
        for flow, rate in zip(known, rates_bps.tolist(), strict=True)
    ]  # fmt: skip


def _asked(seeds: Sequence[int]) -> list[tuple[Name, int]]:
    return [(objective, seed) for objective in OBJECTIVES for seed in seeds]


def _rates(objective: Name, seed: int, seconds: float) -> tuple[tuple[str, int], Floats]:
    found = bound(scenario(10), objective=objective, seed=seed, gap=0.03, seconds=seconds)
    return (objective, seed), np.array([flow.rate_bps for flow in found.flows])


def _row(labels: Sequence[str], found: Sequence[Floats], baseline: Sequence[Floats]) -> str:
    totals, theirs = (np.array([flows.sum() for flows in runs]) for runs in (found, baseline))
    over = ratio(_sample(totals), _sample(theirs))
    fair = mean_interval([jain(flows) for flows in found])
    return f"| {' | '.join([*labels, f'{totals.mean() / 1e3:.0f}', _shown(over), _shown(fair)])} |"


def _sample(totals: Floats) -> Sample:
    return Sample(tuple(range(len(totals))), totals, np.ones(len(totals)))


def _shown(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


if __name__ == "__main__":
    main()
