"""Reports: pages with a study's question, figures, tables and data."""

from multihop.report.drawing import Drawing, drawing
from multihop.report.headlines import put_headlines
from multihop.report.markdown import check_page, put_results, put_study
from multihop.report.pages import Section, write_report, write_reproduction_page

__all__ = [
    "Drawing",
    "Section",
    "check_page",
    "drawing",
    "put_headlines",
    "put_results",
    "put_study",
    "write_report",
    "write_reproduction_page",
]
