"""A connection over a wire: what there is to record."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A connection, the wire under it, and what the wire loses.

    Losses count the packets of one direction from 1: those from the client that carry data, those
    from the server after its SYN. They never reach the buffer.
    """

    name: str
    cc: str
    rate_bps: int
    delay_ms: float
    """Each way."""
    buffer: int
    """Packets that wait, besides the one that is being sent; towards the server."""
    bytes: int | None = None
    """What the client sends; None sends without end."""
    seconds: float | None = None
    """How long after the SYN the connection is watched; None until all bytes are acknowledged."""
    losses: tuple[int, ...] = ()
    again: dict[int, int] = field(default_factory=dict)
    """Loses the n-th packet and so many retransmissions of its data."""
    ack_losses: tuple[int, ...] = ()
    blackouts: tuple[tuple[float, float], ...] = ()
    """From and to, in s after the SYN: what enters the wire meanwhile, either way, is lost."""
    messages: tuple[tuple[float, int], ...] = ()
    """When the application has more to send, in s after the SYN, and how many bytes; without any,
    everything from the start."""
    auto: bool = False
    """Whether the server's kernel sizes its receive buffer; else it is so large that the window
    it advertises is not what a connection waits for."""
