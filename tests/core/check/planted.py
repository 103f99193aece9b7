"""Bugs that are planted in a sound model: in what its attention sees, in its numbers, its labels.

A bug stands in one module. `attending` names the modules that attend, in the order of their calls.
"""

import math
from contextlib import contextmanager
from functools import partial, wraps

import torch
from torch import nn
from torch.nn import functional

import core.model.attention
from core.check.inputs import read
from core.check.labels import random_batch, with_decoder_inputs
from core.check.passes import Passes, evaluating
from tests.core.check.models import ids

HIDDEN = -5e3
SOFTMAX, FUSED = torch.softmax, functional.scaled_dot_product_attention
_SOFTMAX = functional.softmax


def attending(model, batch=None, **more):
    """Return the names of the modules that attend."""
    given = with_decoder_inputs(model, random_batch(model) if batch is None else batch)
    inputs = read(model, given, more.get("causal"), more.get("pad_id"))
    with evaluating(model):
        passes = Passes(model, inputs)
        passes.recorded(inputs)
    return list(passes.seen)


def wrap(model, name, around):
    """Replace a module's forward pass by `around(forward, *args, **kwargs)`."""
    module = model.get_submodule(name)
    forward = module.forward

    @wraps(forward)
    def wrapped(*args, **kwargs):
        return around(forward, *args, **kwargs)

    module.forward = wrapped


def plant_visible(model, name, change):
    """Change what the queries of an attention may look at: `change(visible)` of all texts."""

    def planted(forward, *args, **kwargs):
        with _replaced(partial(_softmax, change), partial(_fused, change)):
            return forward(*args, **kwargs)

    is_of_torch = isinstance(model.get_submodule(name), nn.MultiheadAttention)
    wrap(model, name, partial(_of_torch, change) if is_of_torch else planted)


def plant_weights(model, name, weigh):
    """Replace the softmax of an attention."""

    def planted(forward, *args, **kwargs):
        with _replaced(lambda scores, *_, **__: weigh(scores), FUSED):
            return forward(*args, **kwargs)

    wrap(model, name, planted)


@contextmanager
def _replaced(softmax, fused):
    functional.softmax, functional.scaled_dot_product_attention = softmax, fused
    core.model.attention.scaled_dot_product_attention = fused
    try:
        yield
    finally:
        functional.softmax, functional.scaled_dot_product_attention = _SOFTMAX, FUSED
        core.model.attention.scaled_dot_product_attention = FUSED


def _softmax(change, scores, *args, **kwargs):
    visible = scores > HIDDEN
    wanted = change(visible)
    scores = scores.masked_fill(wanted & ~visible, 0.0).masked_fill(~wanted, -math.inf)
    return SOFTMAX(scores, *args, **kwargs)


def _fused(change, query, key, value, attn_mask=None, _dropout=0.0, is_causal=False, **named):  # noqa: PLR0913
    visible = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool)
    visible = visible.tril() if is_causal else visible
    if attn_mask is not None:
        visible = visible & (attn_mask if attn_mask.dtype == torch.bool else attn_mask > HIDDEN)
    return FUSED(query, key, value, attn_mask=change(visible), **named)


def _of_torch(change, forward, query, key, value, key_padding_mask=None, attn_mask=None, **named):  # noqa: PLR0913
    module = forward.__self__
    n_texts, n_queries, n_keys = len(query), query.shape[1], key.shape[1]
    if not module.batch_first:
        n_texts, n_queries, n_keys = query.shape[1], len(query), len(key)
    visible = torch.ones(n_texts, 1, n_queries, n_keys, dtype=torch.bool)
    for mask in (attn_mask, None if key_padding_mask is None else key_padding_mask[:, None, None]):
        if mask is not None:
            visible = visible & (~mask if mask.dtype == torch.bool else mask > HIDDEN)
    hidden = ~change(visible).expand(-1, module.num_heads, -1, -1).flatten(0, 1)
    return forward(query, key, value, attn_mask=hidden, **named | {"is_causal": False})


def sees_all(visible):
    return torch.ones_like(visible)


def sees_one_ahead(visible):
    """The mask is shifted by one."""
    ahead = torch.ones(visible.shape[-2:], dtype=torch.bool).diagonal(1)
    result = visible.clone()
    result.diagonal(1, -2, -1).copy_(ahead.expand_as(result.diagonal(1, -2, -1)))
    return result


def sees_padding(visible):
    """The padding mask is forgotten, not the causal one."""
    return visible | torch.ones(visible.shape[-2:], dtype=torch.bool).tril()


def sees_only_padding(visible):
    """The padding mask is taken for its opposite."""
    return visible if visible.all() else ~visible | visible.all(dim=-1, keepdim=True)


def sees_only_before(visible):
    """The causal mask hides the position itself: the first one sees nothing."""
    return visible & torch.ones(visible.shape[-2:], dtype=torch.bool).tril(-1)


def forgets_the_first(visible):
    """A step with a cache loses the first key."""
    visible = visible.clone()
    if visible.shape[-2] == 1:
        visible[..., 0] = False
    return visible


def over_queries(scores):
    """The softmax is taken over the wrong axis."""
    return SOFTMAX(scores, dim=-2)


def masked_afterwards(scores):
    """The mask is applied to the weights, not to the scores."""
    hidden = scores <= HIDDEN
    return SOFTMAX(scores.masked_fill(hidden, 0.0), dim=-1).masked_fill(hidden, 0.0)


def scaled_weights(scores):
    """As if dropout had stayed in the scale."""
    return SOFTMAX(scores, dim=-1) / 0.9


def weakly_masked(scores):
    """The mask adds −8 where it should add −∞."""
    return SOFTMAX(scores.masked_fill(scores <= HIDDEN, -8.0), dim=-1)


def plant_mean(model, name):
    """A module adds the mean over all positions to each."""
    wrap(
        model,
        name,
        lambda forward, x, *args, **kwargs: forward(x + 0.1 * x.mean(1, True), *args, **kwargs),
    )


def plant_neighbour(model, name):
    """A module reads the next position, too, as a convolution that is not causal."""
    wrap(
        model,
        name,
        lambda forward, x, *args, **kwargs: forward(x + 0.1 * x.roll(-1, 1), *args, **kwargs),
    )


def plant_dropout(model, name):
    """Dropout stays on: `functional.dropout` without `training=self.training`."""

    def planted(forward, *args, **kwargs):
        result = forward(*args, **kwargs)
        if isinstance(result, tuple):
            return (functional.dropout(result[0], 0.1), *result[1:])
        return functional.dropout(result, 0.1)

    wrap(model, name, planted)


def plant_position(model, name):
    """With a cache, positions begin at 0 again."""

    def planted(forward, *args, **kwargs):
        def again(value):
            is_step = isinstance(value, torch.Tensor) and not value.is_floating_point()
            return value * 0 if is_step and value.shape[-1] == 1 else value

        return forward(*map(again, args), **{name: again(value) for name, value in kwargs.items()})

    wrap(model, name, planted)


def wrong_labels(made):
    """Yield models with a batch, or a loss, in which a label is not the next token.

    Args:
        made: Returns a model, its batch and options of `check` by a name.
    """
    for name in ("gpt2", "qwen 3", "mistral"):
        model, _, more = made(name)
        text = ids(2, 10)
        yield f"{name}: shifted twice", model, {"input_ids": text, "labels": text.roll(-1, 1)}, more
    for name in ("llama 3", "opt"):
        model, _, more = made(name)
        wrap(model, "", _with_unshifted_loss)
        yield f"{name}: not shifted", model, {"input_ids": ids(2, 10), "labels": ids(2, 10)}, more
    for name in ("bart", "marian"):
        model, _, more = made(name)
        batch = {"input_ids": ids(2, 10), "labels": ids(2, 9), "decoder_input_ids": ids(2, 9)}
        yield f"{name}: fed its labels", model, batch, more
    model, _, more = made("t5")
    model._shift_right = lambda labels: labels
    yield "t5: fed its labels", model, {"input_ids": ids(2, 10), "labels": ids(2, 9)}, more
    for name, shift in (("not shifted", 0), ("shifted twice", -2)):
        model, batch, more = made("decoder by hand")
        batch = {"idx": batch["idx"], "targets": batch["idx"].roll(shift, 1)}
        yield f"decoder by hand: {name}", model, batch, more


def _with_unshifted_loss(forward, *args, labels=None, **kwargs):
    output = forward(*args, **kwargs)
    if labels is not None:
        output.loss = functional.cross_entropy(output.logits.flatten(0, 1), labels.flatten())
    return output
