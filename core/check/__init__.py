"""Does a model see what it must not? Future tokens, padding, its own labels, and more.

Read in this order:
    checks.py       `check`, and what it tries
    inputs.py       one short text, and its variations; arguments.py reads it from a batch
    passes.py       the passes that are compared
    trace.py        what each module gets and gives, and the first that lets something in
    labels.py       the shift of the labels
    report.py       what was found
"""

from .checks import check
from .inputs import CheckError
from .report import Fault, Kind, Report

__all__ = ["CheckError", "Fault", "Kind", "Report", "check"]
