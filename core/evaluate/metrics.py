"""The quality of a model on pairs that it was not trained on, or of a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from ..batch import Ids, Pair, collate
from ..decoding.many import translate_all
from ..decoding.targets import generate_targets
from ..labels import held_out_as_learned
from ..model import Transformer
from ..runs.run import Run
from ..tasks import Sample
from ..tokenizer.tokenizer import Tokenizer
from .bleu import Bleu, corpus_bleu, corpus_chrf
from .loss import token_loss

EVALUATION_BATCH = 128


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures on held-out pairs."""

    exact_match: float
    """Share of pairs whose greedy translation equals the target, or an alternative correct one. An
    encoder alone fills in the whole target at once, knowing its length, or labels the source; a
    parallel decoder makes `PASSES` passes."""
    token_accuracy: float
    """Share of target tokens (EOS included) that are the most probable after the true prefix; for
    an encoder alone, of masked tokens or of labels."""
    loss: float
    """Cross-entropy of these tokens, without label smoothing, in nats."""
    bleu: Bleu | None
    """BLEU of the greedy translations; None for labels, which are no text."""
    chrf: float | None
    """chrF2 of the greedy translations, 0 to 100 (sacrebleu's); None for labels."""
    n: int
    """Pairs."""
    n_unfinished: int
    """Number of greedy translations that were cut at the length limit."""


def measure(
    model: Transformer,
    pairs: Sequence[Pair],
    tokenizer: Tokenizer,
    target_tokenizer: Tokenizer | None = None,
) -> Quality:
    """Evaluate a model; its training mode is restored afterwards.

    Args:
        model: Any model.
        pairs: Pairs that fit its positions.
        tokenizer: The tokenizer of the sources.
        target_tokenizer: None if it is the same.
    """
    was_training = model.training
    model.eval()
    both = [
        (ids, pair)
        for batch in sorted_batches(pairs)
        for ids, pair in zip(generate_targets(model, batch, tokenizer), batch, strict=True)
    ]
    accuracy, loss = _forced(model, held_out_as_learned(pairs, model.config, tokenizer))
    model.train(was_training)
    labels = model.config.labels_text
    decode = (target_tokenizer or tokenizer).decode
    texts = [decode(ids) for ids, _ in both]
    true = _references([pair for _, pair in both], decode)
    return Quality(
        exact_match=sum(pair.is_right(ids) for ids, pair in both) / len(pairs),
        token_accuracy=accuracy,
        loss=loss,
        bleu=None if labels else corpus_bleu(texts, true),
        chrf=None if labels else corpus_chrf(texts, true),
        n=len(pairs),
        n_unfinished=sum(ids[-1] not in model.config.eos_ids for ids, _ in both),
    )


def _references(pairs: Sequence[Pair], decode: Callable[[Iterable[int]], str]) -> list[list[str]]:
    """Return the first correct target of each pair, then the second, as far as all have one."""
    rows = [[decode(target[1:]) for target in (pair.target, *pair.others)] for pair in pairs]
    return [list(column) for column in zip(*rows, strict=False)]


def sorted_batches(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield the pairs in batches of similar length."""
    by_length = sorted(pairs, key=lambda pair: (len(pair.source), len(pair.target)))
    for start in range(0, len(by_length), EVALUATION_BATCH):
        yield by_length[start : start + EVALUATION_BATCH]


@torch.inference_mode()
def _forced(model: Transformer, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return token accuracy and loss under teacher forcing, on pairs with their labels."""
    n_right, n_tokens, loss = 0, 0, 0.0
    for group in sorted_batches(pairs):
        batch = collate(group, model.config.pad_id).to(model.device)
        logits_BTV = model(*batch.inputs)
        right_BT = (logits_BTV.argmax(dim=-1) == batch.labels_BT) & batch.predicted_BT
        n_right += int(right_BT.sum())
        loss += token_loss(logits_BTV, batch.labels_BT, pad_id=batch.pad_id).item() * batch.n_tokens
        n_tokens += batch.n_tokens
    return n_right / n_tokens, loss / n_tokens


@dataclass(frozen=True, slots=True)
class FileScores:
    """Scores on the pairs of a file, as reported in papers."""

    bleu: float
    """BLEU, 0 to 100, computed as the signature says."""
    chrf: float
    """chrF2, 0 to 100."""
    n: int
    """Pairs."""
    signature: str
    """sacrebleu's signature of BLEU."""
    beam: int
    n_cut: int
    """Sources that were cut to fit the model."""
    n_unfinished: int
    """Translations that were cut at the length limit."""


def score_file(
    run: Run,
    samples: Sequence[Sample],
    beam: int = 1,
    tell: Callable[[int], None] = lambda _: None,
) -> FileScores:
    """Translate the sources of pairs, and compare with their targets as they are written.

    Args:
        run: A model and its tokenizer.
        samples: At least one.
        beam: 1 for greedy decoding.
        tell: Called with the number of translated sentences, after each batch.

    Raises:
        ConfigError: The beam is not 1 to 64.
    """
    written = []
    for batch in translate_all(run, [sample.source for sample in samples], beam):
        written += batch
        tell(len(written))
    written.sort(key=lambda each: each.index)
    texts, true = [each.text for each in written], [[sample.target for sample in samples]]
    bleu = corpus_bleu(texts, true)
    return FileScores(
        bleu=bleu.score,
        chrf=corpus_chrf(texts, true),
        n=len(samples),
        signature=bleu.signature,
        beam=beam,
        n_cut=sum(each.cut for each in written),
        n_unfinished=sum(not each.finished for each in written),
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """One source, its true target, and the model's, as text."""

    source: str
    target: str
    output: str

    @property
    def right(self) -> bool:
        """Whether the output is exactly the true target."""
        return self.output == self.target


def answers(run: Run, pairs: Sequence[tuple[Ids, Ids]]) -> list[Answer]:
    """Return the greedy outputs for sources, all in one batch; see `generate_targets`.

    Args:
        run: A model and its tokenizer.
        pairs: Token ids of sources and true targets, as `held_out_pairs` gives them.
    """
    outputs = generate_targets(run.model, [Pair(*pair) for pair in pairs], run.tokenizer)
    source_text, target_text = run.tokenizer.decode, run.target_tokenizer.decode
    return [
        Answer(source_text(source), target_text(target), target_text(ids))
        for (source, target), ids in zip(pairs, outputs, strict=True)
    ]
