"""What a second radio on a second channel brings: `python -m evidence.backbone.second_radio`.

The papers' radio, random connected networks of 50 nodes, ten NewReno flows; networks 301 to 330,
used for nothing before. Prints a table for evidence/backbone.md.
"""

import statistics
from collections.abc import Iterator

import multihop
from multihop.statistics import mean_interval

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


def rows() -> Iterator[str]:
    """The rows of the table: one radio, two, and their ratio with its interval."""
    one = {name: total_bps(ONE, ROUTING[name]) for name in ("AODV", "Babel")}
    for name, routing in ROUTING.items():
        before, after = one[name.partition(",")[0]], total_bps(TWO, routing)
        differences = [b / 1e3 - a / 1e3 for a, b in zip(before, after, strict=True)]
        interval = mean_interval(differences)
        means = [statistics.mean(values) / 1e3 for values in (before, after)]
        yield (
            f"| {name} | {means[0]:.0f} | {means[1]:.0f} "
            f"| {interval.value:+.0f} ({interval.low:+.0f} to {interval.high:+.0f}) |"
        )


if __name__ == "__main__":
    for row in rows():
        print(row)
