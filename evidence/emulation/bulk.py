"""One flow of the kernel's TCP: a source that always has data, or a sink that counts what comes.

    python bulk.py sink PORT UNTIL
    python bulk.py source ADDRESS PORT CONGESTION_CONTROL UNTIL

UNTIL is a time of `time.monotonic`, which all processes share. The sink prints the bytes that it
was given until then. Needs nothing but Python, as two of them run for each flow.
"""

from __future__ import annotations

import socket
import sys
import time

BLOCK = bytes(65536)
AGAIN_S = 0.2


def sink(port: int, until: float) -> None:
    """Accept one connection, and print the bytes that it brings in time."""
    received = 0
    try:
        with socket.create_server(("", port)) as server:
            server.settimeout(_left(until))
            connection, _ = server.accept()
        with connection:
            while True:
                connection.settimeout(_left(until))
                came = len(connection.recv(len(BLOCK)))
                if not came:
                    break
                received += came
    except OSError:
        # The time is over, or the source has gone.
        pass
    print(received)


def source(address: str, port: int, congestion_control: str, until: float) -> None:
    """Connect, and send until the time is over."""
    while time.monotonic() < until:
        with socket.socket() as connection:
            connection.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion_control.encode()
            )
            try:
                connection.settimeout(_left(until))
                connection.connect((address, port))
                while True:
                    connection.settimeout(_left(until))
                    connection.send(BLOCK)
            except OSError:
                time.sleep(AGAIN_S)


def _left(until: float) -> float:
    return max(until - time.monotonic(), 1e-3)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["sink", port, until]:
            sink(int(port), float(until))
        case ["source", address, port, congestion_control, until]:
            source(address, int(port), congestion_control, float(until))
        case _:
            sys.exit(__doc__)
