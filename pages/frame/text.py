"""Explanations longer than a line, to be translated where they are shown."""

from core.heads import Kind
from pages.frame.language import N_
from pages.frame.language import _ as _
from pages.frame.language import duration as duration
from pages.frame.language import percent as percent
from pages.frame.language import plain as plain

ATTENTIONS = {kind: kind.label for kind in Kind}
"""Kind of attention → what it is called in a word or two."""


DECODING = N_(
    """
- **Free running** (inference): the decoder gets BOS, says a word, and gets that word as its next
  input, until it says EOS. An early mistake is fed back, and everything after it is conditioned on
  it (exposure bias).
- **Teacher forcing** (training): the decoder gets the true target shifted right by one,
  BOS y₁ y₂ …. Row i may look at the tokens up to i only (the look-ahead mask), so that one pass
  computes what decoding would compute step by step.
- The **bars** are the model's distribution over the next token. Click another word on the free
  side, and decoding goes on from there.
- **Looks at**: the weights of one head in this step, over the source (cross-attention) and over
  what was fed so far (self-attention).
- **KL divergence**: how far the two distributions of a step are apart, 0 as long as both sides were
  fed the same.
"""
)
