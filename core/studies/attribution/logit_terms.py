"""What each part of the decoder adds to the logit of a token: direct logit attribution.

The stream is a sum, and so is the logit: what the embedding, each sublayer, each head and the
biases add goes through the norms that are left, their statistics held fixed, and through the
token's row of the output matrix (Elhage et al., "A Mathematical Framework for Transformer
Circuits", 2021).

E width of one head, D model width, V vocabulary.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...batch import Pair, one_row
from ...decoding.step import mask_special_tokens
from ...heads import Head, Site
from ...inspection import Inspection
from ...model import Record, Step, Transformer
from ...model.attention import MultiHeadAttention
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from ..heads.question import heads_of
from .methods import written_ids

N_TOKENS = 5
"""Tokens that are named, promoted and suppressed ones each."""
Terms = dict[Site | Head | None, Tensor]
"""Embedding, sublayers and heads → what each adds, None for the biases of norms; heads are terms of
their sublayers."""


@dataclass(frozen=True, slots=True)
class Written:
    """A head's direct effect on the logits of the next token at one position."""

    promoted: tuple[tuple[Token, float], ...]
    """The tokens with the largest effects above 0, the largest first."""
    suppressed: tuple[tuple[Token, float], ...]
    """Those with the effects farthest below 0, the farthest first."""
    on_target: float
    """On the token that is to be written there."""


def written(run: Run, head: Head, pair: Pair, position: int) -> Written:
    """Return which next tokens a head promotes at a position of a target that is fed."""
    effect_V = direct_effect(run.model, head, pair.source, pair.target[:-1], position)
    order = np.argsort(effect_V, kind="stable")
    lowest, highest = order[:N_TOKENS].tolist(), order[::-1][:N_TOKENS].tolist()
    tokens = run.target_tokenizer.describe_alone([*highest, *lowest])
    named = list(zip(tokens, effect_V[[*highest, *lowest]].tolist(), strict=True))
    return Written(
        promoted=tuple(each for each in named[: len(highest)] if each[1] > 0),
        suppressed=tuple(each for each in named[len(highest) :] if each[1] < 0),
        on_target=float(effect_V[pair.target[position + 1]]),
    )


def has_direct_path(model: Transformer, head: Head) -> bool:
    """Say whether what a head adds reaches the logits of the next token around later sublayers."""
    config = model.config
    # Of a model that the library computes the norms are not known.
    linear = config.residual and not config.head_transform and not config.architecture
    return linear and not config.is_parallel and not head.site.in_encoder


@torch.inference_mode()
def direct_effect(
    model: Transformer,
    head: Head,
    source_ids: Sequence[int],
    fed_ids: Sequence[int],
    position: int,
) -> NDArray[np.float64]:
    """Return effect_V, what a head of the decoder adds to each logit at one position.

    With a pointer these are the scores before copying.

    Args:
        model: One with a direct path from the head.
        head: A head of the decoder.
        source_ids: What the encoder reads; empty for a decoder alone.
        fed_ids: What the decoder is fed.
        position: Of a fed token: the logits are those of the token after it.
    """
    terms, _logits_V = terms_of(model, source_ids, fed_ids, position, head.site)
    return (model.output.weight.double() @ terms[head]).numpy()


@torch.inference_mode()
def terms_of(
    model: Transformer,
    source_ids: Sequence[int],
    fed_ids: Sequence[int],
    position: int = -1,
    first: Site | None = None,
) -> tuple[Terms, Tensor]:
    """Return what each part adds to the vector that the output matrix reads at a position.

    Args:
        model: One with a direct path.
        source_ids: What the encoder reads; empty for a decoder alone.
        fed_ids: What the decoder is fed.
        position: Of a fed token.
        first: The sublayer before which nothing is asked; None for all parts.

    Returns:
        The terms, which sum to that vector without the heads, and logits_V of the model there.
    """
    sublayers = [block for layer in model.layers() for block in layer.blocks()]
    blocks = [block for block in sublayers if not block[1].site.in_encoder]
    steps = frozenset({Step.MIXED, Step.ADDED, Step.BEFORE_NORM, Step.STREAM_OUT})
    record, terms = Record(steps), Terms()
    if first is not None:
        blocks = blocks[[residual.site for _, residual in blocks].index(first) :]
        record = Record(steps, frozenset(residual.site for _, residual in blocks))
    logits_V = model(one_row(source_ids), one_row(fed_ids), record)[0, position]

    def at(site: Site, step: Step) -> Tensor:
        return record.tensors[site, step][0, position]

    last = model.embedding("decoder").site
    if first is None:
        terms[last] = at(last, Step.STREAM_OUT).double()
    terms[None] = torch.zeros(model.config.d_model, dtype=torch.float64)
    for sublayer, residual in blocks:
        last = residual.site
        terms[last] = at(last, Step.ADDED).double()
        if isinstance(sublayer, MultiHeadAttention):
            mixed_HE = record.tensors[last, Step.MIXED][0, :, position].double()
            added_HD = torch.einsum("he,hed->hd", mixed_HE, sublayer.output_HED.double())
            terms |= zip(last.heads(len(added_HD)), added_HD, strict=True)
        if not residual.pre_norm:
            terms = _normed(residual.norm, at(last, Step.BEFORE_NORM), terms)
    terms = _normed(model.decoder_norm, at(last, Step.STREAM_OUT), terms)
    if model.config.logit_scale:
        terms = {part: term_D * model.config.d_model**-0.5 for part, term_D in terms.items()}
    return terms, logits_V


def _normed(norm: nn.Module, x_D: Tensor, terms: Terms) -> Terms:
    """Return what a norm makes of each term of its input; its bias is added to that of None."""
    if isinstance(norm, nn.Identity):
        return terms
    made = {part: through_fixed_norm(norm, x_D, term_D) for part, term_D in terms.items()}
    normed_D = cast(Tensor, norm(x_D[None])[0])
    made[None] = made[None] + normed_D.double() - through_fixed_norm(norm, x_D, x_D)
    return made


def through_fixed_norm(norm: nn.Module, x_D: Tensor, term_D: Tensor) -> Tensor:
    """Return what a norm makes of one term of its input; all terms and its bias sum to its output.

    Args:
        norm: Any norm, in evaluation.
        x_D: The whole input, whose mean and scale are held fixed.
        term_D: One of the terms that sum to it.
    """
    of_term = cast(Callable[[Tensor, Tensor], Tensor], norm.of_term)
    return of_term(x_D.double(), term_D.double())


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


@torch.inference_mode()
def logit_terms(run: Run, inspection: Inspection, step: int) -> LogitTerms:
    """Take the logit of a written token apart; see `written_ids` for its steps."""
    translation, ids = inspection.translation, written_ids(run, inspection)
    fed_ids = (translation.first, *ids[:step])
    terms, logits_V = terms_of(run.model, translation.source_ids, fed_ids)
    others_V = mask_special_tokens(logits_V[None], run.model.config)[0]
    others_V[ids[step]] = -torch.inf
    tokens = [ids[step], int(others_V.argmax())]
    word, runner_up = run.target_tokenizer.describe_alone(tokens)
    output = run.model.output
    found = {part: output.weight.double() @ term_D for part, term_D in terms.items()}
    # The biases come last.
    biases_V = found.pop(None)
    found[None] = biases_V if output.bias is None else biases_V + output.bias.double()
    both = {part: (float(of_V[tokens[0]]), float(of_V[tokens[1]])) for part, of_V in found.items()}
    return LogitTerms(word, runner_up, both)
