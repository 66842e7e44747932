"""Real programs on real network stacks over a simulated mesh, in real time.

A node is a network namespace with a TAP device `mesh0`, or one for each radio; the engine carries
what programs send there through routing, queues, MAC and radio (docs/use/emulation.md).

    with Network("mesh.toml", seconds=20) as net:
        net[4].popen(["iperf3", "-s", "-1"])
        print(net[0].run(["iperf3", "-c", net[4].address]).stdout)
    print(net.result.emulation)
"""

from multihop.emulation.errors import EmulationError
from multihop.emulation.network import Network
from multihop.emulation.nodes import Node, Program

__all__ = ["EmulationError", "Network", "Node", "Program"]
