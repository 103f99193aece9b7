"""Free running beside teacher forcing: the distributions of a model at each step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from ..decoding.choosing import Greedy
from ..decoding.generate import DecodingStrategy, Forced, decode, forced_steps
from ..decoding.step import (
    DecodeStep,
    entropies,
    logits_of,
    most_probable,
)
from ..inspection import Inspection
from ..runs.run import Run
from ..tokenizer.tokenizer import Token
from .exposure import divergences, first_difference

SHOWN = 10
"""Number of most probable tokens that are listed for each step."""


@dataclass(frozen=True, slots=True)
class StepFigures:
    """One step of one side in numbers."""

    predicted: int
    """The token that was appended; with teacher forcing, the most probable one."""
    predicted_probability: float
    tokens: tuple[int, ...]
    """The most probable ones, best first; always includes the predicted and the true one."""
    probabilities: tuple[float, ...]
    """Of `tokens`."""
    others: float
    """Summed probability of all tokens that are not listed."""
    entropy: float
    """Entropy of the distribution, in nats."""
    true: int | None = None
    """The reference's token; None if it has none for this step."""
    true_probability: float | None = None
    true_rank: int | None = None
    """How many tokens are more probable than the true one."""


COLUMNS = ("side", "step", "number", "site", "head", "position", "token", "value")
Row = tuple[str, int, str, str | None, int | None, int | None, str | None, float]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of two decodings of a sentence, with the texts of its tokens."""

    steps: Sequence[DecodeStep]
    figures: tuple[StepFigures, ...]
    named: tuple[tuple[Token, ...], ...]
    """The texts of `StepFigures.tokens` for each step, each token for itself."""
    fed: tuple[Token, ...]
    """All that was fed up to the last step."""


@dataclass(frozen=True, slots=True, eq=False)
class TwoDecodings:
    """A sentence decoded on the model's own words and, where there is a reference, on the true."""

    sides: Mapping[str, Side]
    """ "free", and "forced" where there is a reference."""
    divergence: tuple[float, ...]
    """KL(forced ‖ free) of each common step, in nats."""
    first_difference: int | None
    """The first step at which the two sides differ; None if none does."""
    source: tuple[Token, ...]

    @property
    def free(self) -> Sequence[DecodeStep]:
        """The steps on the model's own words."""
        return self.sides["free"].steps

    @property
    def forced(self) -> Sequence[DecodeStep]:
        """The steps on the true words; empty without a reference."""
        return self.sides["forced"].steps if "forced" in self.sides else ()

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return a row for each number of each step.

        `others` is the probability of all tokens that are not named, `true_rank` the number of
        tokens that are more probable than the true one, `divergence` how far free running is from
        teacher forcing. A `weight` says how much a head of `site` looks at a token; `position`
        counts the tokens that it can look at.
        """
        rows = [*self._probabilities()]
        for number in ("others", "entropy", "true_rank"):
            rows += self._of_steps(number)
        rows += [
            ("forced", step, "divergence", None, None, None, None, value)
            for step, value in enumerate(self.divergence)
        ]
        rows += self._weights()
        return dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))

    def _probabilities(self) -> Iterator[Row]:
        for name, side in self.sides.items():
            for step, (figures, tokens) in enumerate(zip(side.figures, side.named, strict=True)):
                for token, value in zip(tokens, figures.probabilities, strict=True):
                    yield name, step, "probability", None, None, None, token.text, value

    def _of_steps(self, number: str) -> Iterator[Row]:
        for name, side in self.sides.items():
            for step, figures in enumerate(side.figures):
                if (value := getattr(figures, number)) is not None:
                    yield name, step, number, None, None, None, None, value

    def _weights(self) -> Iterator[Row]:
        for name, side in self.sides.items():
            for index, step in enumerate(side.steps):
                for site, weights_HK in step.attention.items():
                    keys = side.fed if site.attention.is_self else self.source
                    for head, row in enumerate(weights_HK.tolist()):
                        for at, weight in enumerate(row):
                            text = keys[at].text
                            yield name, index, "weight", str(site), head, at, text, weight


def decode_sentence(
    run: Run,
    inspection: Inspection,
    method: DecodingStrategy,
    overrides: Sequence[tuple[int, int]] = (),
) -> tuple[DecodeStep, ...]:
    """Return the steps of decoding an inspected sentence.

    Args:
        run: The run that was inspected.
        inspection: Its translation is not computed again.
        method: How it is decoded.
        overrides: Pairs of a step and the id that is appended there, whatever the model predicts.
    """
    translation = inspection.translation
    prompt = translation.fed_ids[: translation.n_given + 1]
    if method == Greedy() and not overrides:
        source_S = torch.tensor(translation.source_ids) if translation.source_ids else None
        written = translation.written_ids
        return tuple(forced_steps(run.model, source_S, written, prompt=prompt, ends=False))
    steps = decode(
        run.model,
        translation.source_ids,
        method,
        dict(overrides),
        prompt,
        max_new_tokens=run.max_new_tokens,
    )
    return tuple(steps)


def decode_both_ways(
    run: Run, inspection: Inspection, free: Sequence[DecodeStep], target: Sequence[int] = ()
) -> TwoDecodings:
    """Compare a decoding of a sentence with teacher forcing.

    Args:
        run: The run that was inspected.
        inspection: Of the sentence.
        free: The steps on the model's own words.
        target: The true ids without EOS, cut to the model's positions; for a decoder alone, those
            after the prompt. Empty without a reference.
    """
    config = run.model.config
    n_begun = inspection.translation.n_given + 1
    fitting = tuple(target[: config.max_positions - n_begun])
    goes_on = config.is_decoder_only and not set(target[-1:]) & set(config.eos_ids)
    ends = () if config.is_decoder_only else config.eos_ids[:1]
    # Fed the model's own output, teacher forcing takes the same steps.
    is_own = [step.chosen for step in free] == [*fitting, *ends]
    forced: Sequence[DecodeStep] = ()
    if fitting:
        forced = free if is_own else decode_sentence(run, inspection, Forced(fitting))
    written, true = ([step.chosen for step in side] for side in (free, forced))
    best = [row for each in logits_of(forced) for [row] in most_probable(each, 1)]
    free_figures, forced_figures = (
        step_figures(free, written, true),
        step_figures(forced, best, true),
    )
    sides = {"free": _side(run, free, free_figures)}
    if forced:
        is_same = is_own and forced_figures == free_figures
        sides["forced"] = sides["free"] if is_same else _side(run, forced, forced_figures)
    # A text without an end may be longer on one side.
    common = min(len(written), len(true)) if goes_on else None
    return TwoDecodings(
        sides,
        divergences(free, forced),
        first_difference(written[:common], true[:common]) if forced else None,
        inspection.source_tokens,
    )


def _side(run: Run, steps: Sequence[DecodeStep], figures: tuple[StepFigures, ...]) -> Side:
    tokenizer = run.target_tokenizer
    return Side(
        steps,
        figures,
        tuple(tokenizer.describe_alone(each.tokens) for each in figures),
        tokenizer.describe(steps[-1].prefix),
    )


def running_losses(forced: Sequence[DecodeStep]) -> list[tuple[float, float]]:
    """Return each step's loss, −log p of the true token in nats, and the sum of those up to it.

    The last sum is the cross-entropy of the whole sentence, which training minimises.
    """
    losses = [-step.log_probability for step in forced]
    return list(zip(losses, accumulate(losses), strict=True))


def step_figures(
    steps: Sequence[DecodeStep], predicted: Sequence[int], true: Sequence[int], n: int = SHOWN
) -> tuple[StepFigures, ...]:
    """Return the numbers of all steps of one side, at least two tokens listed for each.

    There may be fewer or more true tokens than steps.
    """
    figures: list[StepFigures] = []
    for logits_TV in logits_of(steps):
        part = slice(len(figures), len(figures) + len(logits_TV))
        figures += _of_rows(logits_TV, predicted[part], true[part], n)
    return tuple(figures)


def _of_rows(
    logits_TV: Tensor, predicted: Sequence[int], true: Sequence[int], n: int
) -> list[StepFigures]:
    probabilities_TV = logits_TV.softmax(dim=-1)
    predicted_T = torch.tensor(predicted)
    of_predicted = _in_columns(probabilities_TV, predicted_T[:, None])
    true_T1 = torch.tensor(true, dtype=torch.long)[:, None]
    known_TV = logits_TV[: len(true)]
    of_true = _in_columns(probabilities_TV[: len(true)], true_T1)
    ranks: list[int] = (known_TV > known_TV.gather(-1, true_T1)).sum(dim=-1).tolist()
    tokens = most_probable(logits_TV, n)
    for row, best in enumerate(tokens):
        chance = {predicted[row]: of_predicted[row][0]}
        if row < len(true):
            chance[true[row]] = of_true[row][0]
        late = sorted(chance.keys() - set(best), key=lambda token: -chance[token])
        others = [token for token in best if token not in chance]
        left_out = set(others[len(others) - len(late) :])
        tokens[row] = [*(token for token in best if token not in left_out), *late]
    named = _in_columns(probabilities_TV, torch.tensor(tokens))
    return [
        StepFigures(
            predicted=predicted[row],
            predicted_probability=of_predicted[row][0],
            tokens=tuple(tokens[row]),
            probabilities=tuple(named[row]),
            # Rounding must not make the rest negative.
            others=max(0.0, 1.0 - sum(named[row])),
            entropy=entropy,
            true=true[row] if row < len(true) else None,
            true_probability=of_true[row][0] if row < len(true) else None,
            true_rank=ranks[row] if row < len(true) else None,
        )
        for row, entropy in enumerate(entropies(logits_TV).tolist())
    ]


def _in_columns(values_TV: Tensor, token_TN: Tensor) -> list[list[float]]:
    columns: list[list[float]] = values_TV.gather(-1, token_TN).tolist()
    return columns
