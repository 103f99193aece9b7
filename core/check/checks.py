"""`check`: does a model see what it must not see?

R texts of a pass, L positions of a sequence.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from ..messages import N_
from ..model import Cache, Transformer
from ..model.masks import padding_mask
from .inputs import PADDED, POSITIONS, Inputs, read
from .labels import check_labels, random_batch, with_decoder_inputs
from .passes import Passes, all_of, evaluating
from .report import Fault, Kind, Report
from .trace import Base, Difference, Expected, Window

SUM_TOLERANCE = 0.01
"""Of a sum of weights, in half precision."""
Outcome = Sequence[Fault] | str
"""What was found, or why nothing was tried; a message to translate."""

_BOTH_WAYS = N_("Every attention looks at later tokens, as in an encoder; causal=True if none may.")
_MAY_LOOK = N_("The model reads in both directions.")
_NO_PADDING = N_("Neither a padding mask nor a pad_id is known.")
_NO_CACHE = N_("The model returns no cache of keys and values.")
_NO_ATTENTION = N_("No attention was recognised.")
_RANDOM = N_("Passes over the same text differ, so nothing can be compared.")


def check(
    model: nn.Module,
    batch: object = None,
    *,
    causal: bool | None = None,
    pad_id: int | None = None,
    labels: Tensor | None = None,
) -> Report:
    """Look for what a model sees and must not see, and name the module that lets it.

    The longest text of the batch is cut to a few tokens; the model runs about twelve times on
    variations of it.

    Args:
        model: Any torch module. It is in evaluation mode meanwhile.
        batch: Its arguments, batch first: a mapping of names, a tuple, or one tensor of ids or
            vectors. None for random tokens, where the model's configuration has the vocabulary.
        causal: Whether no position of the last sequence may see later ones; None where the class of
            the model says so, or else most of its layers.
        pad_id: The token that fills up a batch; None where the model's configuration has it, or a
            mask in the batch says what is padding.
        labels: The token to be predicted at each position, where the batch does not have it.

    Raises:
        CheckError: The arguments are not understood.
    """
    model = getattr(model, "_orig_mod", model)
    batch = random_batch(model) if batch is None else batch
    given = with_decoder_inputs(model, batch)
    with evaluating(model):
        passes = Passes(model, read(model, given, causal, pad_id))
        outcomes = _outcomes(passes)
        target = passes.inputs.sequences[-1]
        if target.causal:
            outcomes[Kind.LABELS] = check_labels(passes, batch, target.tokens, labels)
    return Report(
        type(model).__name__,
        tuple(kind for kind in Kind if not isinstance(outcomes.get(kind, ""), str)),
        tuple(fault for kind in Kind for fault in _faults(outcomes.get(kind, ""))),
        {kind: why for kind in Kind if isinstance(why := outcomes.get(kind), str)},
    )


def _faults(outcome: Outcome) -> Iterator[Fault]:
    """Yield one fault for each module."""
    if not isinstance(outcome, str):
        first: dict[str, Fault] = {}
        for fault in outcome:
            first.setdefault(fault.module, fault)
        yield from first.values()


def _outcomes(passes: Passes) -> dict[Kind, Outcome]:
    """Try all that compares passes."""
    found: dict[Kind, Outcome] = {Kind.DROPOUT: _dropout(passes)}
    base = passes.recorded(passes.inputs)
    is_seen = bool(passes.seen)
    sums, blind = _sums(passes), _blind(passes)
    run = partial(passes.inputs, passes.model)
    if found[Kind.DROPOUT] and passes.differences(run, base, all_of(passes.inputs)):
        return found | dict.fromkeys((Kind.FUTURE, Kind.PADDING, Kind.CACHE), _RANDOM)
    found[Kind.FUTURE] = _future(passes)
    found |= _padding(passes, base)
    found[Kind.CACHE] = _cache(passes, base)
    found[Kind.ROWS] = [*sums, *found[Kind.ROWS]] if is_seen else _NO_ATTENTION
    found[Kind.BLIND] = [*blind, *_not_a_number(passes)]
    return found


def _dropout(passes: Passes) -> list[Fault]:
    """Read the same text twice, with whatever dropout there is."""
    text = N_("{module} is random in evaluation mode: two passes over the same text differ.")
    return [
        passes.fault(Kind.DROPOUT, each.module, each.position, text) for each in passes.random()
    ]


def _future(passes: Passes) -> Outcome:
    """Replace each token of the last sequence in turn: nothing before it may change.

    Where the class of the model does not say whether it may, it is as most layers have it.
    """
    *others, target = passes.inputs.sequences
    if target.causal is False:
        return _MAY_LOOK
    found = _changed_before(passes, target.side)
    if target.causal is None:
        leaking = {each.module for each in found}
        is_causal = not found or bool(passes.seen.keys() - leaking)
        sequences = (*others, replace(target, causal=is_causal))
        passes.inputs = replace(passes.inputs, sequences=sequences)
        if not is_causal:
            return _BOTH_WAYS
    return [_future_fault(passes, each) for each in found]


def _changed_before(passes: Passes, side: str) -> list[Difference]:
    """Return the modules whose outputs depend on later tokens."""
    changed = passes.inputs.with_each_replaced(side)
    length = changed.n_texts
    # In text q, the token at q is another one.
    before_RL = torch.ones(length, length, dtype=torch.bool).tril(-1)
    whole = all_of(changed)
    windows = {**whole.windows, side: Window(length, 0, 0, before_RL)}
    expected = replace(whole, windows=windows, whole_R=torch.zeros(length, dtype=torch.bool))
    base = passes.recorded(passes.inputs.repeated(length))
    return passes.differences(partial(changed, passes.model), base, expected)


def _future_fault(passes: Passes, found: Difference) -> Fault:
    position = found.position
    later = int(found.changed_RL[:, position].nonzero()[0])
    text = N_(
        "{module} sees later tokens: its output at position {position} depends on the token at "
        "position {later}."
    )
    visible_QK = passes.visible(found.module)
    if visible_QK is None and len(found.influenced_RL) > 1:
        visible_QK = found.influenced_RL.T.numpy()
    return passes.fault(Kind.FUTURE, found.module, position, text, visible_QK, later=later)


def _padding(passes: Passes, base: Base) -> dict[Kind, Outcome]:
    """Read each sequence alone, and padded beside a longer one.

    Args:
        passes: The model's.
        base: The pass over the text alone.
    """
    inputs = passes.inputs
    faults: dict[Kind, list[Fault]] = {kind: [] for kind in (*_PADDING_KINDS, Kind.ROWS)}
    for side in inputs.padding_masks:
        # A model that takes positions can count them from behind the padding.
        for left in (False, True) if POSITIONS in inputs.arguments else (False,):
            for each in _padded(passes, base, side, left=left):
                kind = _PADDING_KINDS[each.side not in ("", side)]
                visible_QK = passes.visible(each.module)
                text = _LEAKING[kind] if each.side else _LEAKING_WHOLE
                fault = passes.fault(kind, each.module, each.position, text, visible_QK)
                faults[kind].append(fault)
            faults[Kind.ROWS] += _sums(passes)
    found: dict[Kind, Outcome] = {Kind.ROWS: faults[Kind.ROWS]}
    found[Kind.PADDING] = faults[Kind.PADDING] if inputs.padding_masks else _NO_PADDING
    if len(inputs.sequences) == 2:
        is_padded = "source" in inputs.padding_masks
        found[Kind.SOURCE_PADDING] = faults[Kind.SOURCE_PADDING] if is_padded else _NO_PADDING
    return found


_PADDING_KINDS = (Kind.PADDING, Kind.SOURCE_PADDING)
_LEAKING = {
    Kind.PADDING: N_(
        "{module} sees padding: its output at position {position} changes when the text is padded."
    ),
    Kind.SOURCE_PADDING: N_(
        "{module} sees the source’s padding: its output at position {position} changes when the "
        "source is padded."
    ),
}


_LEAKING_WHOLE = N_("{module} sees padding: its output changes when the text is padded.")


def _padded(passes: Passes, base: Base, side: str, *, left: bool) -> list[Difference]:
    """Return the modules that tell a text in a padded batch from the text alone."""
    padded = passes.inputs.padded(side, left=left)
    if left:
        padded = padded.with_positions([PADDED, 0])
    first_R = torch.tensor([True, False])
    windows = {
        each: Window(
            length,
            PADDED if left and each == side else 0,
            0,
            first_R[:, None].expand(2, passes.inputs.lengths[each]),
        )
        for each, length in padded.lengths.items()
    }
    expected = Expected(2, windows, first_R, same_shape=False)
    return passes.differences(partial(padded, passes.model), base, expected)


def _cache(passes: Passes, base: Base) -> Outcome:
    """Read a text at once, and its last tokens one by one, with a cache of the others."""
    if not passes.inputs.sequences[-1].causal:
        return _MAY_LOOK
    text = N_(
        "{module} returns other values with a cache than without, from position {position} on."
    )
    faults: list[Fault] = []
    whole, nothing_R = all_of(passes.inputs), torch.zeros(1, dtype=torch.bool)
    n_steps = 0
    for step in steps_with_cache(passes.model, passes.inputs):
        n_steps += 1
        window = Window(step.length, 0, step.first, torch.ones(1, step.length, dtype=torch.bool))
        windows = {**whole.windows, "target": window}
        expected = replace(whole, windows=windows, whole_R=nothing_R, same_shape=False)
        for each in passes.differences(step.run, base, expected):
            position = each.position + step.first
            faults.append(passes.fault(Kind.CACHE, each.module, position, text))
    return faults if n_steps > 1 else _NO_CACHE


def _sums(passes: Passes) -> list[Fault]:
    """Return the attentions of the last pass in which the weights of a row do not sum to 1."""
    text = N_("{module}: the weights of position {position} sum to {total}, not to 1.")
    faults = []
    for module, seen in passes.seen.items():
        for call in seen.calls:
            sums_HQ = call.weights_BHQK[0].float().sum(dim=-1)
            # A row of zeros sees nothing.
            is_wrong_HQ = (sums_HQ != 0) & ((sums_HQ - 1).abs() > SUM_TOLERANCE)
            if is_wrong_HQ.any():
                position = int(is_wrong_HQ.any(dim=0).nonzero()[0])
                total = f"{sums_HQ[is_wrong_HQ[:, position], position][0]:.2f}"
                visible_QK = passes.visible(module)
                faults.append(
                    passes.fault(Kind.ROWS, module, position, text, visible_QK, total=total)
                )
    return faults


def _blind(passes: Passes) -> list[Fault]:
    """Return the attentions of the last pass, over a text alone, in which a query sees no key."""
    text = N_("{module}: the query at position {position} sees no key.")
    faults = []
    for module, seen in passes.seen.items():
        is_blind_HQ = ~seen.calls[0].visible_BHQK[0].any(dim=-1)
        if is_blind_HQ.any():
            position = int(is_blind_HQ.any(dim=0).nonzero()[0])
            visible_QK = passes.visible(module)
            faults.append(passes.fault(Kind.BLIND, module, position, text, visible_QK))
    return faults


def _not_a_number(passes: Passes) -> list[Fault]:
    """Return the modules that made NaN of numbers in any pass."""
    text = N_("{module} returns NaN at position {position}, as where a query sees no key.")
    return [
        passes.fault(Kind.BLIND, module, position, text)
        for module, position in passes.trace.not_a_number.items()
    ]


# ---- reading with a cache


CACHES = ("cache", "past_key_values")
"""What `transformers` calls a cache, since version 5.24 and before: an argument, and a result."""
N_STEPS = 3
"""Tokens that are read one by one."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a decoder: new tokens after those in its cache."""

    first: int
    """Position of the first new token."""
    length: int
    """Number of new tokens."""
    run: Callable[[], object]


def steps_with_cache(model: nn.Module, inputs: Inputs) -> Iterator[Step]:
    """Yield the steps of reading a text; each is run before the next one is taken.

    Only a model of this project or of the interface of Hugging Face has more than one step.
    """
    length = inputs.lengths["target"]
    starts = [0, *range(length - N_STEPS, length)]
    parts = list(zip(starts, [*starts[1:], length], strict=True))
    if isinstance(model, Transformer):
        yield from _own_steps(model, inputs, parts)
        return
    names = inspect.signature(model.forward).parameters
    for cache in [name for name in CACHES if name in names and "use_cache" in names][:1]:
        yield from _hugging_face_steps(model, inputs, parts, cache)


def _own_steps(model: Transformer, inputs: Inputs, parts: list[tuple[int, int]]) -> Iterator[Step]:
    cache = Cache()
    source_BS, memory_BSD, visible_B1S = inputs.arguments.get("source_BS"), None, None
    if source_BS is not None:
        memory_BSD = model.encode(source_BS)
        visible_B1S = padding_mask(source_BS, model.config.pad_id)
    for first, end in parts:
        new_BT = inputs.tokens("target")[:, first:end]
        run = partial(
            model.decode, new_BT, memory_BSD, visible_B1S, cache=cache, source_BS=source_BS
        )
        yield Step(first, end - first, run)


def _hugging_face_steps(
    model: nn.Module, inputs: Inputs, parts: list[tuple[int, int]], cache: str
) -> Iterator[Step]:
    kept: dict[str, Any] = {}
    mask = inputs.padding_masks.get("target")
    for first, end in parts:
        new = inputs.cut("target", first, end - first)
        arguments = {**new.arguments, "use_cache": True, **kept}
        # The model is to count them itself.
        arguments.pop(POSITIONS, None)
        if mask:
            # It covers what is in the cache, too.
            arguments[mask] = inputs.arguments[mask][:, :end]
        results: list[Any] = []
        run = partial(_run, replace(new, arguments=arguments), model, results)
        yield Step(first, end - first, run)
        past = getattr(results[0], cache, None)
        if past is None:
            return
        kept[cache] = past
        if "source" in inputs.lengths:
            kept["encoder_outputs"] = (results[0].encoder_last_hidden_state,)


def _run(inputs: Inputs, model: nn.Module, results: list[Any]) -> None:
    results.append(inputs(model))
