"""How good a model is on samples that it was not trained on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from sacrebleu import corpus_chrf

from core.batch import Pair, collate
from core.decoding.targets import generate_targets
from core.evaluate.bleu import Bleu, corpus_bleu
from core.evaluate.loss import token_loss
from core.labels import held_out_as_learned
from core.model import Transformer
from core.tokenizer.tokenizer import Tokenizer

EVALUATION_BATCH = 128


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures on held-out pairs."""

    exact_match: float
    """Share of pairs whose greedy translation is the target, token by token, or another that is as
    right. An encoder alone fills in all of a target at once, and is told its length; a parallel
    decoder makes `PASSES` passes."""
    token_accuracy: float
    """Share of target tokens (EOS included) that are the most probable after the true prefix; for
    an encoder alone, of masked tokens."""
    loss: float
    """Cross-entropy of these tokens, without label smoothing, in nats."""
    bleu: Bleu
    """BLEU of the greedy translations."""
    chrf: float
    """chrF2 of the greedy translations, 0 to 100 (sacrebleu's)."""
    n: int
    """Pairs."""
    n_unfinished: int
    """Of the greedy translations, those that were cut at the length limit."""


def measure(
    model: Transformer,
    pairs: Sequence[Pair],
    tokenizer: Tokenizer,
    target_tokenizer: Tokenizer | None = None,
) -> Quality:
    """Measure in evaluation mode; leaves the model in the mode that it was in.

    Args:
        model: Any.
        pairs: That fit its positions.
        tokenizer: The sources'.
        target_tokenizer: None where it is the same.
    """
    was_training = model.training
    model.eval()
    both = [
        (said, pair)
        for batch in sorted_batches(pairs)
        for said, pair in zip(generate_targets(model, batch, tokenizer), batch, strict=True)
    ]
    accuracy, loss = _forced(model, held_out_as_learned(pairs, model.config, tokenizer))
    model.train(was_training)
    decode = (target_tokenizer or tokenizer).decode
    texts = [decode(said) for said, _ in both]
    true = _references([pair for _, pair in both], decode)
    return Quality(
        exact_match=sum(pair.is_right(said) for said, pair in both) / len(pairs),
        token_accuracy=accuracy,
        loss=loss,
        bleu=corpus_bleu(texts, true),
        # Rounding may bring a perfect score a hair above 100.
        chrf=min(100.0, corpus_chrf(texts, true).score),
        n=len(pairs),
        n_unfinished=sum(said[-1] not in model.config.eos_ids for said, _ in both),
    )


def _references(pairs: Sequence[Pair], decode: Callable[[Iterable[int]], str]) -> list[list[str]]:
    """Return the first right target of each pair, then the second, as far as all pairs have one."""
    rows = [[decode(target[1:]) for target in (pair.target, *pair.others)] for pair in pairs]
    return [list(column) for column in zip(*rows, strict=False)]


def sorted_batches(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield the pairs in batches of similar length."""
    by_length = sorted(pairs, key=lambda pair: (len(pair.source), len(pair.target)))
    for start in range(0, len(by_length), EVALUATION_BATCH):
        yield by_length[start : start + EVALUATION_BATCH]


@torch.inference_mode()
def _forced(model: Transformer, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return token accuracy and loss under teacher forcing, of pairs as they are learned."""
    n_right, n_tokens, loss = 0, 0, 0.0
    for group in sorted_batches(pairs):
        batch = collate(group, model.config.pad_id).to(model.device)
        logits_BTV = model(*batch.inputs)
        right_BT = (logits_BTV.argmax(dim=-1) == batch.labels_BT) & batch.predicted_BT
        n_right += int(right_BT.sum())
        loss += token_loss(logits_BTV, batch.labels_BT, pad_id=batch.pad_id).item() * batch.n_tokens
        n_tokens += batch.n_tokens
    return n_right / n_tokens, loss / n_tokens
