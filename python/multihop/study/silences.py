"""Why the flows of a study were silent, on some of its networks."""

from __future__ import annotations

import json
from dataclasses import dataclass

from multihop import consent
from multihop.explain import explain
from multihop.explain.shares import Shares
from multihop.simulate import run
from multihop.study.plan import Cell
from multihop.study.results import StudyResults


@dataclass(frozen=True, slots=True)
class ExplainedCell:
    """A cell, and what kept the flows of its first networks silent."""

    cell: Cell
    shares: Shares


def explained_cells(results: StudyResults, networks: int) -> list[ExplainedCell]:
    """The causes of silence in each cell, on its first networks, which run again for it.

    Raises:
        ScenarioError: a run fails.
    """
    found = []
    for cell in results.cells:
        shares = Shares()
        for seed in results.seeds[:networks]:
            with consent.running(cell.sources):
                result = run(json.loads(cell.text), seed=seed, events=True)
            flows = explain(result).flows
            for report, flow in zip(result.json["flows"], flows, strict=True):
                shares.add(report, flow)
        found.append(ExplainedCell(cell, shares))
    return found
