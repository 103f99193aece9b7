"""What each part of the decoder adds to the logit of a token: direct logit attribution.

The stream is a sum, and so is the logit: what the embedding, each sublayer and the biases add goes
through the norms that are left, their statistics held fixed, and through the token's row of the
output matrix (`heads.direct_effect`).

N terms, H heads, E width of one head, D model width, V vocabulary.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from ...batch import one_row
from ...decoding.step import mask_special_tokens
from ...heads import Head, Site
from ...inspection import Inspection
from ...model import Record, Step, Transformer
from ...model.attention import MultiHeadAttention
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from ..heads.direct_effect import has_direct_path, through_fixed_norm
from ..heads.question import heads_of
from .study import written_ids

Terms = Mapping[Site | Head | None, Tensor]
"""Embedding, sublayers and heads → what each adds, None for the biases of norms and output; heads
are terms of their sublayers."""


@dataclass(frozen=True, slots=True)
class LogitTerms:
    """The terms of a written token's logit, and of the runner-up's."""

    word: Token
    runner_up: Token
    """The token with the largest other logit."""
    terms: Mapping[Site | Head | None, tuple[float, float]]
    """What each part adds to the logit of the word, and to that of the runner-up."""

    def effects(self, *, difference: bool) -> dict[Site | Head | None, float]:
        """Return what each part adds to the word's logit, or to its lead over the runner-up."""
        return {
            part: own - other if difference else own for part, (own, other) in self.terms.items()
        }

    def table(self) -> dict[str, list[object]]:
        """Return a row for each part; those but the heads sum to the logits."""
        rows = self.terms.values()
        return {
            "part": ["biases" if part is None else str(part) for part in self.terms],
            "is_head": [isinstance(part, Head) for part in self.terms],
            "logit": [own for own, _other in rows],
            "runner_up_logit": [other for _own, other in rows],
            "difference": [own - other for own, other in rows],
            "word": [self.word.text] * len(rows),
            "runner_up": [self.runner_up.text] * len(rows),
        }


def has_terms(model: Transformer) -> bool:
    """Say whether a model's logits are such sums; with a pointer they are not."""
    return not model.config.pointer and any(
        has_direct_path(model, each) for each in heads_of(model)
    )


def logit_terms(run: Run, inspection: Inspection, step: int) -> LogitTerms:
    """Take the logit of a written token apart; see `written_ids` for its steps."""
    translation, ids = inspection.translation, written_ids(run, inspection)
    fed = torch.tensor([[translation.first, *ids[:step]]])
    terms, logits_V = terms_of(run.model, one_row(translation.source_ids), fed)
    others_V = mask_special_tokens(logits_V[None], run.model.config)[0]
    others_V[ids[step]] = -torch.inf
    tokens = [ids[step], int(others_V.argmax())]
    word, runner_up = run.target_tokenizer.describe_alone(tokens)
    return LogitTerms(
        word,
        runner_up,
        {part: (float(of_V[tokens[0]]), float(of_V[tokens[1]])) for part, of_V in terms.items()},
    )


@torch.inference_mode()
def terms_of(
    model: Transformer, source_1S: Tensor | None, fed_1T: Tensor
) -> tuple[dict[Site | Head | None, Tensor], Tensor]:
    """Return what each part adds to all logits after the last fed token, and these logits_V.

    All but the heads sum to the logits.
    """
    record = Record(frozenset({Step.MIXED, Step.ADDED, Step.BEFORE_NORM, Step.STREAM_OUT}))
    logits_V = model(source_1S, fed_1T, record)[0, -1]

    def at(site: Site, step: Step) -> Tensor:
        return record.tensors[site, step][0, -1]

    embedding = model.embedding("decoder").site
    terms: dict[Site | Head | None, Tensor] = {embedding: at(embedding, Step.STREAM_OUT).double()}
    terms[None] = torch.zeros_like(terms[embedding])
    last = embedding
    blocks = [block for layer in model.layers() for block in layer.blocks()]
    for sublayer, residual in (each for each in blocks if not each[1].site.in_encoder):
        last = residual.site
        terms[last] = at(last, Step.ADDED).double()
        if isinstance(sublayer, MultiHeadAttention):
            mixed_HE = record.tensors[last, Step.MIXED][0, :, -1].double()
            added_HD = torch.einsum("he,hed->hd", mixed_HE, sublayer.output_HED.double())
            terms |= zip(last.heads(len(added_HD)), added_HD, strict=True)
        if not residual.pre_norm:
            terms = _normed(residual.norm, at(last, Step.BEFORE_NORM), terms)
    terms = _normed(model.decoder_norm, at(last, Step.STREAM_OUT), terms)
    scale = model.config.d_model**-0.5 if model.config.logit_scale else 1.0
    output_VD = model.output.weight.double() * scale
    found = {part: output_VD @ term_D for part, term_D in terms.items()}
    # The biases come last.
    biases_V = found.pop(None)
    found[None] = biases_V if model.output.bias is None else biases_V + model.output.bias.double()
    return found, logits_V


def _normed(norm: nn.Module, x_D: Tensor, terms: Terms) -> dict[Site | Head | None, Tensor]:
    """Return what a norm makes of each term of its input; its bias is added to that of None."""
    made = {part: through_fixed_norm(norm, x_D, term_D) for part, term_D in terms.items()}
    if not isinstance(norm, nn.Identity):
        normed_D = cast(Tensor, norm(x_D[None])[0])
        made[None] = made[None] + normed_D.double() - through_fixed_norm(norm, x_D, x_D)
    return made
