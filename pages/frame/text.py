"""Explanations longer than a line, to be translated where they are shown."""

from core.heads import Kind
from pages.frame.language import N_
from pages.frame.language import _ as _
from pages.frame.language import duration as duration
from pages.frame.language import percent as percent
from pages.frame.language import plain as plain

ATTENTIONS = {kind: kind.label for kind in Kind}
"""Kind of attention → what it is called in a word or two."""


HOW_TO_READ = N_(
    """
- Each **row** is a token that looks (a *query*), each **column** a token that is looked at (a
  *key*). A row's weights sum to 1. Rest the pointer on a cell, or move with the arrow keys, to
  read its weight.
- In **encoder self-attention** every source token may look at every source token. In **decoder
  self-attention** a token may look at itself and at what was written before it: the hatched
  cells are hidden by the look-ahead mask. In **cross-attention** rows are target tokens and
  columns source tokens.
- A decoder row says *fed → predicted*: the token that went in, and the token that came out there.
- The colours go from 0 to 1 for every head, so that the same weight always looks the same.
- A map is a hypothesis about what a head does. Silencing the head is the test: what that costs
  on held-out sentences is said under the maps where it was measured.
- Dotted tokens belong to words that training never saw.
"""
)

FORMULA = r"""
\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V,
\qquad M_{ij} = \begin{cases} 0 & \text{if } i \text{ may look at } j \\ -\infty & \text{else}
\end{cases}
"""

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
