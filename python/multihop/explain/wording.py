"""Explanations in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from multihop.explain.discovery import Request
from multihop.explain.model import Cause, FlowExplanation, Span, shares_of
from multihop.explain.silences import Gap
from multihop.explain.waits import Sender

MOST_TOLD = 10
"""Of more silences of a flow, only the longest are told."""
_SMALL = 0.03
"""A cause of a smaller share of a silence is not told in its text."""
_BACKED_OFF = 1.5
"""A timeout so many times that of the round trips is worth telling."""


def silence(gap: Gap, spans: Sequence[Span], timeout_s: float | None, is_stream: bool) -> str:
    """One silence: its causes in the order in which they came, each with its share."""
    shares = shares_of(spans)
    told: dict[Cause, Span] = {}
    for span in spans:
        if shares[span.cause] >= _SMALL:
            longest = told.get(span.cause)
            told[span.cause] = span if longest is None else max(longest, span, key=_length)
    parts = [f"{_told(span, told)} [{cause}, {shares[cause]:.0%}]" for cause, span in told.items()]
    if timeout_s is not None and "rto-backoff" not in told and timeout_s >= _BACKED_OFF:
        parts.append(f"RTO by then {timeout_s:.3g} s")
    what = "segment" if is_stream else "datagram"
    begin, end = gap.from_ns / 1e9, gap.to_ns / 1e9
    return f"no {what} delivered from {begin:.2f} to {end:.2f} s: {'; '.join(parts)}"


def requests(node: int, target: int, found: Sequence[Request], until_ns: int) -> str:
    """A discovery: its requests, and what became of them."""
    if not found:
        return f"{node} had no route to {target} and sent no request for one"
    count = "one request" if len(found) == 1 else f"{len(found)} requests"
    lost = Counter(request.text for request in found if not request.answered)
    why = "; ".join(f"{n} x {text}" if n > 1 else text for text, n in lost.most_common(3))
    answered = any(request.answered for request in found)
    end = f"answered before {until_ns / 1e9:.2f} s" if answered else "not answered"
    return f"{node} looked for {target} with {count}, {end}{': ' + why if why else ''}"


def timer(sender: Sender, to_ns: int, node: int) -> str:
    """The sender's timer, which expired late."""
    timeout_s = sender.timeout_s(to_ns - 1)
    if sender.state(to_ns - 1) == "suspended":
        return f"the sender at {node} was suspended until {to_ns / 1e9:.2f} s"
    if timeout_s is None:
        return f"the sender at {node} waited until {to_ns / 1e9:.2f} s"
    return f"the sender at {node} waited for its timer, RTO by then {timeout_s:.3g} s"


def text(flow: FlowExplanation, *, whole: bool) -> str:
    """A flow's silences and the shares of their causes; `whole` if of its whole life."""
    title = f"flow {flow.flow}, {flow.source} -> {flow.destination}"
    if not flow.silences:
        return f"{title}: {'never silent' if whole else 'not silent then'}"
    count = len(flow.silences)
    shares = ", ".join(f"{cause} {share:.0%}" for cause, share in flow.shares().items())
    longest = sorted(flow.silences, key=lambda each: -each.length_ns)[:MOST_TOLD]
    lines = [
        f"{title}: silent for {flow.silent_s:.1f} s, {count} time{'s' if count > 1 else ''}",
        f"  {shares}",
        *(f"  {each.text}" for each in flow.silences if each in longest),
    ]
    if count > MOST_TOLD:
        lines.append(f"  and {count - MOST_TOLD} shorter ones")
    return "\n".join(lines)


def _told(span: Span, told: Mapping[Cause, Span]) -> str:
    """A span's text, with what it came after where that isn't told by itself."""
    return span.told(with_reason=not span.because or span.because[0] not in told)


def _length(span: Span) -> int:
    return span.length_ns
