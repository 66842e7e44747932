"""Reports: a page that tells what a study asked and what came out, with its figures and data."""

from multihop.report.figures import FigureData, figure_data
from multihop.report.markdown import PageError, check_page, put_results
from multihop.report.pages import Section, write_report, write_reproduction_page

__all__ = [
    "FigureData",
    "PageError",
    "Section",
    "check_page",
    "figure_data",
    "put_results",
    "write_report",
    "write_reproduction_page",
]
