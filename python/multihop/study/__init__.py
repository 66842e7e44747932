"""Studies: many runs planned from one file, kept in a store, and compared with error bars."""

from multihop.errors import StudyError
from multihop.study.results import StudyResults
from multihop.study.study import Study

__all__ = ["Study", "StudyError", "StudyResults"]
