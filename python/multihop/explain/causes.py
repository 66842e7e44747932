"""From what a flow waited for to why: the causes of a silence, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from multihop.explain import waits, wording
from multihop.explain.addresses import Addresses
from multihop.explain.breaks import Break, Breaks
from multihop.explain.channel import Backoff, Channel
from multihop.explain.discovery import Discoveries, Request
from multihop.explain.losses import Loss, Losses
from multihop.explain.model import Evidence, Silence, Span
from multihop.explain.record import Record, rows_of
from multihop.explain.silences import Gap
from multihop.explain.smoothing import MOMENT_NS, smooth
from multihop.explain.waits import Sender, Wait
from multihop.explain.whereabouts import Stay, Way, Ways
from multihop.places import Places
from multihop.result_types import FlowReport
from multihop.results import Result, is_udp

_SOON_NS = 100_000_000
"""Routing sends its first request within this time: it waits for no more than a jitter."""
_IN_VAIN_NS = 2_000_000_000
"""An answer that lets no packet go within this time is of no use: its route is an old one."""
_ROUTE_NS = 10_000_000_000
"""A route that broke so long ago has nothing to do with a later discovery."""
_DEFAULT_TIMEOUT_S = 1.0
"""RFC 6298, 2.1; where no sender says it."""
PROGRAMS = "programs"
"""The kind of flow that programs of an emulation make: nobody tells why they send, or do not."""


class Run:
    """The parts of a run that all its flows share.

    Raises:
        ValueError: no events are recorded, or only some nodes'.
    """

    def __init__(self, result: Result) -> None:
        mac = result.scenario["mac"]
        backoff = Backoff(mac["cw_min"], mac["cw_max"], round(mac["slot_s"] * 1e9), mac["access"])
        self.nodes = result.nodes
        self.record = Record(result)
        self.places = Places(result)
        self.channel = Channel(self.record, self.places, backoff)
        self.breaks = Breaks(self.record, self.places, self.channel)
        self.losses = Losses(self.record, self.places, self.channel, self.breaks)
        self.discoveries = Discoveries(self.record, self.places, self.channel)
        self.addresses = Addresses(self.record, self.places, self.channel)


class Explainer:
    """Explains the silences of one flow."""

    def __init__(self, run: Run, flow: FlowReport) -> None:
        self._run = run
        self._nodes = run.nodes
        self._told = run.places.told
        self._flow = flow
        self._ends = (int(flow["source"]), int(flow["destination"]))
        self._is_stream = not is_udp(flow)
        self._is_of_programs = flow["kind"] == PROGRAMS
        self._ways = Ways(run.record, flow["id"])
        self._sender = Sender(run.record, flow["id"])
        content = "tcp-data" if self._is_stream else "udp"
        self._deliveries = rows_of(
            run.record.of_flow(flow["id"]).filter(event="deliver", content=content)
        )

    def silence(self, gap: Gap) -> Silence:
        """The causes of a silence; together they cover it."""
        found = sorted(self._spans(gap), key=lambda span: span.from_ns)
        spans = [self._counted(span) for span in smooth(found, gap.from_ns, gap.to_ns)]
        timeout_s = self._sender.timeout_s(gap.to_ns - 1) if self._is_stream else None
        told = self._nodes.told
        text = told(wording.silence(gap, spans, timeout_s, self._is_stream))
        brief = told(wording.brief(gap, spans, self._is_stream))
        named = [
            replace(
                span,
                text=told(span.text),
                after=told(span.after),
                evidence=[replace(each, what=told(each.what)) for each in span.evidence],
            )
            for span in spans
        ]
        return Silence(gap.from_ns, gap.to_ns, named, text, brief)

    def _counted(self, span: Span) -> Span:
        """A search for a route, told by all its requests: many packets may have waited for it."""
        if span.search is None:
            return span
        found = self._requests(*span.search, span.from_ns, span.to_ns)
        begun = min([span.from_ns, *(request.at_ns for request in found)]) - MOMENT_NS
        searches = self._run.discoveries.searches(*span.search, begun, span.to_ns)
        reasons = Counter(request.because for request in found if request.lost)
        because = reasons.most_common(1)[0][0] if reasons else span.because
        node, target = map(self._told, span.search)
        text = wording.requests(node, target, found, span.to_ns, searches)
        return replace(span, text=text, because=because)

    def _spans(self, gap: Gap) -> Iterator[Span]:
        first, last = self._run.record.span_ns
        begin = min(max(gap.from_ns, first), gap.to_ns)
        end = max(min(gap.to_ns, last), begin)
        if self._run.record.of_flow(self._flow["id"]).is_empty():
            begin = end = gap.from_ns
        if begin < end:
            yield from self._recorded_spans(replace(gap, from_ns=begin, to_ns=end))
        for from_ns, to_ns in ((gap.from_ns, begin), (end, gap.to_ns)):
            if from_ns < to_ns:
                yield Span("unknown", from_ns, to_ns, "it is not recorded")

    def _recorded_spans(self, gap: Gap) -> Iterator[Span]:
        if self._is_stream:
            found = waits.of_stream(gap, self._ways, self._sender)
        else:
            found = waits.of_datagrams(gap, self._ways)
        for wait in found:
            if wait.way is not None:
                yield from self._under_way(wait.way, wait.from_ns, wait.to_ns)
            else:
                yield from self._at_sender(wait, gap.to_ns)

    def _under_way(self, way: Way, from_ns: int, to_ns: int) -> Iterator[Span]:
        """A packet was on its way."""
        overtaken = self._overtaken(way)
        for stay in way.within(from_ns, to_ns):
            if stay.from_ns < overtaken:
                until = min(stay.to_ns, overtaken)
                yield from self._stay(way, replace(stay, to_ns=until))
            if overtaken < stay.to_ns:
                begin, at = max(stay.from_ns, overtaken), self._told(stay.node)
                text = f"segment {way.number} was overtaken by later ones, and was at {at}"
                shown = Evidence(overtaken, "a later segment arrives first", None, self._ends[1])
                yield Span("reordering", begin, stay.to_ns, text, [shown])

    def _overtaken(self, way: Way) -> int:
        """When a segment that was sent later arrived before this one; never if none did."""
        never = way.end_ns + 1
        if not (self._is_stream and way.delivered) or way.source != self._ends[0]:
            return never
        rows = self._deliveries
        begin, end = np.searchsorted(rows["time_ns"], [way.sent_ns, way.end_ns])
        for place in range(int(begin), int(end)):
            later = rows["number"][place] > way.number
            if later and self._ways.way(int(rows["packet"][place])).sent_ns > way.sent_ns:
                return int(rows["time_ns"][place])
        return never

    def _stay(self, way: Way, stay: Stay) -> Iterator[Span]:
        target = self._ends[1] if way.source == self._ends[0] else self._ends[0]
        match stay.place:
            case "arp":
                yield self._at_arp(stay)
            case "routing" if stay.to_ns - stay.from_ns > MOMENT_NS:
                yield from self._without_route(stay.node, target, stay.from_ns, stay.to_ns)
            case "queue" | "mac":
                yield from self._at_mac(stay)

    def _at_arp(self, stay: Stay) -> Span:
        text = f"{self._told(stay.node)} waited for the address of {self._told(stay.peer)}"
        shown = Evidence(stay.from_ns, "waits for an address", None, stay.node, stay.peer)
        if self._run.places.reaches(stay.node, stay.peer, stay.from_ns):
            asked = self._run.addresses.asked(stay.node, stay.peer, stay.from_ns, stay.to_ns)
            return Span(
                "arp", stay.from_ns, stay.to_ns, text + asked.text, [shown, *asked.evidence],
                asked.because, counted=asked.counted,
            )  # fmt: skip
        gone = self._run.breaks.gone(stay.node, stay.peer, stay.from_ns, [shown])
        return Span(gone.cause, stay.from_ns, stay.to_ns, f"{gone.text}; {text}", [shown])

    def _at_wire(self, stay: Stay, wire: str) -> Span:
        """A packet at a port: others went before it, or it was on the wire."""
        at, to = self._told(stay.node), self._told(stay.peer)
        if stay.place == "queue":
            text = f"at {at} others went by the wire {wire!r} before it"
        else:
            text = f"it was on the wire {wire!r} from {at} to {to}"
        shown = Evidence(stay.from_ns, f"at the wire {wire!r}", None, stay.node, stay.peer)
        return Span("wire", stay.from_ns, stay.to_ns, text, [shown])

    def _at_mac(self, stay: Stay) -> Iterator[Span]:
        wire = self._run.record.wire(stay.interface)
        if wire is not None:
            yield self._at_wire(stay, wire)
            return
        for service in self._run.channel.services(
            stay.node, stay.interface, stay.from_ns, stay.to_ns
        ):
            cause, text = service.cause, service.text
            if cause == "out-of-range":
                broken = self._run.breaks.at(stay.node, service.to_ns)
                cause, text = (broken.cause, broken.text) if broken else (cause, text)
            yield Span(cause, service.from_ns, service.to_ns, text, service.evidence)

    def _without_route(self, node: int, target: int, from_ns: int, to_ns: int) -> Iterator[Span]:
        """Routing at `node` had no route to `target`."""
        apart = self._run.places.apart(node, target, from_ns, to_ns)
        for begin, end, is_apart in _complete(apart, from_ns, to_ns):
            if is_apart:
                text = self._run.places.no_way(node, target, begin)
                yield Span("out-of-range", begin, end, text)
            elif self._run.record.keeps_routes:
                text = f"{self._told(node)} had no route to {self._told(target)} yet"
                yield Span("convergence", begin, end, text)
            else:
                yield from self._discovery(node, target, begin, end)

    def _discovery(self, node: int, target: int, from_ns: int, to_ns: int) -> Iterator[Span]:
        requests = self._requests(node, target, from_ns, to_ns)
        broken = self._run.breaks.last(self._ends, from_ns - _ROUTE_NS, from_ns)
        told = wording.requests(self._told(node), self._told(target), requests, to_ns)
        starts = [max(request.at_ns, from_ns) for request in requests]
        first = starts[0] if starts else to_ns
        if from_ns < first:
            held = first - from_ns > _SOON_NS
            yield self._regular(broken, (node, target), from_ns, first, told, held=held)
        for request, begin, end in zip(requests, starts, [*starts[1:], to_ns], strict=False):
            in_vain = request.answered and (end < to_ns or end - begin > _IN_VAIN_NS)
            if in_vain:
                text = f"{told}; answers of no use"
                yield Span("stale-route", begin, end, text, [_shown(request)])
            elif request.lost:
                yield Span(
                    "lost-request-or-reply", begin, end, told, [_shown(request)], request.because,
                    search=(node, target),
                )  # fmt: skip
            else:
                yield self._regular(
                    broken, (node, target), begin, end, told, held=False, request=request
                )

    def _requests(self, node: int, target: int, from_ns: int, to_ns: int) -> list[Request]:
        """The requests of a time, and the last before it, whose answer may come in it."""
        earlier = from_ns - _ROUTE_NS
        found = self._run.discoveries.requests(node, target, earlier, to_ns)
        before = [request for request in found if request.at_ns <= from_ns][-1:]
        return before + [request for request in found if request.at_ns > from_ns]

    def _regular(
        self,
        broken: Break | None,
        search: tuple[int, int],
        from_ns: int,
        to_ns: int,
        told: str,
        *,
        held: bool,
        request: Request | None = None,
    ) -> Span:
        """A discovery that goes as it should: its time belongs to what made it necessary."""
        evidence = [] if request is None else [_shown(request)]
        if broken is None or held:
            return Span("lost-request-or-reply", from_ns, to_ns, told, evidence, search=search)
        return Span(
            broken.cause, from_ns, to_ns, f"{broken.text}; {told}",
            [*broken.evidence, *evidence], broken.because, counted=broken.counted,
        )  # fmt: skip

    def _at_sender(self, wait: Wait, silent_until_ns: int) -> Iterator[Span]:
        """Nothing was under way."""
        if wait.lost is None:
            yield from self._held(wait)
            return
        source, destination = self._ends
        loss, patience = self._run.losses.of(wait.lost, silent_until_ns), wait.to_ns
        if self._is_of_programs:
            patience = wait.lost.end_ns + round(_DEFAULT_TIMEOUT_S * 1e9)
        elif self._is_stream:
            timeout_s = self._sender.fresh_timeout_s(wait.lost.end_ns) or _DEFAULT_TIMEOUT_S
            patience = wait.lost.end_ns + round(timeout_s * 1e9)
        apart = self._run.places.apart(source, destination, wait.from_ns, wait.to_ns)
        for begin, end, is_apart in _complete(apart, wait.from_ns, wait.to_ns):
            if is_apart:
                text = self._run.places.no_way(source, destination, begin)
                yield Span("out-of-range", begin, end, text)
                continue
            if begin < patience:
                yield _after(loss, begin, min(end, patience), loss.text)
            begin = max(begin, patience)
            if self._is_of_programs:
                if begin < end:
                    yield self._idle(begin, end)
                continue
            until = self._run.losses.lasts_until(wait.lost, begin, end)
            if begin < until:
                yield replace(
                    _after(loss, begin, until, f"{loss.text}, again and again"), because=()
                )
            begin = max(begin, until)
            if begin < end:
                yield self._patient(wait, loss, begin, end, silent_until_ns)

    def _patient(
        self, wait: Wait, loss: Loss, from_ns: int, to_ns: int, silent_until_ns: int
    ) -> Span:
        """The sender waited longer than a timeout without backing off."""
        following = wait.following
        if (
            following is not None
            and following.lost is not None
            and following.end_ns <= silent_until_ns
        ):
            again = self._run.losses.of(following, silent_until_ns)
            return _after(again, from_ns, to_ns, f"{again.text}, when the sender tried again")
        text = wording.timer(self._sender, to_ns, self._told(self._ends[0]))
        shown = Evidence(to_ns, "timer expires", None, self._ends[0])
        because = (loss.cause, *loss.because)
        return Span(
            "rto-backoff", from_ns, to_ns, text, [shown, *loss.evidence], because, loss.text,
            counted=(("timeout", to_ns),),
        )  # fmt: skip

    def _held(self, wait: Wait) -> Iterator[Span]:
        """The sender had nothing that it might send."""
        source, destination = self._ends
        begin, end = wait.from_ns, wait.to_ns
        if self._is_stream and self._sender.state(begin) == "suspended":
            yield from self._without_route(source, destination, begin, end)
        elif self._sender.called_by(begin, end) == "room":
            yield Span(
                "contention", begin, end, f"the sender waited for room at {self._told(source)}"
            )
        else:
            yield self._idle(begin, end)

    def _idle(self, from_ns: int, to_ns: int) -> Span:
        """Nothing was under way, nor known to be held."""
        source = self._ends[0]
        shown = Evidence(from_ns, "nothing under way", None, source)
        text = f"{self._told(source)} had nothing that it might send"
        if self._is_of_programs:
            text = f"programs at {self._told(source)} sent nothing"
        return Span("nothing-to-send", from_ns, to_ns, text, [shown])


def _after(loss: Loss, from_ns: int, to_ns: int, text: str) -> Span:
    """A wait that a loss brought about."""
    return Span(
        loss.cause, from_ns, to_ns, text, loss.evidence, loss.because,
        counted=loss.counted, search=loss.search,
    )  # fmt: skip


def _shown(request: Request) -> Evidence:
    found = request.evidence
    return Evidence(found.time_ns, f"{found.what}: {request.text}", found.frame, found.node)


def _complete(
    spans: Sequence[tuple[int, int]], from_ns: int, to_ns: int
) -> Iterator[tuple[int, int, bool]]:
    """These spans of a time, and those between them: from, to, whether it is one of these."""
    now = from_ns
    for begin, end in spans:
        if now < begin:
            yield now, begin, False
        yield begin, end, True
        now = end
    if now < to_ns:
        yield now, to_ns, False
