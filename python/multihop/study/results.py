"""A study's results: its runs, its summary table, its figures' numbers and its rankings."""

from __future__ import annotations

import polars as pl

from multihop.study import precision
from multihop.study.figures import FigureData, named_figure
from multihop.study.ranking import RankingData, ranking_data, ranking_frame
from multihop.study.runs import StudyRuns
from multihop.study.summary import summary_frame


class StudyResults(StudyRuns):
    """The finished runs of a study, and what the study wants to know of them."""

    def summary(self) -> pl.DataFrame:
        """The summary table: each metric by scheme, axes and group, with its interval.

        Columns: the axes, the group's, scheme, metric, value, low, high, networks, flows; with a
        baseline also the ratio to it and the difference from it, each with `_low` and `_high`. An
        axis of the same name as one of these is `axis_` and its name, such as `axis_flows`.
        """
        return summary_frame(self)

    def figure_data(self, name: str) -> FigureData:
        """The numbers of one of the study's figures.

        Raises:
            KeyError: the study has no figure of that name.
        """
        return named_figure(self, name)

    def ranking(self, name: str) -> pl.DataFrame:
        """One of the study's rankings, the best first; see `study.ranking.RankingData`.

        Raises:
            KeyError: the study has no ranking of that name.
        """
        named = {ranking.name: ranking for ranking in self.study.table.rankings}
        if name not in named:
            raise KeyError(f"no ranking {name!r}; there are {', '.join(named) or 'none'}")
        return ranking_frame(self, named[name])

    def selected(self) -> list[RankingData]:
        """The rankings whose best is selected, with how the races went: see `races` of each.

        Empty where nothing is selected: no ranking asks for it, the number of networks was given,
        or the scale is `quick`.
        """
        return [data for data in ranking_data(self) if data.ranking in self.selections]

    def attained(self) -> list[precision.Attained]:
        """How wide the cells' intervals are, by each precision that the study is held to.

        `short` of each gives the cells that are wider than wanted. Empty where no precision holds:
        the study wants none, its number of networks was given, or its scale is `quick`.
        """
        return precision.attained(self)

    def __repr__(self) -> str:
        runs = f"{self.finished} of {self.planned} runs"
        return f"<multihop.StudyResults {self.study.title!r} {runs}, scale {self.which}>"
