"""What a word that a run writes depends on: asked of a sentence, with a table.

L layers, Q queries, K keys, P parts of what is read.
"""

from collections.abc import Collection
from dataclasses import dataclass

from ...heads import Side
from ...inspection import Inspection, merged
from ...runs.run import Run
from ...tokenizer.tokenizer import Token
from .methods import Attribution, Method, attribute, prediction_at

LEAVE_ONE_OUT_FIRST = tuple(sorted(Method, key=lambda method: method is not Method.LEAVE_ONE_OUT))
"""The methods, first the one that the others are compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class AttributionStudy:
    """What methods say of one word, and how far they agree with leaving one out."""

    attribution: Attribution
    word: Token
    """That is asked about."""
    parts: tuple[Token, ...]
    """What gets a number: tokens, or whole words."""
    side: Side
    """What they are tokens of; the target where a decoder alone was fed them."""
    by_word: bool
    """Whether they are whole words."""

    @property
    def methods(self) -> list[Method]:
        """Those that were asked, leaving one out first."""
        return [method for method in LEAVE_ONE_OUT_FIRST if method in self.attribution.scores]

    def table(self) -> dict[str, list[object]]:
        """Return a row for each method and part."""
        rows = [(method, at) for method in self.methods for at in range(len(self.parts))]
        found, integrated = self.attribution, self.attribution.integrated
        return {
            "step": [len(found.target.fed_ids) - 1] * len(rows),
            "method": [str(method) for method, _at in rows],
            "source": [at for _method, at in rows],
            "source_word" if self.by_word else "source_token": [
                self.parts[at].text for _method, at in rows
            ],
            "score": [float(found.scores[method][at]) for method, at in rows],
            "rank_correlation": [found.agreement.get(method) for method, _at in rows],
            "probability": [found.probability] * len(rows),
            "integrated_total": [integrated and integrated.total] * len(rows),
            "integrated_difference": [integrated and integrated.difference] * len(rows),
        }


def attribution_study(
    run: Run,
    inspection: Inspection,
    step: int,
    methods: Collection[Method],
    by_word: bool = False,
) -> AttributionStudy:
    """Ask methods about a word that a run writes."""
    ids = written_ids(run, inspection)
    alone = run.model.config.is_decoder_only
    parts = inspection.fed_tokens[: step + 1] if alone else inspection.source_tokens
    words = None
    if by_word:
        words = tuple(token.word for token in inspection.source_tokens)
        parts = merged(inspection).source_tokens
    translation = inspection.translation
    target = prediction_at(translation.source_ids, ids, step, (translation.first,))
    return AttributionStudy(
        attribution=attribute(run.model, target, words, methods),
        word=run.target_tokenizer.describe(ids)[step],
        parts=parts,
        side="target" if alone else "source",
        by_word=by_word,
    )


def written_ids(run: Run, inspection: Inspection) -> tuple[int, ...]:
    """Return the tokens that can be asked about: the target, and EOS where the model came to it."""
    translation = inspection.translation
    ends = run.model.config.eos_ids[:1] if translation.finished else ()
    return (*translation.target_ids, *ends)
