"""Few causes a silence: those of moments are taken into their neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby

import numpy as np

from multihop.explain.model import Span

SHORTEST_NS = 10_000_000
"""A cause of less than an exchange is none that one could tell."""
MOMENT_NS = 1_000_000
"""Routing and the link pass a packet on within less."""
SMALLEST = 0.01
"""Nor is one of a smaller share of its silence."""
_MOST_EVIDENCE = 12


def smooth(spans: Sequence[Span], from_ns: int, to_ns: int) -> list[Span]:
    """Spans without gaps that cover a time, each longer than a moment."""
    kept = _joined(_covering(spans, from_ns, to_ns))
    shortest = max(SHORTEST_NS, round(SMALLEST * (to_ns - from_ns)))
    lengths = np.array([span.length_ns for span in kept])
    while len(kept) > 1 and lengths.min() < shortest:
        place = int(lengths.argmin())
        beside = [each for each in (place - 1, place + 1) if 0 <= each < len(kept)]
        longest = max(beside, key=lambda each: int(lengths[each]))
        kept[longest] = _spread(kept[longest], kept[place])
        # Where the moment was, two of one cause may meet.
        near = slice(max(0, place - 1), place + 2)
        beyond = _joined([span for span in kept[near] if span is not kept[place]])
        kept[near] = beyond
        lengths = np.concatenate(
            [lengths[: near.start], [span.length_ns for span in beyond], lengths[near.stop :]]
        )
    return kept


def _covering(spans: Sequence[Span], from_ns: int, to_ns: int) -> list[Span]:
    """The same with `unknown` where there is none; a moment belongs to what comes next."""
    covered: list[Span] = []
    now = from_ns
    for span in [*spans, Span("unknown", to_ns, to_ns, "")]:
        if span.from_ns - now <= MOMENT_NS < span.length_ns:
            span = replace(span, from_ns=now)
        elif now < span.from_ns:
            covered.append(Span("unknown", now, span.from_ns, "the record does not tell"))
        if span.from_ns < span.to_ns:
            covered.append(span)
        now = max(now, span.to_ns)
    return covered


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Neighbours of one cause as one."""
    return [_as_one([*each]) for _, each in groupby(spans, key=lambda span: span.cause)]


def _as_one(spans: Sequence[Span]) -> Span:
    """Spans in a row as one: told as the longest of what took most of the time."""
    if len(spans) == 1:
        return spans[0]
    lengths: Counter[tuple[int, int] | str] = Counter()
    for span in spans:
        lengths[span.search or span.text] += span.length_ns
    most = max(lengths, key=lambda subject: lengths[subject])
    own = [span for span in spans if (span.search or span.text) == most]
    return replace(
        max(own, key=lambda span: span.length_ns),
        from_ns=spans[0].from_ns,
        to_ns=spans[-1].to_ns,
        evidence=[*dict.fromkeys(chain(*(span.evidence for span in spans)))][:_MOST_EVIDENCE],
        counted=tuple(dict.fromkeys(chain(*(span.counted for span in spans)))),
    )


def _spread(span: Span, moment: Span) -> Span:
    begin, end = min(span.from_ns, moment.from_ns), max(span.to_ns, moment.to_ns)
    return replace(span, from_ns=begin, to_ns=end)
