"""Why the flows of a run were silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop.explain import silences, wording
from multihop.explain.causes import PROGRAMS, Explainer, Run
from multihop.explain.model import Cause, FlowExplanation, shares_of
from multihop.recorded import recorded
from multihop.results import Result, called, ends_of, is_udp
from multihop.scenario import ScenarioSource

ALWAYS_SENDING = ("ftp", "cbr", "file", "voice")
"""Kinds of flow whose application has data all the time, so that the network makes them silent."""
EXPLAINED = (*ALWAYS_SENDING, PROGRAMS)
"""Those whose silences are explained; of programs it is said when they sent nothing."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why flows of one run were silent.

    `print` gives it in short, `detail` is the whole text, `json` the same as data.
    """

    flows: Sequence[FlowExplanation]
    whole: bool = True
    """Whether it has all silences, not those of a time alone."""

    def shares(self) -> dict[Cause, float]:
        """Each cause's share of the silent time of all flows together, the largest first."""
        found = [span for flow in self.flows for each in flow.silences for span in each.spans]
        return shares_of(found)

    @property
    def json(self) -> dict[str, Any]:
        """The same as plain data; docs/use/explain.md has its form."""
        return {"flows": [flow.as_json() for flow in self.flows]}

    @property
    def detail(self) -> str:
        """Every silence with all its causes and what was seen of them."""
        return "\n".join(wording.in_full(flow, whole=self.whole) for flow in self.flows)

    def __str__(self) -> str:
        return wording.in_short(self.flows, whole=self.whole)


def explain(
    source: Result | ScenarioSource,
    *,
    flow: int | None = None,
    at_s: float | None = None,
    from_s: float | None = None,
    to_s: float | None = None,
    **options: Any,
) -> Explanation:
    """Why flows were silent: the chain of causes of each silence, with its evidence.

    Args:
        source: a result of `run` with `events`; the path of a record of events (`.parquet`); or a
            scenario as `run` takes it, which is run with its events recorded.
        flow: one flow; all where absent.
        at_s: only the silence at this time [s].
        from_s: only silences that end after this time [s].
        to_s: only silences that begin before this time [s].
        options: of `run`, where `source` is a scenario: `seed`, `scheme`, `reading`, `set`.

    Raises:
        ValueError: the result lacks its events, there is no such flow, or a time is outside the
            run.
        ScenarioError: the scenario can't be run.
    """
    result = recorded(source, **options)
    flows = result.json["flows"]
    if flow is not None and not 0 <= flow < len(flows):
        raise ValueError(f"flow: must be 0 to {len(flows) - 1} (got {flow})")
    if flow is not None and flows[flow]["kind"] not in EXPLAINED:
        raise ValueError(
            f"flow: {flow} is of kind {flows[flow]['kind']}, which may be silent because it has "
            f"nothing to send; only {', '.join(EXPLAINED)} are explained"
        )
    duration_s = result.scenario["duration_s"]
    for name, value in (("at", at_s), ("from", from_s), ("to", to_s)):
        if value is not None and not 0 <= value <= duration_s:
            raise ValueError(
                f"{name}: must be 0 to {duration_s:g} s, the end of the run (got {value:g})"
            )
    begin_ns = round((at_s if at_s is not None else from_s or 0.0) * 1e9)
    last_s = at_s if at_s is not None else to_s
    end_ns = round((duration_s if last_s is None else last_s) * 1e9)
    shared = Run(result)
    found = []
    chosen_flows = [report for report in flows if report["kind"] in EXPLAINED]
    for report in chosen_flows if flow is None else [flows[flow]]:
        content = "udp" if is_udp(report) else "tcp-data"
        rows = shared.record.of_flow(report["id"]).filter(content=content)
        first = _first_number(rows)
        delivered = silences.in_order(
            rows.filter(event="deliver"), ordered=not is_udp(report), first_number=first
        )
        gaps = silences.find(report, delivered, round(duration_s * 1e9), first)
        chosen = [gap for gap in gaps if gap.to_ns > begin_ns and gap.from_ns <= end_ns]
        explainer = Explainer(shared, report)
        found.append(
            FlowExplanation(
                report["id"], report["source"], report["destination"],
                [explainer.silence(gap) for gap in chosen],
                f"{called(report)}, {ends_of([report], result.nodes, ' -> ')}", report.get("name"),
            )
        )  # fmt: skip
    return Explanation(found, whole=at_s is None and from_s is None and to_s is None)


def _first_number(rows: pl.DataFrame) -> int:
    """The number of the first segment that a record tells of: not 0 if it begins later."""
    sent = rows.filter(event="send")["number"]
    known = sent if 0 in sent else rows.filter(event="deliver")["number"]
    return int(known.cast(pl.Int64).to_numpy().min(initial=2**32)) if len(known) else 0
