"""Studies as scripts and notebooks use them: results draw their figures and write their report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from multihop import study
from multihop.extras import need
from multihop.study.study import RunnableStudy

if TYPE_CHECKING:
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

    def report(self, folder: str | Path) -> Path:
        """Write the study's report with its figures and data; gives the page."""
        need("report", "a report")
        from multihop.report.pages import write_report

        write_report(self, Path(folder))
        return Path(folder) / "report.html"


class Study(RunnableStudy[StudyResults]):
    """Schemes compared over a base scenario, varied and repeated.

    Takes the tables of a study file as keyword arguments, as `multihop.Study(title=...,
    schemes=[...], ...)`; `Study.read` takes a file.

    Raises:
        StudyError: naming the key, what is wrong and what is allowed.
    """

    results_type = StudyResults
