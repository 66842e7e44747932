"""Links side by side on overlapping channels: `python -m evidence.backbone.neighbouring_channels`.

Two saturated links of 10 m, 20 m apart, one on channel 1 and one on channel 1 to 6: what both carry
over what they do on channels that never hear each other. Prints a table for evidence/radios.md.
"""

import statistics
from collections.abc import Iterator

import multihop

SEEDS = range(1, 6)
CHANNELS = range(1, 7)
SCENARIO = """
duration_s = 6
profile = "standard"
[topology]
kind = "positions"
positions_m = [[0, 0], [10, 0], [0, 20], [10, 20]]
[radio]
reception = "sinr"
propagation = "log-distance"
neighbouring_channels = {counts}
[mac]
phy = "{phy}"
rts_threshold_bytes = "inf"
[link]
arp = false
[routing]
scheme = "static"
{interfaces}
{flows}
"""
FLOW = """
[[flows]]
kind = "cbr"
packet_bytes = 1000
rate_bps = 4e7
source = {source}
destination = {destination}
start_s = {start_s}
stop_s = 6
"""


def packets(phy: str, channel: int, *, counts: bool = True) -> float:
    """What both links carry in 5 s, in the mean of the seeds."""
    kinds = [("a", 1, [0, 1]), ("b", channel, [2, 3])] if channel > 1 else [("a", 1, [0, 1, 2, 3])]
    interfaces = "\n".join(
        f'[[interfaces]]\nname = "{name}"\nchannel = {number}\nnodes = {nodes}'
        for name, number, nodes in kinds
    )
    flows = "".join(
        FLOW.format(source=source, destination=source + 1, start_s=1 + source / 100)
        for source in (0, 2)
    )
    text = SCENARIO.format(phy=phy, counts=str(counts).lower(), interfaces=interfaces, flows=flows)
    results = multihop.run_many(text, seeds=SEEDS)
    sums = [sum(flow["received_packets"] for flow in it.json["flows"]) for it in results]
    return statistics.mean(sums)


def rows() -> Iterator[str]:
    """The rows of the table."""
    for phy in ("802.11b", "802.11g"):
        alone = packets(phy, 6, counts=False)
        shares = [packets(phy, channel) / alone for channel in CHANNELS]
        yield f"| `{phy}` | {' | '.join(f'{share:.2f}' for share in shares)} |"


if __name__ == "__main__":
    for row in rows():
        print(row)
