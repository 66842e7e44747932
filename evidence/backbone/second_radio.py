"""What a second radio on a second channel brings: `python -m evidence.backbone.second_radio`.

The papers' radio, random connected networks of 50 nodes, ten NewReno flows; networks 301 to 330,
used for nothing before. Prints the tables of evidence/backbone.md: what runs carry, and what the
bound on the total is, with the share of it that they do.
"""

import statistics
from collections.abc import Iterator

import multihop
from multihop.bound import bound
from multihop.statistics import Estimate, mean_interval

SEEDS = range(301, 331)
SCENARIO = """
duration_s = 60
profile = "standard"
[topology]
kind = "random"
nodes = 50
area_m = [1000, 1000]
[transport]
scheme = "newreno"
[[flows]]
kind = "ftp"
count = 10
source = "random"
destination = "random"
start_s = 20
"""
ONE = ""
TWO = '[[interfaces]]\nname = "a"\nchannel = 1\n[[interfaces]]\nname = "b"\nchannel = 6\n'
ROUTING = {
    "AODV": '[routing]\nscheme = "aodv"\n',
    "Babel": '[routing]\nscheme = "babel"\n',
    "Babel, diversity by path": '[routing]\nscheme = "babel"\ndiversity = "path"\n',
    "Babel, WCETT": '[routing]\nscheme = "babel"\ndiversity = "wcett"\n',
}


def total_bps(interfaces: str, routing: str) -> list[float]:
    """The sum of all goodputs on each network."""
    results = multihop.run_many(SCENARIO + interfaces + routing, seeds=SEEDS)
    return [sum(flow["goodput_bps"] for flow in result.json["flows"]) for result in results]


def bounds_bps(interfaces: str) -> list[float]:
    """What no run's total on each network can exceed."""
    routing = ROUTING["AODV"]  # which the bound does not look at
    found = [bound(SCENARIO + interfaces + routing, seed=seed, seconds=300) for seed in SEEDS]
    print(f"gaps of the bounds: at most {max(one.gap for one in found):.1%}")
    return [one.total_bps for one in found]


def rows() -> Iterator[str]:
    """The rows of the tables."""
    one = {name: total_bps(ONE, ROUTING[name]) for name in ("AODV", "Babel")}
    two = {name: total_bps(TWO, routing) for name, routing in ROUTING.items()}
    for name, after in two.items():
        before = one[name.partition(",")[0]]
        differences = [b / 1e3 - a / 1e3 for a, b in zip(before, after, strict=True)]
        means = [statistics.mean(values) / 1e3 for values in (before, after)]
        yield (
            f"| {name} | {means[0]:.0f} | {means[1]:.0f} "
            f"| {told(mean_interval(differences), '+.0f')} |"
        )
    most = [bounds_bps(interfaces) for interfaces in (ONE, TWO)]
    each = " | ".join(told(mean_interval([bps / 1e3 for bps in values]), ".0f") for values in most)
    yield f"| bound | {each} |"
    for name, after in two.items():
        pairs = [(one[name], most[0])] if name in one else []
        shares = [
            told(mean_interval([100 * a / b for a, b in zip(got, limit, strict=True)]), ".1f")
            for got, limit in [*pairs, (after, most[1])]
        ]
        yield f"| {name}: % of it | {' | '.join(shares)} |"


def told(interval: Estimate, form: str) -> str:
    """A mean with its interval."""
    low, high = f"{interval.low:{form}}", f"{interval.high:{form}}"
    return f"{interval.value:{form}} ({low} to {high})"


if __name__ == "__main__":
    for row in rows():
        print(row)
