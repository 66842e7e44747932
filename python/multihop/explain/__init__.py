"""Why flows were silent: `explain` names the causes of each silence, from the record of events."""

from multihop.explain.explanation import Explanation, explain
from multihop.explain.model import CAUSES, Cause, Evidence, FlowExplanation, Silence, Span

__all__ = [
    "CAUSES",
    "Cause",
    "Evidence",
    "Explanation",
    "FlowExplanation",
    "Silence",
    "Span",
    "explain",
]
