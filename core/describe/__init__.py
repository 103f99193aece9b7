"""What a model is made of: drawn, counted and put into formulas from its modules.

Read in this order: parts.py (what a description consists of), modules.py (what each module is, and
all of a model), formulas.py (attention in LaTeX).
"""

from .modules import Description, describe

__all__ = ["Description", "describe"]
