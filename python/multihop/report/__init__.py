"""Reports: pages with a study's question, figures, tables and data."""

from multihop.report.assumptions import PAGE as ASSUMPTIONS_PAGE
from multihop.report.assumptions import write_assumptions
from multihop.report.drawing import Drawing, drawing
from multihop.report.headlines import put_headlines
from multihop.report.markdown import check_page, put_results, put_study
from multihop.report.pages import Section, write_report, write_reproduction_page

__all__ = [
    "ASSUMPTIONS_PAGE",
    "Drawing",
    "Section",
    "check_page",
    "drawing",
    "put_headlines",
    "put_results",
    "put_study",
    "write_assumptions",
    "write_report",
    "write_reproduction_page",
]
