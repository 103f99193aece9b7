"""The glossary: each term of the field explained once, in two sentences, with a view that shows it.

It is a page, and wherever a term stands on another page it is explained to whoever points at it
(`tips.py`).
"""

from pages.frame.glossary import beyond, model, practice
from pages.frame.glossary.term import Term as Term
from pages.frame.language import N_

TERMS = (*model.TERMS, *practice.TERMS, *beyond.TERMS)
EVERYDAY = N_("the pointer|arrow key|arrow keys")
"""What holds a term's word and means none, with | between."""
