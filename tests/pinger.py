"""An ICMP echo client, so that tests of emulation need no `ping`: `pinger.py ADDRESS --count 3`.

A line for each answer, `1700000000.123 time=3.9` (when it came, round trip [ms]), and a summary;
the status is 0 if there was one. Needs the right to open raw sockets.
"""

import argparse
import select
import socket
import struct
import time

_REQUEST = {socket.AF_INET: 8, socket.AF_INET6: 128}
_REPLY = {socket.AF_INET: 0, socket.AF_INET6: 129}
_DATA = bytes(56)
"""As ping sends: a packet of 84 bytes over IPv4."""


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071) of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def request(family: int, identifier: int, number: int) -> bytes:
    """An echo request (RFC 792, RFC 4443); the kernel fills in the checksum of ICMPv6."""
    summed = 0
    if family == socket.AF_INET:
        summed = checksum(struct.pack("!BBHHH", 8, 0, 0, identifier, number) + _DATA)
    return struct.pack("!BBHHH", _REQUEST[family], 0, summed, identifier, number) + _DATA


def replies(opened: socket.socket, identifier: int, until_s: float) -> list[int]:
    """The numbers that are answered by then; returns with the first."""
    left_s = until_s - time.monotonic()
    if left_s <= 0 or not select.select([opened], [], [], left_s)[0]:
        return []
    packet = opened.recv(4096)
    # A raw socket of IPv4 hands over the IP header, one of IPv6 does not.
    header = (packet[0] & 15) * 4 if opened.family == socket.AF_INET else 0
    kind, _, _, named, number = struct.unpack_from("!BBHHH", packet, header)
    return [number] if (kind, named) == (_REPLY[opened.family], identifier) else []


def main() -> int:
    """Send the requests and print the answers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--interval", type=float, default=0.2, help="between requests [s]")
    parser.add_argument("--wait", type=float, default=1.0, help="for the last answer [s]")
    said = parser.parse_args()
    protocols = {socket.AF_INET: socket.IPPROTO_ICMP, socket.AF_INET6: socket.IPPROTO_ICMPV6}
    family, _, _, _, address = socket.getaddrinfo(said.address, None, type=socket.SOCK_RAW)[0]
    identifier = time.monotonic_ns() & 0xFFFF
    sent_s: dict[int, float] = {}
    answered = 0
    with socket.socket(family, socket.SOCK_RAW, protocols[socket.AddressFamily(family)]) as opened:
        start_s = time.monotonic()
        for number in range(said.count):
            sent_s[number] = time.monotonic()
            opened.sendto(request(family, identifier, number), address)
            last = number == said.count - 1
            until_s = sent_s[number] + said.wait if last else start_s + (number + 1) * said.interval
            while time.monotonic() < until_s and not (last and answered == said.count):
                for named in replies(opened, identifier, until_s):
                    answered += 1
                    round_trip_ms = 1000 * (time.monotonic() - sent_s[named])
                    print(f"{time.time():.6f} time={round_trip_ms:.3f}")
    print(f"{said.count} packets transmitted, {answered} received", flush=True)
    return 0 if answered else 1


if __name__ == "__main__":
    raise SystemExit(main())
