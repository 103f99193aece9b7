"""What training makes small.

B batch, T target length, V vocabulary, H heads, Q queries, K keys, R pronouns.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.batch import TokenReference
from core.model.masks import PAD
from core.model.probe import Site


def token_loss(
    logits_BTV: Tensor,
    labels_BT: Tensor,
    label_smoothing: float = 0.0,
    n_tokens: int | None = None,
) -> Tensor:
    """Return the mean cross-entropy per token in nats; EOS counts, padding does not.

    With label smoothing ε the true token should get 1 − ε of the probability and all tokens
    share the rest evenly (Szegedy et al. 2016; section 5.4 of the paper).

    Args:
        logits_BTV: Scores for the next token.
        labels_BT: The next token.
        label_smoothing: ε.
        n_tokens: The tokens of the whole batch, of which these are a part: the losses of all parts
            then add up to that of the batch.
    """
    # Half precisions are too coarse for a logarithm; float64 stays.
    exact = torch.promote_types(logits_BTV.dtype, torch.float32)
    total = cross_entropy(
        logits_BTV.flatten(0, 1).to(exact),
        labels_BT.flatten(),
        ignore_index=PAD,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
    return total / (int((labels_BT != PAD).sum()) if n_tokens is None else n_tokens)


def guided_loss(
    weights_BHQK: Tensor,
    references: Sequence[Sequence[TokenReference]],
    *,
    site: Site,
    head: int,
    n_rows: int | None = None,
) -> Tensor:
    """Return −log of the weight that a head puts on the antecedent, averaged over the pronouns.

    The row that is guided is the pronoun's in the encoder, and in cross-attention that of the
    step that writes the pronoun. Zero where the batch has no pronoun.

    Args:
        weights_BHQK: Of the guided site.
        references: The pronouns of each sentence.
        site: Where the head is.
        head: Which one.
        n_rows: The guided rows of the whole batch, of which these are a part.
    """
    rows = guided_rows(references, site)
    if not rows:
        # In the graph all the same, so that every weight has a gradient in every part of a batch.
        return weights_BHQK.sum() * 0.0
    found = torch.tensor([(sentence, query) for sentence, query, _ in rows])
    sentences_R, queries_R = found.to(weights_BHQK.device).unbind(1)
    wanted_RK = torch.zeros(len(rows), weights_BHQK.shape[-1], device=weights_BHQK.device)
    for row, (_, _, keys) in enumerate(rows):
        wanted_RK[row, list(keys)] = 1.0
    on_antecedent_R = (weights_BHQK[sentences_R, head, queries_R] * wanted_RK).sum(dim=-1)
    return -on_antecedent_R.clamp_min(1e-9).log().sum() / (n_rows or len(rows))


def guided_rows(
    references: Sequence[Sequence[TokenReference]], site: Site
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return (sentence, query, antecedent's tokens) of each row of a site that can be guided."""
    return [
        (sentence, query, reference.antecedent)
        for sentence, found in enumerate(references)
        for reference in found
        for query in (reference.pronoun if site.stack == "encoder" else reference.steps)
    ]
