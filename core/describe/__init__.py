"""What a model is made of: drawn, counted and put into formulas from its modules.

Read in this order: parts.py (what a description consists of), modules.py (what each module is),
formulas.py (attention in LaTeX), description.py (all of it, of a model).
"""

from .description import Description, describe

__all__ = ["Description", "describe"]
