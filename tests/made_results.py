"""Results made by hand, on which every scheme ran on every network."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from multihop.study.results import StudyResults

NETWORKS = range(1, 21)


class OneLevel(StudyResults):
    """Results of one level whose frame is given."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.__dict__["flows"] = self.__dict__["runs"] = pl.DataFrame(
            rows, infer_schema_length=None
        )

    def everywhere(self, metric: str) -> pl.DataFrame:
        """As they are: no axis leaves a scheme out."""
        return self.frame(metric)

    def gaps(self, metric: str, axes: Iterable[str] | None = None) -> pl.DataFrame:  # noqa: ARG002
        """None."""
        return self.runs.select("scheme", "network").clear()


def rows(
    metric: str, means: Mapping[str, float], noise: float = 0.01, **axes: Any
) -> list[dict[str, Any]]:
    """One row a scheme and network; a network is good or bad for every scheme alike."""
    return [
        {"scheme": scheme, "network": network, **axes}
        | {metric: mean * (1 + noise * ((7 * network + place) % 5 - 2))}
        for place, (scheme, mean) in enumerate(means.items())
        for network in NETWORKS
    ]
