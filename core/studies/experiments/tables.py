"""The results of an experiment as tables, one function for each view of them."""

from collections.abc import Sequence

from ...runs.metrics import Table
from .results import Results

FIGURES = ("exact_match", "n", "loss", "pronouns", "n_pronouns", "parameters")
"""What is measured in every training."""
CURVES = ("loss", "held_out_exact_match", "held_out_loss", "reward")
"""What may be measured in the course of a training."""
LAYERS = ("apart", "gradient", "drawn_apart", "drawn_gradient")
"""What may be measured behind each layer; see `Trained.by_layer`."""


def of_trainings(results: Results, variants: Sequence[str], measures: Sequence[str]) -> Table:
    """Return the figures of each training."""
    trained = [each for name in variants for each in results.of(name)]
    columns: dict[str, Sequence[object]] = {
        name: [getattr(each, name) for each in trained] for name in ("variant", "seed", *FIGURES)
    }
    return Table(columns | {name: [each.value(name) for each in trained] for name in measures})


def of_lengths(results: Results, variants: Sequence[str]) -> Table:
    """Return how many sentences of each length are right, all seeds of a variant together."""
    rows = (
        (name, length, n, right)
        for name in variants
        for length, (n, right) in results.by_length(name).items()
    )
    return Table.of_rows(("variant", "source_tokens", "sentences", "right"), rows)


def of_distances(results: Results, variants: Sequence[str]) -> Table:
    """Return the influence of a token at each distance, the mean over the seeds of a variant."""
    rows = (
        (name, distance, pairs, norm)
        for name in variants
        for distance, (pairs, norm) in results.by_distance(name).items()
    )
    return Table.of_rows(("variant", "tokens_away", "pairs", "gradient_norm"), rows)


def of_curves(results: Results, variants: Sequence[str]) -> Table:
    """Return each measurement in training, the mean over the seeds of a variant.

    A variant has None where it was not measured; what no variant was measured by has no column.
    """
    curves = {variant: _curves(results, variant) for variant in variants}
    measured = [name for name in CURVES if any(name in each for each in curves.values())]
    rows = (
        (variant, step, *(curve[name][at] if name in curve else None for name in measured))
        for variant, curve in curves.items()
        for at, step in enumerate(results.of(variant)[0].curve["step"])
    )
    return Table.of_rows(("variant", "step", *measured), rows)


def of_layers(results: Results, variants: Sequence[str]) -> Table:
    """Return what was measured behind each layer, the mean over the seeds of a variant."""
    rows = (
        (variant, layer, *values)
        for variant in variants
        for layer, values in enumerate(
            zip(*(results.by_layer(variant, name) for name in LAYERS), strict=True)
        )
    )
    return Table.of_rows(("variant", "layer", *LAYERS), rows)


def _curves(results: Results, variant: str) -> dict[str, list[float]]:
    """Return what was measured in every training of a variant."""
    curves = [each.curve for each in results.of(variant)]
    names = [name for name in CURVES if all(name in curve for curve in curves)]
    return {name: results.curve(variant, name)[1] for name in names}
