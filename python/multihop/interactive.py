"""Studies as scripts and notebooks use them: results draw their figures and write their report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from multihop import consent, markup, study
from multihop.errors import StudyError
from multihop.extras import need
from multihop.foreign import in_html
from multihop.labels import plain
from multihop.notebook import Bar, in_notebook
from multihop.study.study import Finished, RunnableStudy, Started

if TYPE_CHECKING:
    import altair as alt

    from multihop.report.drawing import Drawing

# Reports need Altair and the Vega renderer, which take 0.25 s to import: they are imported where a
# figure is drawn or a report written, so that `import multihop` does not wait for them.


class StudyResults(study.StudyResults):
    """The finished runs of a study, with its tables, figures and report."""

    def figure(self, name: str) -> Drawing:
        """One of the study's figures; a notebook shows it.

        Raises:
            KeyError: the study has no figure of that name.
        """
        need("report", "a figure")
        from multihop.report.drawing import drawing

        return drawing(self, name)

    def plot(self, name: str) -> alt.TopLevelMixin:
        """One of the study's figures as an Altair chart, to be altered or combined.

        Raises:
            KeyError: the study has no figure of that name.
        """
        need("report", "a plot")
        import altair as alt

        chart: alt.TopLevelMixin = alt.Chart.from_dict(self.figure(name).spec)
        return chart

    def _repr_html_(self) -> str:
        """What ran, and the summary table."""
        table, failed = self.study.table, len(self.failures)
        facts = [f"{self.finished:,} of {self.planned:,} runs", f"scale {self.which}"]
        facts += [f"{failed:,} failed"] if failed else []
        named = {
            "figures": [each.name for each in table.figures],
            "rankings": [each.name for each in table.rankings],
        }
        facts += [f"{what}: {', '.join(names)}" for what, names in named.items() if names]
        told = f"<b>{in_html(self.study.title)}</b>: {in_html('; '.join(facts))}"
        return told + (self._summary_html() if self.finished else "")

    def _summary_html(self) -> str:
        """The summary as a table; how to get it where it would take long."""
        table = self.study.table
        columns = ["scheme", *table.axes, *table.group]
        found = self.flows.select(name for name in columns if name in self.flows.columns)
        if found.n_unique() * len(table.metrics) > _MOST_ROWS:
            return f"<p><code>summary()</code> has the means of {len(self.cells):,} cells</p>"
        summary = self.summary()
        names = _names(summary.columns)
        rows = [
            [
                *("" if row[name] is None else plain(row[name]) for name in names),
                _number(row["value"]),
                f"{_number(row['low'])} to {_number(row['high'])}",
                f"{row['networks']:,}",
            ]
            for row in summary.to_dicts()
        ]
        return markup.table([*names, "mean", "95 % interval", "networks"], rows, left=len(names))

    def report(self, folder: str | Path, *, explain: int = 0, allow_code: bool = False) -> Path:
        """Write the study's report with its figures and data; gives the page.

        Args:
            folder: where to.
            explain: so many networks of each scheme run again, to say why flows were silent.
            allow_code: for that, run the classes of Python files that the study names.
        """
        need("report", "a report")
        from multihop.report.pages import write_report

        with consent.giving(to_all=allow_code):
            write_report(self, Path(folder), explained=explain)
        return Path(folder) / "report.html"


class Study(RunnableStudy[StudyResults]):
    """Schemes compared over a base scenario, varied and repeated.

    Takes the tables of a study file as keyword arguments, as `multihop.Study(title=...,
    schemes=[...], ...)`; `Study.read` takes a file.

    Raises:
        StudyError: naming the key, what is wrong and what is allowed.
    """

    results_type = StudyResults

    def watchers(self) -> tuple[Started | None, Finished | None]:
        """In a notebook a bar with the time left; elsewhere none."""
        if not in_notebook():
            return None, None
        bar = Bar(self.title)
        return bar.started, bar.finished

    def _repr_html_(self) -> str:
        """What it compares, and what it would run at each scale."""
        table = self.table
        axes = [
            f"{name}: {', '.join(map(plain, axis.labels))}" for name, axis in table.axes.items()
        ]
        facts = {
            "schemes": ", ".join(scheme.name for scheme in table.scheme_tables),
            "axes": "; ".join(axes),
            "metrics": ", ".join(table.metrics),
            "figures": ", ".join(figure.name for figure in table.figures),
        }
        try:
            facts |= {
                name: f"{planned.cells:,} cells on {planned.networks:,} networks, "
                f"{planned.runs:,} runs"
                for name, planned in self.planned().items()
            }
        except StudyError as error:
            facts["error"] = str(error)
        rows = [[name, text] for name, text in facts.items() if text]
        told = f"<b>{in_html(self.title)}</b><p>{in_html(table.question)}</p>"
        return told + markup.table(("", ""), rows, left=2)

    def __repr__(self) -> str:
        return f"<multihop.Study {self.title!r}>"


_MOST_ROWS = 100
"""A row of a summary takes some 10 ms to work out."""
_NUMBERS = ("metric", "value", "low", "high", "networks", "flows", "ratio", "difference")


def _names(columns: Sequence[str]) -> list[str]:
    """The columns of a summary that say what a value is of: metric, scheme, axes and group."""
    compared = ("ratio_low", "ratio_high", "difference_low", "difference_high")
    return ["metric", *(name for name in columns if name not in (*_NUMBERS, *compared))]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
