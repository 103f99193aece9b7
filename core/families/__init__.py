"""What other libraries call a BERT, a GPT-2, a LLaMA, a T5 or a Marian: one model, configured.

Read one family and see in one file what makes it what it is.
"""

from core.families.checkpoint import CONFIG, Checkpoint, read_checkpoint
from core.families.family import FamilyError
from core.families.known import FAMILIES, family_of
from core.families.loading import load

__all__ = [
    "CONFIG",
    "FAMILIES",
    "Checkpoint",
    "FamilyError",
    "family_of",
    "load",
    "read_checkpoint",
]
