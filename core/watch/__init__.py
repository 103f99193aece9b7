"""Look into any torch model while it runs, and change what its heads do.

Fused kernels return no attention weights. `watch` sees each call of one, whatever the model is
made of, and computes the weights beside it.
"""

from .changes import Change, Override, Patch, Silence
from .records import Call
from .seen import Seen
from .tokens import Tokenizer
from .watching import Watch, watch

__all__ = ["Call", "Change", "Override", "Patch", "Seen", "Silence", "Tokenizer", "Watch", "watch"]
