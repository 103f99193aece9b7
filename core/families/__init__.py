"""What other libraries call a BERT, a GPT-2, a LLaMA, a T5 or a Marian: one model, configured.

Read one family and see in one file what makes it what it is.
"""

from .checkpoint import CONFIG, Checkpoint, read_checkpoint
from .family import FamilyError
from .known import FAMILIES, family_of, is_converted
from .loading import load

__all__ = [
    "CONFIG",
    "FAMILIES",
    "Checkpoint",
    "FamilyError",
    "family_of",
    "is_converted",
    "load",
    "read_checkpoint",
]
