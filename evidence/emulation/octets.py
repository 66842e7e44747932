"""What a Babel node's bytes are: TLVs of a settled mesh, by kind, from a capture.

    python -m evidence.emulation.octets bird --shape grid-4

`ours`, `babeld`, `bird` (IPv4 alone), or `bird-both`. Needs root, the daemon and tshark.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from evidence.emulation import babel
from evidence.emulation.mixed import SHAPES, shark
from multihop.emulation import Network, Node
from multihop.pcap import Pcap

BEGIN_S, END_S = 50, 180
IP_UDP_BYTES, HEADER_BYTES = 40 + 8, 4
KINDS = {4: "Hello", 5: "IHU", 6: "Router-Id", 7: "Next Hop", 8: "Update", 9: "Route Request"}
FAMILIES = {0: "all", 1: "IPv4", 2: "IPv6", 3: "link-local"}
BOTH = babel.BIRD.replace(
    "protocol kernel",
    'protocol static six {{ ipv6; route {address6}/128 via "lo"; }}\nprotocol kernel',
).replace(
    "import all; export all; }};",
    "import all; export all; }};\n    ipv6 {{ import all; export all; }};",
)


def start_both(node: Node, folder: Path) -> None:
    """Start bird with routes of both families."""
    config = folder / f"{node.number}.conf"
    text = BOTH.format(address=node.address, address6=f"fd00::{node.number + 1:x}")
    config.write_text(text, encoding="ascii")
    node.popen(["bird", "-f", "-c", str(config), "-s", str(folder / f"{node.number}.ctl")])


def tlvs(packet: bytes) -> Iterator[tuple[str, int]]:
    """Kind and bytes of each TLV."""
    rest = packet[HEADER_BYTES : HEADER_BYTES + int.from_bytes(packet[2:4], "big")]
    while rest:
        length = 1 if rest[0] == 0 else 2 + rest[1]
        name = KINDS.get(rest[0], str(rest[0]))
        yield (f"{name} {FAMILIES[rest[2]]}" if name == "Update" else name), length
        rest = rest[length:]


def main() -> None:
    """Run the mesh and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["ours", "babeld", "bird", "bird-both"])
    parser.add_argument("--shape", choices=SHAPES, default="grid-4")
    given = parser.parse_args()
    kind = given.kind
    folder = Path(tempfile.mkdtemp(prefix="octets"))
    capture = folder / "run.pcapng"
    scenario = {
        "duration_s": END_S + 5, "topology": SHAPES[given.shape],
        "routing": {"scheme": "babel" if kind == "ours" else "none"},
    }  # fmt: skip
    with Network(scenario, pcap=Pcap(capture, snap_bytes=None), seed=1) as net:
        nodes = len(net)
        for number in range(nodes if kind != "ours" else 0):
            if kind == "bird-both":
                start_both(net[number], folder)
            else:
                babel.start(kind, net[number], folder, "-C", "default type wireless")
        net.sleep(END_S)
    sent = "babel && frame.packet_flags_direction==2"
    within = f"{sent} && frame.time_relative>={BEGIN_S} && frame.time_relative<{END_S}"
    packets = [bytes.fromhex(hexes) for (hexes,) in shark(capture, within, "udp.payload")]
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for packet in packets:
        for name, length in tlvs(packet):
            counts[name] += 1
            sizes[name] += length
    span_s = (END_S - BEGIN_S) * nodes
    headers = (IP_UDP_BYTES + HEADER_BYTES) * len(packets)
    print(f"{kind}, a node: {(headers + sizes.total()) / span_s:.2f} B/s")
    print(f"headers: {len(packets) / span_s:.4f} packets/s, {headers / span_s:.2f} B/s")
    for name, count in sorted(counts.items()):
        each = sizes[name] / count
        print(
            f"{name}: {count / span_s:.4f}/s, {sizes[name] / span_s:.2f} B/s, {each:.1f} bytes each"
        )


if __name__ == "__main__":
    main()
