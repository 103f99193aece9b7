"""Many sentences through a trained run, in batches of similar length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..batch import pad
from ..runs.run import Run, RunError
from .beam import Beam
from .generate import generate
from .mask_predict import MaskPredict

BATCH_TOKENS = 4096
"""Maximum tokens of a batch, padding included; each prefix of a beam counts as a sentence."""


@dataclass(frozen=True, slots=True)
class Translated:
    """The translation of one of many texts."""

    index: int
    """Index of the text."""
    text: str
    """The translation; empty for a text without words."""
    cut: bool
    """True when the text was longer than the model's positions."""
    finished: bool
    """False when the model had not said EOS at the length limit."""


def translate_all(
    run: Run,
    texts: Sequence[str],
    beam: int = 1,
    alpha: float = 0.6,
    passes: int | None = None,
) -> Iterator[list[Translated]]:
    """Yield the translations batch by batch, the shortest texts first.

    Args:
        run: The model and its tokenizer.
        texts: Any texts.
        beam: 1 for greedy decoding.
        alpha: Exponent of a beam's length penalty.
        passes: Passes of a parallel decoder; None for `PASSES`.

    Raises:
        ConfigError: The beam is not 1 to 64, alpha is below 0, or the model does not support it.
        RunError: The model is not an encoder and a decoder.
    """
    if not run.model.config.is_encoder_decoder:
        raise RunError(
            "{path}: lines are translated by an encoder and a decoder; this model "
            "is the {alone} alone",
            path=run.path,
            alone=run.model.config.stacks[0],
        )
    strategy: Beam | MaskPredict | None = Beam(beam, alpha) if beam != 1 else None
    if passes is not None:
        strategy = MaskPredict(passes)
    begins, ends = run.tokenizer.begins, run.tokenizer.ends
    longest = run.settings.model.max_positions - len(begins) - len(ends)
    ids = run.tokenizer.ids_of_all(texts)
    order = sorted(range(len(texts)), key=lambda index: len(ids[index]))
    empty = [index for index in order if not ids[index]]
    if empty:
        yield [Translated(index, "", False, True) for index in empty]
    for indices in _batches([index for index in order if ids[index]], ids, beam):
        sources = [(*begins, *ids[index][:longest], *ends) for index in indices]
        source_BS = pad(sources, pad_id=run.model.config.pad_id).to(run.model.device)
        prompt_BT = run.prompt_BT(len(sources))
        targets = generate(run.model, source_BS, strategy, prompt_BT=prompt_BT)
        yield [
            Translated(
                index,
                run.target_tokenizer.decode(target),
                len(ids[index]) > longest,
                target[-1] in run.model.config.eos_ids,
            )
            for index, target in zip(indices, targets, strict=True)
        ]


def _batches(order: list[int], ids: Sequence[Sequence[int]], beam: int) -> Iterator[list[int]]:
    batch: list[int] = []
    for index in order:
        # The last is the longest, to which the others are padded.
        if batch and (len(batch) + 1) * beam * (len(ids[index]) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
