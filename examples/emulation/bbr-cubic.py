"""TCP BBR against CUBIC, the kernel's own, over four hops.

sudo multihop emulate six-hops --set topology.hops=4 --script examples/emulation/bbr-cubic.py
"""

import json

last = net[len(net) - 1]
for port in (5201, 5202):
    last.popen(["iperf3", "-s", "-p", str(port)], stdout=-3)
net.sleep(1)


def client(port, scheme, seconds):
    """Start iperf3 on the first node."""
    words = ["iperf3", "-J", "-c", last.address, "-p", str(port), "-C", scheme, "-t", str(seconds)]
    return net[0].popen(words, stdout=-1, text=True)


def goodput(process):
    """Kilobits a second that arrived."""
    return json.loads(process.communicate()[0])["end"]["sum_received"]["bits_per_second"] / 1000


SECONDS = 20
for port, scheme in enumerate(("bbr", "cubic"), 5201):
    print(f"{scheme} alone: {goodput(client(port, scheme, SECONDS)):.0f} kbit/s")
both = [client(5201, "bbr", SECONDS), client(5202, "cubic", SECONDS)]
for scheme, process in zip(("bbr", "cubic"), both, strict=True):
    print(f"{scheme} beside the other: {goodput(process):.0f} kbit/s")
