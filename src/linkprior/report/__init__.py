"""Pages: one self-contained HTML file that shows a run or an evaluation."""

from linkprior.report.page import write_page
from linkprior.report.prediction import prediction_page

__all__ = ["prediction_page", "write_page"]
