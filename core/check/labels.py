"""Are the labels of a batch the next tokens, as the model's loss takes them?

B batch, T positions, V vocabulary.
"""

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..messages import N_
from ..model import Transformer
from .inputs import IGNORED, LABELS, LONGEST, CheckError, is_causal, named
from .passes import Passes
from .report import Fault, Kind
from .trace import leaves

N_TEXTS = 2
LOSS_UNITS = 1000
"""Rounding errors of a loss, in units of the last place."""
_NO_LABELS = N_("The batch has no labels.")
_OTHER_LOSS = N_("The model's loss is not the cross-entropy of its logits with the labels.")


def random_batch(model: nn.Module) -> dict[str, Tensor | None]:
    """Return random tokens for a model whose configuration says how many there are.

    Raises:
        CheckError: It does not.
    """
    config = getattr(model, "config", None)
    vocab_size = getattr(config, "vocab_size", None)
    if not isinstance(vocab_size, int):
        raise CheckError(N_("A batch is needed: the model does not say how many tokens there are."))
    generator = torch.Generator().manual_seed(0)

    def ids() -> Tensor:
        # The first and the last ones are often special.
        low, high = min(10, vocab_size // 4), vocab_size - min(10, vocab_size // 4)
        return torch.randint(low, high, (N_TEXTS, LONGEST), generator=generator)

    if isinstance(model, Transformer):
        stacks = model.config.stacks
        return {
            "source_BS": ids() if "encoder" in stacks else None,
            "target_BT": ids() if "decoder" in stacks else None,
        }
    batch: dict[str, Tensor | None] = {"input_ids": ids()}
    if is_causal(model):
        batch["labels"] = batch["input_ids"]
    elif getattr(config, "decoder_start_token_id", None) is not None:
        batch["labels"] = ids()
    return batch


def with_decoder_inputs(model: nn.Module, batch: object) -> object:
    """Return a batch of Hugging Face with what the decoder is fed, where only labels say it."""
    config: Any = getattr(model, "config", None)
    if not hasattr(config, "model_type") or not isinstance(batch, Mapping):
        return batch
    given = {name: value for name, value in batch.items() if name not in LABELS}
    if "use_cache" in inspect.signature(model.forward).parameters:
        given["use_cache"] = False
    if config.is_encoder_decoder and "decoder_input_ids" not in given:
        # Which tokens they are does not matter, but for the labels, which are compared apart.
        given["decoder_input_ids"] = batch.get("labels", batch["input_ids"]).clamp(min=0)
    return given


def check_labels(
    passes: Passes, batch: object, tokens: str, labels: Tensor | None
) -> list[Fault] | str:
    """Compare the label of each position with the token that is fed next.

    Args:
        passes: The model's.
        batch: As it was given.
        tokens: Name of the argument with the sequence that is fed.
        labels: labels_BT, where the batch has none.

    Returns:
        One fault or none; or why nothing was tried.
    """
    model = passes.model
    accepted = inspect.signature(model.forward).parameters
    given = dict(batch) if isinstance(batch, Mapping) else named(batch, list(accepted))[0]
    name = next((name for name in LABELS if name in given), "")
    if given.get(name) is not None and given[name].dim() != 2:
        # One class for each text.
        return _NO_LABELS
    if labels is None and name in accepted:
        found = _fed_and_offset(model, given, tokens, given[name])
        if found is None:
            return _OTHER_LOSS
        fed_BT, offset = found
        return _compared(passes, fed_BT, given[name], offset)
    labels = given.get(name) if labels is None else labels
    if labels is None:
        return _NO_LABELS
    return _compared(passes, given[tokens], labels, offset=0)


def _fed_and_offset(
    model: nn.Module, given: Mapping[str, Any], tokens: str, labels_BT: Tensor
) -> tuple[Tensor, int] | None:
    """Run a model with labels; return what its decoder is fed, and how its loss shifts the labels.

    None where its loss is another one.
    """
    fed: list[Tensor] = [given[tokens]] if tokens in given else []

    def note(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        fed.append(kwargs["input_ids"] if "input_ids" in kwargs else args[0])

    accepted = inspect.signature(model.forward).parameters
    run = partial(model, **{name: value for name, value in given.items() if name in accepted})
    if fed:
        output = run()
    else:
        # A model of Hugging Face makes it of the labels.
        decoder = cast(Any, model).get_decoder()
        with decoder.register_forward_pre_hook(note, with_kwargs=True):
            output = run()
    tensors = [x for _, x in leaves(output)]
    loss = next((x for x in tensors if x.dim() == 0), None)
    logits_BTV = next((x for x in tensors if x.dim() == 3), None)
    if loss is None or logits_BTV is None:
        return fed[0], 0
    away = {}
    for offset in range(3):
        scores_BTV = logits_BTV[:, : labels_BT.shape[1] - offset].flatten(0, 1).float()
        expected = functional.cross_entropy(scores_BTV, labels_BT[:, offset:].flatten())
        away[offset] = abs(float(loss / expected) - 1)
    nearest = min(away, key=lambda offset: away[offset])
    return (fed[0], nearest) if away[nearest] < LOSS_UNITS * torch.finfo(loss.dtype).eps else None


def _compared(passes: Passes, fed_BT: Tensor, labels_BT: Tensor, offset: int) -> list[Fault]:
    """Return a fault where a label is not the next token.

    Args:
        passes: The model's.
        fed_BT: What is fed.
        labels_BT: The labels as the batch has them.
        offset: The loss compares the scores at position t with the label at t + offset.
    """
    n = fed_BT.shape[1] - max(offset, 1)
    labels_BN, next_BN = labels_BT[:, offset : offset + n], fed_BT[:, 1 : n + 1]
    counts_BN = (labels_BN != IGNORED) & (labels_BN != passes.inputs.pad_id)
    wrong_BN = counts_BN & (labels_BN != next_BN)
    if not wrong_BN.any():
        return []
    text = N_("{module}: the label of position {position} is not the next token.")
    if bool((labels_BN == fed_BT[:, :n])[counts_BN].all()):
        text = N_("{module}: the label of position {position} is the token that is fed there.")
    elif bool((labels_BN[:, :-1] == fed_BT[:, 2 : n + 1])[counts_BN[:, :-1]].all()):
        text = N_("{module}: the label of position {position} is the token after the next one.")
    position = int(wrong_BN.any(dim=0).nonzero()[0])
    return [passes.fault(Kind.LABELS, "", position, text)]
