"""A sentence before and after heads are changed, beside what silencing each head costs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.heads import Head, Kind
from core.inspection import inspect_sentence
from core.runs.run import Run
from core.studies.effects.ablation import Ablated, Averages, Intervention, ablate_sentence
from core.studies.effects.head_effects import Figure, HeadEffects, costliest_first, figure_of
from core.studies.effects.stored import stored_effects
from core.studies.heads.summaries import confidence_map

_COLUMNS = ("what", "head", "step", "word", "before", "after", "change", "low", "high", "sure", "n")
_AFTER = ("most_probable_after", "its_probability")


@dataclass(frozen=True, slots=True, eq=False)
class AblationReport:
    """What changed heads do to a sentence, and what is known of every head."""

    sentence: Ablated
    effects: HeadEffects | None
    """What silencing each head costs on held-out sentences, where that was measured."""
    figure: Figure
    """Which cost the table holds."""
    sharpness: Mapping[Kind, NDArray[np.float32]]
    """Kind of attention → confidence_LH: the largest weight of a row on this sentence, the mean."""

    def table(self) -> dict[str, list[object]]:
        """Return a row for each word, for the loss, and for each head."""
        found = self.sentence
        words = found.table()
        rows: list[dict[str, object]] = [
            {"what": "probability", **dict(zip(words, row, strict=True))}
            for row in zip(*words.values(), strict=True)
        ]
        rows.append({"what": "loss", "before": found.loss_before, "after": found.loss_after})
        rows += self._effects(self.effects) if self.effects else self._sharpness()
        return {name: [row.get(name) for row in rows] for name in (*_COLUMNS, *_AFTER)}

    def _effects(self, effects: HeadEffects) -> Iterator[dict[str, object]]:
        for each in costliest_first(effects, self.figure):
            if (found := figure_of(each, self.figure)) is not None:
                yield {
                    "what": self.figure,
                    "head": str(each.head),
                    "before": found.before,
                    "after": found.after,
                    "change": found.change,
                    "low": found.low,
                    "high": found.high,
                    "sure": found.is_sure,
                    "n": found.n,
                }

    def _sharpness(self) -> Iterator[dict[str, object]]:
        for kind, values_LH in self.sharpness.items():
            for (layer, head), value in np.ndenumerate(values_LH):
                name = str(Head(kind.site(layer), head))
                yield {"what": "sharpness", "head": name, "before": float(value)}


def ablation_report(
    run: Run,
    sentence: str,
    changed: Intervention,
    figure: Figure | None = "exact_match",
    target: str = "",
    averages: Averages | None = None,
) -> AblationReport:
    """Translate a sentence with heads changed, and return beside it what each head costs.

    Args:
        run: A loaded run.
        sentence: The source; cut where it is longer than the model's positions.
        changed: What is done to which heads; to none for a model as it is.
        figure: Of the stored costs; None leaves what is stored with the run unread.
        target: The true target, where it is known.
        averages: Of `average_mixed`; needed to freeze, else unused.

    Raises:
        SentenceError: There is no text.
        RunError: What is stored is damaged.
    """
    inspection = inspect_sentence(run, sentence)
    kinds = dict.fromkeys(site.attention for site in run.model.sites())
    return AblationReport(
        sentence=ablate_sentence(run, sentence, changed.kind, changed.heads, target, averages),
        effects=stored_effects(run) if figure else None,
        figure=figure or "exact_match",
        sharpness={each: confidence_map(inspection, each) for each in kinds},
    )
