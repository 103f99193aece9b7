"""What training makes small.

B batch, T target length, V vocabulary, H heads, Q queries, K keys, R pronouns.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.batch import TokenReference
from core.masks import PAD
from core.model.probe import Site


def token_loss(logits_BTV: Tensor, labels_BT: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Return the mean cross-entropy per token in nats; EOS counts, padding does not.

    With label smoothing ε the true token should get 1 − ε of the probability and all tokens
    share the rest evenly (Szegedy et al. 2016; section 5.4 of the paper).
    """
    return cross_entropy(
        logits_BTV.flatten(0, 1),
        labels_BT.flatten(),
        ignore_index=PAD,
        label_smoothing=label_smoothing,
    )


def guided_loss(
    weights_BHQK: Tensor,
    references: Sequence[Sequence[TokenReference]],
    *,
    site: Site,
    head: int,
) -> Tensor:
    """Return −log of the weight that a head puts on the antecedent, averaged over the pronouns.

    The row that is guided is the pronoun's in the encoder, and in cross-attention that of the
    step that writes the pronoun. Zero where the batch has no pronoun.
    """
    rows: list[tuple[int, int]] = []
    antecedents: list[tuple[int, ...]] = []
    for sentence, found in enumerate(references):
        for reference in found:
            queries = reference.pronoun if site.stack == "encoder" else reference.steps
            rows += [(sentence, query) for query in queries]
            antecedents += [reference.antecedent] * len(queries)
    if not rows:
        return weights_BHQK.new_zeros(())
    sentences_R, queries_R = torch.tensor(rows, device=weights_BHQK.device).unbind(1)
    wanted_RK = torch.zeros(len(rows), weights_BHQK.shape[-1], device=weights_BHQK.device)
    for row, keys in enumerate(antecedents):
        wanted_RK[row, list(keys)] = 1.0
    on_antecedent_R = (weights_BHQK[sentences_R, head, queries_R] * wanted_RK).sum(dim=-1)
    return -on_antecedent_R.clamp_min(1e-9).log().mean()
