"""Explanations in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from multihop.explain.discovery import Request
from multihop.explain.model import Cause, FlowExplanation, Span, shares_of
from multihop.explain.silences import Gap
from multihop.explain.waits import Sender

MOST_FLOWS = 5
"""Of more flows, only the worst silences of those that were silent the longest are told."""
_MAIN = 0.1
"""A cause of a smaller share is not told in a summary."""
_SMALL = 0.03
"""A cause of a smaller share of a silence is not told in its text."""
_BACKED_OFF = 1.5
"""A timeout so many times that of the round trips is worth telling."""


def silence(gap: Gap, spans: Sequence[Span], timeout_s: float | None, is_stream: bool) -> str:
    """One silence: its causes in the order in which they came, each with its share."""
    shares = shares_of(spans)
    told = {cause: span for cause, span in _longest(spans).items() if shares[cause] >= _SMALL}
    parts = [f"{_told(span, told)} {_share(span, shares)}" for span in told.values()]
    if timeout_s is not None and "rto-backoff" not in told and timeout_s >= _BACKED_OFF:
        parts.append(f"RTO by then {timeout_s:.3g} s")
    return f"{_nothing(gap, is_stream)}: {'; '.join(parts)}"


def brief(gap: Gap, spans: Sequence[Span], is_stream: bool) -> str:
    """One silence in at most two sentences: its main causes, the largest first."""
    shares = shares_of(spans)
    longest = _longest(spans)
    main = [longest[cause] for cause, share in [*shares.items()][:2] if share >= _MAIN]
    parts = [f"{_shortened(span.text)} {_share(span, shares)}" for span in main]
    return f"{_nothing(gap, is_stream)}: {'. Besides, '.join(parts)}."


def requests(
    node: str, target: str, found: Sequence[Request], until_ns: int, searches: int = 0
) -> str:
    """Discoveries: how many of them, their requests, and what became of these."""
    if not found:
        return f"{node} had no route to {target} and sent no request for one"
    count = "one request" if len(found) == 1 else f"{len(found)} requests"
    times = f" in {searches} searches" if searches > 1 else ""
    lost = Counter(request.text for request in found if not request.answered)
    why = "; ".join(f"{n} x {text}" if n > 1 else text for text, n in lost.most_common(3))
    answered = any(request.answered for request in found)
    end = f"answered before {until_ns / 1e9:.2f} s" if answered else "in vain"
    return f"{node} looked for {target}{times} with {count}, {end}{': ' + why if why else ''}"


def timer(sender: Sender, to_ns: int, node: str) -> str:
    """The sender's timer, which expired late."""
    timeout_s = sender.timeout_s(to_ns - 1)
    if sender.state(to_ns - 1) == "suspended":
        return f"the sender at {node} was suspended until {to_ns / 1e9:.2f} s"
    if timeout_s is None:
        return f"the sender at {node} waited until {to_ns / 1e9:.2f} s"
    return f"the sender at {node} waited for its timer, RTO by then {timeout_s:.3g} s"


def summary(flow: FlowExplanation, *, whole: bool) -> str:
    """A flow in a line: how long and how often it was silent, and the main causes."""
    title = flow.title
    if not flow.silences:
        return f"{title}: {'never silent' if whole else 'not silent then'}"
    count = len(flow.silences)
    often = f"{count} times" if count > 1 else "once"
    shares, roots = flow.shares(), flow.roots()
    main = [cause for cause, share in shares.items() if share >= _MAIN]
    causes = ", ".join(f"{cause} {shares[cause]:.0%}" for cause in main)
    deeper = {cause: share - shares.get(cause, 0) for cause, share in roots.items()}
    root = max(deeper, key=lambda cause: deeper[cause])
    if deeper[root] >= _MAIN:
        causes += f"; {root} at the root of {roots[root]:.0%}"
    return f"{title}: silent for {flow.silent_s:.1f} s, {often}: {causes}"


def in_short(flows: Sequence[FlowExplanation], *, whole: bool) -> str:
    """A line a flow, and the worst silence of each; of many flows, of the most silent ones."""
    silent = sorted(flows, key=lambda flow: -flow.silent_s)[:MOST_FLOWS]
    lines = []
    for flow in flows:
        lines.append(summary(flow, whole=whole))
        if flow.silences and flow in silent:
            worst = max(flow.silences, key=lambda each: each.length_ns)
            lines.append(f"  {worst.brief}")
    return "\n".join(lines)


def in_full(flow: FlowExplanation, *, whole: bool) -> str:
    """A flow's silences, every one with all that was found."""
    lines = [summary(flow, whole=whole)]
    if flow.silences:
        lines.append(
            f"  {', '.join(f'{cause} {each:.0%}' for cause, each in flow.shares().items())}"
        )
    return "\n".join([*lines, *(f"  {each.text}" for each in flow.silences)])


def _nothing(gap: Gap, is_stream: bool) -> str:
    what = "segment" if is_stream else "datagram"
    return f"no {what} delivered from {gap.from_ns / 1e9:.2f} to {gap.to_ns / 1e9:.2f} s"


def _longest(spans: Sequence[Span]) -> dict[Cause, Span]:
    """The longest span of each cause, in the order in which the causes came."""
    found: dict[Cause, Span] = {}
    for span in spans:
        longest = found.get(span.cause)
        found[span.cause] = span if longest is None else max(longest, span, key=_length)
    return found


def _share(span: Span, shares: Mapping[Cause, float]) -> str:
    """A cause, what is at its root, and its share of the silence."""
    root = span.because[-1] if span.because else span.cause
    by = f" by {root}" if root != span.cause else ""
    return f"[{span.cause}{by}, {shares[span.cause]:.0%}]"


def _shortened(told: str) -> str:
    """A span's text up to its first semicolon, with the first of the reasons in brackets."""
    return re.sub(r"\(([^();]*);[^()]*\)", r"(\1)", told).split("; ")[0]


def _told(span: Span, told: Mapping[Cause, Span]) -> str:
    """A span's text, with what it came after where that isn't told by itself."""
    return span.told(with_reason=not span.because or span.because[0] not in told)


def _length(span: Span) -> int:
    return span.length_ns
