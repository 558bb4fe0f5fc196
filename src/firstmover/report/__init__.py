"""The report: our figures and tables beside the published ones, and what became of each claim."""

from firstmover.report.build import report_of
from firstmover.report.page import page_of
from firstmover.report.section import Picture, Section

__all__ = ["Picture", "Section", "page_of", "report_of"]
