"""What each part of the decoder adds to the logit of a token: direct logit attribution.

The stream is a sum, and so is the logit: what the embedding, each sublayer and the biases add goes
through the norms that are left, their statistics held fixed, and through the token's row of the
output matrix (`heads.direct_effect`).

N terms, H heads, E width of one head, D model width, V vocabulary.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from ...decoding.step import mask_special_tokens
from ...heads import Head, Site
from ...inspection import Inspection
from ...model import Transformer
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from ..heads.direct_effect import has_direct_path, terms_of
from ..heads.question import heads_of
from .methods import written_ids


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
