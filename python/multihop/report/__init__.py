"""Reports: a page that tells what a study asked and what came out, with its figures and data."""

from multihop.report.figures import FigureData, figure_data
from multihop.report.pages import Section, write_report, write_reproduction_page

__all__ = ["FigureData", "Section", "figure_data", "write_report", "write_reproduction_page"]
